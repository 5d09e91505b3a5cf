"""Reads the list of a season's players: filtered, sorted, a page at a time.

Everything that the list shows comes from sums that are kept (market/models.py), so a page costs one
statement. The pages are in pages/players/; what a team sheet may pick is listed in
market/listing.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Numeric,
    and_,
    cast,
    false,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.orm import InstrumentedAttribute

from app.core.db import db
from app.fantasy.market.listing import form_column, on_market
from app.fantasy.market.models import (
    FootballerSeason,
    FootballerStatistics,
    FootballerTotals,
    Season,
)
from app.fantasy.market.statuses import LEFT
from app.fantasy.scoring.player_columns import StatColumn
from app.record.models import Footballer

PAGE_ROWS = 25


@dataclass(frozen=True)
class Order:
    """How the list is sorted.

    Attributes:
        by: points, form, games, selected, price or name; ignored if there is a `column`.
        column: The statistic to sort by.
        per_game: Whether points and statistics are divided by the games played.
        is_ascending: The lowest first.
    """

    by: str = "points"
    column: StatColumn | None = None
    per_game: bool = False
    is_ascending: bool = False


@dataclass(frozen=True)
class PlayerFilter:
    """Which players to list.

    Attributes:
        positions: Their positions; none for all.
        ids: Only these players; None for all.
        club_id: Their club; empty for any.
        status: Their status; empty for everybody who has not left.
        price_limits: The highest price by position in tenths of a million; positions without one
            are left out. None for any price.
    """

    positions: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None
    club_id: str = ""
    status: str = ""
    price_limits: Mapping[str, int] | None = None
    order: Order = field(default_factory=Order)
    page: int = 1


@dataclass(frozen=True)
class ListedPlayer:
    """A player of the list.

    Points, form and the points by gameweek are in thousandths, prices in tenths of a million,
    `selected` in thousandths of the team sheets. `games`: how many they played.
    """

    id: str
    name: str
    position: str
    club_id: str
    club: str
    price: int
    selected: int
    status: str
    news: str
    points: int
    form: int
    weeks: Mapping[str, int]
    games: int
    stats: Mapping[str, int]


@dataclass(frozen=True)
class MarketSeason:
    """A season with a market. `rules`: its scoring unless a league has its own."""

    id: int
    name: str
    rules: str
    is_simulated: bool


@dataclass(frozen=True)
class NextGame:
    """A club's game that is on or comes next, from its side."""

    opponent_id: str
    is_home: bool
    kickoff: datetime
    is_live: bool


