"""With lock by game, a footballer's lock follows the game, wherever it was moved to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.pages.home.page import deadlines_of
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.my_teams import my_teams
from app.fantasy.sheets.services import Refused, Saved
from app.record.models import ClubMove, Footballer, GameState
from tests.worlds.team_sheets import EARLY, KICKOFF, World, make_world, team, with_change

HOUR = timedelta(hours=1)


@pytest.fixture
def world(app: Flask) -> World:
    """AYR plays BUR at KICKOFF, CRK plays DOV a day later."""
    return make_world(lock="game")


@pytest.fixture
def ann(member: Callable[..., Member], world: World) -> int:
    member_id = int(member("ann").id)
    assert isinstance(
        sheets.save(member_id, world.team_rules.id, world.gameweeks[0].id, team(), EARLY), Saved
    )
    return member_id


def test_the_next_deadline_is_the_next_kickoff_of_ones_own_players(world: World, ann: int) -> None:
    [first] = deadlines_of(my_teams(ann, EARLY), EARLY)
    assert (first.locks_at, first.is_by_player) == (KICKOFF, True)
    later = KICKOFF + HOUR
    [last] = deadlines_of(my_teams(ann, later), later)
    assert (last.locks_at, last.is_by_player) == (KICKOFF + 24 * HOUR, False)


def put(world: World, member_id: int, old: str, new: str, at: datetime) -> set[str]:
    """Codes of the refusals when the member puts one for the other, armbands aside.

    Empty when it is saved.
    """
    answer = sheets.save(
        member_id, world.team_rules.id, world.gameweeks[0].id, team(*with_change(old, new)), at
    )
    codes = {refusal.code for refusal in answer.refusals} if isinstance(answer, Refused) else set()
    return {code for code in codes if not code.endswith("captain_begun")}


def transfer(footballer: str, club: str, at: datetime) -> None:
    db.session.execute(update(Footballer).where(Footballer.id == footballer).values(club_id=club))
    db.session.execute(
        update(ClubMove).where(ClubMove.footballer_id == footballer).values(moved_at=at)
    )
    db.session.commit()


def declare(game_id: str, status: str, play_number: int = 0) -> None:
    db.session.merge(
        GameState(
            game_id=game_id,
            status=status,
            home_score=0,
            away_score=0,
            state={"play_number": play_number},
            version=1,
            updated_at=KICKOFF,
        )
    )
    db.session.commit()


def test_who_moves_to_a_club_that_has_not_kicked_off_stays_locked(world: World, ann: int) -> None:
    transfer("AYR5", "DOV", KICKOFF + HOUR)
    assert put(world, ann, "CRK5", "AYR5", KICKOFF + 2 * HOUR) == {"begun"}


def test_the_database_refuses_it_too(world: World, ann: int) -> None:
    transfer("AYR5", "DOV", KICKOFF + HOUR)
    moved = text(
        "UPDATE team_sheets SET picks = array_replace(picks, 'CRK5', 'AYR5'), saved_at = :at"
    )
    with pytest.raises(IntegrityError, match="has begun"):
        db.session.execute(moved, {"at": KICKOFF + 2 * HOUR})


def test_who_moved_before_the_kickoff_locks_with_the_new_club(world: World, ann: int) -> None:
    transfer("AYR5", "DOV", KICKOFF - HOUR)
    assert put(world, ann, "CRK5", "AYR5", KICKOFF + HOUR) == set()


def test_who_comes_to_a_club_after_its_kickoff_was_not_in_that_game(world: World, ann: int) -> None:
    transfer("DOV5", "AYR", KICKOFF + HOUR)
    assert put(world, ann, "CRK5", "DOV5", KICKOFF + 2 * HOUR) == set()


def test_who_has_a_stat_line_was_in_the_game_whatever_their_club(world: World, ann: int) -> None:
    line = text(
        "INSERT INTO stat_lines (game_id, player_id, team, stats) VALUES ('cup-1-AYR', 'DOV5', "
        "'AYR', '{}')"
    )
    db.session.execute(line)
    db.session.commit()
    assert put(world, ann, "CRK5", "DOV5", KICKOFF + HOUR) == {"begun"}


def test_a_game_that_starts_early_locks_from_then(world: World, ann: int) -> None:
    declare("cup-1-CRK", "live")
    assert put(world, ann, "CRK5", "DOV5", KICKOFF - HOUR) == {"begun"}


def test_a_game_that_is_put_off_or_cancelled_locks_nobody_unless_it_was_played_in(
    world: World, ann: int
) -> None:
    declare("cup-1-AYR", "postponed")
    assert put(world, ann, "AYR4", "DOV4", KICKOFF + HOUR) == set()
    declare("cup-1-AYR", "cancelled", play_number=12)
    assert put(world, ann, "BUR6", "DOV6", KICKOFF + 2 * HOUR) == {"begun"}
