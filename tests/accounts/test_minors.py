"""The year of birth that members may give: who becomes a minor by it, and until when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient

from app.accounts import friends, minors
from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.moderation import naming, privacy

NEW_YEARS_EVE = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC)
SignIn = Callable[..., FlaskClient]


@pytest.fixture
def ann(member: Callable[..., Member]) -> Member:
    return member("ann")


@pytest.fixture
def meg(member: Callable[..., Member]) -> int:
    return member("meg", "moderator").id


def shown_name(member: Member) -> str:
    db.session.expire_all()
    names = {member.display_name, player_of(member).display_name}
    assert len(names) == 1, "boards and leagues show the same name"
    return names.pop()


def test_a_year_of_birth_makes_a_minor_until_the_end_of_the_year_of_18(
    ann: Member, member: Callable[..., Member]
) -> None:
    bob, plain = player_of(member("bob")).id, f"Player {player_of(ann).id.hex[:6]}"
    minors.set_birth_year(ann, 2008, NEW_YEARS_EVE)
    assert shown_name(ann) == plain
    assert friends.ask(bob, player_of(ann).id, NEW_YEARS_EVE) == friends.NOBODY
    assert minors.end_minority(NEW_YEARS_EVE) == 0
    assert shown_name(ann) == plain
    assert minors.end_minority(NEW_YEAR) == 1
    assert shown_name(ann) == "Ann"
    assert friends.ask(bob, player_of(ann).id, NEW_YEAR) is None
    assert minors.end_minority(NEW_YEAR) == 0


def test_an_adults_year_changes_nothing_and_a_corrected_one_gives_the_name_back(
    ann: Member,
) -> None:
    minors.set_birth_year(ann, 2007, NEW_YEARS_EVE)
    assert (shown_name(ann), ann.is_minor) == ("Ann", False)
    minors.set_birth_year(ann, 2012, NEW_YEARS_EVE)
    assert shown_name(ann) != "Ann"
    minors.set_birth_year(ann, None, NEW_YEARS_EVE)
    assert (shown_name(ann), ann.is_minor) == ("Ann", False)


def test_the_stricter_of_the_moderators_mark_and_the_year_wins(ann: Member, meg: int) -> None:
    player_id = player_of(ann).id
    naming.mark_minor(player_id, by=meg, reason="twelve")
    minors.set_birth_year(ann, 1990, NEW_YEARS_EVE)
    assert minors.end_minority(NEW_YEAR) == 0
    assert (shown_name(ann) == "Ann", ann.is_minor) == (False, True)
    minors.set_birth_year(ann, 2015, clock.now())
    assert isinstance(naming.unmark_minor(player_id, by=meg, reason="a mistake"), Player)
    assert (shown_name(ann) == "Ann", ann.is_minor) == (False, True)


def test_a_name_that_was_taken_stays_taken_when_a_minor_grows_up(ann: Member, meg: int) -> None:
    minors.set_birth_year(ann, 2008, NEW_YEARS_EVE)
    naming.take_name(player_of(ann).id, by=meg, reason="rude")
    assert minors.end_minority(NEW_YEAR) == 1
    assert shown_name(ann) == f"Player {player_of(ann).id.hex[:6]}"


@pytest.mark.parametrize("typed", ["1899", "2027", "1990.5", "-5", "soon", "19900"])
def test_a_year_that_nobody_alive_was_born_in_is_refused_beside_the_field(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    client = sign_in(username="ann")
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment.replace(year=2026))
    client.post("/account/birth-year", data={"birth_year": "1995"})
    answer = client.post("/account/birth-year", data={"birth_year": typed})
    assert answer.status_code == 422
    assert (
        '<p class="fault" id="birth_year-fault">Enter a year from 1900 to 2026, '
        "or leave it blank.</p>" in answer.text
    )
    assert f'value="{typed}"' in answer.text
    assert db.session.query(Member.birth_year).filter_by(username="ann").scalar() == 1995


def test_the_account_page_shows_the_year_to_its_member_who_can_remove_it(sign_in: SignIn) -> None:
    client = sign_in(username="ann")
    saved = client.post("/account/birth-year", data={"birth_year": " 1995 "}, follow_redirects=True)
    assert "Year of birth saved." in saved.text
    assert 'value="1995"' in saved.text
    emptied = client.post("/account/birth-year", data={"birth_year": ""}, follow_redirects=True)
    assert 'value="1995"' not in emptied.text


def test_the_year_is_in_the_members_own_data_and_is_erased_with_the_account(ann: Member) -> None:
    minors.set_birth_year(ann, 1995, NEW_YEARS_EVE)
    assert privacy.export(ann.id)["members"][0]["birth_year"] == 1995
    privacy.erase(ann.id, by=ann.id, reason="asked", now=NEW_YEARS_EVE)
    db.session.expire_all()
    assert db.session.get_one(Member, ann.id).birth_year is None
