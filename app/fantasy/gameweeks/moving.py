"""Moves a game to another kickoff, with a preview.

A game counts in the gameweek in which it is played, and deadlines follow it. That a game is
cancelled or suspended is an event of its record (scorer_console/games); schedules are in
season_setup/importing.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, text

from app.core.db import db, transaction
from app.core.errors import UserError
from app.fantasy.gameweeks import refreshing
from app.fantasy.market.models import Gameweek, TeamRules
from app.fantasy.market.seasons import first_kickoff, set_deadlines
from app.fantasy.standings.models import League
from app.record.models import Game, GameState

FARTHEST = timedelta(days=400)


class CannotMoveError(UserError):
    """The game cannot be moved, or not to this kickoff; the text says what to do."""


@dataclass(frozen=True)
class Deadline:
    """The deadline of a gameweek whose first kickoff changes, before and after."""

    gameweek: str
    before: datetime
    after: datetime


@dataclass(frozen=True)
class Move:
    """What moving a game changes.

    `gameweek_before`, `gameweek`: names; None if the season has no such gameweek. `leagues`: how
    many the season has; `without`: in how many of them the game no longer counts, because it leaves
    the gameweek for which it was planned.
    """

    game_id: str
    kickoff_before: datetime
    kickoff: datetime
    week_before: int
    week: int
    gameweek_before: str | None
    gameweek: str | None
    deadlines: tuple[Deadline, ...]
    leagues: int
    without: int

    @property
    def leaves(self) -> bool:
        """Whether the game leaves its gameweek."""
        return self.week != self.week_before


def plan(game_id: str, kickoff: datetime, now: datetime) -> Move:
    """Work out what moving the game would change. `kickoff`, `now`: aware.

    Raises:
        CannotMoveError: The game cannot be moved there.
    """
    game = db.session.get(Game, game_id, populate_existing=True)
    if game is None or game.is_practice:
        raise CannotMoveError(f"There is no game {game_id} to move.")
    status = _status(game)
    _refuse(status, kickoff, now)
    gameweeks = _gameweeks(game)
    # A game that has begun stays in its gameweek, because teams for another one could be picked
    # with its points known.
    week = game.week if status == "suspended" else _week_of(game, kickoff, gameweeks)
    here, there = gameweeks.get(game.week), gameweeks.get(week)
    leaves = week != (game.planned_week or game.week)
    leagues, without = _leagues(here, leaves=leaves)
    return Move(
        game_id,
        game.kickoff,
        kickoff,
        game.week,
        week,
        here.name if here else None,
        there.name if there else None,
        tuple(_deadlines(game, kickoff, week, gameweeks, now)),
        leagues,
        without,
    )


def move(game_id: str, kickoff: datetime, now: datetime) -> Move:
    """Move the game to its gameweek, with the deadlines that follow.

    Commits, then asks for the refresh of both gameweeks. Moving a game to where it is changes
    nothing.

    Raises:
        CannotMoveError: The game cannot be moved there.
    """
    with transaction():
        game = db.session.get(Game, game_id, populate_existing=True, with_for_update=True)
        planned = plan(game_id, kickoff, now)
        assert game is not None
        gameweeks = _gameweeks(game)
        place(game, planned.week, kickoff)
        weeks = sorted({planned.week, planned.week_before} & gameweeks.keys())
        touched = [gameweeks[week] for week in weeks]
        deadlines = {deadline.gameweek: deadline.after for deadline in planned.deadlines}
        for gameweek in touched:
            gameweek.deadline = deadlines.get(gameweek.name, gameweek.deadline)
        db.session.flush()
        for season_id in sorted({gameweek.season_id for gameweek in touched}):
            set_deadlines(season_id)
        # If the refresh is never asked for, this version shows it (refreshing.gameweeks_behind).
        db.session.execute(
            text(
                "UPDATE game_states SET version = version + 1, updated_at = :now WHERE game_id = "
                ":game"
            ),
            {"now": now, "game": game_id},
        )
        ids = [gameweek.id for gameweek in touched]
    for gameweek_id in ids:
        refreshing.ask(gameweek_id)
    return planned


def place(game: Game, week: int, kickoff: datetime) -> None:
    """Put the game there, and note its scheduled week and kickoff while they are others."""
    planned_week = game.planned_week or game.week
    planned_kickoff = game.planned_kickoff or game.kickoff
    game.week, game.kickoff = week, kickoff
    game.planned_week = planned_week if week != planned_week else None
    game.planned_kickoff = planned_kickoff if kickoff != planned_kickoff else None


def _status(game: Game) -> str:
    state = db.session.get(GameState, game.id, populate_existing=True)
    return state.status if state else "scheduled"


def _refuse(status: str, kickoff: datetime, now: datetime) -> None:
    if status == "cancelled":
        raise CannotMoveError("The game is cancelled. Set it to be played first.")
    if status not in ("scheduled", "postponed", "suspended"):
        raise CannotMoveError(
            "The game has started, so it stays in its week. Only a suspended game can get a new "
            "time."
        )
    if not now < kickoff <= now + FARTHEST:
        raise CannotMoveError(
            "The new kickoff must be in the future and within the next thirteen months."
        )


def _gameweeks(game: Game) -> dict[int, Gameweek]:
    """The gameweeks of the game's season by week."""
    gameweeks = db.session.scalars(
        select(Gameweek).where(
            Gameweek.competition == game.competition,
            Gameweek.season == game.season,
            Gameweek.season_type == game.season_type,
        ),
        execution_options={"populate_existing": True},
    )
    return {gameweek.week: gameweek for gameweek in gameweeks}


def _week_of(game: Game, kickoff: datetime, gameweeks: Mapping[int, Gameweek]) -> int:
    """The week in which the game counts with this kickoff.

    That is the last gameweek after the planned one whose deadline has passed by the kickoff, else
    the planned one.
    """
    planned = game.planned_week or game.week
    locked = [week for week, gameweek in gameweeks.items() if gameweek.deadline <= kickoff]
    return max([planned, *locked])


def _leagues(gameweek: Gameweek | None, *, leaves: bool) -> tuple[int, int]:
    if gameweek is None:
        return 0, 0
    never = func.count().filter(TeamRules.postponed_games == "never")
    all_of, without = db.session.execute(
        select(func.count(), never)
        .select_from(League)
        .join(TeamRules, TeamRules.id == League.team_rules_id)
        .where(League.season_id == gameweek.season_id)
    ).one()
    return all_of, without if leaves else 0


def _deadlines(
    game: Game, kickoff: datetime, week: int, gameweeks: Mapping[int, Gameweek], now: datetime
) -> Sequence[Deadline]:
    """The deadlines that change: of the gameweek that the game leaves, and of its new one.

    They keep their distance to the first kickoff. A deadline that has passed stays, because members
    have seen the others' teams.
    """
    deadlines = []
    for number in sorted({game.week, week} & set(gameweeks)):
        gameweek = gameweeks[number]
        if gameweek.locked_at is not None or gameweek.deadline <= now:
            continue
        others = first_kickoff(gameweek, without=game.id)
        kickoffs = [] if others is None else [others]
        before = min([*kickoffs, game.kickoff] if number == game.week else kickoffs, default=None)
        after = min([*kickoffs, kickoff] if number == week else kickoffs, default=None)
        if before is not None and after is not None and before != after:
            new_deadline = after - (before - gameweek.deadline)
            deadlines.append(Deadline(gameweek.name, gameweek.deadline, new_deadline))
    return deadlines
