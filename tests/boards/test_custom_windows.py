"""Windows that a mode declares: a score counts in one at most, and what has begun stands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.boards.windows.custom import MOST, Calendar, Interval, faults, loaded, settled, stored
from app.boards.windows.rules import (
    ALL_TIME,
    CUSTOM,
    DAILY,
    InvalidWindowError,
    Window,
    after,
    alias_of,
    before,
    named_window,
    parse_window,
    title,
    window_of,
    windows_of,
)

START = datetime(2026, 3, 28, 18, tzinfo=UTC)
# over the night in which clocks go forward
SPRING = Interval("spring-finals", START, START + timedelta(hours=12))
SUMMER = Interval("summer", START + timedelta(days=1), START + timedelta(days=2))
FALL = Interval("fall", SUMMER.ends, SUMMER.ends + timedelta(minutes=1))
CALENDAR = Calendar("Europe/Berlin", (SPRING, SUMMER, FALL))
MOMENT = timedelta(microseconds=1)


def plain(at: datetime) -> list[str]:
    return [
        f"custom:{interval.name}"
        for interval in (SPRING, SUMMER, FALL)
        if interval.starts <= at < interval.ends
    ]


EDGES = [
    edge + step
    for interval in CALENDAR.declared
    for edge in (interval.starts, interval.ends)
    for step in (-MOMENT, 0 * MOMENT, MOMENT)
]


@pytest.mark.parametrize("at", EDGES)
def test_a_moment_lies_in_the_one_that_runs_and_in_none_between_them(at: datetime) -> None:
    assert [window.window_id for window in windows_of([CUSTOM], at, CALENDAR)] == plain(at)
    kinds = [window.kind for window in windows_of([DAILY, CUSTOM, ALL_TIME], at, CALENDAR)]
    assert kinds == ([DAILY, CUSTOM, ALL_TIME] if plain(at) else [DAILY, ALL_TIME])
    if not plain(at):
        with pytest.raises(InvalidWindowError, match="No custom window is open"):
            window_of(CUSTOM, at, CALENDAR)


def test_it_is_found_by_its_name_and_lasts_as_many_hours_as_were_declared() -> None:
    spring = parse_window("custom:spring-finals", CALENDAR)
    assert spring == Window(CUSTOM, "custom:spring-finals", START, START + timedelta(hours=12))
    assert title(spring) == "Spring finals"
    following = after(spring, CALENDAR)
    assert following is not None
    assert following.window_id == "custom:summer"
    assert before(following, CALENDAR) == spring
    assert before(spring, CALENDAR) is None
    assert after(parse_window("custom:fall", CALENDAR), CALENDAR) is None
    with pytest.raises(InvalidWindowError, match="The mode has spring-finals, summer, fall"):
        parse_window("custom:winter", CALENDAR)
    with pytest.raises(InvalidWindowError, match="The mode has none"):
        parse_window("custom:winter", "UTC")


@pytest.mark.parametrize(
    ("at", "running", "previous"),
    [
        (SPRING.starts - MOMENT, None, None),
        (SPRING.starts, "spring-finals", None),
        (SPRING.ends, None, "spring-finals"),
        (SUMMER.starts, "summer", "spring-finals"),
        (SUMMER.ends, "fall", "summer"),
        (FALL.ends, None, "fall"),
        (FALL.ends + timedelta(days=900), None, "fall"),
    ],
)
def test_its_aliases_mean_the_one_that_runs_and_the_last_one_that_has_ended(
    at: datetime, running: str | None, previous: str | None
) -> None:
    for alias, name in (("custom", running), ("custom:previous", previous)):
        if name is None:
            with pytest.raises(InvalidWindowError):
                named_window(alias, at, CALENDAR)
        else:
            meant = named_window(alias, at, CALENDAR)
            assert meant.window_id == f"custom:{name}"
            assert alias_of(meant, at, CALENDAR) == alias
    named = {running, previous}
    assert all(
        alias_of(parse_window(f"custom:{interval.name}", CALENDAR), at, CALENDAR) is None
        for interval in CALENDAR.declared
        if interval.name not in named
    )


def test_a_row_keeps_them_by_their_beginnings_in_utc() -> None:
    rows = stored([FALL, SPRING, SUMMER])
    assert loaded(rows) == (SPRING, SUMMER, FALL)
    assert faults(rows) == []
    assert rows[0]["starts_at"] == "2026-03-28T18:00:00.000000+00:00"


def test_what_cannot_be_is_said_by_name() -> None:
    def faults_of(*intervals: Interval) -> list[str]:
        return faults(stored(intervals))

    assert faults_of(SPRING, Interval("b", START, START + timedelta(days=1)))[0].startswith(
        "'b' begins before 'spring-"
    )
    assert faults_of(Interval("a", START, START))[0] == "'a' must last from a minute to 366 days."
    assert (
        faults_of(Interval("a", START, START + timedelta(days=367)))[0]
        == "'a' must last from a minute to 366 days."
    )
    assert faults_of(SPRING, Interval("spring-finals", FALL.ends, FALL.ends + timedelta(hours=1)))[
        0
    ].startswith("'spring-finals' appears twice")
    assert faults_of(Interval("previous", START, START + timedelta(hours=1)))[0].startswith(
        "'previous' is not a window name"
    )
    hours = [
        Interval(f"h{n}", START + timedelta(hours=n), START + timedelta(hours=n + 1))
        for n in range(MOST + 1)
    ]
    assert faults_of(*hours) == [
        "101 windows are more than the limit of 100 per mode. Create another mode for the rest."
    ]
    assert faults_of(*hours[1:]) == []
    (early,) = faults_of(
        Interval("a", datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 3, tzinfo=UTC))
    )
    assert early == "'a' must be between 1970 and 2199."


def test_what_has_begun_or_would_have_is_settled() -> None:
    rows, now = stored([SPRING, SUMMER, FALL]), SUMMER.starts + timedelta(hours=1)
    assert settled(rows, stored([SPRING, SUMMER]), now) == []  # the fall has not begun
    assert settled(rows, stored([SPRING, FALL]), now) == ["summer"]
    longer = Interval("summer", SUMMER.starts, SUMMER.ends - timedelta(hours=1))
    assert settled(rows, stored([SPRING, longer, FALL]), now) == ["summer"]
    early = Interval("late-entry", now + timedelta(seconds=59), now + timedelta(hours=1))
    assert settled(rows, stored([SPRING, SUMMER, FALL, early]), now) == ["late-entry"]
    assert settled(rows, stored([SPRING, SUMMER, FALL, early]), now - timedelta(seconds=1)) == []