def load_players(
    season_id: int, rules: str, player_filter: PlayerFilter
) -> tuple[list[ListedPlayer], int]:
    """Load a page of the list, and how many match in all.

    Equal values are ordered by points, then the highest price, then name and id.
    """
    order = player_filter.order
    key = _sort_key(order)
    rows = db.session.execute(
        _players()
        .add_columns(func.count().over())
        .where(*_conditions(player_filter))
        .order_by(
            key.asc() if order.is_ascending else key.desc(),
            _points().desc(),
            FootballerSeason.price.desc(),
            Footballer.name,
            Footballer.id,
        )
        .limit(PAGE_ROWS)
        .offset((player_filter.page - 1) * PAGE_ROWS),
        {"season_id": season_id, "rules": rules},
    ).all()
    return [ListedPlayer(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def market_seasons() -> list[MarketSeason]:
    """The seasons that have players on their market: real ones first, then the newest."""
    has_market = select(FootballerSeason.season_id).where(FootballerSeason.season_id == Season.id)
    rows = db.session.execute(
        select(Season.id, Season.name, Season.rules, Season.is_simulated)
        .where(has_market.exists())
        .order_by(Season.is_simulated, Season.season.desc(), Season.id.desc())
    )
    return [MarketSeason(*row) for row in rows]


def positions_on_market(season_id: int) -> set[str]:
    """The positions of everybody on the season's market."""
    return set(
        db.session.scalars(
            select(FootballerSeason.position)
            .where(FootballerSeason.season_id == season_id)
            .distinct()
        )
    )


def next_games(season_id: int) -> dict[str, NextGame]:
    """The game of each club that is on, else the one that comes next, by club.

    A game whose new date is not known yet is left out.
    """
    rows = db.session.execute(_NEXT_GAMES, {"season_id": season_id})
    return {
        row.club_id: NextGame(row.opponent_id, row.is_home, row.kickoff, row.status == "live")
        for row in rows
    }


_NEXT_GAMES = text("""
    SELECT DISTINCT ON (side.club_id) side.club_id, side.opponent_id, side.is_home, g.kickoff,
      coalesce(t.status, 'scheduled') AS status
    FROM seasons s
    JOIN games g ON (g.competition, g.season, g.season_type)
      = (s.competition, s.season, s.season_type)
    LEFT JOIN game_states t ON t.game_id = g.id
    CROSS JOIN LATERAL (VALUES (g.home_id, g.away_id, true), (g.away_id, g.home_id, false))
      AS side (club_id, opponent_id, is_home)
    WHERE s.id = :season_id AND coalesce(t.status, 'scheduled') IN ('scheduled', 'live')
    ORDER BY side.club_id, coalesce(t.status, 'scheduled') <> 'live', g.kickoff, g.id
""")


@cache  # building the statement takes as long as running it
def _players():  # type: ignore[no-untyped-def]  # a Select of fourteen columns
    """As `on_market`, with points under `rules` and statistics."""
    return (
        on_market()
        .add_columns(
            _points(),
            form_column(),
            func.coalesce(FootballerTotals.gameweeks, text("'{}'::jsonb")),
            _games(),
            func.coalesce(FootballerStatistics.stats, text("'{}'::jsonb")),
        )
        .outerjoin(
            FootballerStatistics,
            (FootballerStatistics.season_id == FootballerSeason.season_id)
            & (FootballerStatistics.footballer_id == FootballerSeason.footballer_id),
        )
    )


def _points() -> ColumnElement[int]:
    return func.coalesce(FootballerTotals.total_points, 0)


def _games() -> ColumnElement[int]:
    return func.coalesce(FootballerStatistics.games, 0)


def _amount(column: StatColumn) -> ColumnElement[int]:
    """The sum of the column's statistics, 0 for who has none of them."""
    stats: InstrumentedAttribute[Any] = FootballerStatistics.stats
    amounts = [func.coalesce(stats[stat].as_integer(), 0) for stat in column.stats]
    total: ColumnElement[int] = amounts[0]
    for amount in amounts[1:]:
        total = total + amount
    return total


def _sort_key(order: Order) -> ColumnElement[Any]:
    if order.column is None and order.by != "points":
        return {
            "form": form_column(),
            "games": _games(),
            "selected": FootballerSeason.selected.expression,
            "price": FootballerSeason.price.expression,
            "name": func.lower(Footballer.name),
        }[order.by]
    amount = _points() if order.column is None else _amount(order.column)
    if not order.per_game:
        return amount
    return cast(amount, Numeric) / func.greatest(_games(), 1)


def _conditions(player_filter: PlayerFilter) -> list[ColumnElement[bool]]:
    conditions = [
        FootballerSeason.status == player_filter.status
        if player_filter.status
        else FootballerSeason.status != LEFT
    ]
    if player_filter.positions:
        conditions.append(FootballerSeason.position.in_(player_filter.positions))
    if player_filter.ids is not None:
        conditions.append(FootballerSeason.footballer_id.in_(player_filter.ids))
    if player_filter.club_id:
        conditions.append(Footballer.club_id == player_filter.club_id)
    if player_filter.price_limits is not None:
        conditions.append(_within(player_filter.price_limits))
    return conditions


def _within(limits: Mapping[str, int]) -> ColumnElement[bool]:
    by_price: dict[int, list[str]] = {}
    for position, most in limits.items():
        by_price.setdefault(most, []).append(position)
    return or_(
        *(
            and_(FootballerSeason.position.in_(positions), FootballerSeason.price <= most)
            for most, positions in sorted(by_price.items())
        ),
        false(),
    )
