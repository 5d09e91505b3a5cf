"""Consumer groups for one test: messages of other tests neither delay it nor reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

from kafka import OffsetAndMetadata, TopicPartition

from app.embedded.stack import Stack
from app.stream.kafka import end_offsets, ingestion_consumer, scores_consumer
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS


@contextmanager
def own_groups(stack: Stack, *, starting_now: bool = True) -> Iterator[None]:
    """Processes started inside belong to new consumer groups, which begin where the topics end now.

    Otherwise they would get their partitions only when the broker has missed the processes of the
    test before for the session timeout. Without `starting_now` the caller calls `start_at_the_end`
    before it starts a consumer.
    """
    before = stack.settings
    stack.settings = replace(before, kafka_group_prefix=f"{uuid4().hex[:8]}-")
    if starting_now:
        start_at_the_end(stack)
    try:
        yield
    finally:
        stack.settings = before


def start_at_the_end(stack: Stack) -> None:
    """Commit the ends of the topics as the offsets of the stack's consumer groups."""
    for topic, member in ((GAME_EVENTS, ingestion_consumer), (SCORE_EVENTS, scores_consumer)):
        consumer = member(stack.settings, topic)
        try:
            ends = {
                TopicPartition(topic.name, n): end
                for n, end in end_offsets(stack.settings, topic).items()
            }
            consumer.unsubscribe()
            consumer.assign(list(ends))
            consumer.commit(
                {place: OffsetAndMetadata(offset, "", -1) for place, offset in ends.items()}
            )
        finally:
            consumer.close(autocommit=False)
