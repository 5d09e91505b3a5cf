"""Reads a season's market, searched, filtered, sorted and paged, and a gameweek's fixtures.

Source: PRODUCT B4. Prices are in prices.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Integer, Select, Text, bindparam, func, select, text

from app.core.db import db
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.market.history_models import PreseasonProjection
from app.fantasy.market.models import FootballerSeason, FootballerTotals
from app.fantasy.market.name_search import find_names
from app.fantasy.market.statuses import LEFT
from app.record.models import Club, Footballer
from app.record.queries import GameRow

PAGE_ROWS = 20
OFF = ("postponed", "cancelled")
SORTS = {"points": "Points", "form": "Form", "selected": "% owned", "price": "Price"}


@dataclass(frozen=True)
class Filter:
    """Which footballers to list.

    Attributes:
        search: What their names are to contain, or to be close to (name_search.py).
        positions: Their positions; none for all.
        max_price: In tenths of a million; 0 for any.
        page: The number of the page, from 1.
        without: Ids of footballers who are left out.
        among: Only these footballers, also those who have left; None for the whole market.
    """

    search: str = ""
    positions: tuple[str, ...] = ()
    club_id: str = ""
    max_price: int = 0
    sort: str = "points"
    page: int = 1
    without: tuple[str, ...] = ()
    among: frozenset[str] | None = None


@dataclass(frozen=True)
class Listed:
    """A footballer on the market.

    Prices are in tenths of a million, points and form in thousandths, `selected` in thousandths of
    the team sheets. `expected`: points per game of the club that were projected before the season;
    `everybody` alone loads them.
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
    expected: int = 0


@dataclass(frozen=True)
class Fixture:
    """A club's first game of a gameweek, from its side.

    It is a game that is off (postponed without a new date, cancelled) only if there is no other.
    `games`: how many games the club has.
    """

    opponent_id: str
    is_home: bool
    kickoff: datetime
    status: str
    games: int

    @property
    def is_off(self) -> bool:
        """Whether the game will not be played as planned."""
        return self.status in OFF


