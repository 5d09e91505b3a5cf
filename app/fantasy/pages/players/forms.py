"""What the address of the list of players says: search, filters, order and page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from flask import url_for
from werkzeug.datastructures import MultiDict

from app.core.http.pagination import page_number
from app.core.http.sent_numbers import query_number
from app.fantasy.scoring.player_columns import PositionGroup
from app.fantasy.scoring.player_list import Order

LONGEST_SEARCH = 60
ASCENDING = ".up"  # at the end of an order
# What can be sorted by besides the statistics of a group, in words.
FIXED_ORDERS = {
    "points": "Points",
    "form": "Form",
    "games": "Games played",
    "selected": "% owned",
    "price": "Price",
    "name": "Name",
}
STATUS_CHOICES = {
    "available": "Healthy",
    "questionable": "Questionable",
    "doubtful": "Doubtful",
    "out": "Out",
    "injured": "Injured",
    "suspended": "Suspended",
}
MINE, AFFORDABLE = "mine", "affordable"
LEAGUE = "league:"  # before a league's slug in `scoring`


@dataclass(frozen=True)
class PlayerQuery:
    """The fields of the address, with valid values only.

    Attributes:
        scoring: `league:` and the slug of a league of the viewer, or the name of a preset; empty
            for the viewer's first league or the season's own scoring.
        season: The id of a season; 0 for the usual one.
        position: The key of a position group.
        only: `mine` for the viewer's team, `affordable` for players whom it can pay for.
        per: `game` for figures per game, empty for totals.
        sort: An order; the lowest first if it ends with ASCENDING.
    """

    scoring: str = ""
    season: int = 0
    position: str = ""
    q: str = ""
    club: str = ""
    status: str = ""
    only: str = ""
    per: str = ""
    sort: str = "points"
    page: int = 1

    def address(self, **changes: Any) -> str:
        """The address of the list with these fields changed; without `page` its first page."""
        changed = replace(self, **({"page": 1} | changes))
        values: dict[str, Any] = {
            field.name: getattr(changed, field.name)
            for field in fields(changed)
            if getattr(changed, field.name) != field.default
        }
        return url_for("players.index", **values)

    def group_address(self, key: str) -> str:
        """The address of another position group, in an order that every group has."""
        sort = self.sort if self.order_name in FIXED_ORDERS else "points"
        return self.address(position=key, sort=sort)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter besides the position leaves players out."""
        return any((self.q, self.club, self.status, self.only))

    @property
    def order_name(self) -> str:
        """The order without its direction."""
        return self.sort.removesuffix(ASCENDING)

    @property
    def is_ascending(self) -> bool:
        """Whether the lowest value comes first."""
        return self.sort.endswith(ASCENDING)

    def order(self, group: PositionGroup) -> Order:
        """The order, by points if the group does not have the column that is named."""
        column = next((each for each in group.columns if each.key == self.order_name), None)
        by = self.order_name if self.order_name in FIXED_ORDERS else "points"
        return Order(by, column, per_game=bool(self.per), is_ascending=self.is_ascending)

    def turned(self, name: str) -> str:
        """The order that a click on this heading asks for: names from A, figures from the highest.

        A second click turns it round.
        """
        first = name + ASCENDING if name == "name" else name
        if self.sort != first:
            return first
        return name if first.endswith(ASCENDING) else name + ASCENDING


def read_query(args: MultiDict[str, str]) -> PlayerQuery:
    """Read the address. Values that the list does not know count as absent."""

    def chosen(name: str, values: Sequence[str]) -> str:
        return args[name] if args.get(name) in values else ""

    return PlayerQuery(
        scoring=_plain(args.get("scoring", "")),
        season=query_number("season", values=args) or 0,
        position=_plain(args.get("position", "")),
        q=_plain(args.get("q", "")),
        club=_plain(args.get("club", "")),
        status=chosen("status", list(STATUS_CHOICES)),
        only=chosen("only", (MINE, AFFORDABLE)),
        per=chosen("per", ("game",)),
        sort=_plain(args.get("sort", "")) or "points",
        page=page_number(args),
    )


def _plain(text: str) -> str:
    return text.replace("\x00", "").strip()[:LONGEST_SEARCH]
