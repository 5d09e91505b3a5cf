"""Transactions in words. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from app.core.bidi import isolated, with_period
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
    amounts = sorted({budget.amount for budget in transaction.budgets}, reverse=True)
    for amount in amounts:
        teams = [
            isolated(team(budget.franchise))
            for budget in transaction.budgets
            if budget.amount == amount
        ]
        verb = "get" if amount > 0 else "lose"
        listed = teams[0] if len(teams) == 1 else f"{', '.join(teams[:-1])} and {teams[-1]}"
        ending = "s" if len(teams) == 1 else ""
        yield f"{listed} {verb}{ending} {abs(amount)} in waiver budget."
    for pick in transaction.picks:
        yield with_period(
            f"{isolated(team(pick.to_franchise))} gets the {pick.season} round "
            f"{pick.round} pick from {isolated(team(pick.from_franchise))}"
        )


def _move_words(move: Move, name: str, team: Callable[[int], str]) -> str:
    """Where a footballer goes.

    >>> _move_words(Move("kelce", 2, None), "Kelce", "Team {}".format)
    'Team 2 drops Kelce.'
    >>> _move_words(Move("harrison", 2, None), "Harrison Jr.", "Team {}".format)
    'Team 2 drops Harrison Jr.'
    """
    old, new = move.from_franchise, move.to_franchise
    if new is None:
        return with_period(
            f"{isolated(team(old))} drops {name}" if old is not None else f"{name} is a free agent"
        )
    if old == new:
        return f"{isolated(team(new))} moves {name} to {SPOT_WORDS[move.spot]}."
    verb, origin = ("adds", "") if old is None else ("gets", f" from {isolated(team(old))}")
    spot = "" if move.spot == "active" else f", to {SPOT_WORDS[move.spot]}"
    return with_period(f"{isolated(team(new))} {verb} {name}{origin}{spot}")
