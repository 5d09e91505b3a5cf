"""The demo goes on by the clock: a gameweek after the other, then a new season.

The clock is moved, nobody waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import String, func, select, text

from app.accounts import services as accounts
from app.core import clock
from app.core.db import db
from app.demo import next_gameweek, seed
from app.demo.next_gameweek import LOOK_BACK, due_steps, go_on, make_ready
from app.demo.season import LEAD
from app.demo.seed_tournament import VISITOR
from app.draft_leagues.season.services import update_behind
from app.fantasy.gameweeks import settlement
from app.fantasy.gameweeks.after_deadline import lock_due
from app.fantasy.market.models import FootballerSeason, Gameweek, Season
from app.fantasy.market.seasons import first_kickoff, first_open_week
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.roster_services import begun_now, open_gameweek
from app.fantasy.standings.models import League, LeagueMember, Matchup
from app.predictions.models import Tournament
from app.record.models import Footballer, Game, ScriptStep
from app.stream.models import OutboxMessage
from tests.demo.seeding import enter_rows
from tests.owner import owner
from tests.snapshots import made_once

pytestmark = pytest.mark.usefixtures("quick_accounts")

SPEED = 7.0
MINUTE = timedelta(minutes=1)
MINUTES = 150


@made_once
def seed_demo() -> None:
    seed.seed_demo(enter_rows, speed=SPEED)


@pytest.fixture(scope="module")
def begun() -> datetime:
    """When the first of these tests began."""
    return clock.now()


@pytest.fixture
def now(
    app: Flask, begun: datetime, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[timedelta], datetime]]:
    """Moves the clock of a demo that has just been seeded; returns what it says then."""
    state = [begun]
    monkeypatch.setattr(clock, "now", lambda: state[0])

    def move(by: timedelta) -> datetime:
        state[0] += by
        return state[0]

    seed_demo()
    with without_clock_guards():
        yield move


@contextmanager
def without_clock_guards() -> Iterator[None]:
    """The database takes team sheets and guesses of a clock that runs ahead of its own."""
    db.session.commit()
    _alter_guards("DISABLE")
    try:
        yield
    finally:
        db.session.rollback()
        _alter_guards("ENABLE")


def _alter_guards(act: str) -> None:
    with owner().begin() as connection:
        for table, trigger in (("team_sheets", "team_sheet_guard"), ("guesses", "guess_guard")):
            connection.execute(text(f"ALTER TABLE {table} {act} TRIGGER {trigger}"))


def run_demo(now: datetime) -> None:
    """What the demo and the workers do by this moment."""
    lock_due(now)
    for game in due_steps(now, SPEED):
        enter_rows(game.game_id, game.last_step)
    settlement.settle_due(now)
    update_behind(now)
    for _ in range(3):  # add a gameweek, let the others pick teams
        go_on(now, enter_rows, SPEED)


def gameweek(week: int) -> Gameweek:
    db.session.expire_all()
    return db.session.scalars(select(Gameweek).where(Gameweek.week == week)).one()


def kickoffs() -> dict[str, datetime]:
    return dict(db.session.execute(select(Game.id, Game.kickoff)).all())


def entered_steps() -> dict[str, int]:
    """How many steps each game has in the record; games that have not begun are not in it."""
    query = select(OutboxMessage.game_id, func.count()).group_by(OutboxMessage.game_id)
    return dict(db.session.execute(query).all())


def durations() -> dict[str, tuple[int, timedelta]]:
    """How many steps each game has, and how long it takes at SPEED."""
    query = (
        select(ScriptStep.game_id, func.count(), func.max(ScriptStep.at_ms))
        .where(ScriptStep.variant == "final")
        .group_by(ScriptStep.game_id)
    )
    return {
        game_id: (steps, timedelta(milliseconds=last) / SPEED)
        for game_id, steps, last in db.session.execute(query)
    }


@pytest.mark.full  # walks more than an hour of the demo
@pytest.mark.timeout(1800)
def test_at_every_minute_the_demo_keeps_the_rules_of_a_real_season(
    now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_gameweek, "LAST_WEEK", 7)
    at = now(timedelta())
    announced: dict[str, datetime] = {}
    for _ in range(MINUTES):
        run_demo(at)
        announced |= _check_kickoffs(announced)
        _check_games(at)
        _check_gameweeks(at)
        _check_draft_league(at)
        at = now(MINUTE)
    weeks = db.session.scalars(select(Gameweek).order_by(Gameweek.week)).all()
    settled = [week.week for week in weeks if week.settled_at is not None]
    assert settled == list(range(1, len(settled) + 1))
    assert len(settled) >= MINUTES // 40, "about half an hour each"


def _check_kickoffs(announced: Mapping[str, datetime]) -> dict[str, datetime]:
    """Nobody who planned by a kickoff is deceived: it stays."""
    stored = kickoffs()
    assert {game_id: stored[game_id] for game_id in announced} == announced
    return stored


def _check_games(at: datetime) -> None:
    """No event before the kickoff, the result at the end, and always a game that is live."""
    entered, games = entered_steps(), durations()
    live = []
    for game_id, kickoff in kickoffs().items():
        steps, duration = games[game_id]
        assert game_id not in entered or kickoff <= at
        assert (entered.get(game_id) == steps) == (kickoff + duration <= at)
        if kickoff <= at < kickoff + duration:
            live.append(game_id)
    soon = any(timedelta() < kickoff - at <= 2 * MINUTE for kickoff in kickoffs().values())
    assert live or soon
    current = db.session.scalars(
        select(Gameweek).where(Gameweek.deadline <= at).order_by(Gameweek.deadline.desc()).limit(1)
    ).one()
    assert {db.session.get_one(Game, game_id).week for game_id in live} <= {current.week}


def _check_gameweeks(at: datetime) -> None:
    """Teams lock at the first kickoff, and everybody has an opponent in every gameweek."""
    gameweeks = db.session.scalars(select(Gameweek).order_by(Gameweek.week)).all()
    for week in gameweeks:
        assert week.deadline == first_kickoff(week)
        assert (week.locked_at is not None) == (week.deadline <= at)
    assert [week.deadline for week in gameweeks] == sorted(week.deadline for week in gameweeks)
    assert any(week.settled_at is not None for week in gameweeks), "something to look back on"
    for slug in ("front-page-derby", "second-edition"):
        league = db.session.scalars(select(League).where(League.slug == slug)).one()
        members = db.session.scalars(
            select(LeagueMember.member_id).where(LeagueMember.league_id == league.id)
        ).all()
        for week in gameweeks:
            pairs = db.session.scalars(
                select(Matchup).where(
                    Matchup.league_id == league.id, Matchup.gameweek_id == week.id
                )
            ).all()
            playing = [member for pair in pairs for member in (pair.home_id, pair.away_id)]
            assert sorted(filter(None, playing)) == sorted(members), (slug, week.name)
    overall = db.session.scalars(select(League).where(League.is_overall)).one()
    following = gameweek(first_open_week(overall.team_rules_id, at))
    assert following.deadline > at, "a team to pick"


def _check_draft_league(at: datetime) -> None:
    """Footballers lock at their kickoff, a line-up is open, and every position has free agents."""
    league = db.session.scalars(select(League).where(League.slug == "second-edition")).one()
    week = open_gameweek(league.team_rules_id, at)
    assert week is not None
    playing = {
        club
        for game in db.session.scalars(
            select(Game).where(Game.week == week.week, Game.kickoff <= at)
        )
        for club in (game.home_id, game.away_id)
    }
    owned = rosters_of(league.id).places
    locked = begun_now(league.team_rules_id, [*owned], at)
    clubs = dict(
        db.session.execute(
            select(Footballer.id, Footballer.club_id).where(Footballer.id.in_(owned))
        ).all()
    )
    assert locked == {footballer for footballer in owned if clubs[footballer] in playing}
    assert set(owned) - locked, "somebody to line up"
    free = db.session.scalars(
        select(FootballerSeason.position).where(FootballerSeason.footballer_id.not_in(owned))
    )
    assert {"QB", "RB", "WR", "TE", "K", "DST"} <= set(free)


def test_a_night_without_the_demo_moves_what_was_missed_and_keeps_what_was_played(
    now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a league that is interrupted: no result, deadline or pair of a game to come is lost."""
    monkeypatch.setattr(next_gameweek, "LAST_WEEK", 5)
    run_demo(now(timedelta()))
    before, weeks = kickoffs(), [gameweek(week).deadline for week in (3, 4, 5)]
    entered = entered_steps()
    at = now(timedelta(hours=9))
    make_ready(enter_rows, SPEED)
    missed = min(kickoff for game_id, kickoff in before.items() if game_id not in entered)
    delay = at + LEAD - missed
    assert kickoffs() == {
        game_id: kickoff if game_id in entered else kickoff + delay
        for game_id, kickoff in before.items()
    }
    assert [gameweek(week).deadline for week in (3, 4, 5)] == [
        weeks[0],
        weeks[1] + delay,
        weeks[2] + delay,
    ]
    run_demo(at)
    assert {game_id for game_id, steps in entered_steps().items() if steps} == set(entered)
    _check_games(at)
    _check_gameweeks(at)
    _check_draft_league(at)


