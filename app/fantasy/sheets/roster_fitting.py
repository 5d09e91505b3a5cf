"""Fits a line-up of a draft league to the roster. Pure.

A roster changes without its line-up being saved: by a claim, a trade, a drop. Whoever left
disappears from the line-up and whoever came sits on the bench, except that nobody whose game has
begun moves: such a footballer counts where they were at the kickoff.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.fantasy.market.formats import Format


def fitted(
    team_format: Format,
    picks: Sequence[str],
    roster: Mapping[str, str],
    begun: Collection[str],
) -> tuple[str, ...]:
    """The line-up with everybody who is on the roster and nobody who is not.

    A newcomer takes the first free place on the bench, else the first free starting place that
    takes them, else none. Without any pick before, starters are placed first (`first_lineup`).

    Args:
        team_format: The places.
        picks: The line-up until now; '' for an empty place.
        roster: The positions of the active footballers, by id, in the order in which they came.
        begun: Footballers whose game of the gameweek has begun.

    >>> from app.fantasy.market.formats import format_named
    >>> lineup = format_named("draft:QB1,RB1,BN2")
    >>> fitted(lineup, ("q", "r", "s", ""), {"q": "QB", "s": "RB", "t": "WR"}, {"t"})
    ('q', '', 's', '')
    >>> fitted(lineup, ("q", "r", "s", ""), {"q": "QB", "t": "WR"}, {"r"})
    ('q', 'r', 't', '')
    """
    if not any(picks):
        return first_lineup(team_format, roster, begun)
    after = [pick if pick in roster or pick in begun else "" for pick in picks]
    starters = len(team_format.starters)
    for footballer, position in roster.items():
        if footballer in after or footballer in begun:
            continue
        free = (
            place
            for place in (*range(starters, len(after)), *range(starters))
            if not after[place] and position in team_format.places[place].accepts
        )
        place = next(free, None)
        if place is not None:
            after[place] = footballer
    return tuple(after)


def first_lineup(
    team_format: Format, roster: Mapping[str, str], begun: Collection[str]
) -> tuple[str, ...]:
    """The first line-up of a roster: everybody starts who finds a place, in the roster's order.

    The narrowest place comes first, so that a flexible one is left to whoever needs it.
    """
    picks = [""] * len(team_format.places)
    starters = range(len(team_format.starters))
    narrowest = sorted(starters, key=lambda place: len(team_format.places[place].accepts))
    for footballer, position in roster.items():
        if footballer in begun:
            continue
        for place in (*narrowest, *range(len(team_format.starters), len(picks))):
            if not picks[place] and position in team_format.places[place].accepts:
                picks[place] = footballer
                break
    return tuple(picks)
