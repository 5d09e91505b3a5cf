"""Replays a stored game into the record, through the same function as a scorer (PRODUCT A14).

Each step's key is its number, so that replaying a game again, or from two processes at once,
changes nothing. A game is replayed either as it was in the end or as first called, but never
both, because their steps have different numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select

from app.core import clock
from app.core.db import db
from app.core.errors import UserError
from app.record.events import body_from
from app.record.models import Game, ScriptStep
from app.record.script import KEYS, VARIANTS, Variant
from app.stream.models import OutboxMessage
from scorer_console.lease.leases import Holder, UnknownGameError, take
from scorer_console.record.numbering import Entry, submit

CHUNK = 100
Step = Row[int, int, int | None, dict[str, Any]]  # number, milliseconds, play number, body
# One name for every replay: two replays of a game at once do no harm, so they may share the lease.
REPLAY = Holder(console="replay", name="A replay")


class NoScriptError(UserError):
    """The game has no stored steps of this variant."""


class EnteredByHandError(UserError):
    """Somebody has entered other events, so the script no longer fits the game."""


class OtherVariantError(UserError):
    """The game has begun with the other variant of its script."""


@dataclass(frozen=True)
class Progress:
    """The number of entered steps of a game."""

    done: int
    total: int


def replay(
    game_id: str,
    variant: Variant = "final",
    *,
    speed: float | None = None,
    until: int | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Iterator[Progress]:
    """Enter the steps that are not in the record yet, in order; yield after every transaction.

    `speed` is a multiple of real time, or None for as fast as possible. `until` is the last step to
    enter. `sleep` waits for the given seconds; it may return early and is then called again. Raises
    UnknownGameError, NoScriptError, OtherVariantError, LeaseHeldError while somebody scores the
    game, and EnteredByHandError if somebody has entered events, because then the script's
    corrections would refer to wrong numbers.
    """
    begun, total = _begin(game_id, variant)
    last = total if until is None else min(until, total)
    done = begun
    started, first_ms = time.monotonic(), _at(game_id, variant, min(begun + 1, total))
    yield Progress(done, total)
    while done < last:
        size = CHUNK if speed is None else 1
        steps = _steps(game_id, variant, done + 1, min(done + size, last))
        if speed is not None:
            due = started + (steps[0].at_ms - first_ms) / 1000 / speed
            while (wait := due - time.monotonic()) > 0:
                sleep(min(wait, 0.5))
        take(game_id, REPLAY, clock.now())
        # until submit commits
        db.session.execute(select(Game.id).where(Game.id == game_id).with_for_update())
        _refuse_other(game_id, variant)
        _refuse_by_hand(game_id, variant)
        submit(game_id, _entries(steps, KEYS[variant]), clock.now(), console=REPLAY.console)
        done += len(steps)
        yield Progress(done, total)


def enter_steps(game_id: str, until: int) -> None:
    """Enter the final record's steps up to `until` at once. Raises the errors of `replay`."""
    for _ in replay(game_id, until=until):
        pass


def _begin(game_id: str, variant: Variant) -> tuple[int, int]:
    """Return how many of the first steps are entered already, and how many steps there are."""
    if db.session.get(Game, game_id) is None:
        raise UnknownGameError(f"There is no game {game_id}. Import or simulate it first.")
    _refuse_other(game_id, variant)
    total = db.session.scalar(select(func.max(ScriptStep.step)).where(*_of(game_id, variant)))
    if total is None and variant == "as_called":
        raise NoScriptError(
            f"The original calls of game {game_id} are unknown. Put its corrections.csv next to "
            "the play-by-play and import it again, or replay it without --as-called."
        )
    if total is None:
        raise NoScriptError(
            f"Game {game_id} has no stored events. Import it with `pressbox import pbp FILE`."
        )
    entered = db.session.scalar(
        select(func.count()).where(
            OutboxMessage.game_id == game_id,
            OutboxMessage.idempotency_key.like(f"{KEYS[variant]}:%"),
        )
    )
    db.session.rollback()  # no transaction stays open while we wait
    return entered or 0, total


def _refuse_other(game_id: str, variant: Variant) -> None:
    """Raise OtherVariantError if the first step of the other variant was entered."""
    first = [f"{KEYS[other]}:1" for other in VARIANTS if other != variant]
    begun = db.session.scalar(
        select(OutboxMessage.id)
        .where(OutboxMessage.game_id == game_id, OutboxMessage.idempotency_key.in_(first))
        .limit(1)
    )
    if begun is None:
        return
    db.session.rollback()
    was, option = (
        ("as it was first called", "with")
        if variant == "final"
        else ("as it was in the end", "without")
    )
    raise OtherVariantError(
        f"Game {game_id} has begun {was}: replay it {option} --as-called, or import it into an "
        "empty data folder."
    )


def _refuse_by_hand(game_id: str, variant: Variant) -> None:
    """Raise EnteredByHandError if an event of the game is not a step of this script."""
    pattern = f"{KEYS[variant]}:%"
    number = db.session.scalar(
        select(func.min(OutboxMessage.event_number)).where(
            OutboxMessage.game_id == game_id, OutboxMessage.idempotency_key.not_like(pattern)
        )
    )
    if number is None:
        return
    db.session.rollback()
    raise EnteredByHandError(
        f"Event {number} of game {game_id} was entered by hand, so the stored steps no longer "
        "match. Continue in the console, or import the game into an empty data folder."
    )


def _at(game_id: str, variant: Variant, step: int) -> int:
    return (
        db.session.scalar(
            select(ScriptStep.at_ms).where(*_of(game_id, variant), ScriptStep.step == step)
        )
        or 0
    )


def _steps(game_id: str, variant: Variant, first: int, last: int) -> Sequence[Step]:
    """Load the steps as rows, because objects would be reloaded one by one after the rollback."""
    steps = db.session.execute(
        select(ScriptStep.step, ScriptStep.at_ms, ScriptStep.play_number, ScriptStep.body)
        .where(*_of(game_id, variant), ScriptStep.step.between(first, last))
        .order_by(ScriptStep.step)
    ).all()
    db.session.rollback()
    return steps


def _of(game_id: str, variant: Variant) -> tuple[ColumnElement[bool], ...]:
    return ScriptStep.game_id == game_id, ScriptStep.variant == variant


def _entries(steps: Sequence[Step], key: str) -> list[Entry]:
    return [
        Entry(body_from(step.body), f"{key}:{step.step}", step.play_number, is_checked=True)
        for step in steps
    ]
