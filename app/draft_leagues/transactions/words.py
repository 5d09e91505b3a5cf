"""Transactions in words. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from app.core.bidi import isolated
from app.fantasy.rosters.rules import Kind, Move, Spot, Transaction

KINDS: Mapping[Kind, str] = {
    "drafted": "Drafted",
    "kept": "Kept",
    "added": "Added",
    "dropped": "Dropped",
    "claimed": "Claimed",
    "traded": "Trade",
    "reserve": "To injured reserve",
    "taxi": "To the taxi squad",
    "activated": "Activated",
    "budget": "Waiver budget",
    "commissioner": "Commissioner",
    "reversed": "Reversal",
}
SPOT_WORDS: Mapping[Spot, str] = {
    "active": "the bench",
    "reserve": "injured reserve",
    "taxi": "the taxi squad",
}


def lines(
    transaction: Transaction, names: Mapping[str, str], team: Callable[[int], str]
) -> Iterator[str]:
    """A sentence for each thing that moves.

    Args:
        transaction: The act.
        names: Names of footballers; an id without one stands for itself.
        team: The name of a franchise.
    """
    for move in transaction.moves:
        yield _move_words(move, isolated(names.get(move.footballer_id, move.footballer_id)), team)
    for budget in transaction.budgets:
        verb = "gets" if budget.amount > 0 else "gives"
        name = isolated(team(budget.franchise))
        yield f"{name} {verb} {abs(budget.amount)} of waiver budget."
    for pick in transaction.picks:
        yield (
            f"{isolated(team(pick.to_franchise))} gets the pick of round {pick.round} in "
            f"{pick.season} from {isolated(team(pick.from_franchise))}."
        )


def _move_words(move: Move, name: str, team: Callable[[int], str]) -> str:
    """Where a footballer goes.

    >>> _move_words(Move("kelce", 2, None), "Kelce", "Team {}".format)
    'Kelce leaves Team 2.'
    """
    old, new = move.from_franchise, move.to_franchise
    if new is None:
        return f"{name} leaves {isolated(team(old))}." if old is not None else f"{name} is free."
    if old == new:
        return f"{name} goes to {SPOT_WORDS[move.spot]} of {isolated(team(new))}."
    origin = f" from {isolated(team(old))}" if old is not None else ""
    spot = "" if move.spot == "active" else f", to {SPOT_WORDS[move.spot]}"
    return f"{name} joins {isolated(team(new))}{origin}{spot}."