def footballers(season_id: int, rules: str, market_filter: Filter) -> tuple[list[Listed], int]:
    """A page of the footballers who can be bought, and how many match in all.

    The highest value of the sort comes first, then the highest price, then name and id.
    """
    points = func.coalesce(FootballerTotals.total_points, 0)
    form = form_column()
    by: Mapping[str, ColumnElement[int]] = {
        "points": points,
        "form": form,
        "selected": FootballerSeason.selected.expression,
        "price": FootballerSeason.price.expression,
    }
    rows = db.session.execute(
        on_market()
        .add_columns(points, form, func.count().over())
        .where(*_conditions(season_id, market_filter))
        .order_by(
            by[market_filter.sort].desc(),
            FootballerSeason.price.desc(),
            Footballer.name,
            Footballer.id,
        )
        .limit(PAGE_ROWS)
        .offset((market_filter.page - 1) * PAGE_ROWS),
        {"season_id": season_id, "rules": rules},
    ).all()
    return [Listed(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def listed(season_id: int, rules: str, ids: Sequence[str]) -> dict[str, Listed]:
    """The footballers who are on the season's market, by id, including those who left it."""
    values = {"season_id": season_id, "rules": rules, "ids": possible_ids(ids)}
    rows = db.session.execute(select_listed(), values)
    return {row[0]: Listed(*row) for row in rows}


def possible_ids(ids: Iterable[str]) -> list[str]:
    """Return those of these ids that a footballer can have, in order and each of them once."""
    return sorted({footballer for footballer in ids if footballer and "\x00" not in footballer})


@cache  # building the statement takes as long as running it
def select_listed() -> Select[Any]:
    """The query of `listed` for the footballers `ids`: rows with the fields of `Listed`."""
    query: Select[Any] = (
        on_market()
        .add_columns(
            func.coalesce(FootballerTotals.total_points, 0).label("points"),
            form_column().label("form"),
        )
        .where(FootballerSeason.footballer_id == func.any(bindparam("ids", type_=ARRAY(Text))))
    )
    return query


def everybody(season_id: int, rules: str) -> list[Listed]:
    """All footballers who can be bought, in order of their ids."""
    rows = db.session.execute(
        on_market()
        .add_columns(
            func.coalesce(FootballerTotals.total_points, 0),
            form_column(),
            func.coalesce(PreseasonProjection.per_game * PreseasonProjection.share / 1000, 0).cast(
                Integer
            ),
        )
        .where(FootballerSeason.status != LEFT)
        .order_by(Footballer.id),
        {"season_id": season_id, "rules": rules},
    )
    return [Listed(*row) for row in rows]


def names_on_market(season_id: int) -> list[tuple[str, str]]:
    """Id and name of everybody on the season's market, for a search."""
    rows = db.session.execute(
        select(Footballer.id, Footballer.name)
        .join(FootballerSeason, FootballerSeason.footballer_id == Footballer.id)
        .where(FootballerSeason.season_id == season_id)
    )
    return [(row.id, row.name) for row in rows]


def clubs(season_id: int) -> list[tuple[str, str]]:
    """Id and name of each club with somebody on the market, by name. Cached."""

    def load() -> CachedValue[list[tuple[str, str]]]:
        rows = db.session.execute(_CLUBS, {"season_id": season_id})
        tags = ("clubs", "footballers", f"market:{season_id}")
        return CachedValue([(row.id, row.name) for row in rows], tags)

    return cached_value(f"clubs:{season_id}", list[tuple[str, str]], load)


_CLUBS = text("""
    SELECT id, name FROM clubs WHERE id IN (
      SELECT f.club_id FROM footballers f JOIN footballer_seasons s ON s.footballer_id = f.id
      WHERE s.season_id = :season_id)
    ORDER BY name, id
""")


def fixtures(games: Iterable[GameRow]) -> dict[str, Fixture]:
    """The fixture of each club that plays in these games of a gameweek, by club."""
    by_club: dict[str, Fixture] = {}
    for game in sorted(games, key=lambda game: (game.status in OFF, game.kickoff, game.id)):
        home, away = game.home.id, game.away.id
        for club, opponent in ((home, away), (away, home)):
            first = by_club.get(club, Fixture(opponent, club == home, game.kickoff, game.status, 0))
            by_club[club] = replace(first, games=first.games + 1)
    return by_club


@cache  # building the statement takes as long as running it
def on_market():  # type: ignore[no-untyped-def]  # a Select of nine columns
    """Everybody on the market of `season_id`, beside their totals under `rules`, as a query."""
    return (
        select(
            Footballer.id,
            Footballer.name,
            FootballerSeason.position,
            func.coalesce(Footballer.club_id, "").label("club_id"),
            func.coalesce(Club.name, "").label("club"),
            FootballerSeason.price,
            FootballerSeason.selected,
            FootballerSeason.status,
            FootballerSeason.news,
        )
        .join(Footballer, Footballer.id == FootballerSeason.footballer_id)
        .outerjoin(Club, Club.id == Footballer.club_id)
        .outerjoin(
            FootballerTotals,
            (FootballerTotals.season_id == bindparam("season_id"))
            & (FootballerTotals.rules == bindparam("rules"))
            & (FootballerTotals.footballer_id == FootballerSeason.footballer_id),
        )
        .outerjoin(
            PreseasonProjection,
            (PreseasonProjection.season_id == bindparam("season_id"))
            & (PreseasonProjection.rules == bindparam("rules"))
            & (PreseasonProjection.footballer_id == FootballerSeason.footballer_id),
        )
        .where(FootballerSeason.season_id == bindparam("season_id"))
    )


def form_column() -> ColumnElement[int]:
    """The form in `on_market`; before the first game of a season that of the season before."""
    return func.coalesce(FootballerTotals.form, PreseasonProjection.form, 0)


def _conditions(season_id: int, market_filter: Filter) -> list[ColumnElement[bool]]:
    if market_filter.among is None:
        conditions = [FootballerSeason.status != LEFT]
    else:
        conditions = [FootballerSeason.footballer_id.in_(market_filter.among)]
    if market_filter.search:
        matches = find_names(market_filter.search, names_on_market(season_id))
        conditions.append(FootballerSeason.footballer_id.in_(matches.ids))
    if market_filter.positions:
        conditions.append(FootballerSeason.position.in_(market_filter.positions))
    if market_filter.without:
        conditions.append(FootballerSeason.footballer_id.not_in(market_filter.without))
    if market_filter.club_id:
        conditions.append(Footballer.club_id == market_filter.club_id)
    if market_filter.max_price:
        conditions.append(FootballerSeason.price <= market_filter.max_price)
    return conditions
