"""Members' reports to moderators, and moderators' notes about accounts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member, Player
from app.accounts.names import hidden_text_fault
from app.accounts.players import player_of
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation.models import AccountNote, Report
from app.moderation.rules import reason_fault
from app.talk import queries as post_queries
from app.talk import rules as post_rules
from app.talk.models import Post

POST = "post"
KINDS = {
    "name": "Offensive name or picture, or impersonation",
    "cheating": "Cheating",
    "other": "Something else",
    POST: "A post",
}
OF_PLAYERS = {kind: text for kind, text in KINDS.items() if kind != POST}
MOST_A_DAY = 20  # reports per member
LONGEST = 1_000


def report(
    member_id: int, player_id: UUID, kind: str, report_text: str, now: datetime
) -> Report | Refusal:
    """Report a player; a member has one open report per player and kind. Commits."""
    if kind not in OF_PLAYERS:
        return Refusal("kind", "kind", "Choose a reason.")
    new_report = Report(
        reporter_id=member_id,
        player_id=player_id,
        kind=kind,
        text=report_text.strip(),
        created_at=now,
    )
    return _send(new_report, text_fault(report_text))


def report_post(member_id: int, post: Post, report_text: str, now: datetime) -> Report | Refusal:
    """Report a post that a member wrote, with a copy of its text. Commits.

    A member has one open report per post.
    """
    author = player_of(db.session.get_one(Member, post.member_id))
    names = post_queries.names_of(post_rules.mentioned(post.text or ""))
    quote = post_rules.as_typed(post.text or "", names) or "(a picture)"
    new_report = Report(
        reporter_id=member_id,
        player_id=author.id,
        kind=POST,
        post_id=post.id,
        text=f"{report_text.strip()}\n\nThe post: {quote}",
        created_at=now,
    )
    return _send(new_report, text_fault(report_text))


def _send(new_report: Report, fault: Refusal | None) -> Report | Refusal:
    """Store the report, or say why not. Commits."""
    member_id, now = new_report.reporter_id, new_report.created_at
    if fault := fault or _fault_of_player(new_report.player_id, member_id):
        return fault
    today = select(func.count()).where(
        Report.reporter_id == member_id, Report.created_at > now - timedelta(days=1)
    )
    if (db.session.scalar(today) or 0) >= MOST_A_DAY:
        return Refusal(
            "too_many", "", f"You've sent {MOST_A_DAY} reports today, which is the limit."
        )
    db.session.add(new_report)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return Refusal("open", "", "You already reported this. A moderator will take a look.")
    return new_report


def _fault_of_player(player_id: UUID, member_id: int) -> Refusal | None:
    player = db.session.get(Player, player_id)
    if player is None:
        return Refusal("unknown", "player_id", "This player does not exist.")
    if player.member_id == member_id:
        return Refusal("own", "player_id", "You can't report yourself.")
    return None


def open_reports() -> Sequence[tuple[Report, str, str]]:
    """Return open reports with both names (player, reporter), the longest waiting first."""
    query = (
        select(Report, Player.display_name, Member.display_name)
        .join(Player, Player.id == Report.player_id)
        .join(Member, Member.id == Report.reporter_id)
        .where(Report.closed_at.is_(None))
        .order_by(Report.created_at, Report.id)
    )
    return [(report_row, player, by) for report_row, player, by in db.session.execute(query)]


def close_report(report_id: int, *, by: int, outcome: str, now: datetime) -> Report | Refusal:
    """Close a report with its outcome. Commits."""
    if fault := reason_fault(outcome):
        return fault
    try:
        report_row = db.session.get(Report, report_id, populate_existing=True, with_for_update=True)
        if report_row is None or report_row.closed_at is not None:
            return Refusal("closed", "report", "This report is no longer open.")
        if member_of(report_row.player_id) == by:
            return Refusal(
                "own", "report", "This report is about you. Another moderator has to decide."
            )
        report_row.closed_by, report_row.closed_at, report_row.outcome = by, now, outcome.strip()
        audit.record(
            Act.REPORT_CLOSED,
            actor_id=by,
            subject=f"player:{report_row.player_id}",
            reason=outcome.strip(),
        )
        db.session.commit()
        return report_row
    finally:
        db.session.rollback()


def note(player_id: UUID, note_text: str, *, by: int, now: datetime) -> AccountNote | Refusal:
    """Write a note about an account, which only moderators see. Commits."""
    if fault := text_fault(note_text):
        return fault
    new_note = AccountNote(
        player_id=player_id, written_by=by, text=note_text.strip(), created_at=now
    )
    db.session.add(new_note)
    audit.record(Act.NOTE_WRITTEN, actor_id=by, subject=f"player:{player_id}")
    db.session.commit()
    return new_note


def notes_of(player_id: UUID) -> Sequence[tuple[AccountNote, str]]:
    """Return the notes with their authors' names, the newest first."""
    query = (
        select(AccountNote, Member.display_name)
        .join(Member, Member.id == AccountNote.written_by)
        .where(AccountNote.player_id == player_id)
        .order_by(AccountNote.id.desc())
    )
    return [(note_row, name) for note_row, name in db.session.execute(query)]


def reports_of(player_id: UUID) -> Sequence[Report]:
    """Return all reports about the player, the newest first."""
    return db.session.scalars(
        select(Report).where(Report.player_id == player_id).order_by(Report.id.desc())
    ).all()


def text_fault(written: str) -> Refusal | None:
    """Return what to change about a text, or None."""
    if 1 <= len(written.strip()) <= LONGEST:
        fault = hidden_text_fault(written)
        return Refusal("hidden", "text", fault) if fault else None
    return Refusal("text", "text", f"Write 1 to {LONGEST} characters.")


def member_of(player_id: UUID) -> int | None:
    """Return the member who is this player, or None."""
    return db.session.scalar(select(Player.member_id).where(Player.id == player_id))
