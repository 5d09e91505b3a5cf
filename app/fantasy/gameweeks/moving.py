"""Moving a game to another kickoff: it counts in the gameweek in which it is played, and locks go
with it.

Lives here: where a game belongs, doing it, and what it changes, for the preview. Not here: what
becomes of a game that is not moved (an event of its record, scorer_console/games), schedules
(season_setup/importing.py).
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


class CannotMove(UserError):
    """The game cannot be moved, or not there; the text says what to do."""


@dataclass(frozen=True)
class Deadline:
    """Of a gameweek whose first kickoff changes."""

    gameweek: str
    before: datetime
    after: datetime


@dataclass(frozen=True)
class Move:
    """`gameweek_before`, `gameweek`: names, None where the season has no such gameweek.

    `leagues` of the season, and in how many of them (`without`) the game counts no more, since it
    leaves the gameweek for which it was planned.
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
        return self.week != self.week_before


def plan(game_id: str, kickoff: datetime, now: datetime) -> Move:
    """What moving the game would change. `kickoff`, `now`: aware. Raises CannotMove."""
    game = db.session.get(Game, game_id, populate_existing=True)
    if game is None or game.is_practice:
        raise CannotMove(f"There is no game {game_id} that could be moved.")
    _refuse(game, kickoff, now)
    gameweeks = _gameweeks(game)
    week = _week_of(game, kickoff, gameweeks)
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
    """Moves the game, its gameweek and the deadlines that follow.

    Commits, then asks for the refresh of both gameweeks.

    Moving it to where it is changes nothing. Raises CannotMove.
    """
    with transaction():
        game = db.session.scalar(
            select(Game)
            .where(Game.id == game_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        planned = plan(game_id, kickoff, now)
        assert game is not None
        gameweeks = _gameweeks(game)
        place(game, planned.week, kickoff)
        db.session.flush()
        for one in planned.deadlines:
            next(
                week for week in gameweeks.values() if week.name == one.gameweek
            ).deadline = one.after
        db.session.flush()
        touched = [
            gameweeks[week]
            for week in sorted({planned.week, planned.week_before})
            if week in gameweeks
        ]
        for season_id in sorted({one.season_id for one in touched}):
            set_deadlines(season_id)
        # A refresh that is never asked for is found by this version (refreshing.gameweeks_behind).
        db.session.execute(
            text(
                "UPDATE game_states SET version = version + 1, updated_at = :now WHERE game_id = "
                ":game"
            ),
            {"now": now, "game": game_id},
        )
        ids = [one.id for one in touched]
    for gameweek_id in ids:
        refreshing.ask(gameweek_id)
    return planned


def place(game: Game, week: int, kickoff: datetime) -> None:
    """Puts the game there, and remembers where the schedule had it as long as it is elsewhere."""
    planned_week, planned_kickoff = (
        game.planned_week or game.week,
        game.planned_kickoff or game.kickoff,
    )
    game.week, game.kickoff = week, kickoff
    game.planned_week = planned_week if week != planned_week else None
    game.planned_kickoff = planned_kickoff if kickoff != planned_kickoff else None


def _refuse(game: Game, kickoff: datetime, now: datetime) -> None:
    state = db.session.get(GameState, game.id, populate_existing=True)
    status = state.status if state else "scheduled"
    if status == "cancelled":
        raise CannotMove("The game is cancelled: say first that it is played after all.")
    if status not in ("scheduled", "postponed", "suspended"):
        raise CannotMove(
            "The game has begun: it stays in its gameweek. A suspended one can get a time to go on."
        )
    if not now < kickoff <= now + FARTHEST:
        raise CannotMove("The new kickoff should lie ahead, and within the next thirteen months.")


def _gameweeks(game: Game) -> dict[int, Gameweek]:
    """Those of the game's season by week."""
    found = db.session.scalars(
        select(Gameweek).where(
            Gameweek.competition == game.competition,
            Gameweek.season == game.season,
            Gameweek.season_type == game.season_type,
        ),
        execution_options={"populate_existing": True},
    )
    return {one.week: one for one in found}


def _week_of(game: Game, kickoff: datetime, gameweeks: Mapping[int, Gameweek]) -> int:
    """The last gameweek after the planned one whose deadline has passed by the kickoff, else the
    planned one.

    A game that has begun stays: its points are known, and another gameweek could be picked with
    them.
    """
    planned = game.planned_week or game.week
    state = db.session.get(GameState, game.id)
    if state is not None and state.status == "suspended":
        return game.week
    return max(
        (week for week, one in gameweeks.items() if week > planned and one.deadline <= kickoff),
        default=planned,
    )


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
    """Of the gameweek that it leaves and of the one that it comes to, as far before their first
    kickoffs as they were.

    A deadline that has passed stays: members have seen the others' teams.
    """
    found = []
    for number in sorted({game.week, week} & set(gameweeks)):
        one = gameweeks[number]
        if one.locked_at is not None or one.deadline <= now:
            continue
        others = first_kickoff(one, without=game.id)
        kickoffs = [] if others is None else [others]
        before = min([*kickoffs, game.kickoff] if number == game.week else kickoffs, default=None)
        after = min([*kickoffs, kickoff] if number == week else kickoffs, default=None)
        if before is not None and after is not None and before != after:
            found.append(Deadline(one.name, one.deadline, after - (before - one.deadline)))
    return found
