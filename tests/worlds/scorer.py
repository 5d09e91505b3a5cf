"""A scorer for tests that need entries, not their screen.

Takes the game, enters, and may give it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update

from app.core.db import db
from app.record.models import ScorerLease
from scorer_console.lease import leases
from scorer_console.record import numbering
from scorer_console.record.numbering import Accepted, Entry

HOLDER = leases.Holder(console="test", name="A test")


def submit(game_id: str, entries: Sequence[Entry], now: datetime) -> list[Accepted]:
    """numbering.submit by this scorer, who takes the game and keeps it."""
    leases.take(game_id, HOLDER, now)
    return numbering.submit(game_id, entries, now, console=HOLDER.console)


def leave(game_id: str, now: datetime, console: str = HOLDER.console) -> None:
    """Ends the lease of a console, as if its time were over."""
    db.session.execute(
        update(ScorerLease)
        .where(
            ScorerLease.game_id == game_id,
            ScorerLease.console == console,
            ScorerLease.expires_at > now,
        )
        .values(expires_at=now)
    )
    db.session.commit()
