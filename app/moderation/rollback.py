"""Many scores taken back in one step, with a preview of who moves and by how much.

And the way back (PRODUCT D10).

A selection names attempts of one player, from one address or device, of a time, or a series from
one attempt on. Made, each attempt is marked with the rollback and every board that is not archived
is worked out anew, in one transaction; undone, they count again. Redis follows at once;
`show_waiting` makes good what a crash left. Not here: one flagged score
(app/scores/review/corrections.py), pages.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
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
from app.moderation.selection import CHOSEN, Selection, choose, choose_of, faults, own_among
from app.moderation.selection import digest as digest_of
from app.scores.standings import folding, mode_change, placing
from app.scores.standings.mode_change import BoardPreview

log = structlog.get_logger(__name__)

SHOWN = 20  # moves of each board in a preview


@dataclass(frozen=True)
class OneBoard:
    """`name`: game:mode:window."""

    name: str
    preview: BoardPreview
    mode: Mode


@dataclass(frozen=True)
class Preview:
    """What taking them back, or counting them again, does as of now.

    `digest`: of these attempts, so that what is done is what was looked at. `archived`: boards that
    stay as they were closed.
    """

    attempts: int
    players: int
    boards: Sequence[OneBoard]
    digest: str
    archived: int

    @property
    def moved(self) -> int:
        """Ranks that change on all boards."""
        return sum(board.preview.moved for board in self.boards)


_WITHOUT = f"{folding.NOW} AND event_id NOT IN ({CHOSEN})"
_WITH = folding.NOW.replace(
    "rolled_back_at IS NULL", f"(rolled_back_at IS NULL OR event_id IN ({CHOSEN}))"
)


def preview(selection: Selection) -> Preview | list[Refusal]:
    """Who moves if the selected attempts are taken back. Reads only."""
    try:
        return faults(selection) or _chosen_preview(choose(selection), _WITHOUT)
    finally:
        db.session.rollback()


def preview_undo(rollback_id: UUID) -> Preview | list[Refusal]:
    """Who moves if the rollback is undone. Reads only."""
    try:
        rollback = db.session.get(Rollback, rollback_id, populate_existing=True)
        if rollback is None or rollback.undone_at is not None:
            return [_gone()]
        return _chosen_preview(choose_of(rollback_id), _WITH)
    finally:
        db.session.rollback()


def make(
    selection: Selection, *, digest: str, by: int | None, reason: str, now: datetime
) -> Rollback | list[Refusal]:
    """Takes the selected attempts back and puts every board right. Commits.

    `digest`: of the preview; refused where other attempts are selected by now.
    """
    if refused := [*faults(selection), *([fault] if (fault := reason_fault(reason)) else [])]:
        return refused
    try:
        modes = catalogue.lock_modes(choose(selection), exclusive=True)
        db.session.execute(text("DROP TABLE chosen_attempts"))
        if not choose(selection) <= modes.keys() or digest_of() != digest:
            said = "Other scores are selected by now: look at the new preview."
            return [Refusal("changed_meanwhile", "digest", said)]
        if not modes:
            return [
                Refusal(
                    "nothing",
                    "selection",
                    "No score that counts or waits is like this: there is nothing to take back.",
                )
            ]
        if (own := own_among(by)) is not None:
            return [own]
        found = _chosen_preview(modes.keys(), _WITHOUT, shown=0)
        made = Rollback(
            id=uuid4(),
            selection=selection.document(),
            reason=reason.strip(),
            made_by=by,
            made_at=now,
            attempts=found.attempts,
            players=found.players,
            moved=found.moved,
        )
        db.session.add(made)
        db.session.flush()
        _correct("roll_back", by, made.reason, now)
        db.session.execute(
            text(
                "UPDATE score_attempts SET rolled_back_at = :now, rollback_id = :id "  # noqa: S608
                f"WHERE event_id IN ({CHOSEN})"
            ),
            {"now": now, "id": made.id},
        )
        _recount(modes, now)
        notices.scores_taken_back(made.id, made.reason, now)
        details = {
            **made.selection,
            "attempts": made.attempts,
            "players": made.players,
            "moved": made.moved,
        }
        audit.record(
            Act.SCORES_ROLLED_BACK,
            actor_id=by,
            subject=f"rollback:{made.id}",
            reason=made.reason,
            details=details,
        )
        db.session.commit()
    except OutOfRangeError as error:
        return [
            Refusal("out_of_range", "selection", f"The boards cannot hold what is left: {error}.")
        ]
    finally:
        db.session.rollback()
    _show_now(made, now)
    return made


def undo(
    rollback_id: UUID, *, by: int | None, reason: str, now: datetime
) -> Rollback | list[Refusal]:
    """Has the attempts of a rollback count again, as they did. Commits."""
    if fault := reason_fault(reason):
        return [fault]
    try:
        modes = catalogue.lock_modes(choose_of(rollback_id), exclusive=True)
        query = select(Rollback).where(Rollback.id == rollback_id).with_for_update()
        found: Rollback | None = db.session.scalar(query.execution_options(populate_existing=True))
        if found is None or found.undone_at is not None:
            return [_gone()]
        if (own := own_among(by)) is not None:
            return [own]
        found.undone_by, found.undone_at, found.undo_reason, found.shown_at = (
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
        notices.scores_count_again(found.id, reason, now)
        details = {"attempts": found.attempts, "players": found.players}
        audit.record(
            Act.ROLLBACK_UNDONE,
            actor_id=by,
            subject=f"rollback:{found.id}",
            reason=reason.strip(),
            details=details,
        )
        db.session.commit()
    except OutOfRangeError as error:
        return [Refusal("out_of_range", "rollback", f"The boards cannot hold them again: {error}.")]
    finally:
        db.session.rollback()
    _show_now(found, now)
    return found


def latest(games: Collection[UUID] | None, limit: int = 50) -> list[Rollback]:
    """The newest rollbacks first; of these games alone, where they are given."""
    query = select(Rollback).order_by(Rollback.made_at.desc(), Rollback.id).limit(limit)
    if games is not None:
        other = text(
            "NOT EXISTS (SELECT FROM score_attempts a JOIN score_modes m ON m.id = a.mode_id"
            " WHERE a.rollback_id = rollbacks.id AND NOT m.game_id = ANY(:games))"
        )
        query = query.where(other.bindparams(games=list(games)))
    return list(db.session.scalars(query))


def show_waiting(now: datetime) -> int:
    """Puts to Redis what it does not show yet; how many rollbacks.

    Commits after each. Redis away: none.
    """
    waiting = db.session.scalars(
        select(Rollback).where(Rollback.shown_at.is_(None)).order_by(Rollback.made_at)
    ).all()
    return sum(_show_now(one, now) for one in waiting)


def _show_now(rollback: Rollback, now: datetime) -> bool:
    players = db.session.execute(
        text("SELECT DISTINCT mode_id, player_id FROM score_attempts WHERE rollback_id = :id"),
        {"id": rollback.id},
    ).all()
    db.session.rollback()
    try:
        for mode_id in sorted({mode for mode, _ in players}):
            who = [player for mode, player in players if mode == mode_id]
            # else the boards are stale, and the consumer rebuilds them
            if len(who) <= placing.MOST_PUT:
                placing.show([mode_id], who)
    except redis.RedisError as error:
        db.session.rollback()
        log.warning("rollback_waits", rollback=str(rollback.id), reason=type(error).__name__)
        return False
    db.session.get_one(Rollback, rollback.id, populate_existing=True).shown_at = now
    db.session.commit()
    return True


def _chosen_preview(mode_ids: Collection[UUID], counted: str, shown: int = SHOWN) -> Preview:
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
                OneBoard(name, mode_change.compare_attempts(mode, record, counted, {}, shown), mode)
            )
    return Preview(counts[0], counts[1], boards, digest_of(), archived)


def _correct(action: str, by: int | None, reason: str, now: datetime) -> None:
    """A row of history for each attempt.

    They count as published: the rollback itself says what Redis shows.
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


def _gone() -> Refusal:
    return Refusal("unknown", "rollback", "There is no such rollback, or it was undone already.")
