"""Reads of trades: one with its history, those that somebody may see, and the trade block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import msgspec
from sqlalchemy import ColumnElement, func, or_, select, text

from app.accounts.sanctions import seen_member
from app.core.db import db
from app.draft_leagues.franchises.services import without_owner
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.trades.models import Trade, TradeBlockEntry, TradeEvent
from app.draft_leagues.trades.rules import PUBLIC, Event, Offer, State, folded
from app.draft_leagues.trades.terms import Terms
from app.fantasy.market.models import Gameweek
from app.fantasy.rosters.models import Franchise, RosterSpot
from app.fantasy.standings.models import League


@dataclass(frozen=True)
class HistoryEntry:
    """An event of a trade, when it was, and the member who did it."""

    event: Event
    made_at: datetime
    by_member_id: int | None


@dataclass(frozen=True)
class TradeView:
    """A trade with its history."""

    row: Trade
    history: Sequence[HistoryEntry]

    @cached_property
    def terms(self) -> Terms:
        """What it moves."""
        return msgspec.convert(self.row.terms, Terms)

    @cached_property
    def state(self) -> State:
        """What its events add up to."""
        offer = Offer(self.row.franchise, tuple(self.row.franchises), self.row.expires_at)
        return folded(offer, [entry.event for entry in self.history])


def load_trade(league_id: int, trade_id: int) -> TradeView | None:
    """A trade of the league with its history; None if there is none."""
    row = db.session.get(Trade, trade_id, populate_existing=True)
    if row is None or row.league_id != league_id:
        return None
    events = db.session.scalars(
        select(TradeEvent).where(TradeEvent.trade_id == trade_id).order_by(TradeEvent.number)
    )
    return TradeView(
        row,
        [
            HistoryEntry(msgspec.convert(event.body, Event), event.made_at, event.by_member_id)
            for event in events
        ],
    )


def able_to_vote(league_id: int, teams: Iterable[int], terms: Terms) -> list[int]:
    """The numbers of these teams that can vote on a trade.

    They are not part of it, and have an owner who can act.
    """
    silent = without_owner(league_id) | {*terms.franchises}
    return [number for number in teams if number not in silent]


def visible_trades(
    league_id: int, franchise: int | None, limit: int, offset: int = 0
) -> Sequence[Trade]:
    """The trades that a franchise may see, the latest first. Offers are seen by their parties."""
    is_visible: ColumnElement[bool] = Trade.status.in_(PUBLIC)
    if franchise is not None:
        is_visible = or_(is_visible, Trade.franchises.contains([franchise]))
    return db.session.scalars(
        select(Trade)
        .where(Trade.league_id == league_id, is_visible)
        .order_by(Trade.offered_at.desc(), Trade.id.desc())
        .limit(limit)
        .offset(offset)
    ).all()


def last_events(trade_ids: Collection[int]) -> dict[int, datetime]:
    """When something happened to each of these trades last."""
    rows = db.session.execute(
        select(TradeEvent.trade_id, func.max(TradeEvent.made_at).label("made_at"))
        .where(TradeEvent.trade_id.in_(trade_ids))
        .group_by(TradeEvent.trade_id)
    )
    return {row.trade_id: row.made_at for row in rows}


@dataclass(frozen=True)
class DueTrade:
    """A trade that a rule ends at this moment."""

    due_at: datetime
    league_id: int
    id: int


def due_trades(now: datetime, league_id: int | None = None) -> list[DueTrade]:
    """Every trade that a rule ends by now, of one league or all, in the order of their times."""
    query = select(Trade).where(Trade.due_at <= now).order_by(Trade.due_at, Trade.id)
    if league_id is not None:
        query = query.where(Trade.league_id == league_id)
    rows = db.session.execute(query.with_only_columns(Trade.due_at, Trade.league_id, Trade.id))
    return [DueTrade(row.due_at, row.league_id, row.id) for row in rows]


# Open trades of footballers or picks that are not where the trade takes them from.
_IMPOSSIBLE = text("""
    SELECT t.league_id, t.id FROM trades t
    WHERE t.status IN ('offered', 'in_review') AND (
      EXISTS (
        SELECT FROM jsonb_to_recordset(t.terms -> 'footballers')
          AS gift(footballer_id text, from_franchise int)
        LEFT JOIN roster_spots s
          ON (s.league_id, s.footballer_id) = (t.league_id, gift.footballer_id)
        WHERE s.franchise IS DISTINCT FROM gift.from_franchise)
      OR EXISTS (
        SELECT FROM jsonb_to_recordset(t.terms -> 'picks')
          AS pick(season int, round int, original_franchise int, from_franchise int)
        LEFT JOIN pick_owners o ON (o.league_id, o.season, o.round, o.original_franchise)
          = (t.league_id, pick.season, pick.round, pick.original_franchise)
        WHERE coalesce(o.franchise, pick.original_franchise) <> pick.from_franchise))
      AND (CAST(:league_id AS bigint) IS NULL OR t.league_id = :league_id)
    ORDER BY t.id
""")


def impossible_trades(league_id: int | None = None) -> Sequence[tuple[int, int]]:
    """The league and id of every open trade that can never take effect, of one league or all."""
    rows = db.session.execute(_IMPOSSIBLE, {"league_id": league_id})
    return [(row.league_id, row.id) for row in rows]


def trade_deadline(league: League, settings: DraftLeagueSettings) -> datetime | None:
    """Until when trades take effect; None for no deadline."""
    week = settings.trades.deadline_week
    if week is None:
        return None
    return db.session.scalar(
        select(Gameweek.deadline).where(
            Gameweek.season_id == league.season_id, Gameweek.week == week
        )
    )


def trade_block(league_id: int) -> Sequence[TradeBlockEntry]:
    """Whom franchises would trade, by franchise and then the latest first.

    What somebody says who is hidden from boards is left out.
    """
    return db.session.scalars(
        select(TradeBlockEntry)
        .join(
            Franchise,
            (Franchise.league_id == TradeBlockEntry.league_id)
            & (Franchise.number == TradeBlockEntry.franchise),
        )
        .join(
            RosterSpot,
            (RosterSpot.league_id == TradeBlockEntry.league_id)
            & (RosterSpot.footballer_id == TradeBlockEntry.footballer_id)
            & (RosterSpot.franchise == TradeBlockEntry.franchise),
        )
        .where(TradeBlockEntry.league_id == league_id, seen_member(Franchise.member_id))
        .order_by(TradeBlockEntry.franchise, TradeBlockEntry.listed_at.desc())
    ).all()
