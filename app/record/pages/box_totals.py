"""The club totals of a box score, away club first. Pure. What each figure means: app/record/rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.pages.box_tables import average
from app.record.queries import GameRow
from app.record.rules.box import Chances, goal_to_go, punting, red_zone, returns_and_longs
from app.record.rules.downs import downs, first_downs
from app.record.rules.drives import Snapped, drives, time_of_possession
from app.record.rules.stat_lines import Numbered, credits
from app.record.rules.state import OVER
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


def totals(game: GameRow, events: Sequence[Numbered], plays: Sequence[Snapped]) -> tuple[Total, ...]:
    clubs = (game.away.id, game.home.id)
    over = game.status in OVER
    sums = {club: Counter[str]() for club in clubs}
    for credit in credits(events):
        if credit.team in sums:
            sums[credit.team][credit.stat] += credit.amount
    flags = {club: [0, 0] for club in clubs}
    for _, _, body in events:
        if isinstance(body, ev.Penalty) and body.status == "accepted" and body.team in flags:
            flags[body.team][0] += 1
            flags[body.team][1] += body.yards
    series = drives(plays, over=over)
    held = time_of_possession(plays, clubs, over=over)
    made = {club: downs(plays, club) for club in clubs}

    def net_passing(club: str) -> int:
        return sums[club]["passing_yards"] - sums[club]["sack_yards_lost"]

    def efficiency(good: int, tried: int) -> str:
        return f"{good}/{tried}, {percent(good, tried)}"

    def near(chances: Chances) -> str:
        return f"{chances.touchdowns}/{chances.drives}, {percent(chances.touchdowns, chances.drives)}"

    def punts(club: str) -> str:
        kicked = punting(plays, club)
        return f"{kicked.punts}, {average(kicked.gross, kicked.punts)}, {average(kicked.net, kicked.punts)}"

    def firsts(club: str) -> str:
        of = first_downs(plays, club)
        return f"{of.rush}-{of.passed}-{of.penalty}"

    def returned(club: str, kind: str) -> str:
        one = [stats for (_, of), stats in longs.items() if of == club]
        return str(sum(stats.get(f"{kind}_return_yards", 0) for stats in one))

    longs = returns_and_longs(plays)
    rows: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("First downs", lambda club: str(made[club].first_downs)),
        ("First downs by rush, pass, penalty", firsts),
        ("Third downs", lambda club: efficiency(made[club].third_made, made[club].third_tried)),
        ("Fourth downs", lambda club: efficiency(made[club].fourth_made, made[club].fourth_tried)),
        ("Red zone, touchdowns", lambda club: near(red_zone(series, plays, club))),
        ("Goal to go, touchdowns", lambda club: near(goal_to_go(series, plays, club))),
        ("Total yards", lambda club: str(net_passing(club) + sums[club]["rushing_yards"])),
        ("Passing yards, net", lambda club: str(net_passing(club))),
        ("Rushing yards", lambda club: str(sums[club]["rushing_yards"])),
        ("Sacked, yards lost", lambda club: f"{sums[club]['sacks_suffered']}-{sums[club]['sack_yards_lost']}"),
        ("Punts, average, net average", punts),
        ("Interception return yards", lambda club: returned(club, "interception")),
        ("Defensive touchdowns", lambda club: str(sums[club]["def_tds"])),
        ("Turnovers", lambda club: str(sums[club]["passing_interceptions"] + sums[club]["fumbles_lost"])),
        ("Penalties, yards", lambda club: f"{flags[club][0]}-{flags[club][1]}"),
        ("Time of possession", lambda club: clock_words(held[club])),
    )
    return tuple(Total(label, cell(clubs[0]), cell(clubs[1])) for label, cell in rows)
