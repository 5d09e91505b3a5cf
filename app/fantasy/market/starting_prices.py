"""What footballers cost when a season begins, by position and last season's points. Pure.

In tenths of a million, each position has a floor and a ceiling. The footballer with the most points
of the position last season costs the ceiling, one without points the floor. Between them the price
follows the share of the most points, rounded down to half a million. If nobody of a position has
points, all cost the usual price of the position. Source: PRODUCT B6; the prices follow Fantasy
Premier League (soccer) and daily contests (football). A sheet of usual prices costs 77 to 90 of 100
million, so that a first season can be played without last season's points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.fantasy.market.formats import DST, IDP

STEP = 5


@dataclass(frozen=True)
class Span:
    """The lowest, the usual and the highest price of a position."""

    floor: int
    usual: int
    ceiling: int


_IDP = Span(40, 50, 80)
SPANS: Mapping[str, Span] = MappingProxyType(
    {
        "QB": Span(50, 85, 120),
        "RB": Span(45, 80, 130),
        "WR": Span(45, 75, 125),
        "TE": Span(40, 60, 100),
        "K": Span(40, 45, 60),
        DST: Span(40, 45, 65),
        "GK": Span(40, 45, 60),
        "DEF": Span(40, 50, 75),
        "MID": Span(45, 70, 130),
        "FWD": Span(45, 75, 140),
    }
    | dict.fromkeys(IDP, _IDP)
)


def start_prices(positions: Mapping[str, str], points: Mapping[str, int]) -> dict[str, int]:
    """Prices in tenths of a million, by footballer.

    Defenders of individual defence are one position here.

    Args:
        positions: The position of everybody on the market, by id.
        points: Last season's points in any unit, by id; those without points may be missing.

    >>> start_prices({"a": "QB", "b": "QB", "c": "K"}, {"a": 300, "b": 151})
    {'a': 120, 'b': 85, 'c': 45}
    """
    best: dict[str, int] = {}
    for player, position in positions.items():
        best[_kind(position)] = max(best.get(_kind(position), 0), points.get(player, 0))
    return {
        player: _price(SPANS[position], points.get(player, 0), best[_kind(position)])
        for player, position in positions.items()
    }


def _kind(position: str) -> str:
    return "IDP" if position in IDP else position


def _price(span: Span, points: int, best: int) -> int:
    if best <= 0:
        return span.usual
    return span.floor + (span.ceiling - span.floor) * max(0, points) // best // STEP * STEP
