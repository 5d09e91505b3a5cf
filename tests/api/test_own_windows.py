"""Boards of hours and of declared windows.

Made over the API, counted, listed, sent late, archived.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from app.boards.archive.services import archive_boards
from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord, Mode
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, check_boards, score_event

NOON = datetime(2026, 4, 5, 12, 30, tzinfo=UTC)
# an hour
RUSH = {"name": "rush", "starts_at": "2026-04-05T12:00:00Z", "ends_at": "2026-04-05T15:00:00+02:00"}
FINALS = {"name": "finals", "starts_at": "2026-04-06T12:00:00Z", "ends_at": "2026-04-07T12:00:00Z"}
MADE = {"windows": ["all-time", "custom", "6-hourly", "hourly"], "custom_windows": [FINALS, RUSH]}
PATH = "/v1/games/dice/modes/rush"


def make(callers: Callers, status: int = 201, **fields: Any) -> Any:
    body = {"slug": "rush", "title": "Rush", "aggregation": "sum", **MADE, **fields}
    answer = callers.game_server.post("/v1/games/dice/modes", json=body)
    assert answer.status_code == status, answer.text
    return answer.json


def the_mode(created: dict[str, Any]) -> Mode:
    return db.session.get_one(Mode, UUID(created["mode_id"]))


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def played(callers: Callers, noon: None) -> Mode:
    """Scores of 10:10, 11:20, 12:00, 12:05 and 12:25, as they arrive; the finals are tomorrow."""
    mode, log = the_mode(make(callers)), Log()
    for score, minutes in ((1, -140), (2, -70), (4, -30), (8, -25), (16, -5)):
        log.put(score_event(mode, callers.player_id, score, NOON + timedelta(minutes=minutes)))
    log.consume()
    return mode


def totals(callers: Callers) -> dict[str, list[int]]:
    client = callers.app.test_client()
    boards = db.session.scalars(select(BoardRecord.window_id).order_by(BoardRecord.window_id))
    entries = {window: got(client, f"{PATH}/leaderboards/{window}")["entries"] for window in boards}
    return {window: [row["score"] for row in rows] for window, rows in entries.items()}


def test_a_mode_says_which_windows_it_has_and_how_long_they_stay(callers: Callers) -> None:
    created = make(callers)
    assert created["windows"] == ["hourly", "6-hourly", "custom", "all-time"]
    assert created["keep_days"] == {"hourly": 2, "6-hourly": 2, "custom": 90}
    rush = {"name": "rush", "starts_at": "2026-04-05T12:00:00Z", "ends_at": "2026-04-05T13:00:00Z"}
    assert created["custom_windows"] == [rush, FINALS]


def test_a_score_counts_in_the_hours_and_the_declared_window_of_its_moment(
    callers: Callers, played: Mode
) -> None:
    assert totals(callers) == {
        "6-hourly:2026-04-05T06": [3],
        "6-hourly:2026-04-05T12": [28],
        "all-time": [31],
        "custom:rush": [28],
        "hourly:2026-04-05T10": [1],
        "hourly:2026-04-05T11": [2],
        "hourly:2026-04-05T12": [28],
    }
    check_boards(played)


def test_they_are_listed_with_their_ends_and_read_by_their_aliases(
    callers: Callers, played: Mode
) -> None:
    client = callers.app.test_client()
    listed = got(client, f"{PATH}/windows")["windows"]
    assert [
        (window["window_id"], window["alias"], window["ends_at"], window["state"])
        for window in listed
    ] == [
        ("all-time", None, None, "open"),
        ("6-hourly:2026-04-05T12", "6-hourly", "2026-04-05T18:00:00Z", "open"),
        ("custom:rush", "custom", "2026-04-05T13:00:00Z", "open"),
        ("hourly:2026-04-05T12", "hourly", "2026-04-05T13:00:00Z", "open"),
        ("hourly:2026-04-05T11", "hourly:previous", "2026-04-05T12:00:00Z", "closed"),
        ("6-hourly:2026-04-05T06", "6-hourly:previous", "2026-04-05T12:00:00Z", "closed"),
        ("hourly:2026-04-05T10", None, "2026-04-05T11:00:00Z", "closed"),
    ]
    assert [
        window["window_id"] for window in got(client, f"{PATH}/windows?kind=custom")["windows"]
    ] == ["custom:rush"]
    assert got(client, f"{PATH}/leaderboards/custom")["window_id"] == "custom:rush"
    assert (
        got(client, f"{PATH}/leaderboards/hourly:previous")["window_id"] == "hourly:2026-04-05T11"
    )
    assert got(client, f"{PATH}/leaderboards/custom:previous", 404)["detail"].startswith(
        "No custom window"
    )
    assert (
        "The mode has rush, finals"
        in got(client, f"{PATH}/leaderboards/custom:other", 404)["detail"]
    )
    got(client, f"{PATH}/leaderboards/hourly:2026-04-05T25", 404)
    got(client, f"{PATH}/leaderboards/5-hourly:2026-04-05T05", 400)
    for window, words in (
        ("custom:rush", "Rush"),
        ("6-hourly:2026-04-05T12", "5 April 2026, 12:00 to 18:00"),
    ):
        page = client.get(f"/boards/dice/rush/{window}")
        assert page.status_code == 200
        assert words in page.text


def test_they_go_to_the_archive_after_their_days_and_are_read_from_there(
    callers: Callers, played: Mode
) -> None:
    before = totals(callers)
    # 10, 11 o'clock and the first six
    assert archive_boards(blob_store(), NOON + timedelta(days=2)).archived == 3
    assert archive_boards(blob_store(), NOON + timedelta(days=91)).archived == 3  # all but all time
    assert totals(callers) == before
    boards = db.session.scalars(select(BoardRecord).order_by(BoardRecord.window_id)).all()
    assert [board.window_id for board in boards if board.archived_at is None] == ["all-time"]


@pytest.mark.parametrize(
    ("wrong", "field", "words"),
    [
        (
            {"keep_days": {"hourly": 42}},
            "keep_days",
            "1018 hourly windows would exist at once. The limit is 1000",
        ),
        ({"windows": ["custom"]}, "windows", "a score would not count anywhere"),
        ({"windows": ["daily"]}, "custom_windows", "Add custom to its windows"),
        (
            {"custom_windows": [RUSH, {**RUSH, "name": "b"}]},
            "custom_windows",
            "'rush' begins before 'b' ends",
        ),
        (
            {"custom_windows": [{**RUSH, "ends_at": RUSH["starts_at"]}]},
            "custom_windows",
            "must last from a minute",
        ),
        (
            {"custom_windows": [{**RUSH, "starts_at": "0001-01-01T00:00:00+09:00"}]},
            "custom_windows",
            "1970 and 2199",
        ),
        (
            {"custom_windows": [{**RUSH, "name": "No Name"}]},
            "custom_windows[0].name",
            "must be a name of lowercase letters",
        ),
        (
            {"custom_windows": [{**RUSH, "starts_at": "2026-04-05T12:00:00"}]},
            "custom_windows[0].starts_at",
            "",
        ),
    ],
)
def test_what_cannot_be_is_refused_at_creation(
    callers: Callers, wrong: dict[str, Any], field: str, words: str
) -> None:
    refused = make(callers, 400, **wrong)
    assert [error["field"] for error in refused["errors"]] == [field]
    assert words in refused["errors"][0]["detail"]
    assert catalogue.find_mode(callers.game, "rush") is None


def test_declared_windows_change_until_they_begin(callers: Callers, played: Mode) -> None:
    def patch(status: int, *windows: dict[str, str]) -> Any:
        answer = callers.game_server.patch(PATH, json={"custom_windows": windows})
        assert answer.status_code == status, answer.text
        return answer.json

    extra = {
        "name": "extra",
        "starts_at": "2026-04-05T13:00:00Z",
        "ends_at": "2026-04-05T14:00:00Z",
    }
    changed = patch(200, RUSH, extra)  # the finals are gone, as if they had never been
    assert [window["name"] for window in changed["custom_windows"]] == ["rush", "extra"]
    for windows in ([extra], [{**RUSH, "ends_at": "2026-04-05T12:59:00Z"}, extra]):
        (refused,) = patch(409, *windows)["errors"]
        assert (refused["field"], refused["code"]) == ("custom_windows", "has_scores")
        assert "already count in rush" in refused["detail"]
    begun = {
        "name": "begun",
        "starts_at": "2026-04-05T10:00:00Z",
        "ends_at": "2026-04-05T11:00:00Z",
    }
    assert "already count in begun" in patch(409, begun, RUSH, extra)["detail"]
    twice = [{**extra, "name": name} for name in ("b", "c")]
    assert [error["field"] for error in patch(400, RUSH, *twice)["errors"]] == ["custom_windows"]
    log = Log()
    log.put(score_event(played, callers.player_id, 32, NOON + timedelta(minutes=40)))
    log.consume()
    assert totals(callers)["custom:extra"] == [32]
    check_boards(played)
