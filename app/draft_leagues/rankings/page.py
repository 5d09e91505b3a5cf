"""Loads what the page of rankings shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.db import db
from app.draft_leagues.name_matching import Known
from app.draft_leagues.rankings import queries
from app.draft_leagues.rankings.files import ExportedRow
from app.draft_leagues.rankings.queries import ListedFootballer, ListOwner, stored_ranking
from app.draft_leagues.rankings.rules import Shape
from app.draft_leagues.rankings.services import make_ranking
from app.draft_leagues.settings import DraftLeagueSettings
from app.fantasy.market.formats import DRAFT_SLOTS
from app.fantasy.market.name_search import find_names
from app.fantasy.projections.rules import family_of

PAGE_ROWS = 50


@dataclass(frozen=True)
class Row:
    """A footballer in the member's order.

    Attributes:
        place: From 1, in the whole order.
        points: Projected, in thousandths: those of the member's or the league's file, else the
            record's.
        before: The place of the footballer above on the page, None at the top.
        after: The place of the footballer below, None at the bottom.
    """

    footballer: ListedFootballer
    place: int
    points: int
    before: int | None
    after: int | None

    @property
    def position(self) -> str:
        """The position with the rank among it, such as WR12."""
        return f"{family_of(self.footballer.position)}{self.footballer.ranked.position_rank}"


@dataclass(frozen=True)
class RankingPage:
    """A page of the member's order.

    Attributes:
        positions: By which the order can be filtered.
        more: Whether there is another page.
        is_own: Whether the member has an order of their own.
        source: The file that it came from; '' if the member made it.
        league_source: The file of the league's own order; None without one.
    """

    rows: Sequence[Row]
    positions: Sequence[str]
    more: bool
    is_own: bool
    source: str
    league_source: str | None


@dataclass(frozen=True)
class Order:
    """Everybody who can be ranked in a league, in somebody's order.

    Attributes:
        footballers: By id.
        without_own: The order without the member's own list.
        ids: The order.
        points: Projected points of a file by footballer, in thousandths.
        made_at: When the ranking was computed from the record.
    """

    footballers: dict[str, ListedFootballer]
    without_own: list[str]
    ids: list[str]
    points: dict[str, int]
    made_at: datetime


def load_order(
    owner: ListOwner, season_id: int, settings: DraftLeagueSettings, now: datetime
) -> Order:
    """Load somebody's order of the season's market. It stores a ranking that is new and commits."""
    stored = stored_ranking(season_id, settings.scoring, Shape.of(settings).name)
    if stored is None:
        stored = now, make_ranking(season_id, settings, now)
        db.session.commit()
    made_at, ranking = stored
    footballers = queries.listed(season_id, ranking)
    ids = [each.footballer_id for each in ranking if each.footballer_id in footballers]
    without_own = queries.order_for(ListOwner(owner.league_id, None), ids)
    points: dict[str, int] = {}
    for each in (ListOwner(owner.league_id, None), owner):
        chosen = queries.list_of(each)
        points |= chosen.projections if chosen is not None else {}
    return Order(footballers, without_own, queries.order_for(owner, ids), points, made_at)


@dataclass(frozen=True)
class RankingFilter:
    """Which part of an order to show. `position`: the name of a starting place, '' for all."""

    search: str = ""
    position: str = ""
    page: int = 1


def chosen_ids(order: Order, search: str = "", position: str = "") -> list[str]:
    """The footballers of an order whose name fits and who can start at a place, in its order.

    `position`: the name of a starting place, '' for all.
    """
    slot = DRAFT_SLOTS.get(position)
    names = [(footballer, order.footballers[footballer].name) for footballer in order.ids]
    chosen = [*find_names(search, names).ids] if search else order.ids
    if slot is not None:
        positions = {id_: listed.position for id_, listed in order.footballers.items()}
        chosen = [footballer for footballer in chosen if positions[footballer] in slot.accepts]
    return chosen


def load_page(
    owner: ListOwner, order: Order, positions: Sequence[str], shown_part: RankingFilter
) -> RankingPage:
    """A page of an order. `positions`: the starting places of the league."""
    places = {footballer: place for place, footballer in enumerate(order.ids, start=1)}
    chosen = chosen_ids(order, shown_part.search, shown_part.position)
    first = (shown_part.page - 1) * PAGE_ROWS
    ids = chosen[first : first + PAGE_ROWS]
    rows = []
    for index, footballer in enumerate(ids):
        overall = first + index
        listed = order.footballers[footballer]
        rows.append(
            Row(
                listed,
                places[footballer],
                order.points.get(footballer, listed.ranked.points),
                places[chosen[overall - 1]] if overall else None,
                places[chosen[overall + 1]] if overall + 1 < len(chosen) else None,
            )
        )
    own_list = queries.list_of(owner)
    league_list = queries.list_of(ListOwner(owner.league_id, None))
    return RankingPage(
        rows,
        positions,
        len(chosen) > first + PAGE_ROWS,
        own_list is not None,
        own_list.source if own_list is not None else "",
        league_list.source if league_list is not None else None,
    )


def known_footballers(order: Order) -> list[Known]:
    """Everybody who can be ranked, as files name them."""
    return [
        Known(listed.id, listed.name, listed.position, listed.club_id, listed.club)
        for listed in order.footballers.values()
    ]


def exported_rows(order: Order) -> list[ExportedRow]:
    """The order as rows of a file."""
    return [
        exported(order.footballers[footballer], order.points.get(footballer))
        for footballer in order.ids
    ]


def exported(listed: ListedFootballer, points: int | None = None) -> ExportedRow:
    """A footballer as a row of a file; `points` in place of those of the ranking."""
    return ExportedRow(
        listed.ranked.tier,
        listed.name,
        listed.club_id,
        f"{family_of(listed.position)}{listed.ranked.position_rank}",
        listed.ranked.bye_week,
        listed.ranked.points if points is None else points,
        listed.id,
    )
