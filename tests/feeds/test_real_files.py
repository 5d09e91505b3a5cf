"""The publisher's files of four seasons through their feeds, beside a plain reading of each.

The values expected here come from the files, read with `csv` alone, and from the publisher's
list of roster status codes.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.rankings.queries import bye_weeks
from app.fantasy.market.models import FootballerSeason, Season
from app.feeds import running, services
from app.feeds.running import RunReport
from app.record.models import Footballer, Game
from app.record.rules.team_defence import POSITION
from tests.conftest import REAL_GAMES

pytestmark = [pytest.mark.realgames, pytest.mark.breadth("real files of four seasons")]

NFLVERSE = REAL_GAMES / "nflverse"
NOW = datetime(2026, 9, 1, tzinfo=UTC)
NEW_YORK = ZoneInfo("America/New_York")
SEASONS = pytest.mark.parametrize(
    "year", [2026, *(pytest.param(year, marks=pytest.mark.full) for year in (2021, 2023, 2025))]
)
STATUSES = {
    "ACT": "available",
    **dict.fromkeys(("INA", "DEV", "EXE", "E14"), "doubtful"),
    **dict.fromkeys(("RES", "PUP"), "injured"),
    **dict.fromkeys(("CUT", "RET", "TRC", "TRD", "TRT"), "left"),
}
PLACES = {"QB", "RB", "FB", "WR", "TE", "K", "DL", "DE", "DT", "NT"}
PLACES |= {"LB", "ILB", "MLB", "OLB", "EDGE", "DB", "CB", "S", "SS", "FS"}


def followed(year: int) -> dict[str, RunReport]:
    """What one round of the feeds of a season said, by their kind."""
    feeds = services.add(services.Following("nflverse", year, str(NFLVERSE)), NOW)
    of_season = {feed.kind: feed.id for feed in feeds if feed.season == year}
    order = ("schedule", "rosters", "injuries")
    return {kind: running.run(of_season[kind], NOW) for kind in order}


def published_games(year: int) -> list[dict[str, str]]:
    with (NFLVERSE / "games.csv").open(newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["season"] == str(year)]


def published_players(year: int) -> Iterator[dict[str, str]]:
    with gzip.open(NFLVERSE / f"roster_{year}.csv.gz", "rt", newline="") as lines:
        yield from csv.DictReader(lines)


def kickoff(row: dict[str, str]) -> datetime:
    return datetime.fromisoformat(f"{row['gameday']}T{row['gametime']}").replace(tzinfo=NEW_YORK)


def has_place(row: dict[str, str]) -> bool:
    """Whether a lineup has a place for the position, or else for the finer one of the file."""
    return bool(PLACES & {row["position"], row["depth_chart_position"] or row["ngs_position"]})


@SEASONS
def test_every_game_club_and_bye_is_as_in_the_file(app: Flask, year: int) -> None:
    followed(year)
    rows = published_games(year)
    stored = {
        game.id: (game.week, game.away_id, game.home_id, game.kickoff)
        for game in db.session.scalars(select(Game).where(Game.season == year))
    }
    assert stored == {
        row["game_id"]: (int(row["week"]), row["away_team"], row["home_team"], kickoff(row))
        for row in rows
    }
    regular = [row for row in rows if row["game_type"] == "REG"]
    weeks = {int(row["week"]) for row in regular}
    played = {
        club: {int(row["week"]) for row in regular if club in (row["home_team"], row["away_team"])}
        for club in {row["home_team"] for row in regular}
    }
    assert all(len(weeks - of_club) == 1 for of_club in played.values()), "one bye each"
    season_id = db.session.scalars(
        select(Season.id).where(Season.season == year, Season.season_type == "REG")
    ).one()
    assert bye_weeks(season_id) == {club: min(weeks - of_club) for club, of_club in played.items()}


@SEASONS
def test_every_player_club_and_status_is_as_in_the_file(app: Flask, year: int) -> None:
    reports = followed(year)
    rows = {row["gsis_id"]: row for row in published_players(year)}
    nameless = rows.pop("", None)
    players = {
        player.id: (player.name, player.club_id, player.position, player.number)
        for player in db.session.scalars(select(Footballer).where(Footballer.position != POSITION))
    }
    assert players == {
        player_id: (
            row["full_name"],
            row["team"],
            row["position"],
            int(row["jersey_number"]) if row["jersey_number"] else None,
        )
        for player_id, row in rows.items()
    }
    on_market = {
        player.footballer_id: player.roster_status
        for player in db.session.scalars(
            select(FootballerSeason).where(FootballerSeason.position != POSITION)
        )
    }
    assert on_market == {
        player_id: STATUSES[row["status"]] for player_id, row in rows.items() if has_place(row)
    }
    left_out = ("1 row without a player ID was left out.",) if nameless else ()
    assert reports["rosters"].entered.findings == left_out
