"""Trades take effect, offers expire, and what became impossible is closed.

Each happens once, under the lock of the league.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.drafts import pick_trades
from app.draft_leagues.trades import words
from app.draft_leagues.trades.desk import Desk
from app.draft_leagues.trades.queries import (
    TradeView,
    due_trades,
    impossible_trades,
    load_trade,
)
from app.draft_leagues.trades.rules import OPEN, Event, voted_down
from app.draft_leagues.trades.terms import AgreedTrade, gone, pick_refusals, transaction_of
from app.draft_leagues.transactions import services as transactions
from app.draft_leagues.transactions.services import Refused
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Names
from app.fantasy.sheets import roster_services


def settle_due(now: datetime, but: Collection[int] = ()) -> int:
    """Settle everything that is due, and close what became impossible; returns how many trades.

    In all leagues but these.

    Each trade is a transaction of its own. Trades that become impossible when another one takes
    effect are closed with it, and are not counted.
    """
    due = [(trade.league_id, trade.id) for trade in due_trades(now)]
    to_settle = dict.fromkeys([*impossible_trades(), *due])
    db.session.rollback()  # the list needs no snapshot
    return sum(
        settle(league_id, trade_id, now)
        for league_id, trade_id in to_settle
        if league_id not in but
    )


def settle(league_id: int, trade_id: int, now: datetime) -> bool:
    """End a trade if it is impossible or due; False if it is neither (any more)."""
    with transaction():
        desk = Desk.load(league_id, now)
        trade = load_trade(league_id, trade_id)
        if trade is None or trade.state.status not in OPEN:
            return False
        if _close_if_impossible(desk, trade):
            return True
        if trade.state.due_at is None or trade.state.due_at > now:
            return False
        if trade.state.status == "offered":
            desk.append(trade, Event("expired", reason="The offer was not answered in time."), None)
        elif voted_down(trade.state, desk.voters(trade.terms)):  # others lost their owners since
            stop_by_votes(desk, trade)
        elif closed := _closed_refusal(desk, trade):
            _fail(desk, trade, closed.text)
        elif refused := take_effect(desk, trade):
            _delay_or_fail(desk, trade, refused)
    return True


def _closed_refusal(desk: Desk, trade: TradeView) -> Refusal | None:
    """Why a trade that was agreed cannot take effect at this time of the year."""
    if refused := desk.window_refusal:
        return refused
    refusals = pick_refusals(trade.terms, desk.picks)
    return refusals[0] if refusals else None


def take_effect(desk: Desk, trade: TradeView) -> Refused | None:
    """Move everything that a trade moves in one entry of the log; nothing if it is refused.

    Other trades that become impossible by it are closed.
    """
    league_id = desk.league.id
    act = transaction_of(agreed_trade(trade), rosters_of(league_id).places)
    result = transactions.record(desk.draft_league, [act], desk.now)
    if isinstance(result, Refused):
        return result
    if desk.running is not None:
        pick_trades.trade(desk.running, trade.terms.picks)
    desk.append(trade, Event("executed", transaction=result[0]), None)
    franchises = trade.terms.franchises
    league, teams, what = desk.league.name, desk.named(franchises), desk.what(trade)
    texts = {is_own: words.executed(league, teams, what, is_own=is_own) for is_own in (True, False)}
    desk.notify_of_end(trade, "executed", texts)
    for _, other_id in impossible_trades(league_id):
        other = load_trade(league_id, other_id)
        if other is not None:
            _close_if_impossible(desk, other)
    return None


def _close_if_impossible(desk: Desk, trade: TradeView) -> bool:
    """Close an open trade of somebody who has moved, and tell its parties why."""
    rosters = rosters_of(desk.league.id)
    act = transaction_of(agreed_trade(trade), rosters.places)
    footballers = names_of(move.footballer_id for move in act.moves)
    reasons = gone(act, rosters, Names(footballers, desk.names))
    if not reasons:
        return False
    reason = " ".join(reasons)
    if trade.state.status == "in_review":
        _fail(desk, trade, reason)
    else:  # nobody but the parties has seen the offer
        desk.append(trade, Event("impossible", reason=reason), None)
        franchises = trade.terms.franchises
        text = words.impossible(desk.league.name, desk.named(franchises), reason, desk.what(trade))
        desk.notify(trade, "impossible", dict.fromkeys(franchises, text))
    return True


def _delay_or_fail(desk: Desk, trade: TradeView, refused: Refused) -> None:
    """Let a trade wait for the games of those whom it drops; nothing else that is wrong passes."""
    reason = " ".join(each.text for each in refused.refusals)
    until = roster_services.open_until(desk.league.team_rules_id, desk.now)
    if until is not None and all(each.code == "begun" for each in refused.refusals):
        desk.append(trade, Event("delayed", delayed_until=until, reason=reason), None)
    else:
        _fail(desk, trade, reason)


def agreed_trade(trade: TradeView) -> AgreedTrade:
    """A trade as everybody accepted it."""
    accepted = [entry for entry in trade.history if entry.event.kind in ("offered", "accepted")]
    return AgreedTrade(trade.row.id, trade.terms, trade.state.accepted, accepted[-1].by_member_id)


def stop_by_votes(desk: Desk, trade: TradeView) -> None:
    """Stop a trade against which enough teams have voted."""
    votes = trade.state.stop_votes
    stop(desk, trade, f"{votes} team{'' if votes == 1 else 's'} voted against the trade.", None)


def stop(desk: Desk, trade: TradeView, reason: str, member_id: int | None) -> None:
    """Stop a trade under review, and tell everybody why."""
    desk.append(trade, Event("stopped", reason=reason), member_id)
    franchises = trade.terms.franchises
    text = words.stopped(desk.league.name, desk.named(franchises), reason, desk.what(trade))
    desk.notify_of_end(trade, "stopped", dict.fromkeys((True, False), text))


def _fail(desk: Desk, trade: TradeView, reason: str) -> None:
    desk.append(trade, Event("failed", reason=reason), None)
    franchises = trade.terms.franchises
    text = words.failed(desk.league.name, desk.named(franchises), reason, desk.what(trade))
    desk.notify_of_end(trade, "failed", dict.fromkeys((True, False), text))
