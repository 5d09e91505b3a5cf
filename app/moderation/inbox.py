"""What members report to moderators, and what moderators write down about an account.

Not here: appeals.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member, Player
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation.models import AccountNote, Report
from app.moderation.rules import reason_fault

KINDS = {
    "name": "The name is offensive or pretends to be somebody",
    "cheating": "Cheating",
    "other": "Something else",
}
MOST_A_DAY = 20  # reports of one member
LONGEST = 1_000


def report(
    member_id: int, player_id: UUID, kind: str, said: str, now: datetime
) -> Report | Refusal:
    """A member reports a player; one open report of a kind. Commits."""
    if kind not in KINDS:
        return Refusal("kind", "kind", "Choose what it is about.")
    if fault := text_fault(said):
        return fault
    player = db.session.get(Player, player_id)
    if player is None:
        return Refusal("unknown", "player_id", "There is no such player.")
    if player.member_id == member_id:
        return Refusal("own", "player_id", "That is you.")
    today = select(func.count()).where(
        Report.reporter_id == member_id, Report.created_at > now - timedelta(days=1)
    )
    if (db.session.scalar(today) or 0) >= MOST_A_DAY:
        return Refusal(
            "too_many", "", f"You have sent {MOST_A_DAY} reports today, the most there can be."
        )
    made = Report(
        reporter_id=member_id, player_id=player_id, kind=kind, text=said.strip(), created_at=now
    )
    db.session.add(made)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return Refusal("open", "", "You have reported this already: a moderator will look at it.")
    return made


def open_reports() -> Sequence[tuple[Report, str, str]]:
    """With the player's and the reporter's name, the longest waiting first."""
    query = (
        select(Report, Player.display_name, Member.display_name)
        .join(Player, Player.id == Report.player_id)
        .join(Member, Member.id == Report.reporter_id)
        .where(Report.closed_at.is_(None))
        .order_by(Report.created_at, Report.id)
    )
    return [(one, player, by) for one, player, by in db.session.execute(query)]


def close_report(report_id: int, *, by: int, outcome: str, now: datetime) -> Report | Refusal:
    """Ends a report with what came of it. Commits."""
    if fault := reason_fault(outcome):
        return fault
    try:
        found = db.session.get(Report, report_id, populate_existing=True, with_for_update=True)
        if found is None or found.closed_at is not None:
            return Refusal("closed", "report", "There is no such open report (any more).")
        if member_of(found.player_id) == by:
            return Refusal("own", "report", "It is about you: another moderator decides.")
        found.closed_by, found.closed_at, found.outcome = by, now, outcome.strip()
        audit.record(
            Act.REPORT_CLOSED,
            actor_id=by,
            subject=f"player:{found.player_id}",
            reason=outcome.strip(),
        )
        db.session.commit()
        return found
    finally:
        db.session.rollback()


def note(player_id: UUID, said: str, *, by: int, now: datetime) -> AccountNote | Refusal:
    """Writes something down about an account, for moderators. Commits."""
    if fault := text_fault(said):
        return fault
    made = AccountNote(player_id=player_id, written_by=by, text=said.strip(), created_at=now)
    db.session.add(made)
    audit.record(Act.NOTE_WRITTEN, actor_id=by, subject=f"player:{player_id}")
    db.session.commit()
    return made


def notes_of(player_id: UUID) -> Sequence[tuple[AccountNote, str]]:
    """With who wrote them, the newest first."""
    query = (
        select(AccountNote, Member.display_name)
        .join(Member, Member.id == AccountNote.written_by)
        .where(AccountNote.player_id == player_id)
        .order_by(AccountNote.id.desc())
    )
    return [(one, name) for one, name in db.session.execute(query)]


def reports_of(player_id: UUID) -> Sequence[Report]:
    """All about the player, the newest first."""
    return db.session.scalars(
        select(Report).where(Report.player_id == player_id).order_by(Report.id.desc())
    ).all()


def text_fault(said: str) -> Refusal | None:
    """What to change about a text, or None."""
    if 1 <= len(said.strip()) <= LONGEST:
        return None
    return Refusal("text", "text", f"Write 1 to {LONGEST} characters.")


def member_of(player_id: UUID) -> int | None:
    """The member behind the player, or None."""
    return db.session.scalar(select(Player.member_id).where(Player.id == player_id))
