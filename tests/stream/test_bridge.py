"""How a poll is shared out to jobs, and what waits for a refresh while ingestion catches up."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from kafka import TopicPartition

from app.core import jobs
from app.core.redis.clients import jobs_redis
from app.fantasy.gameweeks import refreshing
from app.fantasy.standings.models import League
from app.record import events as ev
from app.settings import Settings
from app.stream.kafka import INGESTION_RECORDS
from tests.worlds.games import make_game, messages, touchdown_drive
from workers import bridge, scores
from workers.bridge import send, shares
from workers.jobs import ingest_events
from workers.process import Progress


def polled(*counts: int) -> Any:
    """A poll with so many records of each partition, which say where they stand."""
    return {
        TopicPartition("t", partition): [
            SimpleNamespace(topic="t", partition=partition, offset=offset, key=None, value=b"{}")
            for offset in range(count)
        ]
        for partition, count in enumerate(counts)
    }


@pytest.mark.parametrize(
    ("counts", "together", "shared"),
    [
        ((2, 1, 3), 1000, [6]),  # a play at a time: one job
        ((600, 600, 600, 1), 1000, [1200, 601]),
        ((1000, 1), 1000, [1000, 1]),
        ((2, 1, 3), 1, [2, 1, 3]),  # after a failure each partition by itself
        ((), 1000, []),
    ],
)
def test_whole_partitions_share_a_job_until_it_is_full(
    counts: tuple[int, ...], together: int, shared: list[int]
) -> None:
    shared_jobs = shares(polled(*counts), together=together)
    assert [len(share) for share in shared_jobs] == shared
    assert [(record.partition, record.offset) for share in shared_jobs for record in share] == [
        (partition, offset) for partition, count in enumerate(counts) for offset in range(count)
    ]


@pytest.fixture
def empty_queue() -> Iterator[None]:
    jobs.queue(jobs.INGEST_QUEUE).empty()
    yield
    jobs.queue(jobs.INGEST_QUEUE).empty()


@pytest.mark.usefixtures("app", "empty_queue")
def test_a_full_poll_says_that_more_waits() -> None:
    assert [job.args[1] for job in send(polled(1, 2), together=1)] == [False, False]
    assert [job.args[1] for job in send(polled(INGESTION_RECORDS), together=1)] == [True]


def test_a_job_of_two_partitions_takes_in_both(league: League) -> None:
    make_game("bridge-2")
    both = [*messages(touchdown_drive()), *messages(touchdown_drive(), "bridge-2", partition=1)]
    done = ingest_events.run([message.to_json() for message in both])
    assert done == {"inserted": 22, "corrected": 0, "seen": 0, "dead": 0}
    assert ingest_events.run([message.to_json() for message in both])["seen"] == 22


def test_consumers_that_fail_leave_their_group_before_others_join(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise they would keep their partitions: their heartbeats have threads of their own."""
    closed: list[str] = []

    def consumer(name: str) -> SimpleNamespace:
        return SimpleNamespace(close=lambda *, autocommit: closed.append(name))

    def fail(*_: object) -> None:
        raise RuntimeError("odd data")

    settings: Settings = app.config["PRESSBOX"]
    process: Any = SimpleNamespace(settings=settings)
    for module in (bridge, scores):
        monkeypatch.setattr(module, "Member", fail)
    monkeypatch.setattr(bridge, "ingestion_consumer", lambda *_: consumer("bridge"))
    monkeypatch.setattr(scores, "scores_consumer", lambda *_: consumer("scores"))
    with pytest.raises(RuntimeError, match="odd data"):
        bridge.work(process, Progress())
    with pytest.raises(RuntimeError, match="odd data"):
        scores.work(settings, app, lambda: False, lambda _: None)
    assert closed == ["bridge", "scores"]


@pytest.mark.usefixtures("app")
def test_while_ingestion_catches_up_games_wait_for_their_refresh_and_none_is_forgotten() -> None:
    jobs_redis().delete("pressbox:catching-up", "pressbox:games-not-asked-for")
    assert refreshing.due(["a"], catching_up=True) == ["a"]  # the first of a while
    assert refreshing.due(["b", "c"], catching_up=True) == []
    assert refreshing.due([], catching_up=True) == []
    assert refreshing.due(["d"], catching_up=False) == ["b", "c", "d"]
    assert refreshing.due(["d"], catching_up=False) == ["d"]


def test_the_refresh_that_was_put_off_comes_with_the_last_messages(league: League) -> None:
    jobs_redis().set("pressbox:catching-up", 1)
    drive = [message.to_json() for message in messages(touchdown_drive())]
    ingest_events.run(drive, True)
    assert jobs.queue(jobs.BOARDS_QUEUE).count == 0
    ingest_events.run(
        [message.to_json() for message in messages([ev.Timeout(reason="tv")], first=12)], False
    )
    assert jobs.queue(jobs.BOARDS_QUEUE).count == 1
