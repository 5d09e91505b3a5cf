"""Notices about the next season. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.bidi import isolated, with_period
from app.fantasy.notices.words import Words


def goes_on(league: str, season: str, *, has_keepers: bool, is_dynasty: bool = False) -> Words:
    """The league goes on in a new season.

    >>> goes_on("The Row", "NFL 2027", has_keepers=True).body
    'Choose your keepers before the deadline.'
    """
    if is_dynasty:
        body = "Your whole roster stays. Release players before the deadline if you like."
    elif has_keepers:
        body = "Choose your keepers before the deadline."
    else:
        body = "Every team drafts a new roster. Your team is ready."
    return Words(f"{isolated(league)} continues in {season}", body)


def stand(
    league: str, keepers: Sequence[str], left_out: Sequence[str], *, is_dynasty: bool = False
) -> Words:
    """The deadline has passed, and a member's choices stand.

    >>> stand("The Row", ["Ann Marsh", "Bo Lund"], ["Cy Ross"]).body
    'You keep Ann Marsh and Bo Lund. No pick was left for Cy Ross.'
    >>> stand("The Row", [], []).body
    'You have no keepers and draft a full roster.'
    """
    if keepers:
        text = with_period(f"You keep {_listed(keepers)}")
    else:
        text = "You have no keepers" + ("." if is_dynasty else " and draft a full roster.")
    if left_out and is_dynasty:
        text += with_period(f" There was no room for {_listed(left_out)}")
    elif left_out:
        text += with_period(f" No pick was left for {_listed(left_out)}")
    return Words(f"Keepers of {isolated(league)} are locked in", text)


def rounds(picks: Sequence[tuple[int, int]]) -> str:
    """Rounds in words, each with how many picks there are in it.

    >>> rounds([(1, 1), (2, 1), (3, 1), (5, 2), (7, 1), (8, 1)])
    '1 to 3, 5 (2 picks), 7, 8'
    """
    parts: list[str] = []
    run: list[int] = []
    for number, count in [*picks, (0, 0)]:
        if run and (count != 1 or number != run[-1] + 1):
            is_range = len(run) > 2  # noqa: PLR2004  # two rounds are listed
            parts += [f"{run[0]} to {run[-1]}"] if is_range else map(str, run)
            run = []
        if count == 1:
            run.append(number)
        elif count:
            parts.append(f"{number} ({count} picks)")
    return ", ".join(parts)


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence: `A, B and C`."""
    *others, last = [isolated(name) for name in names]
    return f"{', '.join(others)} and {last}" if others else last
