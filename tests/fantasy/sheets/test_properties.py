"""No sequence of edits and transfers breaks budget, slots, club limit or deadline.

PRODUCT B2, on real PostgreSQL.

A gamer acts at random over several gameweeks: saves whatever, often two at once, early and late,
while prices move. After each act every stored sheet is computed a second time, from the sheets
before it and the prices of its saving.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks import after_deadline
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, SheetDeadline, TeamRules
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.services import Draft, Refused, Saved
from tests.sizes import size
from tests.worlds.team_sheets import CLUBS, KICKOFF, KIND, TEAM, WEEK, World, make_world, rows

FIVE = FORMATS["soccer-five"]
POSITION = {
    f"{club}{number}": kind for club in CLUBS for number, (kind, _) in enumerate(KIND, start=1)
}
START = {
    f"{club}{number}": price for club in CLUBS for number, (_, price) in enumerate(KIND, start=1)
}
WEEKS = 3

# Mostly one for another of the same position, so that many teams are saved; sometimes anything at
# all.
clubs = st.tuples(st.integers(1, 7), st.sampled_from(CLUBS))
anything = st.tuples(st.integers(1, 7), st.sampled_from([*POSITION, "", "nobody"]))
changes = st.one_of(
    *[st.lists(clubs, max_size=2)] * 4, st.lists(st.one_of(clubs, anything), max_size=4)
)
armbands = st.one_of(
    *[st.permutations(range(1, 6)).map(lambda places: tuple(places[:2]))] * 5,
    st.tuples(st.integers(-1, 8), st.integers(-1, 8)),
)


@dataclass(frozen=True)
class Edit:
    """A save so many hours from the first kickoff, from the sheet that is there or from TEAM.

    With a club for another, who has the same number there comes. `at_once`: so many at the same
    time.
    """

    hour: int
    changes: tuple[tuple[int, str], ...]
    armbands: tuple[int, int]
    version: int | None
    at_once: int


# The gameweek's open days, the last moments of each kind of lock, the first too late, long after.
hours = st.sampled_from([-100, -90, -80, -70, -50, -30, -20, -10, -2, -1, 0, 1, 23, 24, 30])
edits = st.builds(
    Edit,
    hours,
    changes.map(tuple),
    armbands,
    st.sampled_from([None, None, None, None, 0, 1]),
    st.sampled_from([1, 1, 1, 3]),
)
prices = st.tuples(st.sampled_from([*TEAM, *TEAM, *POSITION]), st.integers(-15, 25))
# In each gameweek some prices move first, by so much from the first ones; then edits by the clock.
in_order = st.lists(edits, min_size=1, max_size=6).map(
    lambda edits: sorted(edits, key=lambda edit: edit.hour)
)
seasons = st.lists(
    st.tuples(st.lists(prices, max_size=8), in_order), min_size=WEEKS, max_size=WEEKS
)


@pytest.mark.sized
@settings(
    max_examples=size("PRESSBOX_PROPERTY_CASES", 6, 50),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(season=seasons, lock=st.sampled_from(["gameweek", "game"]))
def test_no_sequence_of_saves_breaks_a_rule(
    app: Flask,
    one_world: dict[str, World],
    gamer: int,
    season: list[tuple[list[tuple[str, int]], list[Edit]]],
    lock: str,
) -> None:
    world = one_world[lock]
    begin_again(world)
    with ThreadPoolExecutor(3) as threads:
        for week, (moved, wishes) in enumerate(season, start=1):
            for footballer, by in moved:
                reprice(world, footballer, START[footballer] + by)
            for edit in wishes:
                now = KICKOFF + (week - 1) * WEEK + timedelta(hours=edit.hour)
                pass_deadlines(world, now)
                before = {row.gameweek_id: row for row in rows()}
                draft = wanted_of(edit, list(before.values()))
                answers = list(
                    threads.map(save_in, [(app, gamer, world, week, draft, now)] * edit.at_once)
                )
                for answer in answers:
                    event("saved" if isinstance(answer, Saved) else answer.refusals[0].code)
                check_stored(
                    world,
                    {row.gameweek_id: row for row in rows()},
                    before,
                    answers,
                    week,
                    edit,
                    draft,
                    now,
                )


def save_in(case: tuple[Flask, int, World, int, Draft, datetime]) -> Saved | Refused:
    app, gamer, world, week, draft, now = case
    with app.app_context():
        return sheets.save(gamer, world.team_rules.id, world.gameweeks[week - 1].id, draft, now)


def wanted_of(edit: Edit, stored: list[TeamSheet]) -> Draft:
    picks = list(stored[-1].picks if stored else TEAM)
    for place, new in edit.changes:
        picks[place - 1] = new + picks[place - 1][3:] if new in CLUBS else new
    return Draft(tuple(picks), *edit.armbands, edit.version)


def check_stored(
    world: World,
    after: dict[int, TeamSheet],
    before: dict[int, TeamSheet],
    answers: list[Saved | Refused],
    week: int,
    edit: Edit,
    draft: Draft,
    now: datetime,
) -> None:
    gameweek = world.gameweeks[week - 1]
    saved = [answer for answer in answers if isinstance(answer, Saved)]
    for answer in answers:
        assert isinstance(answer, Saved) or answer.refusals, "a refusal has its reasons"
    for gameweek_id, row in after.items():
        if gameweek_id != gameweek.id and gameweek_id in before:
            assert values(row) == values(before[gameweek_id]), "no save reaches another gameweek"
    if not saved:
        assert values(after.get(gameweek.id)) == values(before.get(gameweek.id)), (
            "a refused save changes nothing"
        )
        return
    row = after[gameweek.id]
    assert now < db.session.get_one(SheetDeadline, (world.team_rules.id, gameweek.id)).locks_at
    assert (tuple(row.picks), row.captain, row.vice_captain) == (
        draft.picks,
        draft.captain,
        draft.vice_captain,
    )
    versions = {answer.version for answer in saved}
    if edit.version is not None:
        assert len(versions) == 1, (
            "of saves of the same version one wins, and the same sheet sent again is that one"
        )
    else:
        assert len(versions) == len(saved), "saves of one sheet follow each other"
    assert row.version == max(versions)
    check_rules(world, row, before.get(gameweek.id), earlier(after, world, week), now)


def check_rules(
    world: World,
    row: TeamSheet,
    was: TeamSheet | None,
    base: tuple[TeamSheet, int] | None,
    now: datetime,
) -> None:
    """The rules by hand: places, squad, clubs, armbands, money and transfers."""
    picks = list(row.picks)
    assert len(picks) == len(set(picks)) == 7
    assert all(
        POSITION[pick] in slot.accepts for pick, slot in zip(picks, FIVE.places, strict=True)
    )
    assert max(Counter(pick[:3] for pick in picks).values()) <= 3
    assert row.captain != row.vice_captain
    assert 1 <= min(row.captain, row.vice_captain) <= max(row.captain, row.vice_captain) <= 5
    if world.team_rules.lock == "game" and was is not None:
        begun = {
            club
            for week in (row.gameweek_id - world.gameweeks[0].id + 1,)
            for club in begun_clubs(week, now)
        }
        for old, new in zip(was.picks, picks, strict=True):
            assert old == new or (old[:3] not in begun and new[:3] not in begun), (
                "whoever plays already stays"
            )
    today = market(world)
    owned = dict(zip(base[0].picks, base[0].purchase_prices, strict=True)) if base else {}
    assert row.transfers == (len(set(picks) - set(owned)) if base else 0)
    if was is not None and set(was.picks) == set(picks):
        paid = dict(zip(was.picks, was.purchase_prices, strict=True))
        assert (row.bank, row.purchase_prices) == (was.bank, [paid[pick] for pick in picks])
    else:
        paid = [owned.get(pick, today[pick]) for pick in picks]
        assert row.purchase_prices == paid
        purse = base[0].bank if base else world.team_rules.budget
        sold = sum(
            was + (today[pick] - was) // 2 if today[pick] > was else today[pick]
            for pick, was in owned.items()
            if pick not in picks
        )
        assert row.bank == purse + sold - sum(today[pick] for pick in picks if pick not in owned)
    assert row.bank >= 0, "nobody spends more than they have"
    if base is None:
        assert (row.free_transfers, row.transfer_cost) == (None, 0)
    else:
        left = (
            0
            if base[0].free_transfers is None
            else max(0, base[0].free_transfers - base[0].transfers)
        )
        assert row.free_transfers == min(5, left + base[1])
        assert row.transfer_cost == 4000 * max(0, row.transfers - row.free_transfers)


def earlier(stored: dict[int, TeamSheet], world: World, week: int) -> tuple[TeamSheet, int] | None:
    """The sheet before this gameweek's, and how many gameweeks ago."""
    for back in range(1, week):
        if (row := stored.get(world.gameweeks[week - 1 - back].id)) is not None:
            return row, back
    return None


