"""The history of incidents: what broke, since when, and what mended it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from unittest.mock import Mock

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update

from app.core import clock
from app.core.db import db
from app.core.redis import clients
from app.ops import incidents
from app.ops.health import Part, check_all
from app.ops.incidents import Start, Watch
from app.ops.models import DONE, Operation, StoreStart
from workers import watch as watching

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)
UP, DOWN = Part("relay", True), Part("relay", False, "not running")
FIRST = {"redis": Start("first life", NOW - timedelta(hours=1))}


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def kept() -> list[tuple[str, str, datetime, datetime | None, str | None]]:
    return [
        (incident.part, incident.cause, incident.began_at, incident.ended_at, incident.mended_by)
        for incident in incidents.latest()
    ]


def test_a_part_that_was_down_is_kept_with_its_cause_and_what_mended_it(app: Flask) -> None:
    watch = Watch(NOW)
    for seconds, part in ((0, UP), (5, DOWN), (10, DOWN)):
        watch.note([part], FIRST, FIRST, after(seconds))
        incidents.save(watch, [part.name] if part.up else [], after(seconds))
    assert kept() == [("relay", "not running", after(5), None, None)]
    watch.note([UP], FIRST, FIRST, after(15))
    incidents.save(watch, ["relay"], after(15))
    assert kept() == [("relay", "not running", after(5), after(15), "it recovered on its own")]


def test_a_store_that_is_started_anew_between_two_looks_is_one_incident_with_the_cause(
    app: Flask,
) -> None:
    """Valkey dies and is back within a second: every look found it up, and what it held is gone."""
    watch = Watch(NOW)
    watch.note([UP], FIRST, FIRST, NOW)
    unheard = Part("relay", False, "no report", because_of="Redis was started")
    watch.note([unheard], {"redis": Start("second life", after(3))}, FIRST, after(5))
    incidents.save(watch, [], after(5))
    cause = "Redis restarted and lost its queues, boards and heartbeats"
    assert kept() == [("redis", cause, NOW, after(3), "it was restarted")]


def test_a_store_that_is_away_is_one_incident_and_not_one_for_each_part_that_reports_by_it(
    app: Flask,
) -> None:
    there = {name: client for name, client in app.extensions.items() if name.startswith("redis")}
    clients.init_app(app, "redis://127.0.0.1:1/0", "redis://127.0.0.1:1/0")
    try:
        parts = check_all(app.config["PRESSBOX"])
    finally:
        app.extensions.update(there)
    watch = Watch(NOW)
    watch.note([Part(part.name, True) for part in parts], FIRST, FIRST, NOW)
    watch.note(parts, {}, {}, after(5))
    assert sum(part.because_of == "Redis does not answer" for part in parts) > 10
    assert set(watch.outages) == {"redis"}


def test_a_start_of_everything_is_no_incident(app: Flask) -> None:
    watch = Watch(NOW)
    watch.note([DOWN], FIRST, FIRST, NOW)
    watch.note([UP], FIRST, FIRST, after(5))
    assert (watch.outages, watch.ended) == ({}, [])


def test_an_outage_of_postgresql_itself_is_written_when_it_is_back(app: Flask) -> None:
    watch = Watch(NOW)
    watch.note([Part("postgres", True)], {}, {}, NOW)
    # nothing can be saved
    watch.note([Part("postgres", False, "does not answer")], {}, {}, after(5))
    watch.note([Part("postgres", True)], {}, {}, after(10))
    incidents.save(watch, ["postgres"], after(10))
    assert kept() == [
        ("postgres", "does not answer", after(5), after(10), "it recovered on its own")
    ]


def test_two_outages_of_one_part_while_postgresql_is_away_are_two_incidents(app: Flask) -> None:
    watch = Watch(NOW)
    for seconds, part in ((0, UP), (5, DOWN), (10, UP), (15, DOWN), (20, UP), (25, DOWN)):
        watch.note([part], {}, {}, after(seconds))  # nothing can be saved
    incidents.save(watch, [], after(30))
    assert [(began_at, ended_at) for _, _, began_at, ended_at, _ in kept()] == [
        (after(25), None),
        (after(15), after(20)),
        (after(5), after(10)),
    ]


def test_what_an_operator_did_meanwhile_is_named(app: Flask) -> None:
    watch = Watch(NOW)
    watch.note([UP], FIRST, FIRST, NOW)
    watch.note([DOWN], FIRST, FIRST, after(5))
    incidents.save(watch, [], after(5))
    done = {"state": DONE, "created_at": after(6), "ended_at": after(8)}
    db.session.add(Operation(kind="boards", is_dry_run=False, reason="lost", **done))
    db.session.commit()
    watch.note([UP], FIRST, FIRST, after(10))
    incidents.save(watch, ["relay"], after(10))
    assert kept()[0][-1] == "after an operator's “Rebuild the boards”"


def test_a_watcher_ends_what_one_before_it_left_open(app: Flask) -> None:
    before = Watch(NOW)
    before.note([UP], FIRST, FIRST, NOW)
    before.note([DOWN], FIRST, FIRST, after(5))
    incidents.save(before, [], after(5))
    incidents.save(Watch(after(60)), ["relay"], after(60))
    assert kept()[0][3:] == (after(60), "it recovered on its own")


def test_the_page_shows_the_history(app: Flask, sign_in: Callable[..., FlaskClient]) -> None:
    operator = sign_in("operator")
    assert "None." in operator.get("/ops").text
    watch = Watch(clock.now())
    watching.look(app, watch)
    db.session.execute(
        update(StoreStart).where(StoreStart.store == "redis").values(id="another life")
    )
    db.session.commit()
    watch.starts.clear()
    watching.look(app, watch)
    assert "Redis restarted and lost its queues, boards and heartbeats" in operator.get("/ops").text


def test_a_store_that_dies_during_the_first_look_is_an_incident(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That look fails half-way; the life of the store that it began with is known all the same."""
    watch = Watch(clock.now())
    lives = iter([{"redis": Start("first life", NOW)}, {"redis": Start("second life", after(3))}])
    monkeypatch.setattr(incidents, "starts", lambda: next(lives))
    with monkeypatch.context() as patch:
        patch.setattr(watching, "check_all", Mock(side_effect=ConnectionError))
        with pytest.raises(ConnectionError):
            watching.look(app, watch)
    watching.look(app, watch)
    assert [incident.part for incident in incidents.latest()] == ["redis"]


