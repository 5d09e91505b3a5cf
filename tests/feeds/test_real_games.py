"""The real games at hand, as one file of a season that a feed follows."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.fantasy.scoring.export import points_rows
from app.fantasy.scoring.points import store_player_points
from app.feeds import running, services
from app.record.ingest import ingest_batch
from app.record.models import GameState
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.record.accepted import forget
from tests.conftest import NFLVERSE, REAL_GAMES
from tests.worlds.real_games import due

pytestmark = pytest.mark.realgames

NOW = datetime(2019, 9, 17, 12, tzinfo=UTC)
FOLDER = REAL_GAMES / "reg2019"


def season_file(folder: Path, games: Collection[str]) -> Path:
    """Play-by-play and play_stats of these games under the publisher's names."""
    target = folder / "play_by_play_2019.csv"
    columns: list[str] = []
    rows: list[dict[str, str]] = []
    (folder / "play_stats").mkdir()
    for game in games:
        with gzip.open(FOLDER / "pbp" / f"{game}.csv.gz", "rt", newline="") as lines:
            reader = csv.DictReader(lines)
            columns += [name for name in reader.fieldnames or () if name not in columns]
            rows += list(reader)
        stats = f"{game}.csv.gz"
        (folder / "play_stats" / stats).write_bytes((FOLDER / "play_stats" / stats).read_bytes())
    with target.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    (folder / "known_gaps.csv").write_bytes((FOLDER / "known_gaps.csv").read_bytes())
    (folder / "games.csv").write_bytes((NFLVERSE / "games.csv").read_bytes())
    return target


def enter_and_ingest(folder: Path) -> running.RunReport:
    feeds = services.add(services.Following("nflverse", 2019, str(folder)), NOW)
    numbers = {feed.kind: feed.id for feed in feeds}
    forget()
    running.run(numbers["schedule"], NOW)
    report = running.run(numbers["play_by_play"], NOW)
    messages = [
        Message(GAME_EVENTS.name, 0, row.id, row.game_id, row.payload)
        for row in db.session.scalars(select(OutboxMessage).order_by(OutboxMessage.id))
    ]
    outcome = ingest_batch(messages, NOW, store_player_points)
    assert (outcome.dead, outcome.deferred) == (0, [])
    again = running.run(numbers["play_by_play"], NOW)
    assert (again.outcome, again.changes) == ("unchanged", {})
    return report


def differences(games: Collection[str]) -> list[tuple[str, str, str, Decimal, Decimal]]:
    """Game, rules and player where the points in the record are not the published ones."""
    with (NFLVERSE / "games.csv").open(newline="") as lines:
        ids = {row["old_game_id"]: row["game_id"] for row in csv.DictReader(lines)}
    wrong = []
    for game in games:
        for rules, published in due()[game].items():
            points = {row[1]: Decimal(row[5]) for row in points_rows(ids[game], rules)}
            for player in sorted(published.keys() | points.keys()):
                pair = published.get(player, Decimal(0)), points.get(player, Decimal(0))
                if pair[0] != pair[1]:
                    wrong.append((game, rules, player, *pair))
    return wrong


@pytest.mark.parametrize(
    "games",
    [
        pytest.param(("2019090500", "2019090802"), id="two games"),
        pytest.param(
            tuple(sorted(path.name.removesuffix(".csv.gz") for path in FOLDER.glob("pbp/*.gz"))),
            id="two weeks",
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_seasons_file_gives_the_published_points(
    app: Flask, tmp_path: Path, games: tuple[str, ...]
) -> None:
    season_file(tmp_path, games)
    report = enter_and_ingest(tmp_path)
    assert report.entered.findings == ()
    assert report.changes["games final"] == len(games)
    statuses = [state.status for state in db.session.scalars(select(GameState))]
    assert statuses == ["final"] * len(games)
    assert differences(games) == []
