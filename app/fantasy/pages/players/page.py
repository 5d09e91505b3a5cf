"""The list of players as its template needs it: headings, rows, pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.http.pagination import page_count
from app.fantasy.amounts import decimal_points, tenths_words
from app.fantasy.pages.footballers.trend_chart import WeekBars, week_bars
from app.fantasy.pages.players.forms import FIXED_ORDERS, PlayerQuery
from app.fantasy.pages.team_sheet.words import STATUS_WORDS, share_words
from app.fantasy.projections.rules import Projection
from app.fantasy.projections.words import projected_words
from app.fantasy.scoring.player_columns import PositionGroup, shown_amount
from app.fantasy.scoring.player_list import PAGE_ROWS, ListedPlayer, NextGame

RECENT_WEEKS = 5


@dataclass(frozen=True)
class Ahead:
    """What comes next: the game of each club, and each player's projection of the open gameweek."""

    games: Mapping[str, NextGame]
    projections: Mapping[str, Projection]


@dataclass(frozen=True)
class Heading:
    """The heading of a column that the list can be sorted by.

    Attributes:
        title: What the label means; the same if it is not shortened.
        address: The list sorted by this column.
        direction: As aria-sort has it; empty unless the list is sorted by this column.
        is_shown: Whether a phone shows this column, as the only one.
    """

    key: str
    label: str
    title: str
    address: str
    direction: str
    is_shown: bool


@dataclass(frozen=True)
class Cell:
    """A figure under a heading."""

    heading: Heading
    words: str


@dataclass(frozen=True)
class PlayerRow:
    """A player of the list.

    Attributes:
        alert: Why they may not play; empty if they are fit.
        news: The latest news in a sentence; empty if there is none.
        opponent: Of the game that is on or comes next; empty if there is none.
        projection: What they are expected to score in the open gameweek; empty after the last one.
    """

    id: str
    name: str
    position: str
    club_id: str
    price: str
    selected: str
    alert: str
    news: str
    opponent: str
    kickoff: datetime | None
    is_live: bool
    cells: tuple[Cell, ...]
    weeks: WeekBars | None
    projection: str


@dataclass(frozen=True)
class PlayersPage:
    """A page of the list.

    Attributes:
        group: The positions in view.
        count: How many players match.
        is_close: No name contains what was searched; these are close to it.
    """

    query: PlayerQuery
    group: PositionGroup
    name_heading: Heading
    headings: tuple[Heading, ...]
    rows: tuple[PlayerRow, ...]
    count: int
    pages: int
    is_close: bool

    @property
    def orders(self) -> list[tuple[str, str]]:
        """Every order with its words, for the list of choices."""
        return [*FIXED_ORDERS.items(), *((each.key, each.title) for each in self.group.columns)]


def players_page(
    query: PlayerQuery,
    group: PositionGroup,
    listed: tuple[Sequence[ListedPlayer], int],
    ahead: Ahead,
    *,
    is_close: bool = False,
) -> PlayersPage:
    """The page with these players.

    Args:
        query: What the address says.
        group: The positions in view.
        listed: The players of the page, and how many match in all.
        ahead: What comes next.
        is_close: No name contains what was searched.
    """
    players, count = listed
    keys = ("points", "form", *(column.key for column in group.columns), "games", "selected")
    is_known = query.order_name in (*keys, "price")
    phone_key = query.order_name if is_known else "points"
    titles = FIXED_ORDERS | {column.key: column.title for column in group.columns}
    labels = _LABELS | {column.key: column.label for column in group.columns}
    headings = tuple(
        _heading(query, key, labels[key], titles[key], is_shown=key == phone_key)
        for key in (*keys, "price")
    )
    return PlayersPage(
        query=query,
        group=group,
        name_heading=_heading(query, "name", "Player", "Name", is_shown=True),
        headings=headings,
        rows=tuple(_row(player, query, group, headings, ahead) for player in players),
        count=count,
        pages=page_count(count, PAGE_ROWS),
        is_close=is_close,
    )


_LABELS = {
    "points": "Points",
    "form": "Form",
    "games": "GP",
    "selected": "Own %",
    "price": "Price",
}


def _heading(query: PlayerQuery, key: str, label: str, title: str, *, is_shown: bool) -> Heading:
    direction = ""
    if query.order_name == key:
        direction = "ascending" if query.is_ascending else "descending"
    return Heading(key, label, title, query.address(sort=query.turned(key)), direction, is_shown)


def _row(
    player: ListedPlayer,
    query: PlayerQuery,
    group: PositionGroup,
    headings: Sequence[Heading],
    ahead: Ahead,
) -> PlayerRow:
    figures = _figures(player, group, per_game=bool(query.per))
    game, projection = ahead.games.get(player.club_id), ahead.projections.get(player.id)
    return PlayerRow(
        id=player.id,
        name=player.name,
        position=player.position,
        club_id=player.club_id,
        price=figures["price"],
        selected=figures["selected"],
        alert=STATUS_WORDS.get(player.status, ""),
        news=player.news,
        opponent=f"{'vs' if game.is_home else 'at'} {game.opponent_id}" if game else "",
        kickoff=game.kickoff if game else None,
        is_live=bool(game and game.is_live),
        cells=tuple(Cell(heading, figures[heading.key]) for heading in headings),
        weeks=week_bars(player.weeks, RECENT_WEEKS),
        projection=projected_words(projection.points) if projection else "",
    )


def _figures(player: ListedPlayer, group: PositionGroup, *, per_game: bool) -> dict[str, str]:
    points = player.points // max(1, player.games) if per_game else player.points
    amounts = {
        column.key: shown_amount(
            sum(player.stats.get(stat, 0) for stat in column.stats),
            player.games,
            per_game=per_game,
            is_halved=column.is_halved,
        )
        for column in group.columns
    }
    return amounts | {
        "points": decimal_points(points),
        "form": tenths_words(player.form // 100),
        "games": str(player.games),
        "selected": share_words(player.selected),
        "price": tenths_words(player.price),
    }
