"""Sentences about rosters that are too large. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.bidi import isolated, with_period
from app.fantasy.notices.words import Words


def cut_first(count: int, room: int, lowest: Sequence[str]) -> str:
    """Why a team gets nobody, and whom it could cut.

    >>> cut_first(28, 26, ["Ann Marsh", "Bo Day"])
    'Your roster has 28 players but room for 26. Drop 2 first. Ranked lowest: Ann Marsh and Bo Day.'
    """
    return with_period(
        f"Your roster has {count} players but room for {room}. Drop {count - room} first. "
        f"Ranked lowest: {listed(lowest)}"
    )


def were_cut(league: str, names: Sequence[str]) -> Words:
    """A rule cut the reader's roster.

    >>> were_cut("The Row", ["Ann Marsh"]).body
    'Your roster was over the limit when the games began, so we dropped Ann Marsh.'
    """
    body = with_period(
        f"Your roster was over the limit when the games began, so we dropped {listed(names)}"
    )
    return Words(f"Your roster in {isolated(league)} was cut", body)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: `A, B and C`."""
    *others, last = [isolated(name) for name in names]
    return f"{', '.join(others)} and {last}" if others else last
