"""What footballers cost when a season begins.

By position and the points of last season (PRODUCT B6). Pure.

Lives here: the rule. Not here: how prices move after each deadline (prices.py).

The rule, in tenths of a million: each position has a floor and a ceiling. Who had the most points
of the position last season costs the ceiling, who had none the floor; between them the price
follows the share of the most, rounded down to half a million. Where nobody of a position has points
of last season, all cost the position's usual price. Source: Pressbox's own, the spans after Fantasy
Premier League's (soccer) and daily contests' (football); a sheet of usual prices costs 77 to 90 of
100 million, so that a first season can be played without last season's points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.fantasy.market.formats import DST, IDP

STEP = 5


@dataclass(frozen=True)
class Span:
    """The lowest and the usual price of a position."""

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

    `positions`: who is on the market, by their id; `points`: of last season, any unit, who has none
    may be missing. Defenders of individual defence are one position here.

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
