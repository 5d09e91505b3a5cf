"""Names and numbers that the source designs give literally, and their names here."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from app.accounts.models import Friendship, Player
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.record import play_tables  # noqa: F401  (declares the tables of plays)
from app.scores.models import ScoreAttempt
from app.settings import Settings
from app.stream.topics import GAME_EVENTS, WEEK_MS

COMPOSE = yaml.safe_load((Path(__file__).parents[2] / "docker-compose.yml").read_text())

TABLES = {
    "plays": {
        "gameID": "game_id",
        "playNumber": "play_number",
        "eventNumber": "event_number",
        "startTimestamp": "start_timestamp",
        "gameSecondsPlayed": "game_seconds_played",
        "posession": "possession",
        "fieldPosition": "field_position",
        "down": "down",
    },
    "passes": {
        "gameID": "game_id",
        "playNumber": "play_number",
        "eventNumber": "event_number",
        "passerID": "passer_id",
        "throwYard": "throw_yard",
        "receptionYard": "reception_yard",
        "recieverID": "receiver_id",
        "isTouchdown": "is_touchdown",
    },
    "tackles": {
        "gameID": "game_id",
        "playNumber": "play_number",
        "tacklerID": "tackler_id",
        "tackledID": "tackled_id",
        "fieldPosition": "field_position",
        "valid": "valid",
    },
    "runs": {
        "gameID": "game_id",
        "playNumber": "play_number",
        "eventNumber": "event_number",
        "playerID": "player_id",
        "startYard": "start_yard",
        "endYard": "end_yard",
        "isRush": "is_rush",
        "isTouchdown": "is_touchdown",
        "valid": "valid",
    },
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_plays_has_the_columns_of_the_design(table: str) -> None:
    assert set(TABLES[table].values()) <= set(db.metadata.tables[table].columns.keys())


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (Player, {"id", "external_id", "display_name", "created_at", "banned_until"}),
        (ScoreGame, {"id", "slug", "title"}),
        (Mode, {"id", "game_id", "slug", "aggregation", "time_zone"}),
        (Friendship, {"low_id", "high_id", "state", "since", "low_blocks", "high_blocks"}),
        (
            ScoreAttempt,
            {
                "event_id",
                "player_id",
                "mode_id",
                "score",
                "kafka_partition",
                "kafka_offset",
                "ingested_at",
                "fraud_state",
            },
        ),
    ],
)
def test_a_table_of_the_platform_has_the_columns_of_the_design(
    model: type, columns: set[str]
) -> None:
    assert columns <= set(model.__table__.columns.keys())


def test_the_topic_keeps_messages_for_a_week() -> None:
    assert GAME_EVENTS.retention_ms == WEEK_MS == 7 * 24 * 60 * 60 * 1000
    assert GAME_EVENTS.key == "game_id"


def test_production_has_three_brokers_and_every_partition_on_each() -> None:
    brokers = [name for name in COMPOSE["services"] if name.startswith("kafka")]
    assert len(brokers) == 3
    assert COMPOSE["services"]["web"]["environment"]["KAFKA_REPLICATION"] == "3"


def test_a_topic_has_several_partitions() -> None:
    assert Settings().kafka_partitions >= 8
