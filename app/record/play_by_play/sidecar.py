"""Finds and reads the sidecar files of a play-by-play file, all of them optional.

These are games, schedules, players, rosters, clubs, known gaps and first calls. Their columns are
nflverse's or those of our own test data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time
from functools import cached_property
from pathlib import Path

from app.core.csv_files import Row, read_rows
from app.record.play_by_play import first_calls
from app.record.rules.clubs import player_id, same_club
from app.record.script import Club


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game in a schedule. `kickoff` is Eastern time."""

    season: int | None
    season_type: str | None
    week: int | None
    day: str | None
    kickoff: time | None
    home_score: int | None
    away_score: int | None


@dataclass(frozen=True, slots=True)
class RosterPlayer:
    """A player in a list of players or a roster."""

    name: str | None
    position: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Gap:
    """Points without a play in the file, after the play with this id."""

    after_play: int | None
    team: str
    points: int
    kicker: str | None


class Neighbours:
    """The tables in the folder of a play-by-play file and its parent, each read on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _rows(self, *patterns: str, key: str) -> Iterator[Row]:
        """The rows of the matching files; a file without the key column is of another kind."""
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
        fixtures: dict[str, Fixture] = {}
        for row in self._rows("games", "schedule*", key="game_id"):
            fixture = Fixture(
                season=row.season("season"),
                season_type=row.text("season_type", "game_type"),
                week=row.number("week"),
                day=row.text("gameday", "game_date"),
                kickoff=row.time_of_day("kickoff_et", "gametime"),
                home_score=row.number("home_score"),
                away_score=row.number("away_score"),
            )
            for game_id in (row.text("game_id"), row.text("old_game_id")):
                if game_id is not None:
                    fixtures.setdefault(game_id, fixture)
        return fixtures

    def fixture(self, game_ids: tuple[str, ...]) -> Fixture | None:
        """The game's row in games.csv or a schedule, whichever comes first."""
        return next(
            (self._fixtures[game_id] for game_id in game_ids if game_id in self._fixtures), None
        )

    @cached_property
    def people(self) -> dict[str, RosterPlayer]:
        """Players by id, from players.csv and rosters."""
        people: dict[str, RosterPlayer] = {}
        for row in self._rows("players", "roster*", key="player_id|gsis_id"):
            player = player_id(row.text("player_id", "gsis_id"))
            if player is not None:
                name = row.text("full_name", "display_name", "player_name")
                people.setdefault(
                    player,
                    RosterPlayer(name, row.text("position") or "", row.number("jersey_number")),
                )
        return people

    @cached_property
    def _clubs(self) -> list[tuple[tuple[str, ...], Club]]:
        clubs = []
        for row in self._rows("teams*", key="team|team_abbr"):
            names = tuple(filter(None, (row.text("team", "team_abbr"), row.text("alias"))))
            name = row.text("name", "team_name")
            if names and name:
                nickname, colour = row.text("nickname", "team_nick") or "", row.text("team_color")
                club = Club(names[0], name, nickname)
                clubs.append((names, replace(club, colour=colour) if colour else club))
        return clubs

    def club(self, club: str) -> Club:
        """The club as teams.csv has it, with `club` as its id.

        If no file has the club, `club` is its name too.
        """
        listed = next(
            (
                candidate
                for names, candidate in self._clubs
                if any(same_club(club, name) for name in names)
            ),
            None,
        )
        return replace(listed, id=club) if listed else Club(club, club)

    @cached_property
    def _calls(self) -> dict[str, list[Row]] | None:
        file = next(self._files(("corrections",)), None)
        if file is None:
            return None
        calls: dict[str, list[Row]] = {}
        for row in read_rows(file, first_calls.COLUMNS, first_calls.WHAT, first_calls.REMEDY):
            calls.setdefault(row.needed("game_id", "old_game_id"), []).append(row)
        return calls

    def calls(self, game_ids: tuple[str, ...]) -> list[Row] | None:
        """The game's rows of the nearest corrections.csv; None if there is no such file.

        Raises:
            FileError: The file is not valid.
        """
        if self._calls is None:
            return None
        return [row for game_id in game_ids for row in self._calls.get(game_id, [])]

    def gaps(self, game_ids: tuple[str, ...]) -> list[Gap]:
        """The scores without a play in the file, from known_gaps.csv."""
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
