"""Trades take effect, and offers expire. Both happen once, under the lock of the league."""

from __future__ import annotations

from datetime import datetime

from app.core.db import db, transaction
from app.draft_leagues.models import SEASON
from app.draft_leagues.trades import words
from app.draft_leagues.trades.desk import Desk
from app.draft_leagues.trades.queries import TradeView, due_trades, load_trade
from app.draft_leagues.trades.rules import Event
from app.draft_leagues.trades.terms import AgreedTrade, transaction_of
from app.draft_leagues.transactions import services as transactions
from app.draft_leagues.transactions.services import Refused
from app.fantasy.rosters.queries import rosters_of


def settle_due(now: datetime) -> int:
    """Settle everything that is due, in the order of its times; returns how many trades changed.

    Each trade is a transaction of its own.
    """
    due = due_trades(now)
    db.session.rollback()  # the list needs no snapshot
    return sum(settle(league_id, trade_id, now) for league_id, trade_id in due)


def settle(league_id: int, trade_id: int, now: datetime) -> bool:
    """Let an offer expire, or a trade take effect, if it is due; False if it is not (any more)."""
    with transaction():
        desk = Desk.load(league_id, now)
        trade = load_trade(league_id, trade_id)
        if trade is None or trade.state.due_at is None or trade.state.due_at > now:
            return False
        if trade.state.status == "offered":
            desk.append(trade, Event("expired", reason="Nobody answered in time."), None)
            return True
        if desk.draft_league.phase != SEASON:
            _fail(desk, trade, "The season is over.")
            return True
        refused = take_effect(desk, trade)
        if refused is not None:
            _fail(desk, trade, " ".join(each.text for each in refused.refusals))
    return True


def take_effect(desk: Desk, trade: TradeView) -> Refused | None:
    """Move everything that a trade moves in one entry of the log; nothing if it is refused."""
    league_id = desk.league.id
    act = transaction_of(agreed_trade(trade), rosters_of(league_id).places)
    result = transactions.record(desk.draft_league, [act], desk.now)
    if isinstance(result, Refused):
        return result
    desk.append(trade, Event("executed", transaction=result[0]), None)
    franchises = trade.terms.franchises
    text = words.executed(desk.league.name, desk.named(franchises))
    desk.notify(trade, "executed", dict.fromkeys(franchises, text))
    return None


def agreed_trade(trade: TradeView) -> AgreedTrade:
    """A trade as everybody accepted it."""
    accepted = [entry for entry in trade.history if entry.event.kind in ("offered", "accepted")]
    return AgreedTrade(trade.row.id, trade.terms, trade.state.accepted, accepted[-1].by_member_id)


def _fail(desk: Desk, trade: TradeView, reason: str) -> None:
    desk.append(trade, Event("failed", reason=reason), None)
    franchises = trade.terms.franchises
    text = words.failed(desk.league.name, desk.named(franchises), reason)
    desk.notify(trade, "failed", dict.fromkeys(franchises, text))
