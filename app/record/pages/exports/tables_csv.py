"""The box score as CSV files in one archive, one file per table. Pure.

The cells are numbers rather than words, for spreadsheets and databases. docs/exports.md lists the
files and columns; play-by-play is in wide_csv.py.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields

from app.core.csv_writing import BYTE_ORDER_MARK, csv_text
from app.record.asof import valid_events
from app.record.pages.box_score import BoxScore, in_table, whole_lines
from app.record.pages.box_tables import TABLES, halves
from app.record.pages.participation import ClubParticipation
from app.record.pages.reading import Reading
from app.record.rules.club_figures import ClubFigures
from app.record.rules.drives import Drive, snapped
from app.record.rules.football.rulebook import rulebook_of

# The statistics in the file of each table of players, by the table's title (box_tables.py), in the
# order of the columns.
PLAYER_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "Passing": (
        *(
            "completions",
            "attempts",
            "passing_yards",
            "passing_tds",
            "passing_interceptions",
            "passing_long",
        ),
        *("sacks_suffered", "sack_yards_lost", "passing_2pt"),
    ),
    "Rushing": ("carries", "rushing_yards", "rushing_tds", "rushing_long", "rushing_2pt"),
    "Receiving": (
        "receptions",
        "targets",
        "receiving_yards",
        "receiving_tds",
        "receiving_long",
        "receiving_2pt",
    ),
    "Fumbles": (
        "fumbles",
        "fumbles_lost",
        "fumbles_recovered_own",
        "fumbles_recovered_opp",
        "fumble_return_yards",
        "fumble_recovery_tds",
    ),
    "Defense": (
        *(
            "tackles_solo",
            "tackles_with_assist",
            "tackle_assists",
            "tackles",
            "sacks",
            "tackles_for_loss",
            "qb_hits",
        ),
        *(
            "passes_defended",
            "fumbles_forced",
            "interceptions_made",
            "kicks_blocked",
            "safeties",
            "def_tds",
        ),
    ),
    "Interceptions": (
        "interceptions_made",
        "interception_return_yards",
        "interception_return_long",
    ),
    "Kicking": ("fg_made", "fg_att", "fg_long", "fg_blocked", "pat_made", "pat_att"),
    "Punting": ("punts", "punt_yards", "punt_long", "punt_touchbacks", "punts_inside_20"),
    "Kickoffs": ("kickoffs", "kickoff_touchbacks", "kickoffs_out_of_bounds"),
    "Returns": (
        *("kickoff_returns", "kickoff_return_yards", "kickoff_return_long"),
        *("punt_returns", "punt_return_yards", "punt_return_long", "special_teams_tds"),
    ),
}
_DRIVE_COLUMNS = tuple(
    field.name for field in fields(Drive) if field.name not in ("first_play", "last_play")
)
_FIRST_DAY = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # a fixed date for all entries, so that the same game gives the same bytes


def tables_csv(reading: Reading, box: BoxScore, series: Sequence[Drive]) -> dict[str, str]:
    """The files of the box score as text by file name.

    There is a file for each table of players, `clubs.csv`, `scoring.csv`, `drives.csv`, `game.csv`
    with attendance and weather, and `officials.csv`. The away club comes first, players are ordered
    as in the box score, scores and drives as in the game. Yard lines are counted from the goal line
    of the club in possession.
    """
    lines = whole_lines(
        snapped(valid_events(reading.events)), reading.lines, rulebook_of(reading.game)
    )
    files = {}
    for spec in TABLES:
        title, columns = spec[0], PLAYER_COLUMNS[spec[0]]
        rows = [
            [
                club.id,
                player,
                reading.names.get(player, player),
                *(_cell(stats, column) for column in columns),
            ]
            for club in (reading.game.away, reading.game.home)
            for player, stats in in_table(spec, club.id, lines)
        ]
        files[f"{title.lower()}.csv"] = csv_text(("club", "player_id", "name", *columns), rows)
    game = reading.game
    club_rows = zip(
        (game.away.id, game.home.id), (game.away_score, game.home_score), box.figures, strict=True
    )
    files["clubs.csv"] = csv_text(
        ("club", "points", *(field.name for field in fields(ClubFigures))),
        [[club, points or 0, *asdict(figures).values()] for club, points, figures in club_rows],
    )
    files["scoring.csv"] = csv_text(
        ("play", "club", "when", "what", game.away.id, game.home.id, "drive"),
        [
            [
                score.play_number,
                score.club_id,
                score.clock,
                score.words,
                score.away,
                score.home,
                score.drive or "",
            ]
            for score in box.scores
        ],
    )
    details = reading.details
    files["officials.csv"] = csv_text(("position", "name"), details.officials)
    columns = ("game_id", "season", "season_type", "week", "kickoff", "away", "home", "status")
    identity = [
        game.id,
        game.season,
        game.season_type,
        game.week,
        game.kickoff.isoformat(),
        game.away.id,
        game.home.id,
    ]
    detail_columns = (
        "time_zone",
        "attendance",
        "stadium",
        "surface",
        "weather",
        "started",
        "ended",
    )
    attendance = "" if details.attendance is None else details.attendance
    files["game.csv"] = csv_text(
        (*columns, *detail_columns),
        [
            [
                *identity,
                game.status,
                game.time_zone or "",
                attendance,
                details.stadium,
                details.surface,
                details.weather,
                details.started,
                details.ended,
            ]
        ],
    )
    files["drives.csv"] = csv_text(
        _DRIVE_COLUMNS, [[getattr(drive, column) for column in _DRIVE_COLUMNS] for drive in series]
    )
    return files


def participation_csv(sides: Sequence[ClubParticipation]) -> dict[str, str]:
    """The people of a game, one row per person, and their roster entries, one row per entry.

    The files are `participation.csv` and `substitutions.csv`, both ordered by club.
    """
    columns = ("player_id", "name", "number", "position", "unit", "took_part", "status")
    people = [(side.club_id, person) for side in sides for person in side.players]
    rows = [
        [club, *("" if (cell := getattr(person, name)) is None else cell for name in columns)]
        for club, person in people
    ]
    changes = [
        [
            club,
            person.player_id,
            person.name,
            change.status,
            change.play_number,
            change.period,
            change.clock,
        ]
        for club, person in people
        for change in person.changes
    ]
    change_columns = ("club", "player_id", "name", "status", "play", "period", "clock")
    return {
        "participation.csv": csv_text(("club", *columns), rows),
        "substitutions.csv": csv_text(change_columns, changes),
    }


def archive(files: Mapping[str, str], *, for_excel: bool = False) -> bytes:
    """The files as a ZIP archive, for Excel each with a byte order mark."""
    mark = BYTE_ORDER_MARK if for_excel else ""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, text in files.items():
            zip_file.writestr(zipfile.ZipInfo(name, _FIRST_DAY), mark + text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _cell(stats: Mapping[str, int], column: str) -> str:
    match column:
        case "sacks":
            return halves(stats.get("half_sacks", 0))
        case "tackles":
            return str(stats.get("tackles_solo", 0) + stats.get("tackles_assist", 0))
    return str(stats.get(column, 0))
