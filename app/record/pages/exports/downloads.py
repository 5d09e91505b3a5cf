"""The exports of a game: play-by-play as CSV, everything as JSON, and the game book.

The columns of the CSV are in wide_csv.py, the layout of the book in games/book.html.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import msgspec

from app.record.asof import valid_events
from app.record.events import body_to
from app.record.pages.box_score import BoxScore
from app.record.pages.drive_list import DriveRow, drive_rows, drives_of
from app.record.pages.exports.tables_csv import archive, participation_csv, tables_csv
from app.record.pages.exports.wide_csv import wide_csv
from app.record.pages.game_page import box_score_of, game_page
from app.record.pages.participation import ClubParticipation, participation
from app.record.pages.play_list import PlayRow
from app.record.pages.reading import Reading
from app.record.queries import DetailsRow
from app.record.rules.drives import drive_of_plays
from app.record.seal import figures_of
from app.record.verification import book_seal
from app.record.words import kickoff_words, period_words
from app.stream.signing import StreamKeys

JSON_VERSION = 1


def game_csv(reading: Reading) -> str:
    """Wide play-by-play of the valid events; `pressbox import pbp` reads it back."""
    return wide_csv(reading.game, valid_events(reading.events), reading.names)


def game_zip(reading: Reading, *, for_excel: bool = False) -> bytes:
    """The box score as an archive of CSV files."""
    box = box_score_of(reading.game, reading.events, reading.names, reading.lines)
    files = tables_csv(reading, box, drives_of(reading.game, reading.events))
    files |= participation_csv(participation_of(reading))
    return archive(files, for_excel=for_excel)


def participation_of(reading: Reading) -> tuple[ClubParticipation, ClubParticipation]:
    """Who took part, away club first."""
    return participation(reading.game, valid_events(reading.events), reading.people)


def sealed(reading: Reading, keys: StreamKeys) -> str:
    """The signed seal of the exported game, as one line.

    `pressbox verify GAME --book FILE` checks it.
    """
    game = reading.game
    figures = figures_of(game.status, (game.home_score, game.away_score), reading.lines)
    return book_seal(game.id, reading.at.number if reading.at else None, figures, keys).text


def game_json(reading: Reading, seal: str) -> dict[str, Any]:
    """All revisions of all events in wire form, by number and revision, and the stat lines.

    `seal`: see app/record/seal.py. `taken_by`: the correction that made the revision invalid.
    `recorded_at`: milliseconds since 1970, UTC.
    """
    game = reading.game
    return {
        "v": JSON_VERSION,
        "game": {
            "game_id": game.id,
            "season": game.season,
            "season_type": game.season_type,
            "week": game.week,
            "kickoff": game.kickoff.isoformat(),
            "time_zone": game.time_zone,
            "home": asdict(game.home),
            "away": asdict(game.away),
            "status": game.status,
            "home_score": game.home_score,
            "away_score": game.away_score,
        },
        "details": details_json(reading.details),
        "seal": seal,
        "as_of_event": reading.at.number if reading.at else reading.last,
        "events": [
            {
                "event_number": row.number,
                "revision": row.revision,
                "play_number": row.play_number,
                "valid": row.valid,
                "taken_by": row.taken_by,
                "recorded_at": row.recorded_at,
                "body": body_to(row.body),
            }
            for row in sorted(reading.events, key=lambda row: (row.number, row.revision))
        ],
        "stat_lines": [
            {
                "player_id": player,
                "name": reading.names.get(player, player),
                "team": team,
                "stats": stats,
            }
            for player, team, stats in reading.lines
        ],
        "participation": [asdict(side) for side in participation_of(reading)],
        "box_score": asdict(box_score_of(game, reading.events, reading.names, reading.lines)),
    }


def details_json(details: DetailsRow) -> dict[str, Any]:
    """The details of a game, with the officials by position."""
    return asdict(details) | {"officials": dict(details.officials)}


def game_json_text(reading: Reading, seal: str) -> str:
    """`game_json` as indented text with a final line feed."""
    return (
        msgspec.json.format(msgspec.json.encode(game_json(reading, seal)), indent=1).decode() + "\n"
    )


@dataclass(frozen=True)
class Part:
    """The plays of a drive, or those between two drives (`drive` None), in order.

    `period`: the heading if a period begins here, otherwise "".
    """

    period: str
    drive: DriveRow | None
    plays: tuple[PlayRow, ...]


@dataclass(frozen=True)
class Book:
    """The game book. Its `parts` show each play as the officials ruled it.

    `slips`: the plays in which the scorer corrected an entry, in order.
    """

    reading: Reading
    periods: tuple[str, ...]
    status: str
    kickoff: str
    box_score: BoxScore
    parts: tuple[Part, ...]
    slips: tuple[PlayRow, ...]
    seal: str
    details: tuple[tuple[str, str], ...]
    participation: tuple[ClubParticipation, ClubParticipation]


def game_book(reading: Reading, seal: str) -> Book:
    """Score by period, scoring summary, clubs, players, who took part, and every play by drive."""
    game, events = reading.game, reading.events
    page = game_page(game, events, reading.names, reading.lines, reading.at)
    return Book(
        reading=reading,
        periods=page.periods,
        status=page.period,
        kickoff=kickoff_words(game.kickoff, game.time_zone),
        box_score=box_score_of(game, events, reading.names, reading.lines),
        parts=tuple(_parts(reading, page.plays[::-1])),
        slips=page.with_slips[::-1],
        seal=seal,
        details=details_words(reading.details),
        participation=participation_of(reading),
    )


def details_words(details: DetailsRow) -> tuple[tuple[str, str], ...]:
    """The known details as labels and words, the officials last."""
    general = (
        ("Stadium", details.stadium),
        ("Surface", details.surface),
        ("Weather", details.weather),
        ("Attendance", "" if details.attendance is None else f"{details.attendance:,}"),
        ("Kickoff, stadium's clock", details.started),
        ("End, stadium's clock", details.ended),
    )
    return (*((label, words) for label, words in general if words), *details.officials)


def _parts(reading: Reading, plays: tuple[PlayRow, ...]) -> list[Part]:
    rows = {row.number: row for row in drive_rows(reading.game, reading.events)}
    drive_of = drive_of_plays(
        drives_of(reading.game, reading.events), (play.number for play in plays)
    )
    parts: list[Part] = []
    before = 0
    official = [play for play in plays if play.situation or play.official_lines]
    for (period, drive), group in groupby(
        official, key=lambda play: (play.period, drive_of.get(play.number))
    ):
        goes_on = drive is not None and bool(parts) and parts[-1].drive is rows[drive]
        heading = period_words(period) if period != before else ""
        parts.append(
            Part(heading, rows[drive] if drive is not None and not goes_on else None, tuple(group))
        )
        before = period
    return parts
