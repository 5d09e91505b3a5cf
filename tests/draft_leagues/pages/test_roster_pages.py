"""Pages of rosters, and the moves that members make there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.market.models import FootballerSeason
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import BudgetMove, PickMove, Place, Transaction
from tests.worlds.draft_leagues import DRAFTED, FIRST, SETTINGS, DraftWorld, make_drafted_league


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """Sets the time of the pages and their acts, at first two days before the first kickoff."""

    def set_time(moment: object) -> None:
        for name in ("now", "received_at"):
            monkeypatch.setattr(f"app.draft_leagues.pages.roster_views.{name}", lambda: moment)

    set_time(DRAFTED + timedelta(days=1))
    return set_time


@pytest.fixture
def ann(
    at: Callable[[object], None], drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> FlaskClient:
    return sign_in(username="ann")


def address(world: DraftWorld, path: str = "") -> str:
    return f"/leagues/{world.league.slug}/roster{path}"


def set_status(world: DraftWorld, footballer: str, status: str) -> None:
    db.session.get_one(FootballerSeason, (world.season.season_id, footballer)).status = status
    db.session.commit()


def test_a_roster_shows_the_lineup_to_its_member_alone(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    my_page = ann.get(address(drafted)).text
    for name in names_of(rosters_of(drafted.league.id).of(1)).values():
        assert name in my_page
    assert "Starters" in my_page
    assert "6 of 9" in my_page
    assert "Set lineup," in my_page
    other = ann.get(address(drafted, "/2")).text
    assert "Bob FC" in other
    assert "Starters" not in other
    assert "/drop/" not in other


def test_somebody_injured_waits_on_reserve_and_comes_back(
    ann: FlaskClient, drafted: DraftWorld
) -> None:
    who = drafted.lineup(1)[0]
    name = names_of([who])[who]
    refused = ann.post(address(drafted), data={"footballer": who, "spot": "reserve"})
    assert refused.status_code == 422
    assert f"{name} is available. Injured reserve is only for players who are out" in refused.text
    assert "To injured reserve" not in ann.get(address(drafted)).text

    set_status(drafted, who, "injured")
    assert "To injured reserve" in ann.get(address(drafted)).text
    moved = ann.post(address(drafted), data={"footballer": who, "spot": "reserve"})
    assert moved.status_code == 303
    assert rosters_of(drafted.league.id).places[who] == Place(1, "reserve")
    page = ann.get(moved.location).text
    assert f"{name} has moved." in page
    assert "1 of 1" in page
    ann.post(address(drafted), data={"footballer": who, "spot": "active"})
    assert rosters_of(drafted.league.id).places[who] == Place(1)
    assert ann.post(address(drafted), data={"footballer": who, "spot": "bench"}).status_code == 400


def test_a_drop_is_confirmed_and_happens_once(ann: FlaskClient, drafted: DraftWorld) -> None:
    who = drafted.lineup(1)[1]
    name = names_of([who])[who]
    assert f"Drop {name}?" in ann.get(address(drafted, f"/drop/{who}")).text
    dropped = ann.post(address(drafted, f"/drop/{who}"))
    assert f"You dropped {name}." in ann.get(dropped.location).text
    assert who not in rosters_of(drafted.league.id).places
    again = ann.post(address(drafted, f"/drop/{who}"))
    assert again.status_code == 422
    assert f"{name} is no longer on your team" in again.text
    rival = drafted.lineup(2)[0]
    assert ann.get(address(drafted, f"/drop/{rival}")).status_code == 404
    assert ann.post(address(drafted, f"/drop/{rival}")).status_code == 422


def test_whoever_has_begun_is_locked(
    ann: FlaskClient, drafted: DraftWorld, at: Callable[[object], None]
) -> None:
    at(FIRST + timedelta(hours=7))
    page = ann.get(address(drafted)).text
    locked = page.count('<span class="visually-hidden">Locked</span>')
    assert 0 < locked < 6
    assert f"{locked} of 6 players locked for Week 1." in " ".join(page.split())
    assert page.count("/roster/drop/") == 6 - locked


def test_picks_and_budget_are_shown(
    app: Flask,
    at: Callable[[object], None],
    member: Callable[..., Member],
    sign_in: Callable[..., FlaskClient],
) -> None:
    waivers = replace(SETTINGS.waivers, kind="blind_bids")
    world = make_drafted_league(member, replace(SETTINGS, waivers=waivers))
    world.record(
        Transaction("traded", budgets=(BudgetMove(1, 7), BudgetMove(2, -7))),
        Transaction("traded", picks=(PickMove(2027, 3, 2, from_franchise=2, to_franchise=1),)),
    )
    page = sign_in(username="ann").get(address(world)).text
    assert "<strong>107</strong>" in page
    assert "2027, round 3:" in page
    rival = sign_in(username="bob").get(address(world)).text
    assert "traded to" in rival


def test_strangers_see_no_roster(
    drafted: DraftWorld, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    member("eve")
    eve = sign_in(username="eve")
    for path in ("", "/1", "/drop/x"):
        assert eve.get(address(drafted, path)).status_code == 404
    assert eve.post(address(drafted, "/drop/x")).status_code == 404
    ann = sign_in(username="ann")
    assert ann.get(address(drafted, "/9")).status_code == 404
