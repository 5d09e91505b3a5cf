"""The operators' pages of feeds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.core.jobs import queue
from app.feeds import running, services
from app.feeds.jobs import RUN_FEED
from app.feeds.models import Feed
from tests.feeds.publisher import Fault, Publisher
from tests.pages import compact
from tests.worlds.games import make_game
from tests.worlds.season_files import ROSTER, SCHEDULE

NOW = datetime(2026, 9, 13, 15, tzinfo=UTC)


@pytest.fixture
def operator(app: Flask, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in("operator")


def test_an_operator_follows_a_season_and_sees_what_it_did(
    operator: FlaskClient, publisher: Publisher
) -> None:
    empty = operator.get("/ops/feeds")
    assert "No feeds yet" in empty.text
    assert operator.post("/ops/feeds", data={"preset": "nflverse", "season": "2026"}).location
    publisher.files = {"games.csv": SCHEDULE.encode(), "roster_2026.csv": ROSTER.encode()}
    feeds = {feed.kind: feed for feed in services.listed()}
    for kind in ("schedule", "rosters", "injuries"):
        running.run(feeds[kind].id, NOW)
    page = operator.get("/ops/feeds").text
    assert "5 games added" in page
    assert "has no injuries_2026.csv (404)" in page
    rosters = operator.get(f"/ops/feeds/{feeds['rosters'].id}").text
    assert "8 rows" in rosters
    assert "7 players added" in rosters
    assert "1 row without a player ID was left out." in rosters
    assert "nflverse, CC BY 4.0" in rosters


def test_a_season_that_is_no_year_is_refused_at_its_field(operator: FlaskClient) -> None:
    answer = operator.post("/ops/feeds", data={"preset": "nflverse", "season": "next"})
    assert (answer.status_code, "Give a year from 1999, such as 2026." in answer.text) == (
        422,
        True,
    )
    answer = operator.post("/ops/feeds", data={"preset": "espn", "season": "2026"})
    assert (answer.status_code, "Choose one of the publishers." in answer.text) == (422, True)
    assert db.session.scalars(select(Feed)).all() == []


def test_a_feed_is_run_paused_resumed_and_removed(operator: FlaskClient) -> None:
    (first, *others) = services.add(services.Following("nflverse", 2026), NOW)
    path = f"/ops/feeds/{first.id}"
    assert operator.post(path, data={"what": "run"}).status_code == 303
    sent = queue(RUN_FEED.queue).jobs
    assert [(job.func_name, tuple(job.args)) for job in sent] == [(RUN_FEED.name, (first.id,))]
    operator.post(path, data={"what": "pause"})
    assert "when resumed" in operator.get(path).text
    operator.post(path, data={"what": "resume"})
    assert "Pause" in operator.get(path).text
    assert operator.post(path, data={"what": "erase"}).status_code == 422
    operator.post(path, data={"what": "remove"})
    assert operator.get(path).status_code == 404
    assert len(services.listed()) == len(others)


def test_an_operator_without_games_is_asked_what_to_play(operator: FlaskClient) -> None:
    page = operator.get("/ops").text
    assert "There are no games yet. What do you want to play?" in page
    assert 'href="/ops/feeds#follow"' in page
    make_game()
    assert "There are no games yet" not in operator.get("/ops").text


def test_the_overview_counts_feeds_without_a_usable_file(
    operator: FlaskClient, publisher: Publisher
) -> None:
    feeds = {feed.kind: feed.id for feed in services.add(services.Following("nflverse", 2026), NOW)}
    publisher.files = {"games.csv": ROSTER.encode()}
    publisher.faults["roster_2026.csv"] = Fault(503)
    running.run(feeds["injuries"], NOW)
    assert "without a usable file" not in operator.get("/ops").text, "it is not published yet"
    running.run(feeds["schedule"], NOW)
    running.run(feeds["rosters"], NOW)
    page = compact(operator.get("/ops").text)
    assert "2 feeds</a> without a usable file" in page


def test_the_form_offers_the_present_season(
    sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2027, 1, 9, tzinfo=UTC))
    assert 'value="2026"' in sign_in("operator").get("/ops/feeds").text


def test_a_season_that_is_followed_already_keeps_its_source(
    operator: FlaskClient, tmp_path: Path
) -> None:
    """Whoever follows it on the page again must not turn a folder into the internet."""
    services.add(services.Following("nflverse", 2026, str(tmp_path)), NOW)
    again = operator.post("/ops/feeds", data={"preset": "nflverse", "season": "2026"})
    assert (again.status_code, "2026 is already followed." in again.text) == (422, True)
    feeds = {feed.kind: feed for feed in services.listed()}
    services.remove(feeds["injuries"].id)
    operator.post("/ops/feeds", data={"preset": "nflverse", "season": "2026"})
    addresses = {feed.kind: feed.address for feed in services.listed()}
    assert addresses == dict.fromkeys(feeds, str(tmp_path))


@pytest.mark.parametrize("what", ["run", "pause", "resume", "remove"])
def test_an_act_on_a_feed_that_was_removed_says_so(operator: FlaskClient, what: str) -> None:
    (first, *_) = services.add(services.Following("nflverse", 2026), NOW)
    services.remove(first.id)
    answer = operator.post(f"/ops/feeds/{first.id}", data={"what": what})
    assert answer.status_code == 404
    assert "This feed was removed in the meantime." in answer.text


def test_a_feed_that_no_worker_runs_is_overdue(
    operator: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, *_) = services.add(services.Following("nflverse", 2026), clock.now())
    path = f"/ops/feeds/{first.id}"
    assert "Overdue" not in operator.get("/ops/feeds").text + operator.get(path).text
    asked = operator.post(path, data={"what": "run"})
    assert "A worker will run it in a moment." in operator.get(asked.location).text
    later = clock.now() + timedelta(minutes=11)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert "Overdue" in operator.get("/ops/feeds").text
    assert "No worker has picked it up." in operator.get(path).text
