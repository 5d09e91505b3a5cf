"""Declares the status of a game that is not played as planned, for an operator or a schedule.

The event is numbered like all others (numbering.py), under a lease that is taken only for it.
Kickoffs are moved in app/fantasy/gameweeks/moving.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from app.core.db import db
from app.core.errors import UserError
from app.fantasy.gameweeks import moving
from app.fantasy.gameweeks.moving import Move
from app.record.events import Declared, GameStatus
from app.record.models import Game, GameState
from scorer_console.lease.leases import Holder, UnknownGameError, give_back, take
from scorer_console.record.numbering import Entry, submit


class NothingNewError(UserError):
    """The game already has this status."""


@dataclass(frozen=True)
class Declarer:
    """Who declares it. With `take_over`, it also works while somebody scores the game.

    That scorer must then take the game back.
    """

    name: str = "An operator"
    take_over: bool = False


OPERATOR = Declarer()


def status_of(game_id: str) -> str:
    """Return the game's status by its record. Raises UnknownGameError, also for practice games."""
    game = db.session.get(Game, game_id, populate_existing=True)
    if game is None or game.is_practice:
        raise UnknownGameError(f"There is no game {game_id}. Import its schedule or register it.")
    state = db.session.get(GameState, game_id, populate_existing=True)
    return state.status if state else "scheduled"


def declare(
    game_id: str,
    status: Declared,
    reason: str,
    now: datetime,
    by: Declarer = OPERATOR,
) -> int:
    """Enter the event, commit, and return its number. The record is updated by ingestion.

    Raises UnknownGameError, NothingNewError, and LeaseHeldError while somebody scores the game.
    """
    if status_of(game_id) == status:
        raise NothingNewError(f"Game {game_id} is already {status}.")
    with _holding(game_id, by, now) as console:
        return _enter(game_id, status, reason, now, console)


def move(
    game_id: str,
    kickoff: datetime,
    reason: str,
    now: datetime,
    by: Declarer = OPERATOR,
) -> tuple[Move, int | None]:
    """Move the game, and bring a postponed one back on the schedule.

    Returns the move, and the number of the event that declares the new status, if any.

    Raises the errors of `moving.move` and `declare`; then nothing is moved.
    """
    if status_of(game_id) != "postponed":
        return moving.move(game_id, kickoff, now), None
    with _holding(game_id, by, now) as console:
        done = moving.move(game_id, kickoff, now)
        return done, _enter(game_id, "scheduled", reason, now, console)


@contextmanager
def _holding(game_id: str, by: Declarer, now: datetime) -> Iterator[str]:
    """Hold the game's lease under a temporary console name, and release it afterwards."""
    console = f"declaring-{uuid4()}"
    take(game_id, Holder(console, by.name), now, take_over=by.take_over)
    try:
        yield console
    finally:
        give_back(game_id, console, now)


def _enter(game_id: str, status: Declared, reason: str, now: datetime, console: str) -> int:
    body = GameStatus(status=status, reason=reason)
    (accepted,) = submit(game_id, [Entry(body, console)], now, console=console)
    return accepted.event_number
