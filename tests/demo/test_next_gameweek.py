"""The demo goes on by itself: a gameweek after the other, then a new season.

The clock is moved, nobody waits.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import String, func, select

from app.accounts import services as accounts
from app.core import clock
from app.core.db import db
from app.demo import next_gameweek, seed
from app.demo.next_gameweek import LEAD, games_to_play, go_on
from app.fantasy.gameweeks import after_deadline
from app.fantasy.market.models import Gameweek, Season, TeamRules
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, Matchup
from app.predictions.models import Tournament
from app.record.models import Game, ScriptStep
from app.stream.models import OutboxMessage
from tests.demo.seeding import enter_nothing
from tests.snapshots import made_once

pytestmark = pytest.mark.usefixtures("quick_accounts")


@made_once
def seed_demo() -> None:
    seed.seed_demo(enter_nothing)


@pytest.fixture(scope="module")
def begun() -> datetime:
    """When the first of these tests began."""
    return clock.now()


@pytest.fixture
def now(begun: datetime, monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], datetime]:
    """Moves the clock; returns what it says then."""
    state = [begun]
    monkeypatch.setattr(clock, "now", lambda: state[0])

    def move(by: timedelta) -> datetime:
        state[0] += by
        return state[0]

    return move


def finish(games: list[str]) -> None:
    """As many entries as each game has steps; what is in them does not matter here."""
    for game_id in games:
        total = db.session.scalar(
            select(func.max(ScriptStep.step)).where(
                ScriptStep.game_id == game_id, ScriptStep.variant == "final"
            )
        )
        assert total
        db.session.execute(
            OutboxMessage.__table__.insert(),
            [
                {
                    "game_id": game_id,
                    "event_number": number,
                    "play_number": number,
                    "idempotency_key": f"s:{number}",
                    "payload": b"",
                }
                for number in range(1, total + 1)
            ],
        )
    db.session.commit()


def finish_all(now: datetime) -> None:
    while games := games_to_play(now):
        finish(games)


def gameweek(week: int) -> Gameweek:
    db.session.expire_all()
    return db.session.scalars(select(Gameweek).where(Gameweek.week == week)).one()


def sheet_of_member() -> tuple[sheets.Sheet, sheets.Draft]:
    """The demo member's carried-over sheet of gameweek 4, and the same with captains swapped."""
    league = db.session.scalars(select(League).where(League.slug == "the-press-row")).one()
    member = accounts.find_member("member")
    assert member is not None
    sheet = sheets.sheet_for(member.id, league.team_rules_id, gameweek(4))
    assert sheet is not None
    return sheet, sheets.Draft(sheet.picks, sheet.vice_captain, sheet.captain)


def deadlines() -> list[tuple[int, datetime]]:
    rows = db.session.execute(
        select(Gameweek.week, Gameweek.deadline).order_by(Gameweek.week)
    ).all()
    return [(week, deadline) for week, deadline in rows]


def test_when_all_games_are_over_the_next_gameweek_begins_within_a_minute_and_only_once(
    app: Flask, now: Callable[[timedelta], datetime]
) -> None:
    seed_demo()
    begun = now(timedelta())
    assert gameweek(4).deadline > begun + timedelta(days=6)
    finish_all(begun)
    go_on(begun, enter_nothing)
    assert gameweek(4).deadline == begun + LEAD
    assert games_to_play(begun) == []
    before = deadlines()
    go_on(now(timedelta(seconds=5)), enter_nothing)
    assert deadlines() == before
    later = now(LEAD)
    live = games_to_play(later)
    assert len(live) == 2
    assert all("-04-" in game_id for game_id in live)
    finish(live)
    assert len(games_to_play(later)) == 1, (
        "the next game does not wait for its kickoff: somebody looks"
    )


def test_the_team_that_somebody_saved_is_kept_and_there_is_always_one_more_gameweek(
    app: Flask, now: Callable[[timedelta], datetime]
) -> None:
    seed_demo()
    at = now(timedelta())
    sheet, swapped = sheet_of_member()
    saved = sheets.save(sheet.member_id, sheet.team_rules_id, sheet.gameweek_id, swapped, at)
    assert isinstance(saved, sheets.Saved)
    for week in (4, 5):
        finish_all(at)
        go_on(at, enter_nothing)
        at = now(LEAD)
        after_deadline.lock_gameweek(gameweek(week).id, at)
        assert gameweek(week + 1).deadline > at + timedelta(days=6)
        games = db.session.scalars(select(Game).where(Game.week == week + 1)).all()
        clubs = {club for game in games for club in (game.home_id, game.away_id)}
        assert (len(games), len(clubs)) == (4, 8), "every club plays once"
    of_week_4 = db.session.scalars(
        select(TeamSheet)
        .join(TeamRules, TeamRules.id == TeamSheet.team_rules_id)
        .where(TeamSheet.gameweek_id == gameweek(4).id, ~TeamRules.is_own)
    ).all()
    assert len(of_week_4) == 12
    (own_score,) = [other for other in of_week_4 if other.member_id == sheet.member_id]
    assert (own_score.captain, own_score.vice_captain) == (swapped.captain, swapped.vice_captain)
    matchups = select(func.count()).where(Matchup.gameweek_id == gameweek(4).id)
    assert db.session.scalar(matchups) == 6 + 4  # the derby's, and the draft league's


def test_cut_short_it_is_done_again(
    app: Flask, now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed_demo()
    at = now(timedelta())
    finish_all(at)
    with monkeypatch.context() as patch:
        patch.setattr(next_gameweek, "set_deadlines", lambda _season: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            go_on(at, enter_nothing)
    db.session.rollback()
    go_on(now(timedelta(seconds=9)), enter_nothing)
    assert gameweek(4).deadline == at + timedelta(seconds=9) + LEAD
    assert len(db.session.scalars(select(Game).where(Game.week == 5)).all()) == 4


def test_after_its_last_gameweek_the_season_goes_and_a_new_one_begins(
    app: Flask, now: Callable[[timedelta], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_gameweek, "LAST_WEEK", 4)
    seed_demo()
    at = now(timedelta())
    finish_all(at)
    rows, tournaments = counts(), set(db.session.scalars(select(Tournament.id)))
    go_on(at, enter_nothing)
    at = now(LEAD)
    after_deadline.lock_gameweek(gameweek(4).id, at)
    finish_all(at)
    go_on(at, enter_nothing)
    season = db.session.scalars(select(Season)).one()
    assert season.season == at.year + 1
    assert not tournaments & set(db.session.scalars(select(Tournament.id))), (
        "its tournaments went with it"
    )
    assert games_to_play(at), "games are live at once"
    finish_all(at)
    assert counts() == rows, "a season more is not a row more"


def counts() -> dict[str, int]:
    """Rows of every table that knows a game, a gameweek or a season."""
    prices = {}
    for table in db.metadata.sorted_tables:
        of_game = "game_id" in table.c and isinstance(table.c.game_id.type, String)
        if (
            of_game
            or "gameweek_id" in table.c
            or "season_id" in table.c
            or table.name in ("games", "seasons")
        ):
            prices[table.name] = db.session.scalar(select(func.count()).select_from(table)) or 0
    db.session.rollback()
    return prices
