"""Which months of attempts are archived, and the sentences that say so.

services.py archives months and brings them back, reads.py reads their attempts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from uuid import UUID

from sqlalchemy import Date, cast, func, select, text, update

from app.core.db import db
from app.core.errors import UserError
from app.core.refusals import Refusal
from app.scores.models import ScoreAttemptKey, ScoreMonth


class ScoresArchivedError(UserError):
    """The answer needs attempts of months that are archived; the text names the remedy."""


def month_of(at: datetime) -> date:
    """Return the month of a moment, as its first day in UTC."""
    return at.astimezone(UTC).date().replace(day=1)


def start_of(month: date) -> datetime:
    """Return when the month begins."""
    return datetime(month.year, month.month, 1, tzinfo=UTC)


def plus(month: date, count: int) -> date:
    """Return the month so many months later; earlier if `count` is negative.

    >>> plus(date(2025, 11, 1), 3)
    datetime.date(2026, 2, 1)
    """
    years, index = divmod(month.month - 1 + count, 12)
    return date(month.year + years, index + 1, 1)


def table_of(month: date) -> str:
    """Return the name of the month's partition, as score_month_table() in PostgreSQL does."""
    return f"score_attempts_{month:%Y_%m}"


def archived_between(starts: datetime | None, ends: datetime | None) -> Sequence[ScoreMonth]:
    """Return the archived months that share time with [starts, ends), oldest first.

    None stands for no limit.
    """
    query = select(ScoreMonth).where(ScoreMonth.restored_at.is_(None)).order_by(ScoreMonth.month)
    if starts is not None:
        query = query.where(ScoreMonth.month >= month_of(starts))
    months = db.session.scalars(query.execution_options(populate_existing=True)).all()
    return [month for month in months if ends is None or start_of(month.month) < ends]


def archived_months_of(events: Collection[UUID]) -> dict[UUID, date]:
    """Return the months of those of these events that are archived."""
    month = cast(func.date_trunc("month", func.timezone("UTC", ScoreAttemptKey.achieved_at)), Date)
    query = (
        select(ScoreAttemptKey.event_id, ScoreMonth.month)
        .join(ScoreMonth, ScoreMonth.month == month)
        .where(ScoreAttemptKey.event_id.in_(list(events)), ScoreMonth.restored_at.is_(None))
    )
    return {row.event_id: row.month for row in db.session.execute(query)}


def sentence(months: Collection[date]) -> str:
    """Say that the scores of these months are archived, and how an operator brings them back."""
    first, last = min(months), max(months)
    span = f"{first:%B %Y}" if first == last else f"{first:%B %Y} to {last:%B %Y}"
    command = " ".join(f"{month:%Y-%m}" for month in sorted(months))
    return (
        f"The scores of {span} are archived. An operator can restore them with `pressbox "
        f"scores restore {command}`."
    )


def refusal_of(event_id: UUID) -> Refusal | None:
    """Refuse a decision about an attempt of an archived month; None if it is not in one."""
    month = archived_months_of([event_id]).get(event_id)
    return None if month is None else Refusal("archived", "event_id", sentence([month]))


def rewrite_all(now: datetime) -> None:
    """Have the next run remove from the objects of all months who or what was erased.

    Call it in the transaction that erases, after it has changed `score_attempts`: a month that is
    archived meanwhile either waits for that transaction or is seen here.
    """
    db.session.execute(update(ScoreMonth).values(rewrite_since=now))


def forget_standings(players: Collection[UUID]) -> None:
    """Delete what archived attempts of these players come to; the caller recounts and commits."""
    db.session.execute(
        text("DELETE FROM archived_standings WHERE player_id = ANY(:players)"),
        {"players": list(players)},
    )
