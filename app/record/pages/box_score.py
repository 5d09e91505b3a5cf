"""The box score of a game as values: tables of each club's players and club totals. Pure.

Players' numbers come from stat lines. Punts and return yards, which stat lines do not have, come
from the events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.record.pages.box_tables import TABLES, TableSpec, average
from app.record.pages.scoring_summary import Score, scoring_summary
from app.record.queries import ClubRow, GameRow
from app.record.rules.box_statistics import kicking_lines, returns_and_longs
from app.record.rules.club_figures import ClubFigures, charged, club_figures
from app.record.rules.drives import Snapped, snapped
from app.record.rules.football.rulebook import Rulebook, rulebook_of
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import OVER
from app.record.words import clock_words


@dataclass(frozen=True)
class Total:
    """A row of club totals, as text."""

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


def _totals(away: ClubFigures, home: ClubFigures) -> tuple[Total, ...]:
    return tuple(Total(label, cell(away), cell(home)) for label, cell in _ROWS)


Lines = Sequence[tuple[str, str, dict[str, int]]]
WholeLines = Mapping[str, tuple[str, Mapping[str, int]]]


@dataclass(frozen=True)
class PlayerRow:
    """A player's cells in a table, in the order of its columns."""

    player_id: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One part of a club's box score.

    `columns`: abbreviation and meaning. `rows` may be empty.
    """

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[PlayerRow, ...]


@dataclass(frozen=True)
class ClubBoxScore:
    """The tables of one club's players."""

    club: ClubRow
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class BoxScore:
    """A game's box score, away club first. `totals` are the `figures` as text."""

    clubs: tuple[ClubBoxScore, ...]
    figures: tuple[ClubFigures, ClubFigures]
    totals: tuple[Total, ...]
    scores: tuple[Score, ...]


def box_score(
    game: GameRow, events: Sequence[Numbered], lines: Lines, names: Mapping[str, str]
) -> BoxScore:
    """The box score of these valid events.

    Players are ordered by the main figure of their table, highest first, then by id.
    """
    plays = snapped(events)
    book = rulebook_of(game)
    whole = whole_lines(plays, lines, book)
    clubs = (game.away, game.home)
    of = club_figures(
        events, plays, (game.away.id, game.home.id), is_over=game.status in OVER, book=book
    )
    figures = (of[game.away.id], of[game.home.id])
    return BoxScore(
        clubs=tuple(
            ClubBoxScore(club, tuple(_table(spec, club.id, whole, names) for spec in TABLES))
            for club in clubs
        ),
        figures=figures,
        totals=_totals(*figures),
        scores=scoring_summary(game, events, names),
    )


def whole_lines(
    plays: Sequence[Snapped], lines: Lines, book: Rulebook
) -> dict[str, tuple[str, dict[str, int]]]:
    """Each player's club and complete statistics, by player.

    To the stat lines are added punts, return yards and longest gains, which only the plays have.
    Sacks count as the rulebook says.
    """
    kicked = kicking_lines(plays)
    for person, stats in returns_and_longs(plays).items():
        kicked[person] = kicked.get(person, {}) | stats
    whole = {
        player: (club, stats | kicked.pop((player, club), {})) for player, club, stats in lines
    }
    for (player, club), stats in kicked.items():
        whole.setdefault(player, (club, dict(stats)))
    return {player: (club, charged(stats, book)) for player, (club, stats) in whole.items()}


def in_table(spec: TableSpec, club: str, lines: WholeLines) -> list[tuple[str, Mapping[str, int]]]:
    """The club's players in a table, with their statistics.

    They are ordered by the table's main figure, highest first, then by id.
    """
    _, triggers, _, order = spec
    of_club = [
        (player, stats)
        for player, (team, stats) in lines.items()
        if team == club and any(stats.get(trigger) for trigger in triggers)
    ]
    return sorted(of_club, key=lambda row: (-sum(row[1].get(stat, 0) for stat in order), row[0]))


def _table(
    spec: TableSpec,
    club: str,
    lines: WholeLines,
    names: Mapping[str, str],
) -> Table:
    title, _, columns, _ = spec
    return Table(
        title,
        tuple((short, meaning) for short, meaning, _ in columns),
        tuple(
            PlayerRow(
                player, names.get(player, player), tuple(cell(stats) for _, _, cell in columns)
            )
            for player, stats in in_table(spec, club, lines)
        ),
    )
