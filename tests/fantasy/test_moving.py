"""A game that is moved takes its gameweek, the deadlines and the locks with it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.gameweeks.moving import CannotMoveError, Deadline, move, plan
from app.fantasy.gameweeks.settlement import settle_due
from app.fantasy.market.models import Gameweek, SheetDeadline
from app.record.models import Game, GameState
from tests.worlds.team_sheets import EARLY, KICKOFF, WEEK, World, make_world

DAY = timedelta(days=1)
FIRST, SECOND = "cup-1-AYR", "cup-1-CRK"  # at KICKOFF, and a day later


def game(game_id: str) -> Game:
    return db.session.get_one(Game, game_id, populate_existing=True)


def deadline(world: World, week: int = 1) -> datetime:
    return db.session.get_one(
        Gameweek, world.gameweeks[week - 1].id, populate_existing=True
    ).deadline


def locks_at(world: World, week: int = 1) -> datetime:
    key = (world.team_rules.id, world.gameweeks[week - 1].id)
    return db.session.get_one(SheetDeadline, key, populate_existing=True).locks_at


def declare(game_id: str, status: str) -> None:
    row = {"game": game_id, "status": status, "now": EARLY}
    db.session.execute(
        text("INSERT INTO game_states VALUES (:game, :status, 0, 0, '{}', 1, :now)"),
        row,
    )
    db.session.commit()


def test_the_deadline_follows_the_first_kickoff(app: Flask) -> None:
    world = make_world()
    done = move(FIRST, KICKOFF + 2 * DAY, EARLY)
    assert done.deadlines == (Deadline("Week 1", KICKOFF, KICKOFF + DAY),)
    assert (deadline(world), locks_at(world)) == (KICKOFF + DAY, KICKOFF + DAY)
    assert (done.leaves, game(FIRST).planned_week, game(FIRST).planned_kickoff) == (
        False,
        None,
        KICKOFF,
    )


def test_a_preview_says_what_would_be_and_changes_nothing(app: Flask) -> None:
    world = make_world()
    assert plan(FIRST, KICKOFF + 2 * DAY, EARLY).deadlines == (
        Deadline("Week 1", KICKOFF, KICKOFF + DAY),
    )
    assert (game(FIRST).kickoff, deadline(world)) == (KICKOFF, KICKOFF)


def test_a_deadline_that_has_passed_stays(app: Flask) -> None:
    world = make_world()
    assert move(FIRST, KICKOFF + 2 * DAY, KICKOFF + timedelta(minutes=1)).deadlines == ()
    assert deadline(world) == KICKOFF


def test_where_footballers_lock_one_by_one_the_sheet_stays_open_until_the_moved_game(
    app: Flask,
) -> None:
    world = make_world(lock="game")
    lock_gameweek(world.gameweeks[0].id, KICKOFF)
    move(SECOND, KICKOFF + 3 * DAY, KICKOFF + timedelta(hours=1))
    assert locks_at(world) == KICKOFF + 3 * DAY


def test_a_game_counts_in_the_gameweek_in_which_it_is_played(app: Flask) -> None:
    make_world()
    done = move(FIRST, KICKOFF + WEEK + DAY, EARLY)
    assert (done.week_before, done.week, done.gameweek, done.leaves) == (1, 2, "Week 2", True)
    assert (game(FIRST).week, game(FIRST).planned_week) == (2, 1)
    back = move(FIRST, KICKOFF, EARLY)
    assert (back.week, game(FIRST).planned_week, game(FIRST).planned_kickoff) == (1, None, None)


def test_leagues_are_counted_in_which_a_game_that_leaves_its_gameweek_does_not_count(
    app: Flask,
) -> None:
    make_world()
    assert plan(FIRST, KICKOFF + WEEK + DAY, EARLY).without == 0
    db.session.execute(text("UPDATE team_rules SET postponed_games = 'never'"))
    db.session.commit()
    far, near = plan(FIRST, KICKOFF + WEEK + DAY, EARLY), plan(FIRST, KICKOFF + DAY, EARLY)
    assert ((far.leagues, far.without), (near.leagues, near.without)) == ((1, 1), (1, 0))


def test_a_gameweek_whose_games_were_all_moved_away_is_settled(app: Flask) -> None:
    world = make_world()
    lock_gameweek(world.gameweeks[0].id, KICKOFF)
    move(FIRST, KICKOFF + WEEK + DAY, KICKOFF - DAY)
    assert settle_due(KICKOFF) == []
    move(SECOND, KICKOFF + WEEK + DAY, KICKOFF - DAY)
    assert settle_due(KICKOFF) == [world.gameweeks[0].id]


def test_a_game_that_has_begun_stays_in_its_gameweek(app: Flask) -> None:
    make_world()
    declare(FIRST, "suspended")
    assert move(FIRST, KICKOFF + WEEK + DAY, KICKOFF).week == 1
    assert db.session.get_one(GameState, FIRST, populate_existing=True).version == 2, (
        "so that its tables are refreshed"
    )
    declare(SECOND, "live")
    with pytest.raises(CannotMoveError, match="has started"):
        move(SECOND, KICKOFF + WEEK, KICKOFF)


@pytest.mark.parametrize(
    ("game_id", "kickoff", "words"),
    [
        pytest.param("nothing", KICKOFF, "no game", id="unknown"),
        pytest.param(FIRST, EARLY - DAY, "be in the future", id="past"),
        pytest.param(FIRST, EARLY + 500 * DAY, "thirteen months", id="far away"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    app: Flask, game_id: str, kickoff: datetime, words: str
) -> None:
    make_world()
    with pytest.raises(CannotMoveError, match=words):
        move(game_id, kickoff, EARLY)
