"""What happens once a deadline has passed: sheets carried over, prices and select % recomputed.

Once.
"""

from __future__ import annotations

import doctest
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock, jobs
from app.core.db import db
from app.fantasy.gameweeks import after_deadline
from app.fantasy.jobs import LOCK_GAMEWEEKS
from app.fantasy.market import prices as market
from app.fantasy.market.models import FootballerSeason, Gameweek, SheetDeadline
from app.fantasy.notices.models import Notice
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League, LeagueMember, Matchup
from tests.statements import count_statements
from tests.worlds.team_sheets import (
    EARLY,
    KICKOFF,
    TEAM,
    WEEK,
    World,
    make_world,
    rows,
    team,
    with_change,
)
from workers.jobs import lock_gameweeks


@pytest.fixture
def world(app: Flask) -> World:
    return make_world()


@pytest.fixture
def gamers(member: Callable[..., Member]) -> list[int]:
    return [int(member(name).id) for name in ("ann", "bob", "cat", "dan")]


def save(world: World, member_id: int, week: int, *picks: str) -> None:
    at = EARLY + (week - 1) * WEEK
    answer = sheets.save(
        member_id, world.team_rules.id, world.gameweeks[week - 1].id, team(*picks), at
    )
    assert isinstance(answer, sheets.Saved), answer


def quotes(season_id: int) -> dict[str, tuple[int, int]]:
    """Price and thousandths of the sheets, of everybody who is on one or whose price moved."""
    rows = db.session.scalars(
        select(FootballerSeason).where(FootballerSeason.season_id == season_id),
        execution_options={"populate_existing": True},
    )
    return {
        row.footballer_id: (row.price, row.selected)
        for row in rows
        if row.selected or row.price != row.start_price
    }


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(market).failed == 0


def test_last_gameweeks_sheet_is_carried_over_once(world: World, gamers: list[int]) -> None:
    ann, bob, cat, _ = gamers
    save(world, ann, 1)
    save(world, bob, 1)
    first, second, third = world.gameweeks
    assert after_deadline.lock_gameweek(first.id, KICKOFF) == after_deadline.Locked(
        first.id, 0, 7, 0, 2
    )
    save(world, bob, 2, *with_change("BUR6", "DOV6"))
    save(world, cat, 2)
    locked = after_deadline.lock_gameweek(second.id, KICKOFF + WEEK)
    assert locked is not None
    assert locked.carried == 1
    carried = [row for row in rows() if row.is_carried]
    assert [(row.member_id, row.gameweek_id, tuple(row.picks)) for row in carried] == [
        (ann, second.id, TEAM)
    ]
    assert (carried[0].purchase_prices, carried[0].bank, carried[0].captain) == (
        rows()[0].purchase_prices,
        rows()[0].bank,
        2,
    )
    assert (carried[0].free_transfers, carried[0].transfers, carried[0].transfer_cost) == (1, 0, 0)
    assert after_deadline.lock_gameweek(third.id, KICKOFF + 2 * WEEK) is not None
    assert {row.member_id: row.free_transfers for row in rows() if row.gameweek_id == third.id} == {
        ann: 2,
        bob: 1,
        cat: 1,
    }


def test_running_twice_changes_nothing(world: World, gamers: list[int]) -> None:
    for gamer in gamers:
        save(world, gamer, 1)
    for gamer in gamers[:3]:
        save(world, gamer, 2, *with_change("BUR6", "DOV6"))
    first, second, _ = world.gameweeks
    after_deadline.lock_gameweek(first.id, KICKOFF)
    after_deadline.lock_gameweek(second.id, KICKOFF + WEEK)
    before, sheets_before = quotes(world.season_id), [(row.id, row.saved_at) for row in rows()]
    assert after_deadline.lock_gameweek(second.id, KICKOFF + 2 * WEEK) is None
    assert quotes(world.season_id) == before
    assert [(row.id, row.saved_at) for row in rows()] == sheets_before
    assert db.session.get_one(Gameweek, second.id).locked_at == KICKOFF + WEEK


def test_prices_follow_net_transfers_and_first_sheets_move_none(
    world: World, gamers: list[int]
) -> None:
    for gamer in gamers:
        save(world, gamer, 1)
    first, second, _ = world.gameweeks
    after_deadline.lock_gameweek(first.id, KICKOFF)
    assert quotes(world.season_id) == {
        footballer_id: (price, 1000) for footballer_id, price in zip(TEAM, PRICES, strict=True)
    }
    for gamer in gamers:
        save(world, gamer, 2, *with_change("BUR6", "DOV6"))
    after_deadline.lock_gameweek(second.id, KICKOFF + WEEK)
    changed = quotes(world.season_id)
    # Four of four: 0.3 by their share, and no more tenths than half of the four.
    assert changed["BUR6"] == (98, 0)
    assert changed["DOV6"] == (102, 1000)
    assert changed["AYR1"] == (40, 1000)


PRICES = (40, 100, 80, 55, 60, 45, 55)


def test_a_price_stays_between_half_and_twice_what_it_was_at_first() -> None:
    price = 50
    for _ in range(100):
        price = market.new_price(price, 50, 900, 1000)
    assert price == 100
    for _ in range(100):
        price = market.new_price(price, 50, -900, 1000)
    assert price == 25


