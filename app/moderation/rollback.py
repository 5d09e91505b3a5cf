"""Taking many scores back in one step, with a preview, and undoing it (PRODUCT D10).

A selection names attempts of one player, from one address or device, of a period, or a series
beginning with one attempt. A rollback marks each attempt and recomputes every board that is not
archived, in one transaction; after an undo the attempts count again. Redis follows at once;
`show_waiting` completes what a crash left undone. Single flagged scores are in
app/scores/review/corrections.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

import redis
import structlog
from sqlalchemy import select, text

from app.audit import log as audit
from app.audit.acts import Act
from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord, Mode
from app.boards.rules import OutOfRangeError
from app.boards.windows.rules import parse_window
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import notices
from app.moderation.models import Rollback
from app.moderation.rules import reason_fault
from app.moderation.selection import (
    CHOSEN,
    Selection,
    choose,
    choose_of,
    faults,
    own_among,
    times_of,
)
from app.moderation.selection import digest as digest_of
from app.scores.archive import months
from app.scores.standings import folding, mode_change, placing
from app.scores.standings.mode_change import BoardPreview

log = structlog.get_logger(__name__)

SHOWN = 20  # moves of each board in a preview


@dataclass(frozen=True)
class OneBoard:
    """The moves on one board, which is named game:mode:window."""

    name: str
    preview: BoardPreview
    mode: Mode


@dataclass(frozen=True)
class Preview:
    """What taking attempts back, or counting them again, would do now.

    Attributes:
        attempts: The number of attempts.
        players: The number of their players.
        boards: The boards that change.
        digest: Of the attempts, so that exactly what was previewed is done.
        archived: The number of boards that stay as they were closed.
        cold: A sentence about months whose scores are not among the attempts, because they are
            archived; empty if there are none.
    """

    attempts: int
    players: int
    boards: Sequence[OneBoard]
    digest: str
    archived: int
    cold: str = ""

    @property
    def moved(self) -> int:
        """Ranks that change on all boards."""
        return sum(board.preview.moved for board in self.boards)


# EXISTS, not IN: PostgreSQL compares each attempt with every chosen one if there are more of them
# than fit into work_mem.
_IS_CHOSEN = "EXISTS (SELECT FROM chosen_attempts c WHERE c.event_id = score_attempts.event_id)"
_WITHOUT = f"{folding.NOW} AND NOT {_IS_CHOSEN}"
_WITH = folding.NOW.replace("rolled_back_at IS NULL", f"(rolled_back_at IS NULL OR {_IS_CHOSEN})")


def preview(selection: Selection) -> Preview | list[Refusal]:
    """Preview taking the selected attempts back. Reads only."""
    try:
        if refused := faults(selection):
            return refused
        cold = [record.month for record in months.archived_between(*times_of(selection))]
        effect = _chosen_preview(choose(selection), _WITHOUT)
        return replace(effect, cold=months.sentence(cold) if cold else "")
    finally:
        db.session.rollback()


def preview_undo(rollback_id: UUID) -> Preview | list[Refusal]:
    """Preview undoing the rollback. Reads only."""
    try:
        rollback = db.session.get(Rollback, rollback_id, populate_existing=True)
        if rollback is None or rollback.undone_at is not None:
            return [_gone()]
        if archived := _archived(rollback_id):
            return [archived]
        return _chosen_preview(choose_of(rollback_id), _WITH)
    finally:
        db.session.rollback()


def make(
    selection: Selection, *, digest: str, by: int | None, reason: str, now: datetime
) -> Rollback | list[Refusal]:
    """Take the selected attempts back and correct every board. Commits.

    It is refused if other attempts are selected than in the preview with this `digest`.
    """
    if refused := [*faults(selection), *([fault] if (fault := reason_fault(reason)) else [])]:
        return refused
    try:
        modes = catalogue.lock_modes(choose(selection), exclusive=True)
        db.session.execute(text("DROP TABLE chosen_attempts"))
        if not choose(selection) <= modes.keys() or digest_of() != digest:
            advice = "The selected scores have changed. Check the new preview."
            return [Refusal("changed_meanwhile", "digest", advice)]
        if not modes:
            return [
                Refusal(
                    "nothing",
                    "selection",
                    "No matching scores to roll back.",
                )
            ]
        if (own_score := own_among(by)) is not None:
            return [own_score]
        effect = _chosen_preview(modes.keys(), _WITHOUT, move_limit=0)
        new_rollback = Rollback(
            id=uuid4(),
            selection=selection.document(),
            reason=reason.strip(),
            made_by=by,
            made_at=now,
            attempts=effect.attempts,
            players=effect.players,
            moved=effect.moved,
        )
        db.session.add(new_rollback)
        db.session.flush()
        _correct("roll_back", by, new_rollback.reason, now)
        db.session.execute(
            text(
                "UPDATE score_attempts SET rolled_back_at = :now, rollback_id = :id "  # noqa: S608
                f"WHERE event_id IN ({CHOSEN})"
            ),
            {"now": now, "id": new_rollback.id},
        )
        _recount(modes, now)
        notices.scores_taken_back(new_rollback.id, new_rollback.reason, now)
        details = {
            **new_rollback.selection,
            "attempts": new_rollback.attempts,
            "players": new_rollback.players,
            "moved": new_rollback.moved,
        }
        audit.record(
            Act.SCORES_ROLLED_BACK,
            actor_id=by,
            subject=f"rollback:{new_rollback.id}",
            reason=new_rollback.reason,
            details=details,
        )
        db.session.commit()
    except OutOfRangeError as error:
        return [
            Refusal(
                "out_of_range",
                "selection",
                f"The remaining scores are too large for the boards: {error}.",
            )
        ]
    finally:
        db.session.rollback()
    _show_now(new_rollback, now)
    return new_rollback


def undo(
    rollback_id: UUID, *, by: int | None, reason: str, now: datetime
) -> Rollback | list[Refusal]:
    """Let the attempts of a rollback count again. Commits."""
    if fault := reason_fault(reason):
        return [fault]
    try:
        modes = catalogue.lock_modes(choose_of(rollback_id), exclusive=True)
        query = select(Rollback).where(Rollback.id == rollback_id).with_for_update()
        undone: Rollback | None = db.session.scalar(query.execution_options(populate_existing=True))
        if undone is None or undone.undone_at is not None:
            return [_gone()]
        if archived := _archived(rollback_id):
            return [archived]
        if (own_score := own_among(by)) is not None:
            return [own_score]
        undone.undone_by, undone.undone_at, undone.undo_reason, undone.shown_at = (
            by,
            now,
            reason.strip(),
            None,
        )
        _correct("restore", by, reason.strip(), now)
        db.session.execute(
            text(f"UPDATE score_attempts SET rolled_back_at = NULL WHERE event_id IN ({CHOSEN})")  # noqa: S608
        )
        _recount(modes, now)
        notices.scores_count_again(undone.id, reason, now)
        details = {"attempts": undone.attempts, "players": undone.players}
        audit.record(
            Act.ROLLBACK_UNDONE,
            actor_id=by,
            subject=f"rollback:{undone.id}",
            reason=reason.strip(),
            details=details,
        )
        db.session.commit()
    except OutOfRangeError as error:
        return [
            Refusal(
                "out_of_range", "rollback", f"These scores are too large for the boards: {error}."
            )
        ]
    finally:
        db.session.rollback()
    _show_now(undone, now)
    return undone


def latest(games: Collection[UUID] | None, limit: int = 50) -> list[Rollback]:
    """Return the newest rollbacks; with `games`, only those of these games."""
    query = select(Rollback).order_by(Rollback.made_at.desc(), Rollback.id).limit(limit)
    if games is not None:
        other = text(
            "NOT EXISTS (SELECT FROM score_attempts a JOIN score_modes m ON m.id = a.mode_id"
            " WHERE a.rollback_id = rollbacks.id AND NOT m.game_id = ANY(:games))"
            # whose the archived scores of a rollback are is not looked up
            " AND NOT EXISTS (SELECT FROM score_months"
            " WHERE restored_at IS NULL AND rollbacks.id = ANY(rollback_ids))"
        )
        query = query.where(other.bindparams(games=list(games)))
    return list(db.session.scalars(query))


def show_waiting(now: datetime) -> int:
    """Show rollbacks in Redis that it does not show yet. Commits after each.

    Returns:
        The number of rollbacks; 0 if Redis does not answer.
    """
    waiting = db.session.scalars(
        select(Rollback).where(Rollback.shown_at.is_(None)).order_by(Rollback.made_at)
    ).all()
    return sum(_show_now(rollback, now) for rollback in waiting)


def _show_now(rollback: Rollback, now: datetime) -> bool:
    players = db.session.execute(
        text("SELECT DISTINCT mode_id, player_id FROM score_attempts WHERE rollback_id = :id"),
        {"id": rollback.id},
    ).all()
    db.session.rollback()
    try:
        for mode_id in sorted({mode for mode, _ in players}):
            who = [player for mode, player in players if mode == mode_id]
            # otherwise the boards are stale, and the consumer rebuilds them
            if len(who) <= placing.MOST_PUT:
                placing.show([mode_id], who)
    except redis.RedisError as error:
        db.session.rollback()
        log.warning("rollback_waits", rollback=str(rollback.id), reason=type(error).__name__)
        return False
    db.session.get_one(Rollback, rollback.id, populate_existing=True).shown_at = now
    db.session.commit()
    return True


def _chosen_preview(mode_ids: Collection[UUID], counted: str, move_limit: int = SHOWN) -> Preview:
    counts = db.session.execute(
        text("SELECT count(*), count(DISTINCT player_id) FROM chosen_attempts")
    ).one()
    boards, archived = [], 0
    for mode_id in sorted(mode_ids):
        mode = db.session.get_one(Mode, mode_id, populate_existing=True)
        first, last = db.session.execute(
            text(
                "SELECT min(achieved_at), max(achieved_at) FROM chosen_attempts WHERE mode_id = "
                ":mode"
            ),
            {"mode": mode_id},
        ).one()
        for record in db.session.scalars(
            select(BoardRecord)
            .where(BoardRecord.mode_id == mode_id)
            .order_by(BoardRecord.window_id)
        ):
            window = parse_window(record.window_id, mode.calendar)
            if (window.ends is not None and window.ends <= first) or (
                window.starts is not None and window.starts > last
            ):
                continue
            if record.archived_at is not None:
                archived += 1
                continue
            name = f"{catalogue.game_of(mode).slug}:{mode.slug}:{record.window_id}"
            boards.append(
                OneBoard(
                    name, mode_change.compare_attempts(mode, record, counted, {}, move_limit), mode
                )
            )
    return Preview(counts[0], counts[1], boards, digest_of(), archived)


def _correct(action: str, by: int | None, reason: str, now: datetime) -> None:
    """Add a row of history for each attempt.

    The rows count as published, because the rollback notes what Redis shows.
    """
    db.session.execute(
        text(
            "INSERT INTO score_corrections (event_id, action, before, member_id, "  # noqa: S608
            "reason, created_at, published_at)"
            " SELECT event_id, :action, fraud_state, :by, :reason, :now, :now FROM score_attempts"
            f" WHERE event_id IN ({CHOSEN}) ORDER BY event_id"
        ),
        {"action": action, "by": by, "reason": reason, "now": now},
    )


def _recount(modes: dict[UUID, Mode], now: datetime) -> None:
    for mode in modes.values():
        players = db.session.scalars(
            text("SELECT DISTINCT player_id FROM chosen_attempts WHERE mode_id = :mode"),
            {"mode": mode.id},
        ).all()
        placing.recount(mode, players, now)


def _archived(rollback_id: UUID) -> Refusal | None:
    """Refuse to undo a rollback of which some scores are archived."""
    cold = [
        record.month
        for record in months.archived_between(None, None)
        if rollback_id in record.rollback_ids
    ]
    return Refusal("archived", "rollback", months.sentence(cold)) if cold else None


def _gone() -> Refusal:
    return Refusal("unknown", "rollback", "This rollback does not exist or was already undone.")
