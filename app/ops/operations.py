"""Operations that an operator requests on a page: recorded, done by a worker, watched meanwhile.

An operation runs once: a worker that dies in the middle leaves it as failed, and it is requested
again (each may be done twice). Called by views and by the job. What is done is in drills.py and
app/dead_letters/replaying.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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
SECONDS = 4 * 3600  # of one operation
SAY_SECONDS = 0.5  # between two lines of progress that are kept
HISTORY = 20
MOST_AT_ONCE = 5_000  # dead letters of one replay


class OperationNotFoundError(UserError):
    """There is no operation of this kind."""


def ask(
    kind: str,
    *,
    by: int,
    reason: str,
    now: datetime,
    is_dry_run: bool,
    arguments: Mapping[str, Any] | None = None,
) -> Operation:
    """Notes the operation and sends it to a worker.

    Commits. Raises OperationNotFoundError, redis errors: then it waits for nobody, and is failed.
    """
    if kind != REPLAY and kind not in DRILLS:
        raise OperationNotFoundError(
            f"There is no operation {kind!r}: choose one of {', '.join(DRILLS)}."
        )
    made = Operation(
        kind=kind,
        arguments=dict(arguments or {}),
        is_dry_run=is_dry_run,
        member_id=by,
        reason=reason,
        created_at=now,
    )
    db.session.add(made)
    db.session.flush()
    if not is_dry_run:
        act = Act.DEAD_LETTERS_REPLAYED if kind == REPLAY else Act.DRILL
        details = {"kind": kind, **made.arguments}
        audit.record(
            act, actor_id=by, subject=f"operation:{made.id}", reason=reason, details=details
        )
    db.session.commit()
    try:
        jobs.send_once(RUN_OPERATION, made.id, timeout=SECONDS)
    except Exception as error:
        _end(
            made.id,
            FAILED,
            f"It could not be sent to a worker ({type(error).__name__}): use the command.",
        )
        raise
    return made


def execute(number: int) -> None:
    """Does it, if it waits; for the job."""
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
    except BaseException as error:
        _end(
            number,
            FAILED,
            f"{type(error).__name__}: the workers' log says more. It may be asked for again.",
        )
        raise
    _end(number, DONE, outcome)


def latest() -> list[Operation]:
    """The newest first. One whose worker has died is shown as failed."""
    give_up(clock.now())
    return list(db.session.scalars(select(Operation).order_by(Operation.id.desc()).limit(HISTORY)))


def find(number: int) -> Operation | None:
    """The operation of this number, or None."""
    give_up(clock.now())
    return db.session.get(Operation, number, populate_existing=True)


def give_up(now: datetime) -> int:
    """Ends operations that nobody works on any more; how many. Commits."""
    ended = db.session.execute(
        update(Operation)
        .where(
            Operation.state.in_((WAITING, RUNNING)),
            Operation.created_at < now - timedelta(seconds=2 * SECONDS),
        )
        .values(
            state=FAILED,
            ended_at=now,
            outcome="Its worker ended in the middle of it: ask for it again.",
        )
    )
    db.session.commit()
    return int(ended.rowcount)  # type: ignore[attr-defined]


def _say(number: int) -> Callable[[str], None]:
    """Keeps what is said for the page, at most twice a second.

    In a transaction of its own: work may have one open.
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
    """The dead letters that a replay is about: by `ids`, or all of a `kind` and `cause`.

    Raises UserError.
    """
    if ids := arguments.get("ids"):
        return [letters.find(one) for one in ids]
    return letters.waiting(arguments.get("kind"), arguments.get("cause"), limit=MOST_AT_ONCE)


def _replay(arguments: Mapping[str, Any], is_dry_run: bool, say: Callable[[str], None]) -> str:
    found, force = chosen(arguments), bool(arguments.get("force"))
    if is_dry_run:
        refused = [f"{one.id}: {why}" for one in found if (why := refusal(one, force=force))]
        return f"{len(found) - len(refused)} of {len(found)} would be sent again. " + "; ".join(
            refused[:20]
        )
    plan = Plan(canary=int(arguments.get("canary", 0)), force=force)
    done = Replay(current_app.config["PRESSBOX"], plan, say).run(found)
    said = [f"{len(done.sent)} of {len(found)} sent again."]
    said += [f"{letter_id} was not sent: {why}." for letter_id, why in done.refused[:20]]
    if done.stopped:
        raise UserError(" ".join([*said, f"Stopped: {done.stopped}."]))
    return " ".join(said)
