"""Notices about play-offs, and what a correction changed in them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.bidi import isolated
from app.fantasy.notices.words import Words
from app.fantasy.standings.fixtures import Pair


def playoff_game(league: str, gameweek: str, opponent: str, *, is_change: bool) -> Words:
    """A member plays in the play-offs, or after a correction against somebody else.

    >>> playoff_game("The Row", "Week 15", "Bob FC", is_change=False).title
    'Play-offs of The Row: you meet Bob FC'
    """
    why = (
        "A correction of the record changed the bracket."
        if is_change
        else "Your line-up counts as always: set it before the first kickoff."
    )
    return Words(
        f"Play-offs of {isolated(league)}: you meet {isolated(opponent)}", f"{gameweek}. {why}"
    )


def playoff_game_gone(league: str, gameweek: str) -> Words:
    """A member has no game in a gameweek of the play-offs any more, after a correction."""
    return Words(
        f"Play-offs of {isolated(league)}: no game in {gameweek}",
        "A correction of the record changed the bracket.",
    )


def champion(league: str, team: str, before: str | None = None) -> Words:
    """The league has a champion.

    >>> champion("The Row", "Bob FC", before="Ann FC").body
    'A correction changed the result: Ann FC had won before.'

    Args:
        league: The league's name.
        team: The champion's.
        before: Who had won until a correction; None for the first result.
    """
    why = (
        f"A correction changed the result: {isolated(before)} had won before."
        if before is not None
        else "The play-offs are decided."
    )
    return Words(f"{isolated(team)} won {isolated(league)}", why)


def changed_games(before: Sequence[Pair], after: Sequence[Pair], names: Mapping[int, str]) -> str:
    """The games that a correction brought, and those that they replaced.

    >>> names = {1: "Ann FC", 2: "Bob FC", 3: "Cat FC", 4: "Dan FC"}
    >>> changed_games([(1, 4), (2, 3)], [(1, 4), (2, None)], names)
    'Bob FC rests instead of Bob FC against Cat FC.'
    >>> changed_games([(1, 4)], [], names)
    'No games instead of Ann FC against Dan FC.'
    """
    brought = [pair for pair in after if pair not in before]
    replaced = [pair for pair in before if pair not in after]
    new = _games(brought, names) or "No games"
    return f"{new} instead of {_games(replaced, names)}." if replaced else f"{new}."


def changed_seeds(before: Sequence[int], after: Sequence[int], names: Mapping[int, str]) -> str:
    """Who would reach the play-offs by other points.

    >>> changed_seeds([1, 2], [2, 3], {1: "Ann FC", 2: "Bob FC", 3: "Cat FC"})
    'In the play-offs would be Bob FC, Cat FC instead of Ann FC, Bob FC.'
    """
    new, old = (", ".join(isolated(names[each]) for each in seeds) for seeds in (after, before))
    return f"In the play-offs would be {new} instead of {old}."


def changed_champion(before: str, after: str | None) -> str:
    """Who won the league after a correction.

    >>> changed_champion("Ann FC", "Bob FC")
    'Bob FC won after the correction. Ann FC had won before it.'
    >>> changed_champion("Ann FC", None)
    'The play-offs were open again. Ann FC had won before the correction.'
    """
    if after is None:
        return f"The play-offs were open again. {isolated(before)} had won before the correction."
    return f"{isolated(after)} won after the correction. {isolated(before)} had won before it."


def _games(pairs: Sequence[Pair], names: Mapping[int, str]) -> str:
    return ", ".join(
        f"{isolated(names[high])} rests"
        if low is None
        else f"{isolated(names[high])} against {isolated(names[low])}"
        for high, low in pairs
    )
