"""Sidecar files of a play-by-play file: games, schedule, players, rosters, clubs, known gaps, first
calls.

Lives here: finding and reading them; all are optional. Their columns are nflverse's, or those of
our own test data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from app.core.csv_files import Row, read_rows
from app.record.play_by_play import first_calls
from app.record.rules.clubs import player_id, same_club
from app.record.script import Club


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


class Neighbours:
    """The tables in the folder of a play-by-play file and in the one above, each read when first
    asked for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def _rows(self, *patterns: str, key: str) -> Iterator[Row]:
        """Rows of the files that are what their name says: one without the key column is somebody
        else's.
        """
        for file in self._files(patterns):
            for row in read_rows(file, (), "a table"):
                if not any(name in row for name in key.split("|")):
                    break
                yield row

    def _files(self, patterns: tuple[str, ...]) -> Iterator[Path]:
        for folder in (self._path.parent, self._path.parent.parent):
            for pattern in patterns:
                for suffix in (".csv", ".csv.gz"):
                    yield from (
                        file for file in sorted(folder.glob(pattern + suffix)) if file != self._path
                    )

    @cached_property
    def _fixtures(self) -> dict[str, Fixture]:
        found: dict[str, Fixture] = {}
        for row in self._rows("games", "schedule*", key="game_id"):
            fixture = Fixture(
                season=row.season("season"),
                season_type=row.text("season_type", "game_type"),
                week=row.number("week"),
                day=row.text("gameday", "game_date"),
                kickoff=row.text("kickoff_et", "gametime"),
                home_score=row.number("home_score"),
                away_score=row.number("away_score"),
            )
            for game_id in (row.text("game_id"), row.text("old_game_id")):
                if game_id is not None:
                    found.setdefault(game_id, fixture)
        return found

    def fixture(self, game_ids: tuple[str, ...]) -> Fixture | None:
        """The game's line in games.csv or a schedule, whichever is found first."""
        return next(
            (self._fixtures[game_id] for game_id in game_ids if game_id in self._fixtures), None
        )

    @cached_property
    def people(self) -> dict[str, Person]:
        """Players by id, from players.csv and rosters."""
        found: dict[str, Person] = {}
        for row in self._rows("players", "roster*", key="player_id|gsis_id"):
            known = player_id(row.text("player_id", "gsis_id"))
            if known is not None:
                name = row.text("full_name", "display_name", "player_name")
                found.setdefault(
                    known, Person(name, row.text("position") or "", row.number("jersey_number"))
                )
        return found

    @cached_property
    def _clubs(self) -> list[tuple[tuple[str, ...], Club]]:
        found = []
        for row in self._rows("teams*", key="team|team_abbr"):
            names = tuple(filter(None, (row.text("team", "team_abbr"), row.text("alias"))))
            name = row.text("name", "team_name")
            if names and name:
                nickname, colour = row.text("nickname", "team_nick") or "", row.text("team_color")
                club = Club(names[0], name, nickname)
                found.append((names, replace(club, colour=colour) if colour else club))
        return found

    def club(self, club: str) -> Club:
        """The club as teams.csv has it, under the given abbreviation.

        Which is its name where no file knows it.
        """
        known = next(
            (found for names, found in self._clubs if any(same_club(club, name) for name in names)),
            None,
        )
        return replace(known, id=club) if known else Club(club, club)

    @cached_property
    def _calls(self) -> dict[str, list[Row]] | None:
        file = next(self._files(("corrections",)), None)
        if file is None:
            return None
        found: dict[str, list[Row]] = {}
        for row in read_rows(file, first_calls.COLUMNS, first_calls.WHAT, first_calls.REMEDY):
            found.setdefault(row.needed("game_id", "old_game_id"), []).append(row)
        return found

    def calls(self, game_ids: tuple[str, ...]) -> list[Row] | None:
        """The game's rows of corrections.csv, the nearest one; None where there is no such file.

        Raises FileError.
        """
        if self._calls is None:
            return None
        return [row for game_id in game_ids for row in self._calls.get(game_id, [])]

    def gaps(self, game_ids: tuple[str, ...]) -> list[Gap]:
        """Plays known to be missing from the file: scores that known_gaps.csv names."""
        return [
            Gap(
                row.number("after_play_id"),
                row.needed("team"),
                row.number("points") or 0,
                player_id(row.text("kicker_player_id")),
            )
            for row in self._rows("known_gaps", key="game_id")
            if row.text("game_id") in game_ids
        ]
