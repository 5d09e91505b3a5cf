"""What ends with the owner of a team: everything that only they wanted.

Roster, results, picks and agreed trades are the team's, and stay with it. Whoever adds something
that an owner keeps for a team adds how it ends to `ENDINGS` (tests/draft_leagues/test_endings.py).
What a member may do needs no entry: it follows from the membership at the moment of the deed.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update

from app.core.db import db
from app.draft_leagues.drafts.models import DraftQueue, DraftRow
from app.draft_leagues.trades.desk import Desk
from app.draft_leagues.trades.models import Trade, TradeBlockEntry
from app.draft_leagues.trades.queries import load_trade
from app.draft_leagues.trades.services import withdraw_for_absent
from app.draft_leagues.waivers.models import WaiverClaim

OWNER_LEFT = "The team no longer has an owner."


def cancel_claims(league_id: int, franchise: int, now: datetime) -> None:
    """Cancel the open claims of a team."""
    del now
    db.session.execute(
        update(WaiverClaim)
        .where(
            WaiverClaim.league_id == league_id,
            WaiverClaim.franchise == franchise,
            WaiverClaim.result.is_(None),
        )
        .values(result="cancelled", reason=OWNER_LEFT)
    )


def withdraw_offers(league_id: int, franchise: int, now: datetime) -> None:
    """Close the offers that a team made or accepted, and tell the other parties."""
    trade_ids = db.session.scalars(
        select(Trade.id)
        .where(
            Trade.league_id == league_id,
            Trade.status == "offered",
            Trade.franchises.contains([franchise]),
        )
        .order_by(Trade.id)
    ).all()
    if not trade_ids:
        return
    desk = Desk.load(league_id, now)
    for trade_id in trade_ids:
        trade = load_trade(league_id, trade_id)
        if trade is not None and franchise in trade.state.accepted:
            withdraw_for_absent(desk, trade, franchise, OWNER_LEFT)


def clear_trade_block(league_id: int, franchise: int, now: datetime) -> None:
    """Take everybody off the team's trade block."""
    del now
    db.session.execute(
        delete(TradeBlockEntry).where(
            TradeBlockEntry.league_id == league_id, TradeBlockEntry.franchise == franchise
        )
    )


def clear_queue(league_id: int, franchise: int, now: datetime) -> None:
    """Forget whom the owner wanted to draft."""
    del now
    db.session.execute(
        delete(DraftQueue).where(
            DraftQueue.franchise == franchise,
            DraftQueue.draft_id.in_(select(DraftRow.id).where(DraftRow.league_id == league_id)),
        )
    )


ENDINGS = (cancel_claims, withdraw_offers, clear_trade_block, clear_queue)