def test_select_percent_is_of_all_sheets_of_the_season(world: World, gamers: list[int]) -> None:
    for gamer in gamers[:3]:
        save(world, gamer, 1)
    save(world, gamers[3], 1, *with_change("BUR6", "DOV6"))
    after_deadline.lock_gameweek(world.gameweeks[0].id, KICKOFF)
    selected = {
        footballer_id: share for footballer_id, (_, share) in quotes(world.season_id).items()
    }
    assert (selected["AYR1"], selected["BUR6"], selected["DOV6"]) == (1000, 750, 250)


def test_due_is_what_has_passed_by_the_servers_clock_and_no_simulated_season(
    app: Flask, gamers: list[int]
) -> None:
    now = clock.now()
    real = make_world(real=True, first=now - timedelta(days=1), competition="real")
    make_world(first=now - timedelta(days=1), competition="simulated")
    assert [lock.gameweek_id for lock in after_deadline.lock_due(now)] == [real.gameweeks[0].id]
    assert after_deadline.lock_due(now) == []


def titles(member_id: int) -> list[str]:
    rows = db.session.scalars(
        select(Notice).where(Notice.member_id == member_id).order_by(Notice.id)
    )
    return [f"{row.title} {row.body} {row.path}" for row in rows]


def test_head_to_head_leagues_are_paired_and_everybody_is_told(
    world: World, gamers: list[int]
) -> None:
    ann, bob, cat, _ = gamers
    league = League(
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        slug="duel",
        name="Duel",
        invite_code="duel",
        rules="soccer",
        mode="head_to_head",
        commissioner_id=ann,
    )
    db.session.add(league)
    db.session.flush()
    db.session.add_all(
        LeagueMember(league_id=league.id, member_id=gamer, team_name="x")
        for gamer in (ann, bob, cat)
    )
    save(world, ann, 1)
    save(world, bob, 1)
    after_deadline.lock_gameweek(world.gameweeks[0].id, KICKOFF)
    save(world, bob, 2)
    locked = after_deadline.lock_gameweek(world.gameweeks[1].id, KICKOFF + WEEK)
    assert locked is not None
    assert (locked.paired, locked.notified) == (2, 3)
    assert len(db.session.scalars(select(Matchup)).all()) == 6  # two in each gameweek of the season
    path = f"/team/{world.team_rules.id}"
    assert titles(ann) == [
        f"Duel +1: Week 1 is locked Your saved team counts. {path}",
        f"Duel +1: Week 2 is locked You made no changes, so last week's team is used. {path}",
    ]
    assert [title.partition(".")[0] for title in titles(cat)] == [
        "Duel: you had no team when Week 1 locked You score 0 points this week",
        "Duel: you had no team when Week 2 locked You score 0 points this week",
    ]


def test_who_has_saved_no_sheet_is_told_a_day_before_the_deadline_once(
    app: Flask, gamers: list[int]
) -> None:
    now = clock.now()
    world = make_world(real=True, first=now + timedelta(hours=23))
    ann, bob, *_ = gamers
    for gamer in (ann, bob):
        db.session.add(LeagueMember(league_id=world.overall.id, member_id=gamer, team_name="x"))
    db.session.commit()
    assert isinstance(
        sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), now), sheets.Saved
    )
    lock_gameweeks.run()
    lock_gameweeks.run()
    assert titles(ann) == []
    [title] = titles(bob)
    assert title.startswith("Overall: Week 1 locks ")
    assert "You have no team yet." in title


def test_the_job_locks_what_is_due_and_makes_its_tables(app: Flask, gamers: list[int]) -> None:
    now = clock.now()
    world = make_world(real=True, first=now + timedelta(hours=1))
    first = world.gameweeks[0]
    assert isinstance(
        sheets.save(gamers[0], world.team_rules.id, first.id, team(), now), sheets.Saved
    )
    first.deadline = db.session.get_one(SheetDeadline, (world.team_rules.id, first.id)).locks_at = (
        now - timedelta(minutes=1)
    )
    db.session.commit()
    lock_gameweeks.run()
    before = titles(gamers[0])
    lock_gameweeks.run()
    assert before == titles(gamers[0])
    assert before[0].startswith("Overall: Week 1 is locked")
    (score,) = live_scores([world.overall.id])
    assert (score.league_id, score.member_id, score.points) == (world.overall.id, gamers[0], 0)
    registry = jobs.queue(LOCK_GAMEWEEKS.queue).scheduled_job_registry
    planned = [registry.get_scheduled_time(job_id) for job_id in registry.get_job_ids()]
    locks_at = world.gameweeks[1].deadline + lock_gameweeks.UNDER_WAY
    assert [locks_at <= at <= locks_at + timedelta(seconds=1) for at in planned] == [True]


def test_the_whole_world_is_carried_over_by_the_same_number_of_statements(
    world: World, gamers: list[int], member: Callable[..., Member]
) -> None:
    first, second, third = world.gameweeks
    save(world, gamers[0], 1)
    after_deadline.lock_gameweek(first.id, KICKOFF)
    with count_statements() as statements:
        after_deadline.lock_gameweek(second.id, KICKOFF + WEEK)
    few_count = statements()
    for gamer in (*gamers[1:], *(int(member(f"more{n}").id) for n in range(10))):
        save(world, gamer, 3)
    with count_statements() as many:
        after_deadline.lock_gameweek(third.id, KICKOFF + 2 * WEEK)
    assert many() == few_count
