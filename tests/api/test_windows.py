"""A mode's windows over the API: what there is to read, when each ends, and what an alias means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.api import leaderboards
from app.boards.models import BoardRecord
from app.core import clock
from app.core.db import db
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, score_event

NOON = datetime(2026, 4, 5, 12, tzinfo=UTC)


@pytest.fixture
def played(callers: Callers, monkeypatch: pytest.MonkeyPatch) -> Callers:
    """Scores of the 3rd and the 4th; it is noon on the 5th."""
    monkeypatch.setattr(clock, "now", lambda: NOON)
    log = Log()
    log.put(
        *(
            score_event(callers.mode, callers.player_id, 50 + n, NOON - timedelta(days=n))
            for n in (1, 2)
        )
    )
    log.consume()
    return callers


def listed(callers: Callers, query: str = "", status: int = 200) -> Any:
    return got(callers.app.test_client(), f"{callers.mode_path}/windows{query}", status)


def test_the_windows_are_listed_with_their_ends_and_aliases(played: Callers) -> None:
    archived = db.session.query(BoardRecord).filter_by(window_id="daily:2026-04-03").one()
    archived.archived_at, archived.blob = NOON, "boards.v1/x"
    db.session.commit()
    answer = listed(played)
    assert (answer["now"], answer["time_zone"]) == ("2026-04-05T12:00:00Z", "UTC")
    rows = [
        (
            window["window_id"],
            window["alias"],
            window["starts_at"],
            window["ends_at"],
            window["state"],
            window["has_scores"],
        )
        for window in answer["windows"]
    ]
    assert rows == [
        ("all-time", None, None, None, "open", True),
        (
            "daily:2026-04-05",
            "daily",
            "2026-04-05T00:00:00Z",
            "2026-04-06T00:00:00Z",
            "open",
            False,
        ),
        (
            "daily:2026-04-04",
            "daily:previous",
            "2026-04-04T00:00:00Z",
            "2026-04-05T00:00:00Z",
            "closed",
            True,
        ),
        (
            "daily:2026-04-03",
            None,
            "2026-04-03T00:00:00Z",
            "2026-04-04T00:00:00Z",
            "archived",
            True,
        ),
    ]


def test_pages_of_the_list_fit_together(played: Callers) -> None:
    whole = [window["window_id"] for window in listed(played)["windows"]]
    paged = [
        window["window_id"]
        for n in range(5)
        for window in listed(played, f"?limit=1&offset={n}")["windows"]
    ]
    assert paged == whole
    daily = [window["window_id"] for window in listed(played, "?kind=daily&limit=2")["windows"]]
    assert daily == whole[1:3]
    (wrong,) = listed(played, "?kind=weekly", 400)["errors"]
    assert wrong["detail"] == "kind: Ranked has no weekly boards, only daily, all-time."


def test_an_alias_reads_the_window_that_it_means_now(
    played: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = played.app.test_client()

    def read(window: str, status: int = 200) -> dict[str, Any]:
        return got(client, f"{played.mode_path}/leaderboards/{window}", status)

    today, yesterday = read("daily"), read("daily:previous")
    assert (today["window_id"], today["entries"]) == ("daily:2026-04-05", [])
    assert (yesterday["window_id"], [row["score"] for row in yesterday["entries"]]) == (
        "daily:2026-04-04",
        [51],
    )
    place = got(
        client, f"{played.mode_path}/leaderboards/daily:previous/players/{played.player_id}"
    )
    assert (place["window_id"], place["player"]["rank"]) == ("daily:2026-04-04", 1)
    assert read("weekly", 404)["detail"].startswith("Ranked has no weekly boards")
    page = client.get(f"/boards/{played.game.slug}/{played.mode.slug}/daily")
    assert (page.status_code, page.location.rpartition("/")[2]) == (302, "daily:2026-04-05")
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(hours=12))
    assert read("daily:previous")["window_id"] == "daily:2026-04-05"


def test_what_previous_means_is_not_kept_longer_than_it_means_it(
    played: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(hours=12, seconds=-5))
    client, path = played.app.test_client(), f"{played.mode_path}/leaderboards"
    assert got(client, f"{path}/daily:previous")["stale_after_ms"] == 5000
    assert got(client, f"{path}/daily:2026-04-03")["stale_after_ms"] == leaderboards.CLOSED_STALE_MS