def begun_clubs(week: int, now: datetime) -> set[str]:
    kickoff = KICKOFF + (week - 1) * WEEK
    return ({"AYR", "BUR"} if now >= kickoff else set()) | (
        {"CRK", "DOV"} if now >= kickoff + timedelta(days=1) else set()
    )


def values(row: TeamSheet | None) -> dict[str, Any] | None:
    return (
        None
        if row is None
        else {column.name: getattr(row, column.name) for column in TeamSheet.__table__.columns}
    )


def market(world: World) -> dict[str, int]:
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.price).where(
            FootballerSeason.season_id == world.season_id
        )
    )
    return {row.footballer_id: row.price for row in rows}


def reprice(world: World, footballer: str, price: int) -> None:
    db.session.execute(
        text(
            "UPDATE footballer_seasons SET price = :price WHERE season_id = :season AND "
            "footballer_id = :one"
        ),
        {"price": price, "season": world.season_id, "one": footballer},
    )
    db.session.commit()


def pass_deadlines(world: World, now: datetime) -> None:
    for gameweek in world.gameweeks:
        if gameweek.deadline <= now:
            after_deadline.lock_gameweek(gameweek.id, gameweek.deadline)


def begin_again(world: World) -> None:
    """No sheets, starting prices, nothing locked: as the season began."""
    db.session.rollback()
    db.session.execute(text("TRUNCATE team_sheets, notices, league_members, matchups CASCADE"))
    db.session.execute(text("UPDATE gameweeks SET locked_at = NULL"))
    db.session.execute(text("UPDATE footballer_seasons SET price = start_price, selected = 0"))
    db.session.commit()


