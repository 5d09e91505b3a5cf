"""All that is known of one attempt: what was sent, how it was judged, and its links to others.

Nothing here is secret: tokens are not stored, and device and address are salted hashes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from flask import current_app
from kafka.errors import KafkaError
from sqlalchemy import func, select

from app.accounts.models import Member, Player
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.scores.anticheat.reasons import WORDS
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.settings import Settings
from app.stream.kafka import ask_for_page, read_one
from app.stream.topics import SCORE_EVENTS, Topic

log = structlog.get_logger(__name__)

LINKED = 20


@dataclass(frozen=True)
class Linked:
    """Another attempt from the same device or address; `by` says which."""

    by: str
    event_id: UUID
    player_id: UUID
    player: str
    at: datetime
    score: int


@dataclass(frozen=True)
class Step:
    """Something that happened to the attempt, and who decided it."""

    at: datetime
    what: str
    by: str
    reason: str


@dataclass(frozen=True)
class Inspection:
    """An attempt with all that is known of it.

    Attributes:
        claims: What the attempt's token had to claim so that the score was accepted.
        checks: What was checked, and the result of each check.
        steps: What happened to it.
        linked: Other attempts from the same device or address.
        same_device: How many players share the device.
        same_address: How many players share the address.
    """

    attempt: ScoreAttempt
    player: Player
    mode: Mode
    game: ScoreGame
    claims: Sequence[tuple[str, str]]
    checks: Sequence[tuple[str, str]]
    steps: Sequence[Step]
    linked: Sequence[Linked]
    same_device: int
    same_address: int


@dataclass(frozen=True)
class Message:
    """A message from Kafka or the archive (`source`), as indented JSON."""

    source: str
    text: str
    fault: str = ""


def inspect(event_id: UUID) -> Inspection | None:
    """Load all that is known of an attempt, or None if there is no such attempt."""
    attempt = db.session.get(ScoreAttempt, event_id, populate_existing=True)
    if attempt is None:
        return None
    player = db.session.get_one(Player, attempt.player_id)
    mode = db.session.get_one(Mode, attempt.mode_id)
    game = catalogue.game_of(mode)
    return Inspection(
        attempt=attempt,
        player=player,
        mode=mode,
        game=game,
        claims=[
            ("attempt", str(attempt.attempt_id)),
            ("session", attempt.session_id or "none named"),
            ("player", str(attempt.player_id)),
            ("mode", str(attempt.mode_id)),
            ("score at most", "at least this score; otherwise it would have been rejected"),
            ("token", "checked on arrival and not kept"),
        ],
        checks=_checks(attempt, mode),
        steps=_steps(attempt),
        linked=[*_linked(attempt, "device"), *_linked(attempt, "address")],
        same_device=_sharers(ScoreAttempt.device, attempt.device),
        same_address=_sharers(ScoreAttempt.address, attempt.address),
    )


def message(attempt: ScoreAttempt) -> Message:
    """Read the attempt's message from its topic, within KAFKA_PAGE_SECONDS."""
    if attempt.kafka_partition is None or attempt.kafka_offset is None:
        return Message("", "", "The row has no position in the log.")
    return from_kafka(SCORE_EVENTS, attempt.kafka_partition, attempt.kafka_offset)


def from_kafka(topic: Topic, partition: int, offset: int) -> Message:
    """Read the message at that offset, or say why there is none."""
    settings: Settings = current_app.config["PRESSBOX"]
    try:
        value = ask_for_page(settings, lambda: read_one(settings, topic, partition, offset))
    except (KafkaError, OSError) as error:
        log.warning("message_not_read", reason=type(error).__name__)
        return Message("", "", "Kafka is not answering. Try again.")
    if value is None:
        return Message("", "", "Kafka no longer has this message.")
    return Message("Kafka", pretty(value))


def pretty(value: bytes) -> str:
    """Format the value as readable text."""
    try:
        return json.dumps(json.loads(value), indent=2, sort_keys=True)
    except ValueError:
        return value.decode(errors="replace")


def _checks(attempt: ScoreAttempt, mode: Mode) -> list[tuple[str, str]]:
    inside = mode.min_score <= attempt.score <= mode.max_score
    checks = [
        ("Token", "valid signature for this attempt, player and mode, in time"),
        (
            "Mode bounds",
            f"{mode.min_score} to {mode.max_score}: {'inside' if inside else 'outside'}",
        ),
        (
            "Recorded game",
            "none announced" if attempt.replay is None else f"announced, SHA-256 {attempt.replay}",
        ),
        (
            "Slow checks or a moderator",
            "not checked yet"
            if attempt.rechecked_at is None
            else f"checked {_at(attempt.rechecked_at)}",
        ),
    ]
    checks += [(code, WORDS.get(code, code)) for code in attempt.fraud_reasons]
    checks.append(
        ("Verdict", attempt.fraud_state if attempt.rolled_back_at is None else "rolled back")
    )
    return checks


def _steps(attempt: ScoreAttempt) -> list[Step]:
    first = Step(attempt.achieved_at, "Received", "the server", "")
    stored = Step(
        attempt.ingested_at, "Stored and judged", "the consumer", ", ".join(attempt.fraud_reasons)
    )
    rows = db.session.execute(
        select(ScoreCorrection, Member.display_name)
        .outerjoin(Member, Member.id == ScoreCorrection.member_id)
        .where(ScoreCorrection.event_id == attempt.event_id)
        .order_by(ScoreCorrection.id)
    )
    words = {
        "roll_back": "Rolled back",
        "restore": "Counts again",
        "accept": "Accepted",
        "reject": "Rejected",
    }
    return [
        first,
        stored,
        *(
            Step(
                correction.created_at,
                f"{words.get(correction.action, 'Held back')} (was {correction.before})",
                name or "the rules",
                correction.reason,
            )
            for correction, name in rows
        ),
    ]


def _linked(attempt: ScoreAttempt, by: str) -> list[Linked]:
    value = getattr(attempt, by)
    if value is None:
        return []
    rows = db.session.execute(
        select(
            ScoreAttempt.event_id,
            Player.id,
            Player.display_name,
            ScoreAttempt.achieved_at,
            ScoreAttempt.score,
        )
        .join(Player, Player.id == ScoreAttempt.player_id)
        .where(getattr(ScoreAttempt, by) == value, ScoreAttempt.event_id != attempt.event_id)
        .order_by(ScoreAttempt.achieved_at.desc(), ScoreAttempt.event_id)
        .limit(LINKED)
    )
    return [Linked(by, *row) for row in rows]


def _sharers(column: Any, value: str | None) -> int:
    if value is None:
        return 0
    return (
        db.session.scalar(
            select(func.count(ScoreAttempt.player_id.distinct())).where(column == value)
        )
        or 0
    )


def _at(moment: datetime) -> str:
    return f"{moment:%-d %B %Y %H:%M:%S} UTC"
