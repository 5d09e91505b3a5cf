"""What the fantasy pages show, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.fantasy.asof import Cuts
from app.fantasy.changes import Change
from app.fantasy.queries import GameweekRow, LeagueRow, Pick, Standing
from app.fantasy.rules import decimal_points
from app.fantasy.scoring import PRESETS
from app.record.page import OVER, stat_summary
from app.record.queries import GameRow
from app.record.words import clock_words, period_words


@dataclass(frozen=True)
class LeaguePage:
    """`at`: in words, the moment shown instead of now; `cuts`: the last event of each game then."""

    league: LeagueRow
    rules: str
    gameweek: GameweekRow
    games: tuple[GameRow, ...]
    table: tuple[Standing, ...]
    live: int
    over: bool
    at: str = ""
    cuts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PickRow:
    pick: Pick
    state: str
    summary: str
    points: str
    held: str


@dataclass(frozen=True)
class TeamPage:
    league: LeagueRow
    gameweek: GameweekRow
    team_name: str
    display_name: str
    picks: tuple[PickRow, ...]
    total: str
    changes: tuple[Change, ...]
    over: bool


def is_over(statuses: Sequence[str]) -> bool:
    """Nothing will move any more: there are games, and all are over."""
    return bool(statuses) and all(status in OVER for status in statuses)


def league_page(
    league: LeagueRow,
    gameweek: GameweekRow,
    games: Sequence[GameRow],
    table: Sequence[Standing],
    *,
    over: bool,
    cuts: Cuts | None = None,
) -> LeaguePage:
    return LeaguePage(
        league=league,
        rules=PRESETS[league.rules].title,
        gameweek=gameweek,
        games=tuple(games),
        table=tuple(table),
        live=sum(game.status == "live" for game in games),
        over=over or cuts is not None,
        at=cuts.words if cuts else "",
        cuts=cuts.numbers if cuts else {},
    )


def team_page(
    league: LeagueRow,
    gameweek: GameweekRow,
    team: tuple[str, str],
    picks: Sequence[Pick],
    changes: Sequence[Change],
    *,
    over: bool,
) -> TeamPage:
    """`team`: team name and member's name. The total counts the captain twice, as the league's table does."""
    rows = [
        PickRow(
            pick=pick,
            state=_state(pick),
            summary=stat_summary(pick.stats),
            points=decimal_points(pick.points * pick.multiplier),
            held=decimal_points(pick.held * pick.multiplier) if pick.held else "",
        )
        for pick in picks
    ]
    total = decimal_points(sum(pick.points * pick.multiplier for pick in picks))
    return TeamPage(league, gameweek, team[0], team[1], tuple(rows), total, tuple(changes), over)


def _state(pick: Pick) -> str:
    """`at HRB, Q3 4:12`; `v SUM, final`; `v SUM, Sun 17:00 UTC`; or that the club does not play."""
    if pick.game_id is None:
        return "does not play this week"
    if pick.status in OVER:
        return f"{pick.opponent}, final"
    if pick.status == "live":
        return f"{pick.opponent}, {period_words(pick.state['period'])} {clock_words(pick.state['clock'])}"
    assert pick.kickoff is not None
    return f"{pick.opponent}, {pick.kickoff:%a %H:%M} UTC"
