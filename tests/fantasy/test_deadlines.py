"""When sheets lock by a league's own clocks, on the days they change too (PRODUCT G6)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.fantasy.market.deadlines import BadDeadlineError, locks_at, zone


@pytest.mark.parametrize(
    ("word", "rule", "time_zone", "deadline", "locks"),
    [
        (
            "the week before the clocks go back",
            "SAT 18:00",
            "America/New_York",
            "2026-10-25T17:00",
            "2026-10-24T22:00",
        ),
        (
            "the evening before they do",
            "SAT 18:00",
            "America/New_York",
            "2026-11-01T18:00",
            "2026-10-31T22:00",
        ),
        (
            "a week later an hour later",
            "SAT 18:00",
            "America/New_York",
            "2026-11-08T18:00",
            "2026-11-07T23:00",
        ),
        (
            "shown twice: the first",
            "SUN 01:30",
            "America/New_York",
            "2026-11-01T18:00",
            "2026-11-01T05:30",
        ),
        ("skipped in spring", "SUN 02:30", "Europe/Berlin", "2026-03-29T12:00", "2026-03-29T01:30"),
        (
            "clocks that change by half an hour",
            "SUN 12:00",
            "Australia/Lord_Howe",
            "2026-10-04T12:00",
            "2026-10-04T01:00",
        ),
        ("the same minute", "THU 18:00", "UTC", "2026-09-10T18:00", "2026-09-10T18:00"),
        (
            "a minute too late for this week",
            "THU 18:01",
            "UTC",
            "2026-09-10T18:00",
            "2026-09-03T18:01",
        ),
        (
            "the weekday is that of the zone",
            "MON 08:00",
            "Asia/Tokyo",
            "2026-09-13T23:30",
            "2026-09-13T23:00",
        ),
    ],
)
def test_the_last_such_time_before_the_gameweeks_own(
    word: str, rule: str, time_zone: str, deadline: str, locks: str
) -> None:
    moment = locks_at(rule, time_zone, datetime.fromisoformat(deadline).replace(tzinfo=UTC))
    assert moment.astimezone(UTC) == datetime.fromisoformat(locks).replace(tzinfo=UTC), word


def test_without_a_rule_it_is_the_gameweeks_own() -> None:
    deadline = datetime(2026, 9, 10, 17, tzinfo=UTC)
    assert locks_at(None, "Europe/Berlin", deadline) == deadline


@pytest.mark.parametrize("rule", ["", "THU", "THU 24:00", "DAY 18:00", "18:00 THU"])
def test_what_is_no_deadline_is_refused_with_an_example(rule: str) -> None:
    with pytest.raises(BadDeadlineError, match="like THU 18:00"):
        locks_at(rule, "UTC", datetime(2026, 9, 10, 17, tzinfo=UTC))


def test_what_is_no_time_zone_is_refused_with_an_example() -> None:
    with pytest.raises(BadDeadlineError, match="Europe/Berlin"):
        zone("Mars/Olympus")