def test_a_restart_while_no_watch_ran_is_noted_by_the_next_watch_and_only_once(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The death of a store can end the process that watches, too."""
    monkeypatch.setattr(incidents, "starts", lambda: FIRST)
    watching.look(app, Watch(clock.now()))
    monkeypatch.setattr(incidents, "starts", lambda: {"redis": Start("second life", after(3))})
    for watch in (Watch(clock.now()), Watch(clock.now())):
        watching.look(app, watch)
        watching.look(app, watch)
    assert [(incident.part, incident.mended_by) for incident in incidents.latest()] == [
        ("redis", "it was restarted")
    ]


def test_a_restart_seen_while_postgresql_is_away_is_noted_once_when_it_is_back(app: Flask) -> None:
    second = {"redis": Start("second life", after(3))}
    watch = Watch(NOW)
    watch.note([UP], second, {}, after(5))  # what is stored cannot be read
    assert watch.ended == []
    watch.note([UP], second, FIRST, after(10))
    watch.note([UP], second, FIRST, after(15))  # nothing could be saved meanwhile
    assert [(outage.part, outage.ended_at) for outage in watch.ended] == [("redis", after(3))]


def test_a_start_of_pressbox_with_all_its_stores_is_no_incident(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incidents, "starts", lambda: FIRST)
    watching.look(app, Watch(clock.now()))
    incidents.forget_starts()
    monkeypatch.setattr(incidents, "starts", lambda: {"redis": Start("second life", after(3))})
    watching.look(app, Watch(clock.now()))
    assert incidents.latest() == []
