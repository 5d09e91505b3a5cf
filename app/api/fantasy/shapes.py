"""Fields that the operations of the fantasy game share.

Their JSON names are those of the source design, in camel case.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.security import Caller, MemberCaller, PlayerToken, Session
from app.api.shapes import EXACT, points
from app.fantasy.api_queries.queries import SeasonName, Viewer

TAG = "Fantasy football"
MEMBERS = (PlayerToken(), Session())
ID = r"^[^/\x00-\x1f\x7f]{1,80}$"

FootballerId = Annotated[
    str,
    Meta(
        pattern=ID,
        description="The footballer's ID. In a URL, write `#` as `%23`.",
        examples=["KwesiManu#9"],
    ),
]
GamerId = Annotated[int, Meta(ge=1, le=EXACT, description="The gamer's number.", examples=[7])]
GameweekName = Annotated[
    str,
    Meta(
        pattern="^GW[0-9]{1,2}$",
        description="The gameweek, such as `GW1` for the season's first one.",
        examples=["GW1"],
    ),
]
SeasonText = Annotated[
    str,
    Meta(
        pattern="^([a-z0-9-]{1,40}-[0-9]{4}-(PRE|REG|POST))?$",
        description=(
            "The season, such as `nfl-2026-REG`. Defaults to the newest season that has the data."
        ),
        examples=["nfl-2026-REG"],
    ),
]
LeagueSlug = Annotated[
    str, Meta(pattern="^[a-z0-9-]{1,80}$", description="The league's slug, as in its URL.")
]
Limit = Annotated[int, Meta(ge=1, le=100, description="The maximum number of rows to return.")]
Offset = Annotated[int, Meta(ge=0, le=1_000_000, description="The number of rows to skip.")]
Points = Annotated[Decimal, Meta(description="Points, exact to a thousandth.")]
GameweekPoints = Annotated[
    Mapping[str, Decimal], Meta(description="Points by gameweek, with keys such as `GW1`.")
]
Millions = Annotated[Decimal, Meta(description="An amount in millions, exact to a tenth.")]


class Body(msgspec.Struct, frozen=True, rename="camel"):
    """A response with the JSON names of the source design."""


class SeasonQuery(msgspec.Struct, frozen=True):
    """Query parameters of a season request."""

    season: SeasonText = ""


def season_of(text: str) -> SeasonName | None:
    """The season with this name; None for the newest one."""
    return SeasonName.read(text) if text else None


def milli(thousandths: int) -> Decimal:
    """Thousandths of a point as points."""
    return points(thousandths, 3)


def by_gameweek(weeks: Mapping[int, int]) -> dict[str, Decimal]:
    """Points by the name of the gameweek.

    >>> by_gameweek({1: 12_500, 2: -1_000})
    {'GW1': Decimal('12.500'), 'GW2': Decimal('-1.000')}
    """
    return {f"GW{week}": milli(amount) for week, amount in weeks.items()}


def viewer_of(caller: Caller | None) -> Viewer:
    """The member who looks: signed in, or represented by a player's token; None if nobody."""
    match caller:
        case MemberCaller():
            return Viewer(member_id=caller.member_id)
        case PlayerCaller():
            return Viewer(player_id=caller.player_id)
    return Viewer()


def next_offset(offset: int, count: int, more: bool) -> int | None:
    """The offset of the next page; None if there is none."""
    return offset + count if more else None
