"""Tells integrators what happened in the draft leagues of their owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select

from app.accounts.models import Integrator
from app.core.db import db
from app.fantasy.rosters.queries import Recorded
from app.fantasy.standings.models import League, LeagueMember
from app.scores.feed import changes as feed
from app.scores.feed.changes import Told


def tell_integrators(league: League, transactions: Sequence[Recorded]) -> None:
    """Add an event per transaction to the feeds of integrators whose owner is in the league.

    Webhooks send the same events. Only the caller commits, so that an event is there exactly if its
    transaction is in the log.
    """
    integrators = db.session.scalars(
        select(Integrator.id)
        .join(LeagueMember, LeagueMember.member_id == Integrator.owner_id)
        .where(LeagueMember.league_id == league.id, Integrator.deleting_at.is_(None))
        .order_by(Integrator.id)
    ).all()
    if not integrators:
        return
    events = [
        Told(feed.LEAGUE_TRANSACTION, None, "", "", "", transaction=_details(league.slug, each))
        for each in transactions
    ]
    for integrator_id in integrators:
        feed.tell(integrator_id, events)


def _details(league: str, entry: Recorded) -> dict[str, Any]:
    """A transaction as integrators get it."""
    transaction = entry.transaction
    return {
        "league": league,
        "number": entry.number,
        "kind": transaction.kind,
        "made_at": entry.made_at.isoformat(),
        "by_member_id": transaction.by_member_id,
        "reason": transaction.reason,
        "depends_on": transaction.depends_on,
        "moves": msgspec.to_builtins(transaction.moves),
        "budgets": msgspec.to_builtins(transaction.budgets),
        "picks": msgspec.to_builtins(transaction.picks),
    }
