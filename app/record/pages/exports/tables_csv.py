"""The box score as CSV, one file a table, in one archive: for spreadsheets and databases, so
numbers and no words.

Lives here: the files and their columns (docs/exports.md lists them). Not here: play-by-play
(wide_csv.py). Pure.
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

# By the title of its table (box_tables.py): the statistics of a player's file, in the order of its
# columns.
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
    "Defence": (
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
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of the archive's entries: the same game gives the same bytes


def tables_csv(reading: Reading, box: BoxScore, series: Sequence[Drive]) -> dict[str, str]:
    """Text by file name: a file for each table of players, `clubs.csv`, `scoring.csv`,
    `drives.csv`, `game.csv` with attendance and weather, `officials.csv`.

    Clubs away first, players as in the box score, scores and drives in the order of the game. Yard
    lines are counted from the goal line of the club in possession.
    """
    lines = whole_lines(
        snapped(valid_events(reading.events)), reading.lines, rulebook_of(reading.game)
    )
    found = {}
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
        found[f"{title.lower()}.csv"] = csv_text(("club", "player_id", "name", *columns), rows)
    game = reading.game
    scored = zip(
        (game.away.id, game.home.id), (game.away_score, game.home_score), box.figures, strict=True
    )
    found["clubs.csv"] = csv_text(
        ("club", "points", *(field.name for field in fields(ClubFigures))),
        [[club, points or 0, *asdict(figures).values()] for club, points, figures in scored],
    )
    found["scoring.csv"] = csv_text(
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
    told = reading.details
    found["officials.csv"] = csv_text(("position", "name"), told.officials)
    columns = ("game_id", "season", "season_type", "week", "kickoff", "away", "home", "status")
    about = [
        game.id,
        game.season,
        game.season_type,
        game.week,
        game.kickoff.isoformat(),
        game.away.id,
        game.home.id,
    ]
    more = ("time_zone", "attendance", "stadium", "surface", "weather", "started", "ended")
    attended = "" if told.attendance is None else told.attendance
    found["game.csv"] = csv_text(
        (*columns, *more),
        [
            [
                *about,
                game.status,
                game.time_zone or "",
                attended,
                told.stadium,
                told.surface,
                told.weather,
                told.started,
                told.ended,
            ]
        ],
    )
    found["drives.csv"] = csv_text(
        _DRIVE_COLUMNS, [[getattr(drive, column) for column in _DRIVE_COLUMNS] for drive in series]
    )
    return found


def participation_csv(sides: Sequence[ClubParticipation]) -> dict[str, str]:
    """`participation.csv`, a row a person, and `substitutions.csv`, a row for each thing said of
    one, both by club.
    """
    columns = ("player_id", "name", "number", "position", "unit", "took_part", "status")
    rows = [(side.club_id, one) for side in sides for one in side.players]
    about = [
        [club, *("" if (cell := getattr(one, name)) is None else cell for name in columns)]
        for club, one in rows
    ]
    changes = [
        [
            club,
            one.player_id,
            one.name,
            change.status,
            change.play_number,
            change.period,
            change.clock,
        ]
        for club, one in rows
        for change in one.changes
    ]
    changed = ("club", "player_id", "name", "status", "play", "period", "clock")
    return {
        "participation.csv": csv_text(("club", *columns), about),
        "substitutions.csv": csv_text(changed, changes),
    }


def archive(files: Mapping[str, str], *, for_excel: bool = False) -> bytes:
    """The files as a ZIP archive. `for_excel`: each with a byte order mark."""
    mark = BYTE_ORDER_MARK if for_excel else ""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files.items():
            made.writestr(zipfile.ZipInfo(name, _FIRST_DAY), mark + text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _cell(stats: Mapping[str, int], column: str) -> str:
    match column:
        case "sacks":
            return halves(stats.get("half_sacks", 0))
        case "tackles":
            return str(stats.get("tackles_solo", 0) + stats.get("tackles_assist", 0))
    return str(stats.get(column, 0))
