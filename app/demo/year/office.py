"""Between gameweeks of a simulated season: the league office corrects statistics of weeks that are settled, gamers
join and leave, and commissioners adjust scores and change rules. Doing a week's again changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.demo.year.calendar import SimulatedWeek


def open_hours(seed: int, weeks: Sequence[SimulatedWeek], number: int, season_id: int, now: datetime) -> None:
    """What is done before gameweek `number`; one beyond the last: after the season."""
