"""Sends dead letters again: checked first, at a limited rate, and with canaries.

Replaying twice does no harm: jobs skip what is applied, ingestion and scores know each event.
Choosing letters is in letters.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from kafka import TopicPartition
from kafka.errors import KafkaError
from sqlalchemy import func, select

from app.core import clock
from app.core.db import db
from app.core.errors import UserError
from app.core.redis.clients import RedisAway, jobs_redis
from app.dead_letters import failed_jobs, letters
from app.dead_letters.letters import MOST_REPLAYS, Letter
from app.dead_letters.models import DeadJob
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook, WebhookDelivery
from app.settings import Settings
from app.stream.announcements import announce
from app.stream.kafka import SigningProducer, connection, producer
from app.stream.models import DeadLetter
from app.stream.tolerant_consumer import TolerantConsumer
from app.stream.topics import GAME_EVENTS, INGESTION_GROUP, SCORE_EVENTS, SCORES_GROUP

CANARY_SECONDS = 60.0
LOOK_SECONDS = 0.2


def refusal(letter: Letter, *, force: bool = False) -> str:
    """Why the letter is not sent again; empty if it may be."""
    if not letter.is_ours:
        return "it was not written by this Pressbox, so it is not trusted"
    if letter.replays >= MOST_REPLAYS and not force:
        return f"it was already sent again {letter.replays} times; find the cause, then use --force"
    return ""


@dataclass
class Replayed:
    """What was sent, what was refused and why; `stopped`: why the others were not sent."""

    sent: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    stopped: str = ""


@dataclass(frozen=True)
class Plan:
    """How to replay, with `rate` letters per second.

    `canary`: so many letters are sent first, and the others only if those are done within
    `seconds`; 0 for none.
    """

    canary: int = 0
    seconds: float = CANARY_SECONDS
    rate: float = 10.0
    force: bool = False


class Replay:
    """One replay of chosen letters; `say` is called with its progress."""

    def __init__(
        self, settings: Settings, plan: Plan, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._settings, self._plan, self._say = settings, plan, say
        self._kafka: SigningProducer | None = None
        self._next = time.monotonic()
        self._places: dict[str, tuple[str, int, int]] = {}
        self._newest = (
            0  # the newest dead letter before; a new broker counts its offsets from 0 again
        )

    def run(self, chosen: Sequence[Letter]) -> Replayed:
        """Send the letters. Raises UserError if Redis or Kafka is down; the count is kept."""
        outcome = Replayed()
        self._newest = db.session.scalar(select(func.max(DeadLetter.id))) or 0
        allowed = []
        for letter in chosen:
            if why := refusal(letter, force=self._plan.force):
                outcome.refused.append((letter.id, why))
            else:
                allowed.append(letter)
        first = allowed[: self._plan.canary]
        try:
            for letter in self._paced(first, len(allowed)):
                self._send(letter, outcome)
            outcome.stopped = self._after_canary(first, len(allowed) - len(first))
            for letter in self._paced(
                [] if outcome.stopped else allowed[len(first) :], len(allowed), len(first)
            ):
                self._send(letter, outcome)
        except RedisAway as error:
            raise UserError(
                f"Redis does not answer ({error}). Start it, then replay again. It is safe to "
                "replay twice."
            ) from error
        finally:
            if self._kafka is not None:
                self._kafka.close(timeout=5)
        return outcome

    def _paced(
        self, letters_to_send: Sequence[Letter], total: int, before: int = 0
    ) -> Iterator[Letter]:
        """The letters, at most `rate` per second."""
        for number, letter in enumerate(letters_to_send, start=before + 1):
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = max(self._next, time.monotonic()) + 1 / self._plan.rate
            self._say(f"{number} of {total}: {letter.id}")
            yield letter

    def _send(self, letter: Letter, outcome: Replayed) -> None:
        stored = letters.row(letter)
        if not isinstance(stored, WebhookDelivery) and stored.done_at is not None:
            db.session.rollback()
            outcome.refused.append((letter.id, "it was done in the meantime"))
            return
        if isinstance(stored, DeadJob):
            failed_jobs.send_again(stored, clock.now())
        elif isinstance(stored, DeadLetter):
            self._send_message(letter.id, stored)
        elif isinstance(stored, WebhookDelivery):
            stored.replays += 1
            webhooks.replay(
                db.session.get_one(Webhook, stored.webhook_id), stored.number, clock.now()
            )
        outcome.sent.append(letter.id)

    def _send_message(self, letter_id: str, stored: DeadLetter) -> None:
        """Send the message to its topic again, signed; consumers treat it like any other.

        The replay is committed first, because a message that fails again comes back as a new dead
        letter.
        """
        stored.replays += 1
        stored.replayed_at = clock.now()
        db.session.commit()
        if self._kafka is None:
            self._kafka = producer(self._settings, client_id="pressbox-replay")
        key = None if stored.key is None else stored.key.encode()
        placed = self._kafka.send(stored.topic, key=key, value=stored.payload).get(timeout=20)
        topic = GAME_EVENTS if stored.topic == GAME_EVENTS.name else SCORE_EVENTS
        announce(self._settings, jobs_redis(), topic)
        stored.done_at = clock.now()
        db.session.commit()
        self._places[letter_id] = (stored.topic, placed.partition, placed.offset)

    def _after_canary(self, first: Sequence[Letter], left: int) -> str:
        """Wait until the canaries are done.

        Returns why the other letters are not sent, empty if they may be.
        """
        if not first or not left:
            return ""
        deadline = time.monotonic() + self._plan.seconds
        since = clock.now()
        while open_ones := [letter for letter in first if not self._is_done(letter)]:
            failed = [letter.id for letter in open_ones if self._failed_again(letter, since)]
            if failed:
                return f"{failed[0]} failed again, so {left} others were not sent"
            if time.monotonic() > deadline:
                return (
                    f"{open_ones[0].id} was not done within {self._plan.seconds:g} s, so {left} "
                    "others were not sent"
                )
            self._say(f"Waiting for {len(open_ones)} of {len(first)} sent first")
            time.sleep(LOOK_SECONDS)  # other processes do the work, and only their rows tell
        return ""

    def _is_done(self, letter: Letter) -> bool:
        db.session.rollback()
        if letter.id in self._places:
            topic, partition, offset = self._places[letter.id]
            return self._committed(topic, partition) > offset and not self._came_back(
                topic, partition, offset
            )
        name, _, number = letter.id.partition("-")
        if name == letters.JOB:
            return (
                db.session.scalar(select(DeadJob.done_at).where(DeadJob.id == int(number)))
                is not None
            )
        state = db.session.scalar(
            select(WebhookDelivery.state).where(WebhookDelivery.id == int(number))
        )
        return state in (None, "delivered")

    def _failed_again(self, letter: Letter, since: datetime) -> bool:
        if letter.id in self._places:
            return self._came_back(*self._places[letter.id])
        name, _, number = letter.id.partition("-")
        if name == letters.JOB:
            replayed, died = db.session.execute(
                select(DeadJob.replayed_at, DeadJob.died_at).where(DeadJob.id == int(number))
            ).one()
            return replayed is not None and died > replayed
        state, ended_at = db.session.execute(
            select(WebhookDelivery.state, WebhookDelivery.ended_at).where(
                WebhookDelivery.id == int(number)
            )
        ).one()
        return state == "dead" and ended_at is not None and ended_at > since

    def _committed(self, topic: str, partition: int) -> int:
        """The offset up to which the consumers of the topic have committed."""
        group = INGESTION_GROUP if topic == GAME_EVENTS.name else SCORES_GROUP
        consumer = TolerantConsumer(
            **connection(self._settings),
            group_id=self._settings.kafka_group_prefix + group,
            enable_auto_commit=False,
        )
        try:
            return int(consumer.committed(TopicPartition(topic, partition)) or 0)
        except KafkaError:
            return 0
        finally:
            consumer.close(autocommit=False)

    def _came_back(self, topic: str, partition: int, offset: int) -> bool:
        place = (
            DeadLetter.topic == topic,
            DeadLetter.partition == partition,
            DeadLetter.offset == offset,
        )
        return (
            db.session.scalar(select(DeadLetter.id).where(*place, DeadLetter.id > self._newest))
            is not None
        )
