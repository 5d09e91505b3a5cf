"""Notices about play-offs, and what a correction changed in them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.bidi import isolated, with_period
from app.fantasy.notices.words import Words
from app.fantasy.standings.fixtures import Pair


def playoff_game(league: str, gameweek: str, opponent: str, *, is_change: bool) -> Words:
    """A member plays in the play-offs, or after a correction against somebody else.

    >>> playoff_game("The Row", "Week 15", "Bob FC", is_change=False).title
    'Playoffs, The Row: you play Bob FC'
    """
    why = (
        "A stat correction changed the bracket."
        if is_change
        else "Set your lineup before the first kickoff."
    )
    return Words(
        f"Playoffs, {isolated(league)}: you play {isolated(opponent)}", f"{gameweek}. {why}"
    )


def playoff_game_gone(league: str, gameweek: str) -> Words:
    """A member has no game in a gameweek of the play-offs any more, after a correction."""
    return Words(
        f"Playoffs, {isolated(league)}: no game in {gameweek}",
        "A stat correction changed the bracket.",
    )


def champion(league: str, team: str, before: str | None = None) -> Words:
    """The league has a champion.

    >>> champion("The Row", "Bob FC", before="Ann FC").body
    'A stat correction changed the result. Ann FC had won originally.'

    Args:
        league: The league's name.
        team: The champion's.
        before: Who had won until a correction; None for the first result.
    """
    why = (
        f"A stat correction changed the result. {isolated(before)} had won originally."
        if before is not None
        else "The playoffs are over."
    )
    return Words(f"{isolated(team)} won {isolated(league)}", why)


def changed_games(before: Sequence[Pair], after: Sequence[Pair], names: Mapping[int, str]) -> str:
    """The games that a correction brought, and those that they replaced.

    >>> names = {1: "Ann FC", 2: "Bob FC", 3: "Cat FC", 4: "Dan FC"}
    >>> changed_games([(1, 4), (2, 3)], [(1, 4), (2, None)], names)
    'Bob FC has a bye instead of Bob FC vs Cat FC.'
    >>> changed_games([(1, 4)], [], names)
    'No games instead of Ann FC vs Dan FC.'
    """
    brought = [pair for pair in after if pair not in before]
    replaced = [pair for pair in before if pair not in after]
    new = _games(brought, names) or "No games"
    return with_period(f"{new} instead of {_games(replaced, names)}" if replaced else new)


def changed_seeds(before: Sequence[int], after: Sequence[int], names: Mapping[int, str]) -> str:
    """Who would reach the play-offs by other points.

    >>> changed_seeds([1, 2], [2, 3], {1: "Ann FC", 2: "Bob FC", 3: "Cat FC"})
    'Playoff teams would be Bob FC, Cat FC instead of Ann FC, Bob FC.'
    """
    new, old = (", ".join(isolated(names[each]) for each in seeds) for seeds in (after, before))
    return with_period(f"Playoff teams would be {new} instead of {old}")


def changed_champion(before: str, after: str | None) -> str:
    """Who won the league after a correction.

    >>> changed_champion("Ann FC", "Bob FC")
    'Bob FC is the champion after the correction, not Ann FC.'
    >>> changed_champion("Ann FC", None)
    'After the correction the playoffs are undecided again. Ann FC had won.'
    """
    if after is None:
        return f"After the correction the playoffs are undecided again. {isolated(before)} had won."
    return with_period(
        f"{isolated(after)} is the champion after the correction, not {isolated(before)}"
    )


def _games(pairs: Sequence[Pair], names: Mapping[int, str]) -> str:
    return ", ".join(
        f"{isolated(names[high])} has a bye"
        if low is None
        else f"{isolated(names[high])} vs {isolated(names[low])}"
        for high, low in pairs
    )
