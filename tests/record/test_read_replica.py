"""Exports of a game from a replica of PostgreSQL.

As old as they say, and from the primary where it is away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from flask import Flask, g
from flask.testing import FlaskClient

from app import create_app
from app.core.db import db, migrations, read_replica
from app.embedded.stack import Stack
from app.ops import health, metrics
from tests.cluster.postgres.servers import APPLICATION, Replicated, replicated
from tests.conftest import Client, folder_for_stores
from tests.waiting import until
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

CSV, BOOK = "/games/g1/export.csv", "/games/g1/book"


@pytest.fixture(scope="module")
def pair() -> Iterator[Replicated]:
    with folder_for_stores() as folder:
        folder.chmod(0o755)  # PostgreSQL is somebody else under root
        with replicated(folder) as servers:
            yield servers


@pytest.fixture(scope="module")
def site(stack: Stack, pair: Replicated) -> Iterator[Flask]:
    """An application that has the replica to read from, with one game."""
    settings = replace(
        stack.settings,
        database_url=pair.primary.url_of(APPLICATION),
        database_owner_url=pair.primary.url,
        database_direct_url="",
        database_read_url=pair.replica.url_of(APPLICATION),
        read_age_seconds=600,  # of a busy machine
    )
    app = create_app(settings)
    app.testing = True
    app.test_client_class = Client
    with app.app_context():
        migrations.upgrade()
        make_game()
        ingest(messages(touchdown_drive()))
        yield app
        db.session.remove()
        for engine in db.engines.values():
            engine.dispose()


@pytest.fixture
def client(site: Flask, pair: Replicated) -> Iterator[FlaskClient]:
    """The replica has all, and is asked again."""
    until(pair.is_in_step, "the replica has replayed everything")
    site.extensions[read_replica.REPLICA]["until"] = 0.0
    yield site.test_client()
    db.session.rollback()
    g.pop(read_replica.REPLICA, None)


@pytest.fixture
def behind(client: FlaskClient, pair: Replicated) -> Iterator[None]:
    """The replica replays nothing, and the primary has more than it."""
    pair.replica.ask("SELECT pg_wal_replay_pause()")
    until(
        lambda: pair.replica.ask("SELECT pg_get_wal_replay_pause_state()") == "paused",
        "the replay is paused",
    )
    with psycopg.connect(pair.primary.url, autocommit=True) as connection:
        connection.execute("UPDATE clubs SET name = name || ' (new)'")
        yield
        connection.execute("UPDATE clubs SET name = replace(name, ' (new)', '')")
    pair.replica.ask("SELECT pg_wal_replay_resume()")


def asked(pair: Replicated) -> int:
    """How many rows of events the replica has given out."""
    with psycopg.connect(pair.replica.url, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_clear_snapshot()")
        row = connection.execute(
            "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_user_tables WHERE relname = 'events'"
        )
        return int((row.fetchone() or (0,))[0])


def test_a_replica_that_is_level_answers_and_nothing_is_said_of_an_age(
    client: FlaskClient, pair: Replicated
) -> None:
    before = asked(pair)
    response = client.get(CSV)
    assert (response.status_code, "Age" in response.headers) == (200, False)
    db.session.remove()
    db.engines[read_replica.REPLICA].dispose()  # a session hands its counts on when it ends
    until(lambda: asked(pair) > before, "the replica says that it was read from")


@pytest.mark.usefixtures("behind")
def test_one_that_is_behind_says_how_far(client: FlaskClient) -> None:
    response = client.get(CSV)
    assert response.status_code == 200
    assert 1 <= int(response.headers["Age"]) <= 600
    book = client.get(BOOK)
    assert "(new)" not in book.text
    assert "The data is at most" in book.text


@pytest.mark.usefixtures("behind")
def test_one_that_is_too_far_behind_is_not_read(
    client: FlaskClient, site: Flask, monkeypatch: Any
) -> None:
    monkeypatch.setitem(
        site.config, "PRESSBOX", replace(site.config["PRESSBOX"], read_age_seconds=0)
    )
    book = client.get(BOOK)
    assert "(new)" in book.text
    assert "The data is at most" not in book.text
    assert "Age" not in book.headers


@pytest.mark.usefixtures("behind")
def test_a_game_that_is_registered_since_is_found(client: FlaskClient) -> None:
    make_game("g2")
    assert client.get("/games/g2/export.csv").status_code == 200


def test_where_it_cancels_a_query_the_primary_answers(
    client: FlaskClient, monkeypatch: Any
) -> None:
    """As it does where the query holds up what is to be replayed."""
    calls = []

    def read() -> int:
        calls.append(bool(g.get(read_replica.REPLICA)))
        if calls == [True]:
            db.session.execute(db.text("SET LOCAL statement_timeout = 1"))
            db.session.execute(db.text("SELECT pg_sleep(20)"))
        return len(calls)

    assert read_replica.may_be_old(read) == (2, 0)
    assert calls == [True, False]


def test_where_it_is_away_the_primary_answers_and_it_is_left_alone_for_a_while(
    client: FlaskClient, monkeypatch: Any
) -> None:
    engine = db.engines[read_replica.REPLICA]
    engine.dispose()
    connects = []

    def refuse(*_: object, **__: object) -> None:
        connects.append(1)
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr(engine.dialect, "connect", refuse)
    for _ in range(3):
        assert client.get(CSV).status_code == 200
    assert connects == [1]


def test_a_server_that_may_be_written_to_is_no_replica(pair: Replicated, site: Flask) -> None:
    app = create_app(
        replace(site.config["PRESSBOX"], database_read_url=pair.primary.url_of(APPLICATION))
    )
    with app.app_context():
        assert read_replica.may_be_old(lambda: 7) == (7, 0)
        assert app.extensions[read_replica.REPLICA]["until"] > 0
        for engine in db.engines.values():
            engine.dispose()


@pytest.mark.usefixtures("behind")
def test_the_operator_sees_how_far_it_is_behind(client: FlaskClient, site: Flask) -> None:
    (part,) = [
        check for check in health.check_all(site.config["PRESSBOX"]) if check.name == "read replica"
    ]
    assert part.up
    assert re.fullmatch(r"\d+ s behind", part.detail)


def test_the_metrics_say_how_far_it_is_behind(site: Flask) -> None:
    lines = metrics.text(site.config["PRESSBOX"]).decode().splitlines()
    (lag,) = [line for line in lines if line.startswith("pressbox_replica_lag_seconds")]
    assert float(lag.split()[1]) >= 0
    assert 'pressbox_scrape_error{store="replica"} 0.0' in lines


def test_without_a_replica_the_primary_is_asked_nothing_more(app: Flask) -> None:
    assert read_replica.may_be_old(lambda: bool(g.get(read_replica.REPLICA))) == (False, 0)
