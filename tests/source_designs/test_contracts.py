"""Names and numbers that the source designs give literally, and their names here."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from app.accounts.models import Friendship, Player
from app.accounts.tokens import ACCESS_LIFETIME
from app.boards.layouts.merged_top import MERGED_ROWS
from app.boards.models import Mode, ScoreGame
from app.boards.windows.retention import KEEP_DAYS
from app.core import metrics
from app.core.db import db
from app.ops.slo import OBJECTIVES, Measured
from app.predictions.jobs import POLL_PROVIDERS
from app.predictions.models import TournamentPoints
from app.record import play_tables  # noqa: F401  (declares the tables of plays)
from app.scores.models import ScoreAttempt
from app.scores.submission.refusals import KEY_SECONDS
from app.settings import Settings
from app.stream.topics import GAME_EVENTS, WEEK_MS
from workers import scores

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
ALERTS = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text())

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


def test_an_event_counts_as_published_once_two_brokers_have_it() -> None:
    assert COMPOSE["services"]["kafka1"]["environment"]["KAFKA_MIN_INSYNC_REPLICAS"] == "2"


def test_no_rank_of_a_tournament_is_stored() -> None:
    """Ranks are computed on read from sorted points."""
    columns = TournamentPoints.__table__.columns.keys()
    assert "points" in columns
    assert not {"rank", "position", "place"} & set(columns)


def test_a_topic_has_several_partitions() -> None:
    assert Settings().kafka_partitions >= 8


@pytest.mark.parametrize(
    ("name", "share", "seconds"),
    [
        (metrics.SCORE_API, 99.95, None),
        (metrics.SCORE_ACCEPTED, 99.0, 0.050),
        (metrics.REDIS_UPDATE, 99.0, 0.005),
        (metrics.REPLICA_LAG, 99.0, 0.200),
        (metrics.READ, 99.0, 0.040),
        (metrics.REDIS_READ, 99.0, 0.005),
        (metrics.CONSUMER_LAG, 99.0, 5.0),
        (metrics.WRITE_BEHIND, 99.0, 60.0),
        (metrics.QUARANTINE, 99.0, 5 * 60.0),
    ],
)
def test_an_objective_is_the_designs(name: str, share: float, seconds: float | None) -> None:
    (objective,) = [objective for objective in OBJECTIVES if objective.name == name]
    assert (objective.share, objective.seconds) == (share, seconds)


def test_every_objective_is_one_of_the_design() -> None:
    assert len(OBJECTIVES) == 9


def test_a_replica_of_redis_is_reported_from_200_ms_on() -> None:
    rules = [rule for group in ALERTS["groups"] for rule in group["rules"]]
    (rule,) = [rule for rule in rules if rule["alert"] == "PressboxRedisReplicaBehind"]
    assert rule["expr"] == "pressbox_redis_replica_lag_seconds > 0.2"


def test_the_provider_is_polled_every_five_minutes() -> None:
    assert POLL_PROVIDERS.every_seconds == 5 * 60


def test_boards_stay_as_long_as_the_design_says() -> None:
    assert (KEEP_DAYS["daily"], KEEP_DAYS["weekly"]) == (7, 90)


def test_scores_are_taken_in_batches_of_the_designs_size() -> None:
    """500 events, or what comes in 100 to 500 ms."""
    assert scores.BATCH == 500
    assert 0.1 <= scores.BATCH_SECONDS <= 0.5


def test_an_attempt_is_known_for_a_day_and_a_token_for_a_quarter_of_an_hour() -> None:
    assert KEY_SECONDS == 24 * 60 * 60
    assert timedelta(minutes=15) == ACCESS_LIFETIME


def test_shards_give_their_top_200() -> None:
    assert MERGED_ROWS == 200


@pytest.mark.parametrize(
    ("left", "says"),
    [
        (50.1, "Normal feature work"),
        (50, "Freeze new ingest experiments"),
        (25.1, "Freeze new ingest experiments"),
        (25, "Freeze deploys except hotfixes"),
        (0.1, "Freeze deploys except hotfixes"),
        (0, "an incident"),
    ],
)
def test_the_error_budget_says_what_the_design_says(left: float, says: str) -> None:
    """Seed 003, section 7: above 50 %, 25 to 50 %, below 25 %, exhausted."""
    objective = OBJECTIVES[0]
    measured = Measured(objective, 10 * objective.fewest_events, 0, left, None, ())
    assert says in measured.policy
