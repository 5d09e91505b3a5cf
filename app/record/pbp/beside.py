"""What lies beside a play-by-play file and helps: games, schedule, players, rosters, clubs, known gaps.

Lives here: finding and reading them; all are optional. Their columns are nflverse's, or those of our own test data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from app.record.pbp.clubs import player_id, same_club
from app.record.pbp.table import Row, read_rows


@dataclass(frozen=True, slots=True)
class Fixture:
    """`kickoff` as printed (Eastern time, HH:MM)."""

    season: int | None
    season_type: str | None
    week: int | None
    day: str | None
    kickoff: str | None
    home_score: int | None
    away_score: int | None


@dataclass(frozen=True, slots=True)
class Person:
    name: str | None
    position: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Gap:
    """Points that the file lacks a play for, after the play with this id."""

    after_play: int | None
    team: str
    points: int
    kicker: str | None


def _files(path: Path, *patterns: str) -> list[Path]:
    folders = dict.fromkeys((path.parent, path.parent.parent))
    return [
        file
        for folder in folders
        for pattern in patterns
        for suffix in (".csv", ".csv.gz")
        for file in sorted(folder.glob(pattern + suffix))
        if file != path
    ]


def _rows(path: Path, *patterns: str, key: str) -> Iterator[Row]:
    """Rows of the files that are what their name says: one without the key column is somebody else's."""
    for file in _files(path, *patterns):
        for row in read_rows(file, (), "a table"):
            if not any(name in row for name in key.split("|")):
                break
            yield row


def fixture(path: Path, game_ids: tuple[str, ...]) -> Fixture | None:
    """The game's line in games.csv or a schedule, whichever is found first."""
    return next((found for ids, found in _fixtures(path.parent) if ids & set(game_ids)), None)


@lru_cache(maxsize=4)
def _fixtures(folder: Path) -> tuple[tuple[frozenset[str], Fixture], ...]:
    return tuple(
        (
            frozenset(filter(None, (row.text("game_id"), row.text("old_game_id")))),
            Fixture(
                season=row.number("season"),
                season_type=row.text("season_type", "game_type"),
                week=row.number("week"),
                day=row.text("gameday", "game_date"),
                kickoff=row.text("kickoff_et", "gametime"),
                home_score=row.number("home_score"),
                away_score=row.number("away_score"),
            ),
        )
        for row in _rows(folder / "any", "games", "schedule*", key="game_id")
    )


@lru_cache(maxsize=4)
def people(folder: Path) -> dict[str, Person]:
    """Players by id, from players.csv and rosters in this folder and the one above."""
    found: dict[str, Person] = {}
    for row in _rows(folder / "any", "players", "roster*", key="player_id|gsis_id"):
        known = player_id(row.text("player_id", "gsis_id"))
        if known is not None:
            found.setdefault(
                known,
                Person(
                    name=row.text("full_name", "display_name", "player_name"),
                    position=row.text("position") or "",
                    number=row.number("jersey_number"),
                ),
            )
    return found


def club_names(path: Path, club: str) -> tuple[str, str, str | None]:
    """Full name, nickname and colour of a club; its abbreviation where no teams.csv knows it."""
    for row in _rows(path, "teams", key="team|team_abbr"):
        names = filter(None, (row.text("team", "team_abbr"), row.text("alias")))
        if any(same_club(club, name) for name in names):
            name = row.text("name", "team_name") or club
            return name, row.text("nickname", "team_nick") or "", row.text("team_color")
    return club, "", None


def gaps(path: Path, game_ids: tuple[str, ...]) -> list[Gap]:
    """Plays known to be missing from the file: scores that known_gaps.csv names."""
    return [
        Gap(row.number("after_play_id"), row.needed("team"), row.number("points") or 0, row.text("kicker_player_id"))
        for row in _rows(path, "known_gaps", key="game_id")
        if row.text("game_id") in game_ids
    ]
