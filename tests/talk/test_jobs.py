"""The jobs of talk: each may run twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask

from app.core import clock, jobs
from app.core.db import db
from app.talk import connections, formats
from app.talk.models import Connection, ConnectionDelivery, Post
from tests.scores.receiver import running_receiver
from tests.talk.conftest import Talk
from workers.jobs import deliver_talk, post_news, send_talk, trim_talk


@pytest.fixture
def private(app: Flask) -> Iterator[None]:
    """Addresses of this machine are allowed."""
    settings = app.config["PRESSBOX"]
    app.config["PRESSBOX"] = replace(settings, webhooks_private=True)
    yield
    app.config["PRESSBOX"] = settings


def test_news_is_posted_and_sent_once_however_often_the_jobs_run(talk: Talk, private: None) -> None:
    with running_receiver() as receiver:
        connection = connections.add(talk.league.id, formats.JSON, receiver.address)
        assert isinstance(connection, Connection)
        connection_id = str(connection.id)
        for _ in range(2):
            post_news.run()
            deliver_talk.run()
            send_talk.run(connection_id)
            trim_talk.run()
        assert len(receiver.received) == 2
    assert db.session.query(Post).count() == 2
    assert {delivery.state for delivery in db.session.query(ConnectionDelivery)} == {"delivered"}


def test_a_connection_with_something_to_send_gets_one_job(talk: Talk) -> None:
    connection = connections.add(
        talk.league.id, formats.DISCORD, "https://discord.com/api/webhooks/1/x"
    )
    assert isinstance(connection, Connection)
    connections.send_test(connection, clock.now())
    deliver_talk.run()
    deliver_talk.run()
    assert len(jobs.queue(jobs.WEBHOOKS_QUEUE)) == 1
