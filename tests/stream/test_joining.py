"""A member of a group whose polls are shorter than it takes to join.

On a slow broker all of them are.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from uuid import uuid4

from flask import Flask

from app.stream.kafka import ingestion_consumer
from app.stream.topics import GAME_EVENTS, SCORE_EVENTS
from tests.waiting import until


def test_a_join_that_polls_end_in_is_finished(app: Flask) -> None:
    settings = replace(app.config["PRESSBOX"], kafka_group_prefix=f"{uuid4()}-")
    with closing(ingestion_consumer(settings, GAME_EVENTS)) as consumer:

        def joined(*topics: str) -> bool:
            consumer.poll(timeout_ms=200)
            return {place.topic for place in consumer.assignment()} == set(topics)

        until(lambda: joined(GAME_EVENTS.name), "it joins")
        consumer.subscribe([GAME_EVENTS.name, SCORE_EVENTS.name])
        until(
            lambda: joined(GAME_EVENTS.name, SCORE_EVENTS.name),
            "it joins with another subscription",
        )
