"""The statistics of a club in a game as whole numbers, before they are formatted.

Used by the box score, the API and the exports. How a figure is shown is in pages/box_score.py.
Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.rules.box_statistics import by_club, goal_to_go, punting, red_zone
from app.record.rules.downs import downs, first_downs
from app.record.rules.drives import Snapped, drives, time_of_possession
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.stat_lines import Numbered, game_credits


@dataclass(frozen=True, slots=True)
class ClubFigures:
    """A club's counts and yards.

    `plays` counts plays from scrimmage, including sacks. Passing and total yards are net of sack
    yards; if the rulebook charges sacks to rushing, carries and rushing yards include them instead.
    Net punting yards exclude returns and 20 yards per touchback. `turnovers` are interceptions and
    fumbles lost. `possession_seconds` is game time.
    """

    first_downs: int
    first_downs_rushing: int
    first_downs_passing: int
    first_downs_penalty: int
    third_downs_tried: int
    third_downs_made: int
    fourth_downs_tried: int
    fourth_downs_made: int
    red_zone_drives: int
    red_zone_touchdowns: int
    red_zone_field_goals: int
    goal_to_go_drives: int
    goal_to_go_touchdowns: int
    plays: int
    total_yards: int
    carries: int
    rushing_yards: int
    completions: int
    attempts: int
    passing_interceptions: int
    passing_yards_net: int
    sacks_suffered: int
    sack_yards_lost: int
    punts: int
    punt_yards: int
    punt_yards_net: int
    punt_returns: int
    punt_return_yards: int
    kickoff_returns: int
    kickoff_return_yards: int
    interceptions_made: int
    interception_return_yards: int
    fumbles: int
    fumbles_lost: int
    turnovers: int
    def_tds: int
    fg_att: int
    fg_made: int
    penalties: int
    penalty_yards: int
    possession_seconds: int


def club_figures(
    events: Sequence[Numbered],
    plays: Sequence[Snapped],
    clubs: tuple[str, str],
    *,
    is_over: bool,
    book: Rulebook,
) -> dict[str, ClubFigures]:
    """The figures of both clubs by club, from the valid events and their plays.

    `is_over`: the game has ended, so its last drive has ended too.
    """
    sums = {
        club: Counter(charged(stats, book)) for club, stats in _sums(events, plays, clubs).items()
    }
    series = drives(plays, is_over=is_over)
    possession = time_of_possession(
        plays, clubs, is_over=is_over, quarter_seconds=book.period, overtime_seconds=book.overtime
    )
    figures = {}
    for club in clubs:
        down_counts, first_down_counts, punted = (
            downs(plays, club),
            first_downs(plays, club),
            punting(plays, club),
        )
        red_zone_chances, goal_to_go_chances, totals = (
            red_zone(series, plays, club),
            goal_to_go(series, plays, club),
            sums[club],
        )
        sacks, lost = (
            (0, 0) if book.sacks_rush else (totals["sacks_suffered"], totals["sack_yards_lost"])
        )
        net = totals["passing_yards"] - lost
        figures[club] = ClubFigures(
            first_downs=down_counts.first_downs,
            first_downs_rushing=first_down_counts.rush,
            first_downs_passing=first_down_counts.passed,
            first_downs_penalty=first_down_counts.penalty,
            third_downs_tried=down_counts.third_tried,
            third_downs_made=down_counts.third_made,
            fourth_downs_tried=down_counts.fourth_tried,
            fourth_downs_made=down_counts.fourth_made,
            red_zone_drives=red_zone_chances.drives,
            red_zone_touchdowns=red_zone_chances.touchdowns,
            red_zone_field_goals=red_zone_chances.field_goals,
            goal_to_go_drives=goal_to_go_chances.drives,
            goal_to_go_touchdowns=goal_to_go_chances.touchdowns,
            plays=totals["attempts"] + sacks + totals["carries"],
            total_yards=net + totals["rushing_yards"],
            passing_yards_net=net,
            punts=punted.punts,
            punt_yards=punted.gross,
            punt_yards_net=punted.net,
            turnovers=totals["passing_interceptions"] + totals["fumbles_lost"],
            possession_seconds=possession[club],
            **{stat: totals[stat] for stat in _SUMMED},
        )
    return figures


_SUMMED = (
    *(
        "carries",
        "rushing_yards",
        "completions",
        "attempts",
        "passing_interceptions",
        "sacks_suffered",
    ),
    *(
        "sack_yards_lost",
        "punt_returns",
        "punt_return_yards",
        "kickoff_returns",
        "kickoff_return_yards",
    ),
    *(
        "interceptions_made",
        "interception_return_yards",
        "fumbles",
        "fumbles_lost",
        "def_tds",
        "fg_att",
        "fg_made",
    ),
    *("penalties", "penalty_yards"),
)


_RETURNS = frozenset(("punt_return_yards", "kickoff_return_yards", "interception_return_yards"))


def _sums(
    events: Sequence[Numbered], plays: Sequence[Snapped], clubs: tuple[str, str]
) -> Mapping[str, Counter[str]]:
    sums = {club: Counter[str]() for club in clubs}
    for credit in game_credits(events):
        if credit.team in sums:
            sums[credit.team][credit.stat] += credit.amount
    for _, _, body in events:
        if isinstance(body, ev.Penalty) and body.status == "accepted" and body.team in sums:
            sums[body.team].update(penalties=1, penalty_yards=body.yards)
    for club, stats in by_club(plays).items():
        if club in sums:
            sums[club].update({stat: amount for stat, amount in stats.items() if stat in _RETURNS})
    return sums


def charged(stats: Mapping[str, int], book: Rulebook) -> dict[str, int]:
    """The statistics of a player or a club with sacks charged as the competition does it.

    The record keeps the sack itself (`sacks_suffered`, `sack_yards_lost`). The NFL counts lost
    passing yards. NCAA Football Statisticians' Manual, rushing plays: the sacked player is charged
    with a rush and the yards lost.

    Worked example: one run of 3 yards and a sack of 8 are 2 carries for -5 yards in college
    football.
    """
    sacks = stats.get("sacks_suffered", 0)
    if not book.sacks_rush or not sacks:
        return dict(stats)
    return {
        **stats,
        "carries": stats.get("carries", 0) + sacks,
        "rushing_yards": stats.get("rushing_yards", 0) - stats.get("sack_yards_lost", 0),
    }
