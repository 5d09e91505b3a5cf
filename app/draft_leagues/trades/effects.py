"""What a trade does to the teams that it concerns, in projected points of the season. Pure.

It is shown before an offer is sent and before it is accepted. It is no verdict: it says what each
team gains and loses, and what that does to its best line-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.refusals import Refusal
from app.draft_leagues.settings import RosterSettings, StarterCount
from app.draft_leagues.trades.terms import (
    AgreedTrade,
    Balance,
    balances,
    room_refusals,
    transaction_of,
)
from app.fantasy.market.formats import DRAFT_SLOTS
from app.fantasy.rosters.rules import Rosters, applied


@dataclass(frozen=True)
class Forecast:
    """A footballer's position, and projected points in the rest of the season, in thousandths."""

    position: str
    points: int


@dataclass(frozen=True)
class Effect:
    """What a trade does to a franchise.

    Attributes:
        before: The projected points of its best line-up now, in thousandths.
        after: The same with the trade.
        balance: Projected points of those who come, and of those who go.
        refusal: Why its roster would be too large, and whom it has to drop; None if it has room.
    """

    before: int
    after: int
    balance: Balance
    refusal: Refusal | None

    @property
    def difference(self) -> int:
        """More than 0 if the best line-up becomes better."""
        return self.after - self.before


def effects(
    trade: AgreedTrade,
    rosters: Rosters,
    forecasts: Mapping[str, Forecast],
    roster: RosterSettings,
    names: Mapping[int, str],
) -> dict[int, Effect]:
    """What a trade does to each of its franchises.

    Args:
        trade: With whom each franchise drops, as far as they have said.
        rosters: What franchises have now.
        forecasts: By footballer; who is missing counts for nothing.
        roster: The places of a roster.
        names: Of the franchises.
    """
    act = transaction_of(trade, rosters.places)
    after = applied(rosters, act)
    points = {footballer: forecast.points for footballer, forecast in forecasts.items()}
    moved = balances(trade.terms, trade.drops, points)
    rooms = room_refusals(rosters, act, roster.active, names)

    def of(franchise: int, moment: Rosters) -> int:
        active = [
            forecasts[footballer]
            for footballer, place in moment.of(franchise).items()
            if place.spot == "active" and footballer in forecasts
        ]
        return lineup_points(active, roster.starters)

    return {
        franchise: Effect(
            of(franchise, rosters),
            of(franchise, after),
            moved[franchise],
            rooms.get(franchise),
        )
        for franchise in trade.terms.franchises
    }


def lineup_points(footballers: Iterable[Forecast], starters: Sequence[StarterCount]) -> int:
    """The projected points of the best line-up, in thousandths.

    The best come first and take the narrowest place that is free. The places of a line-up lie
    within each other or apart, so nothing else gives more points.

    >>> squad = [Forecast("RB", 9), Forecast("RB", 7), Forecast("RB", 5), Forecast("WR", 6)]
    >>> lineup_points(squad, [StarterCount("RB", 1), StarterCount("FLEX", 1)])
    16
    """
    free = {
        starter.slot: starter.count
        for starter in sorted(starters, key=lambda each: len(DRAFT_SLOTS[each.slot].accepts))
    }
    total = 0
    for footballer in sorted(footballers, key=lambda each: -each.points):
        for slot, left in free.items():
            if left and footballer.position in DRAFT_SLOTS[slot].accepts:
                free[slot] -= 1
                total += footballer.points
                break
    return total
