"""The box score of a game as values: tables of each club's players and club totals. Pure.

Numbers of players come from stat lines; punts and the yards of returns, which no stat line holds,
from the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.record.pages.box_tables import TABLES, TableSpec
from app.record.pages.box_totals import Total, totals
from app.record.pages.scoring_summary import Score, scoring_summary
from app.record.queries import ClubRow, GameRow
from app.record.rules.box import kicking_lines, returns_and_longs
from app.record.rules.club_figures import ClubFigures, club_figures
from app.record.rules.drives import Snapped, snapped
from app.record.rules.football.rulebook import Rulebook, rulebook_of
from app.record.rules.sacks import charged
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import OVER

Lines = Sequence[tuple[str, str, dict[str, int]]]
WholeLines = Mapping[str, tuple[str, Mapping[str, int]]]


@dataclass(frozen=True)
class PlayerRow:
    player_id: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One part of a club's box score.

    `columns`: abbreviation and what it means; `rows` may be empty.
    """

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[PlayerRow, ...]


@dataclass(frozen=True)
class ClubBoxScore:
    club: ClubRow
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class BoxScore:
    """Away club first, as everywhere. `figures`: what `totals` are written from."""

    clubs: tuple[ClubBoxScore, ...]
    figures: tuple[ClubFigures, ClubFigures]
    totals: tuple[Total, ...]
    scores: tuple[Score, ...]


def box_score(
    game: GameRow, events: Sequence[Numbered], lines: Lines, names: Mapping[str, str]
) -> BoxScore:
    """The box score of these valid events.

    Players by their main figure, the most first, then by id.
    """
    plays = snapped(events)
    book = rulebook_of(game)
    whole = whole_lines(plays, lines, book)
    clubs = (game.away, game.home)
    of = club_figures(
        events, plays, (game.away.id, game.home.id), over=game.status in OVER, book=book
    )
    figures = (of[game.away.id], of[game.home.id])
    return BoxScore(
        clubs=tuple(
            ClubBoxScore(club, tuple(_table(spec, club.id, whole, names) for spec in TABLES))
            for club in clubs
        ),
        figures=figures,
        totals=totals(*figures),
        scores=scoring_summary(game, events, names),
    )


def whole_lines(
    plays: Sequence[Snapped], lines: Lines, book: Rulebook
) -> dict[str, tuple[str, dict[str, int]]]:
    """By player: club, and their stat line with what only the plays say: punts, yards of returns,
    longest gains.

    Sacks count as the rulebook has it.
    """
    kicked = kicking_lines(plays)
    for who, more in returns_and_longs(plays).items():
        kicked[who] = kicked.get(who, {}) | more
    whole = {
        player: (club, stats | kicked.pop((player, club), {})) for player, club, stats in lines
    }
    for (player, club), stats in kicked.items():
        whole.setdefault(player, (club, dict(stats)))
    return {player: (club, charged(stats, book)) for player, (club, stats) in whole.items()}


def in_table(spec: TableSpec, club: str, lines: WholeLines) -> list[tuple[str, Mapping[str, int]]]:
    """Who of the club stands in the table: player and figures, by the table's main figure, the most
    first, then id.
    """
    _, triggers, _, order = spec
    of_club = [
        (player, stats)
        for player, (team, stats) in lines.items()
        if team == club and any(stats.get(trigger) for trigger in triggers)
    ]
    return sorted(of_club, key=lambda one: (-sum(one[1].get(stat, 0) for stat in order), one[0]))


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
