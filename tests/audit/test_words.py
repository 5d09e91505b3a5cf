"""Entries of the audit as people read them."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

from flask.testing import FlaskClient

from app.accounts.models import Member
from app.accounts.players import player_of
from app.audit import words
from app.audit.acts import Act


def test_every_act_is_said_in_words_and_never_by_its_code() -> None:
    assert set(words.DID) == set(Act)
    for act in Act:
        sentence = words.sentence(act.value, "Ada", "member:7", "Bob")
        assert sentence.startswith("Ada ")
        assert act.value not in sentence
        assert "member:7" not in sentence
    assert [code for code, _ in words.acts()] != sorted(code for code, _ in words.acts()), (
        "in the order of the words"
    )
    assert {code for code, _ in words.acts()} == {act.value for act in Act}


def test_an_act_of_a_newer_version_is_said_as_far_as_it_is_known() -> None:
    assert (
        words.sentence("moon.painted", "Ada", "moon:1", None) == "Ada did moon.painted to moon:1."
    )
    assert words.sentence("moon.painted", "Ada", "", None) == "Ada did moon.painted."


def test_details_say_what_was_and_what_became_of_it() -> None:
    changed = {"allowed_origins": [[], ["https://a.example.com"]], "hidden": [False, True]}
    assert words.details(Act.GAME_CHANGED.value, changed) == [
        "allowed origins: nothing, then https://a.example.com",
        "hidden: no, then yes",
    ]
    roles = {"before": ["member"], "roles": ["member", "scorer"], "games": []}
    assert words.details(Act.ROLES_CHANGED.value, roles) == [
        "before: member",
        "games: nothing",
        "roles: member and scorer",
    ]


def test_the_page_names_people_and_keeps_the_codes_beside(
    sign_in: Callable[..., FlaskClient], member: Callable[..., Member]
) -> None:
    bob = member("bob")
    moderator = sign_in("moderator")
    path = f"/moderation/players/{player_of(bob).id}"
    moderator.post(f"{path}/sanction", data={"kind": "ban", "reason": "a bot"})
    text = unescape(moderator.get("/moderation/audit?act=player.banned").text)
    name = bob.display_name
    assert f" banned {name}.</strong>" in text
    assert "<code>player.banned</code>" in text
    assert 'value="player.banned" selected' in text


def test_each_act_has_a_label_of_its_own() -> None:
    labels = [label for _, label in words.acts()]
    assert len(set(labels)) == len(labels)
    assert "Changed an integrator" in labels
    assert "Banned a member" in labels
