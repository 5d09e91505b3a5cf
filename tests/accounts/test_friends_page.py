from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

from flask.testing import FlaskClient

from app.accounts import friends, services
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.clock import now
from app.moderation import sanctions
from tests.pages import without_tokens

SignIn = Callable[..., FlaskClient]


def id_of(username: str) -> str:
    member = services.find_member(username)
    assert member is not None
    return str(player_of(member).id)


def test_asking_and_accepting_works_without_javascript(sign_in: SignIn) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    assert "No friends yet" in ann.get("/friends").text
    answer = ann.post("/friends/ask", data={"username": "Bob"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/friends")
    assert "Requests sent" in ann.get("/friends").text
    assert "Friend requests" in bob.get("/friends").text
    assert bob.post(f"/friends/{id_of('ann')}/accept").status_code == 303
    assert "Your friends" in ann.get("/friends").text
    assert "Your friends" in bob.get("/friends").text


def test_htmx_gets_the_fragment_alone(sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    sign_in(username="bob")
    answer = ann.post("/friends/ask", data={"username": "bob"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.text.lstrip()[:16]) == (200, '<div id="circle"')
    assert "csrf_token" in answer.text


def test_faults_are_said_at_the_field(sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    for name, sentence in (
        ("nobody", "no player with this name"),
        ("ann", "That&#39;s you"),
        ("", "no player with this name"),
    ):
        answer = ann.post("/friends/ask", data={"username": name})
        assert answer.status_code == 422
        assert sentence in answer.text
    bob = sign_in(username="bob")
    bob.get("/friends")
    answer = ann.post(f"/friends/{id_of('bob')}/accept")
    assert answer.status_code == 422
    assert "This player has no open request" in answer.text


def test_a_blocked_ones_page_is_that_of_one_who_waits(sign_in: SignIn) -> None:
    """The same bytes, except for the name of the member they asked."""
    ann, bob = sign_in(username="ann-q"), sign_in(username="bob")
    sign_in(username="cal-q")
    ann.post(f"/friends/{id_of('bob')}/block")
    pages = []
    for asked in ("ann-q", "cal-q"):
        assert bob.post("/friends/ask", data={"username": asked}).status_code == 303
        page = re.sub(
            f"{asked}|{asked.title()}|{id_of(asked)}", "SOMEBODY", bob.get("/friends").text
        )
        pages.append(without_tokens(page))
        bob.post(f"/friends/{id_of(asked)}/withdraw")
    assert pages[0] == pages[1]
    assert "bob" in ann.get("/friends").text.lower()


def test_unknown_acts_and_players_are_not_found(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    ann = sign_in(username="ann")
    member("bob")
    assert ann.post(f"/friends/{id_of('bob')}/hug").status_code == 404
    assert ann.post("/friends/7c9e6679-7425-40de-944b-e07fc1f90ae7/block").status_code == 404
    assert ann.get("/friends").status_code == 200


def test_a_longer_list_costs_no_more_queries(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    from tests.polling import forget_parts
    from tests.statements import count_statements

    ann = sign_in(username="ann")
    counts = []
    for batch in ("x", "y"):
        for number in range(5):
            other = player_of(member(f"{batch}-{number}")).id
            assert friends.ask(other, player_of(services.find_member("ann")).id, now()) is None  # type: ignore[arg-type]
        forget_parts(ann)
        with count_statements() as counted:
            ann.get("/friends")
            counts.append(counted())
    assert counts[0] == counts[1]


def test_a_banned_or_suspended_member_is_on_no_list_of_friends(sign_in: SignIn) -> None:
    """Off every board and list, and back as it was (decision 22).

    Their page of a gamer is not there either.
    """
    ann = sign_in(username="ann")
    lists = {
        "Your friends": "bob",
        "Requests sent": "cal",
        "Friend requests": "dan",
        "Blocked": "eve",
    }
    clients = {name: sign_in(username=name) for name in lists.values()}
    for name in ("bob", "cal"):
        ann.post("/friends/ask", data={"username": name})
    clients["bob"].post(f"/friends/{id_of('ann')}/accept")
    clients["dan"].post("/friends/ask", data={"username": "ann"})
    ann.post(f"/friends/{id_of('eve')}/block")
    page = without_tokens(ann.get("/friends").text)
    assert [title for title in lists if title not in page] == []
    for name in lists.values():
        sanctions.impose(
            UUID(id_of(name)), sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=now()
        )
    hidden = ann.get("/friends").text
    assert [
        name
        for title, name in lists.items()
        if title in hidden or re.search(rf"\b{name.title()}\b", hidden)
    ] == []
    bob = services.find_member("bob")
    assert bob is not None
    assert ann.get(f"/gamers/{bob.id}").status_code == 404
    for name in lists.values():
        sanctions.lift(UUID(id_of(name)), by=None, reason="was none", now=now())
    assert without_tokens(ann.get("/friends").text) == page
