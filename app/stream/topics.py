"""The catalogue of topics: content, key, order, producers and consumers (STYLE 18)."""

from __future__ import annotations

from dataclasses import dataclass

WEEK_MS = 7 * 24 * 3600 * 1000
# per batch; our schemas allow messages of at most half of it
MAX_MESSAGE_BYTES = 64 * 1024


@dataclass(frozen=True)
class Topic:
    """A topic. `retention_ms` is in milliseconds."""

    name: str
    key: str
    order: str
    producers: str
    consumers: str
    retention_ms: int


GAME_EVENTS = Topic(
    name="game-events.v1",
    key="game_id",
    order="event_number rises within a game; a message may be delivered more than once",
    producers="the relay, from the outbox",
    consumers="the bridge (group `ingestion`), any subscriber",
    retention_ms=WEEK_MS,
)

SCORE_EVENTS = Topic(
    name="score-events.v1",
    key="board shard: `{game}:{mode}:s{n}`, n = SHA-256 of the player over 64",
    order=(
        "a player's scores in one mode in the order of acceptance; a message may be delivered more "
        "than once"
    ),
    producers="the API, as scores are submitted",
    consumers="the scores process (group `scores`)",
    retention_ms=WEEK_MS,
)

TOPICS = (GAME_EVENTS, SCORE_EVENTS)
INGESTION_GROUP = "ingestion"
SCORES_GROUP = "scores"
OUTBOX_CHANNEL = "pressbox_outbox"  # PostgreSQL's NOTIFY wakes the relay at once
