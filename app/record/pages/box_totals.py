"""The club totals of a box score as they are shown, away club first.

Pure. What each figure means: app/record/rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.record.pages.box_tables import average
from app.record.rules.club_figures import ClubFigures
from app.record.words import clock_words


@dataclass(frozen=True)
class Total:
    label: str
    away: str
    home: str


def percent(good: int, tried: int) -> str:
    """A whole percentage, halves rounded up.

    >>> percent(1, 8), percent(0, 0)
    ('13%', '0%')
    """
    return f"{(200 * good + tried) // (2 * tried)}%" if tried else "0%"


def _of(good: int, tried: int) -> str:
    return f"{good}/{tried}, {percent(good, tried)}"


_ROWS: tuple[tuple[str, Callable[[ClubFigures], str]], ...] = (
    ("First downs", lambda of: str(of.first_downs)),
    (
        "First downs by rush, pass, penalty",
        lambda of: f"{of.first_downs_rushing}-{of.first_downs_passing}-{of.first_downs_penalty}",
    ),
    ("Third downs", lambda of: _of(of.third_downs_made, of.third_downs_tried)),
    ("Fourth downs", lambda of: _of(of.fourth_downs_made, of.fourth_downs_tried)),
    ("Red zone, touchdowns", lambda of: _of(of.red_zone_touchdowns, of.red_zone_drives)),
    ("Goal to go, touchdowns", lambda of: _of(of.goal_to_go_touchdowns, of.goal_to_go_drives)),
    ("Total yards", lambda of: str(of.total_yards)),
    ("Plays, average gain", lambda of: f"{of.plays}, {average(of.total_yards, of.plays)}"),
    ("Passing yards, net", lambda of: str(of.passing_yards_net)),
    (
        "Passes, completed, intercepted",
        lambda of: f"{of.attempts}-{of.completions}-{of.passing_interceptions}",
    ),
    ("Rushing yards", lambda of: str(of.rushing_yards)),
    ("Carries, average", lambda of: f"{of.carries}, {average(of.rushing_yards, of.carries)}"),
    ("Sacked, yards lost", lambda of: f"{of.sacks_suffered}-{of.sack_yards_lost}"),
    (
        "Punts, average, net average",
        lambda of: (
            f"{of.punts}, {average(of.punt_yards, of.punts)}, "
            f"{average(of.punt_yards_net, of.punts)}"
        ),
    ),
    ("Punt returns, yards", lambda of: f"{of.punt_returns}-{of.punt_return_yards}"),
    ("Kickoff returns, yards", lambda of: f"{of.kickoff_returns}-{of.kickoff_return_yards}"),
    ("Interception return yards", lambda of: str(of.interception_return_yards)),
    ("Defensive touchdowns", lambda of: str(of.def_tds)),
    ("Field goals", lambda of: f"{of.fg_made}/{of.fg_att}"),
    ("Fumbles, lost", lambda of: f"{of.fumbles}-{of.fumbles_lost}"),
    ("Turnovers", lambda of: str(of.turnovers)),
    ("Penalties, yards", lambda of: f"{of.penalties}-{of.penalty_yards}"),
    ("Time of possession", lambda of: clock_words(of.possession_seconds)),
)


def totals(away: ClubFigures, home: ClubFigures) -> tuple[Total, ...]:
    return tuple(Total(label, cell(away), cell(home)) for label, cell in _ROWS)
