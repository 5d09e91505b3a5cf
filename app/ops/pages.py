"""The operators' area: what every part does now, and what can be done about it.

Each act is a POST and is audited. Figures come from figures.py, lag.py and slo.py; if a store does
not answer, only its own table is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import redis
from flask import Blueprint, abort, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from kafka.errors import KafkaError
from sqlalchemy.exc import SQLAlchemyError

from app.accounts.reauthentication import reauthenticated
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.models import BoardRecord
from app.core import clock, jobs
from app.core.db import db
from app.core.errors import UserError
from app.core.http.access import audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.dead_letters import alerts, letters
from app.ops import backup, figures, incidents, lag, operations, slo, waits
from app.ops.drills import DRILLS
from app.ops.forms import DeadLettersForm, DrillForm
from app.ops.health import check_all
from app.predictions.decisions import queries
from app.predictions.matches import findings
from app.record import queries as record

blueprint = Blueprint("operations", __name__, url_prefix="/ops")

ROWS = 50
Result = TypeVar("Result")


def _unless_away(look: Callable[[], Result]) -> Result | None:
    """Return the result, or None if its store does not answer."""
    try:
        return look()
    except (SQLAlchemyError, redis.RedisError, KafkaError, OSError, UserError):
        db.session.rollback()
        return None


@blueprint.get("")
@audience("operator")
def overview() -> ResponseReturnValue:
    """Health of each part and the objectives; the fragment `now` polls itself."""
    now = clock.now()
    return respond(
        "ops/overview.html",
        "now",
        parts=check_all(current_app.config["PRESSBOX"]),
        objectives=_unless_away(slo.table),
        dead_letters=_unless_away(alerts.waiting),
        findings=_unless_away(lambda: findings.count(clock.now())),
        boards=_unless_away(lambda: figures.board_sums(now)),
        board_faults=_unless_away(lambda: incidents.board_faults(now)),
        transaction=_unless_away(waits.oldest_transaction),
        unplaced=_unless_away(lambda: waits.oldest_change(now)),
        incidents=_unless_away(incidents.latest),
        has_games=_unless_away(record.has_games),
        now=now,
    )


@blueprint.get("/stream")
@audience("operator")
def stream() -> ResponseReturnValue:
    """Backlog of the relay, lag of the consumers by partition, and the archive."""
    now = clock.now()
    return respond(
        "ops/stream.html",
        "now",
        backlog=_unless_away(lambda: figures.backlog(now)),
        lags=_unless_away(lambda: lag.lags(current_app.config["PRESSBOX"])),
        slo_seconds=lag.SLO_SECONDS,
        archive=_unless_away(figures.archive),
        backups=_unless_away(lambda: backup.backups(_blobs())[-5:][::-1]),
        now=now,
    )


@blueprint.get("/work")
@audience("operator")
def work() -> ResponseReturnValue:
    """Queues, workers, the schedule, and what PostgreSQL is busy with."""
    return respond(
        "ops/work.html",
        "now",
        queues=_unless_away(figures.queues),
        workers=_unless_away(figures.workers),
        month=_unless_away(lambda: _jobs_of_month(slo.month_counts())),
        schedule=_unless_away(figures.schedule),
        statements=_unless_away(lambda: figures.slow(figures.statements())),
        when=lambda seconds: datetime.fromtimestamp(seconds, UTC),
        now=clock.now(),
    )


def _jobs_of_month(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    return {queue: slo.jobs_of_month(queue, counts) for queue in jobs.QUEUES}


@blueprint.get("/boards")
@audience("operator")
def boards() -> ResponseReturnValue:
    """Every board in Redis: size, age, and when it was verified and rebuilt."""
    number = page_number()
    rows, total = figures.boards((number - 1) * ROWS, ROWS)
    return respond(
        "ops/boards.html",
        "now",
        boards=rows,
        total=total,
        memory=_unless_away(figures.boards_memory),
        page=number,
        pages=page_count(total, ROWS),
        now=clock.now(),
    )


@blueprint.post("/boards/<int:board_id>/rebuild")
@audience("operator")
def rebuild_board(board_id: int) -> ResponseReturnValue:
    """Read the board from PostgreSQL from now on; the verifier rebuilds it within seconds."""
    record = db.session.get(BoardRecord, board_id, with_for_update=True)
    if record is None or record.archived_at is not None:
        abort(404)
    record.stale_since = record.stale_since or clock.now()
    audit.record(
        Act.BOARD_REBUILT,
        actor_id=_me(),
        subject=f"board:{board_id}",
        reason=DrillForm().why("Asked for on /ops"),
    )
    db.session.commit()
    return redirect(url_for("operations.boards"), 303)


@blueprint.get("/settlements")
@audience("operator")
def settlements() -> ResponseReturnValue:
    """What matches have earned lately, how the providers answer, and findings about them."""
    current = findings.current(clock.now())
    return respond(
        "ops/settlements.html",
        audits=figures.settlements(),
        states=figures.settlement_states(),
        providers=figures.providers(),
        findings=current,
        matches=queries.matches_of(current),
        now=clock.now(),
    )


@blueprint.get("/dead-letters")
@audience("operator")
def dead_letters() -> ResponseReturnValue:
    """What waits, by kind and cause; with a cause, each of its letters."""
    return _dead_letters()


def _dead_letters(status: int = 200, fault: str = "") -> ResponseReturnValue:
    kind, cause = request.values.get("kind") or None, request.values.get("cause") or None
    groups = letters.groups(kind, cause)
    after = request.args.get("after", "")
    try:
        waiting = letters.waiting(kind, cause, after=after, limit=ROWS + 1) if cause else []
    except UserError:
        abort(404)
    return respond(
        "ops/dead_letters.html",
        status=status,
        groups=groups,
        letters=waiting[:ROWS],
        next=waiting[ROWS - 1].place if len(waiting) > ROWS else None,
        after=after,
        total=sum(group.count for group in groups),
        kind=kind,
        cause=cause,
        fault=fault,
    )


@blueprint.get("/dead-letters/<letter_id>")
@audience("operator")
def dead_letter(letter_id: str) -> ResponseReturnValue:
    """The page of one dead letter."""
    return _dead_letter(letter_id)


def _dead_letter(letter_id: str, status: int = 200, fault: str = "") -> ResponseReturnValue:
    try:
        letter = letters.find(letter_id)
        details = letters.details(letter)
    except UserError:
        abort(404)
    return respond(
        "ops/dead_letter.html", letter=letter, details=details, fault=fault, status=status
    )


@blueprint.post("/dead-letters/replay")
@audience("operator")
def replay() -> ResponseReturnValue:
    """Send dead letters again: the chosen ones, or all of a kind and cause."""
    form = DeadLettersForm()
    try:
        arguments = form.chosen() | {"canary": form.first(), "force": form.force.data}
        requested = _ask(
            operations.REPLAY, form.why(), arguments, is_dry_run=form.how.data == "dry-run"
        )
    except (UserError, ValueError) as error:
        return _dead_letters(422, str(error))
    return redirect(url_for("operations.operation", number=requested.id), 303)


@blueprint.post("/dead-letters/drop")
@audience("operator")
@reauthenticated
def drop() -> ResponseReturnValue:
    """Discard dead letters: the chosen ones, or all of a kind and cause."""
    form = DeadLettersForm()
    try:
        arguments, reason = form.chosen(), form.why()
        for letter in operations.chosen(arguments):
            letters.drop(letter.id, reason, clock.now(), by=_me())
    except UserError as error:
        return _dead_letters(422, str(error))
    return redirect(url_for("operations.dead_letters"), 303)


@blueprint.get("/drills")
@audience("operator")
def drills() -> ResponseReturnValue:
    """The page of drills."""
    return _drills()


def _drills(status: int = 200, fault: str = "") -> ResponseReturnValue:
    return respond(
        "ops/drills.html", status=status, drills=DRILLS, latest=operations.latest(), fault=fault
    )


@blueprint.post("/drills")
@audience("operator")
@reauthenticated
def drill() -> ResponseReturnValue:
    """Request a drill, or a dry run that says what it would do."""
    form = DrillForm()
    is_dry_run = form.how.data != "run"
    try:
        reason = form.why("dry run" if is_dry_run else "")
        requested = _ask(form.kind.data, reason, {}, is_dry_run=is_dry_run)
    except UserError as error:
        return _drills(422, str(error))
    return redirect(url_for("operations.operation", number=requested.id), 303)


@blueprint.get("/operations/<int:number>")
@audience("operator")
def operation(number: int) -> ResponseReturnValue:
    """The progress of an operation; the fragment `progress` polls itself until it ends."""
    requested = operations.find(number) or abort(404)
    title = DRILLS[requested.kind].title if requested.kind in DRILLS else "Send dead letters again"
    return respond(
        "ops/operation.html",
        "progress",
        operation=requested,
        title=title,
        stop_polling=requested.ended_at is not None,
        now=clock.now(),
    )


def _ask(kind: str, reason: str, arguments: dict[str, Any], *, is_dry_run: bool) -> Any:
    try:
        return operations.ask(
            operations.OperationRequest(kind, is_dry_run, arguments),
            by=_me(),
            reason=reason,
            now=clock.now(),
        )
    except redis.RedisError as error:
        raise UserError(
            "Redis is down, so no worker can pick this up. Use the command from the runbook."
        ) from error


def _me() -> int:
    return int(current_user.get_id())


def _blobs() -> Any:
    from app.core.blob_store import blob_store

    return blob_store()
