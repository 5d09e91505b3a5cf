"""What a member can pay for a player of each position, by exchanging one of the team. Pure."""

from __future__ import annotations

from app.fantasy.sheets.transfers import SheetContext, costs_of, worth


def affordable_prices(context: SheetContext) -> dict[str, int]:
    """The highest price by position, in tenths of a million, for positions that have a place.

    It is the money left, and for a place that is taken also what its player brings. Of all places
    that take the position, the one that allows the highest price counts.
    """
    size = len(context.format.places)
    picks = context.current.picks if context.current else ("",) * size
    bank = costs_of(picks, context).bank
    prices: dict[str, int] = {}
    for slot, pick in zip(context.format.places, picks, strict=True):
        player = context.market.get(pick)
        most = bank + (worth(player, context) if player else 0)
        for position in slot.accepts:
            prices[position] = max(prices.get(position, most), most)
    return prices
