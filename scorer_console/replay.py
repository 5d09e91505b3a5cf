"""Plays a stored game into the record, through the same door as a scorer (PRODUCT A14).

Each step's key is its number, so that playing a game again, or from two places at once, changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from app.core import clock
from app.core.db import db
from app.core.errors import Mendable
from app.record.events import body_from
from app.record.models import Game, ScriptStep
from app.stream.models import OutboxMessage
from scorer_console.leases import Holder, UnknownGame, take
from scorer_console.numbering import Entry, submit

CHUNK = 100
# One name for every replay: playing a game from two places at once changes nothing, so they may share the lease.
REPLAY = Holder(console="replay", name="Replay of a stored game")


class NoScript(Mendable):
    """The game has no stored steps."""


@dataclass(frozen=True)
class Progress:
    done: int
    total: int


def replay(
    game_id: str,
    *,
    speed: float | None = None,
    until: int | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Iterator[Progress]:
    """Enters the steps that are not in the record yet, in order; yields after every transaction.

    `speed`: times real life, keeping the script's pace; None: as fast as it goes. `until`: last step to enter.
    `sleep` waits the given seconds (or less: it is asked again).
    Raises UnknownGame, NoScript, and LeaseHeld when somebody scores the game himself.
    """
    begun, total = _begin(game_id)
    last = total if until is None else min(until, total)
    done = begun
    started, first_ms = time.monotonic(), _at(game_id, min(begun + 1, total))
    yield Progress(done, total)
    while done < last:
        size = CHUNK if speed is None else 1
        steps = _steps(game_id, done + 1, min(done + size, last))
        if speed is not None:
            due = started + (steps[0].at_ms - first_ms) / 1000 / speed
            while (wait := due - time.monotonic()) > 0:
                sleep(min(wait, 0.5))
        take(game_id, REPLAY, clock.now())
        submit(game_id, _entries(steps), clock.now(), console=REPLAY.console)
        done += len(steps)
        yield Progress(done, total)


def _begin(game_id: str) -> tuple[int, int]:
    """How many leading steps were entered before, and how many there are."""
    if db.session.get(Game, game_id) is None:
        raise UnknownGame(f"There is no game {game_id}: import or simulate it first.")
    total = db.session.scalar(select(func.max(ScriptStep.step)).where(ScriptStep.game_id == game_id))
    if total is None:
        raise NoScript(f"Game {game_id} has no stored events: import it with `pressbox import pbp FILE`.")
    entered = db.session.scalar(
        select(func.count()).where(OutboxMessage.game_id == game_id, OutboxMessage.idempotency_key.like("script:%"))
    )
    db.session.rollback()  # nothing stays open while we wait
    return entered or 0, total


def _at(game_id: str, step: int) -> int:
    return (
        db.session.scalar(select(ScriptStep.at_ms).where(ScriptStep.game_id == game_id, ScriptStep.step == step)) or 0
    )


def _steps(game_id: str, first: int, last: int) -> Sequence[ScriptStep]:
    steps = db.session.scalars(
        select(ScriptStep)
        .where(ScriptStep.game_id == game_id, ScriptStep.step.between(first, last))
        .order_by(ScriptStep.step)
    ).all()
    db.session.rollback()
    return steps


def _entries(steps: Sequence[ScriptStep]) -> list[Entry]:
    return [Entry(body=body_from(step.body), key=f"script:{step.step}", play_number=step.play_number) for step in steps]
