"""What blocks others in PostgreSQL: old transactions, and changes not yet in the feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, text

from app.core.db import db
from app.scores.feed.models import BoardChange

LONG_SECONDS = 300.0  # an operator has to look at a transaction that is open for longer


@dataclass(frozen=True)
class OpenTransaction:
    """The oldest open transaction on the PostgreSQL server, ours or not.

    A prepared transaction has no `pid`.
    """

    pid: int | None
    session: str
    seconds: float

    @property
    def is_long(self) -> bool:
        """Whether it is open for too long."""
        return self.seconds >= LONG_SECONDS

    @property
    def sentence(self) -> str:
        """The transaction in a sentence."""
        remedy = (
            f"`SELECT pg_terminate_backend({self.pid})` ends it"
            if self.pid
            else "commit or roll it back"
        )
        return (
            f"{self.session} has kept a transaction open for {self.seconds:.0f} s. Until it ends, "
            f"PostgreSQL cannot clean up deleted rows: {remedy}"
        )


# Only members of pg_read_all_stats see sessions of other roles (docs/runbook.md).
_OLDEST = text("""
    SELECT pid, concat_ws(', ', nullif(application_name, ''), 'process ' || pid, 'role ' || usename,
      state) AS session,
      extract(epoch FROM clock_timestamp() - xact_start) AS seconds
    FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL
    UNION ALL
    SELECT NULL, concat_ws(', ', 'prepared transaction ' || gid, 'role ' || owner),
      extract(epoch FROM clock_timestamp() - prepared)
    FROM pg_prepared_xacts
    ORDER BY seconds DESC LIMIT 1
""")


def oldest_transaction() -> OpenTransaction | None:
    """Return the oldest open transaction, which keeps PostgreSQL from cleaning up."""
    row = db.session.execute(_OLDEST).one_or_none()
    return OpenTransaction(row.pid, row.session, float(row.seconds)) if row else None


def oldest_change(now: datetime) -> float:
    """Return the seconds that the first change has waited for its place in the feed, or 0."""
    oldest = db.session.scalar(
        select(func.min(BoardChange.changed_at)).where(BoardChange.place.is_(None))
    )
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