def test_the_others_pick_teams_for_the_next_gameweek_and_the_visitors_team_stays_open(
    now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_gameweek, "LAST_WEEK", 5)
    run_demo(now(timedelta()))
    saved = set(
        db.session.scalars(
            select(TeamSheet.member_id).where(TeamSheet.gameweek_id == gameweek(4).id)
        )
    )
    visitor = accounts.find_member(VISITOR)
    assert visitor is not None
    assert saved
    assert visitor.id not in saved
    sheets = db.session.scalar(select(func.count()).select_from(TeamSheet))
    run_demo(now(timedelta(seconds=5)))
    assert db.session.scalar(select(func.count()).select_from(TeamSheet)) == sheets


def test_a_game_that_has_ended_becomes_final(now: Callable[[timedelta], datetime]) -> None:
    now(timedelta(hours=1))
    (game, *_) = due_steps(clock.now(), SPEED)
    enter_rows(game.game_id, game.last_step - 1)
    assert game in due_steps(clock.now(), SPEED)


def test_a_gameweek_that_was_cut_short_is_added_again(
    now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = now(timedelta())
    with monkeypatch.context() as patch:
        patch.setattr(next_gameweek, "set_deadlines", lambda _season: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            go_on(at, enter_rows, SPEED)
    db.session.rollback()
    go_on(now(timedelta(seconds=9)), enter_rows, SPEED)
    fifth = gameweek(5)
    assert fifth.deadline == first_kickoff(fifth)
    assert len(db.session.scalars(select(Game).where(Game.week == 5)).all()) == 4


def test_some_minutes_after_its_last_gameweek_the_season_goes_and_a_new_one_begins(
    now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_gameweek, "LAST_WEEK", 4)
    rows, tournaments = counts(), set(db.session.scalars(select(Tournament.id)))
    games = durations()
    end = max(kickoff + games[game_id][1] for game_id, kickoff in kickoffs().items())
    at = now(timedelta())
    while at < end + MINUTE:
        run_demo(at)
        at = now(timedelta(minutes=10))
    at = now(end + MINUTE - at)
    run_demo(at)
    assert gameweek(4).settled_at is not None
    go_on(now(LOOK_BACK), enter_rows, SPEED)
    season = db.session.scalars(select(Season)).one()
    assert season.season == at.year + 1
    assert not tournaments & set(db.session.scalars(select(Tournament.id))), (
        "its tournaments went with it"
    )
    _check_games(clock.now())
    assert counts() == rows, "a season more is not a row more"


def counts() -> dict[str, int]:
    """Rows of every table that knows a game, a gameweek or a season."""
    numbers = {}
    for table in db.metadata.sorted_tables:
        of_game = "game_id" in table.c and isinstance(table.c.game_id.type, String)
        if (
            of_game
            or "gameweek_id" in table.c
            or "season_id" in table.c
            or table.name in ("games", "seasons")
        ):
            numbers[table.name] = db.session.scalar(select(func.count()).select_from(table)) or 0
    db.session.rollback()
    return numbers
