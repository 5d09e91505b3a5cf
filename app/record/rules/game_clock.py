"""Game time in seconds, from the period and the clock that the stadium shows. Pure."""

from __future__ import annotations

PERIOD_SECONDS = 900


def game_seconds_played(period: int, clock: int) -> int:
    """Seconds of game time played; overtime counts on from 3600, whatever its length.

    >>> game_seconds_played(2, 840)
    960
    """
    return (period - 1) * PERIOD_SECONDS + (PERIOD_SECONDS - clock)
