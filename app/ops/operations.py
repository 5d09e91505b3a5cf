"""Operations that an operator requests on a page and a worker does, with progress.

An operation runs once. If its worker dies, it counts as failed and can be requested again, because
each may be done twice. The work itself is in drills.py and app/dead_letters/replaying.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from flask import current_app
from sqlalchemy import select, update

from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock, jobs
from app.core.db import db
from app.core.errors import UserError
from app.dead_letters import letters
from app.dead_letters.replaying import Plan, Replay, refusal
from app.ops.drills import DRILLS
from app.ops.jobs import RUN_OPERATION
from app.ops.models import DONE, FAILED, RUNNING, WAITING, Operation

log = structlog.get_logger(__name__)

REPLAY = "replay"
SECONDS = 4 * 3600  # for one operation
SAY_SECONDS = 0.5  # between two lines of progress that are stored
HISTORY = 20
MOST_AT_ONCE = 5_000  # dead letters of one replay


class OperationNotFoundError(UserError):
    """There is no operation of this kind."""


@dataclass(frozen=True)
class OperationRequest:
    """What an operator wants done."""

    kind: str
    is_dry_run: bool
    arguments: Mapping[str, Any] = field(default_factory=dict)


def ask(request: OperationRequest, *, by: int, reason: str, now: datetime) -> Operation:
    """Store the operation and send it to a worker. Commits.

    Raises:
        OperationNotFoundError: There is no operation of this kind.
        redis.RedisError: Redis does not answer; the operation counts as failed.
    """
    kind, is_dry_run = request.kind, request.is_dry_run
    if kind != REPLAY and kind not in DRILLS:
        raise OperationNotFoundError(
            f"There is no operation {kind!r}. Choose one of {', '.join(DRILLS)}."
        )
    operation = Operation(
        kind=kind,
        arguments=dict(request.arguments),
        is_dry_run=is_dry_run,
        member_id=by,
        reason=reason,
        created_at=now,
    )
    db.session.add(operation)
    db.session.flush()
    if not is_dry_run:
        act = Act.DEAD_LETTERS_REPLAYED if kind == REPLAY else Act.DRILL
        details = {"kind": kind, **operation.arguments}
        audit.record(
            act, actor_id=by, subject=f"operation:{operation.id}", reason=reason, details=details
        )
    db.session.commit()
    try:
        jobs.send_once(RUN_OPERATION, operation.id, timeout=SECONDS)
    except Exception:
        _end(
            operation.id,
            FAILED,
            "No worker could be reached. Use the command.",
        )
        raise
    return operation


def execute(number: int) -> None:
    """Do the operation, if it waits; the job calls this."""
    begun = db.session.execute(
        update(Operation)
        .where(Operation.id == number, Operation.state == WAITING)
        .values(state=RUNNING, started_at=clock.now())
        .returning(Operation)
    ).scalar_one_or_none()
    db.session.commit()
    if begun is None:
        return
    kind, is_dry_run, arguments = begun.kind, begun.is_dry_run, dict(begun.arguments)
    db.session.rollback()
    try:
        if kind == REPLAY:
            outcome = _replay(arguments, is_dry_run, _say(number))
        else:
            outcome = DRILLS[kind].plan() if is_dry_run else DRILLS[kind].run(_say(number))
    except UserError as error:
        _end(number, FAILED, str(error))
        return
    except BaseException:
        _end(
            number,
            FAILED,
            "It failed. See the workers' log for the cause. You can run it again.",
        )
        raise
    _end(number, DONE, outcome)


def latest() -> list[Operation]:
    """Return the newest operations first; those whose worker has died count as failed."""
    give_up(clock.now())
    return list(db.session.scalars(select(Operation).order_by(Operation.id.desc()).limit(HISTORY)))


def find(number: int) -> Operation | None:
    """Return the operation of this number, or None."""
    give_up(clock.now())
    return db.session.get(Operation, number, populate_existing=True)


def give_up(now: datetime) -> int:
    """End operations that no worker does any more; return how many. Commits."""
    ended = db.session.execute(
        update(Operation)
        .where(
            Operation.state.in_((WAITING, RUNNING)),
            Operation.created_at < now - timedelta(seconds=2 * SECONDS),
        )
        .values(
            state=FAILED,
            ended_at=now,
            outcome="Its worker stopped halfway. Run it again.",
        )
    )
    db.session.commit()
    return int(ended.rowcount)  # type: ignore[attr-defined]


def _say(number: int) -> Callable[[str], None]:
    """Return a function that stores progress for the page, at most twice per second.

    It uses its own transaction, because the operation may have one open.
    """
    last = 0.0

    def say(text: str) -> None:
        nonlocal last
        if time.monotonic() - last < SAY_SECONDS:
            return
        last = time.monotonic()
        with db.engine.begin() as connection:
            connection.execute(
                update(Operation).where(Operation.id == number).values(progress=text)
            )

    return say


def _end(number: int, state: str, outcome: str) -> None:
    db.session.rollback()
    which = update(Operation).where(Operation.id == number)
    db.session.execute(which.values(state=state, outcome=outcome, ended_at=clock.now()))
    db.session.commit()
    log.info("operation_ended", operation=number, state=state, outcome=outcome)


def chosen(arguments: Mapping[str, Any]) -> list[letters.Letter]:
    """Return the dead letters to send again: by `ids`, or all of a `kind` and `cause`.

    Raises:
        UserError: There is no such dead letter.
    """
    if ids := arguments.get("ids"):
        return [letters.find(letter_id) for letter_id in ids]
    return letters.waiting(arguments.get("kind"), arguments.get("cause"), limit=MOST_AT_ONCE)


def _replay(arguments: Mapping[str, Any], is_dry_run: bool, say: Callable[[str], None]) -> str:
    waiting, force = chosen(arguments), bool(arguments.get("force"))
    if is_dry_run:
        refused = [
            f"{letter.id}: {why}" for letter in waiting if (why := refusal(letter, force=force))
        ]
        return f"{len(waiting) - len(refused)} of {len(waiting)} would be sent again. " + "; ".join(
            refused[:20]
        )
    plan = Plan(canary=int(arguments.get("canary", 0)), force=force)
    replay = Replay(current_app.config["PRESSBOX"], plan, say).run(waiting)
    sentences = [f"{len(replay.sent)} of {len(waiting)} sent again."]
    sentences += [f"{letter_id} was not sent: {why}." for letter_id, why in replay.refused[:20]]
    if replay.stopped:
        raise UserError(" ".join([*sentences, f"Stopped: {replay.stopped}."]))
    return " ".join(sentences)