@pytest.fixture
def one_world(app: Flask) -> dict[str, World]:
    worlds = {
        lock: make_world(lock=lock, competition=f"cup-{lock}", weeks=WEEKS)
        for lock in ("gameweek", "game")
    }
    for world in worlds.values():
        world.team_rules.budget = 480  # TEAM costs 435: there is little to spare
    db.session.commit()
    return worlds


@pytest.fixture
def gamer(member: Callable[..., Member]) -> int:
    return int(member("ann").id)


def test_of_many_saves_at_once_what_is_kept_is_one_of_them_and_keeps_the_rules(
    app: Flask, one_world: dict[str, World], gamer: int
) -> None:
    """Each alone is within the budget; two together would not be."""
    world = one_world["gameweek"]
    assert isinstance(save_in((app, gamer, world, 1, Draft(TEAM, 2, 3), KICKOFF - WEEK / 7)), Saved)
    now = KICKOFF + timedelta(days=2)
    teams = [
        replace(Draft(TEAM, 2, 3), picks=tuple(change.get(pick, pick) for pick in TEAM))
        for change in (
            {"CRK5": "DOV5"},
            {"DOV3": "BUR3"},
            {"AYR4": "DOV4"},
            {"CRK3": "DOV5", "CRK5": "DOV4"},
        )
    ]
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(save_in, [(app, gamer, world, 2, draft, now) for draft in teams * 4])
        )
    assert all(isinstance(answer, Saved) for answer in answers)
    row = next(row for row in rows() if row.gameweek_id == world.gameweeks[1].id)
    assert tuple(row.picks) in {team.picks for team in teams}
    assert row.version == 16
    first = next(row for row in rows() if row.gameweek_id == world.gameweeks[0].id)
    check_rules(world, row, None, (first, 1), now)


def test_the_worlds_of_these_tests_are_what_the_reckoning_by_hand_takes_them_for(
    one_world: dict[str, World],
) -> None:
    rules = db.session.get_one(TeamRules, one_world["game"].team_rules.id)
    assert (
        rules.budget,
        rules.club_limit,
        rules.free_transfers,
        rules.bank_limit,
        rules.transfer_cost,
    ) == (
        480,
        3,
        1,
        5,
        4000,
    )
    assert market(one_world["game"]) == START
