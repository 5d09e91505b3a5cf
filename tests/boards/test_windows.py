"""Windows of a mode's own calendar.

Right through daylight saving, year ends, skipped and doubled midnights.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.boards.windows.rules import (
    ALL_TIME,
    CUSTOM,
    DAILY,
    HOURLY,
    HOURS,
    KINDS,
    MONTHLY,
    WEEKLY,
    InvalidWindowError,
    after,
    alias_of,
    before,
    named_window,
    parse_window,
    title,
    window_of,
)

ZONES = sorted(available_timezones() - {"localtime"})
CALENDAR = (*HOURS, DAILY, WEEKLY, MONTHLY)
MILLISECONDS = st.integers(0, (date(2198, 12, 31) - date(1971, 1, 1)).days * 86_400_000)
INSTANTS = MILLISECONDS.map(
    lambda ms: datetime(1971, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
)


@settings(max_examples=400, deadline=None)
@given(at=INSTANTS, zone=st.sampled_from(ZONES), kind=st.sampled_from(CALENDAR))
@example(datetime(2011, 12, 30, 9, 59, 59, tzinfo=UTC), "Pacific/Apia", DAILY)
@example(datetime(2018, 11, 4, 2, 59, 59, tzinfo=UTC), "America/Sao_Paulo", DAILY)
@example(datetime(1990, 10, 28, 2, 31, tzinfo=UTC), "America/St_Johns", DAILY)
@example(datetime(1990, 10, 28, 2, 30, 30, tzinfo=UTC), "America/St_Johns", HOURLY)
@example(datetime(2010, 3, 4, 14, 30, tzinfo=UTC), "Antarctica/Casey", HOURLY)
@pytest.mark.fault(18)
def test_an_instant_lies_in_one_window_and_windows_follow_each_other(
    at: datetime, zone: str, kind: str
) -> None:
    window = window_of(kind, at, zone)
    assert window.starts is not None
    assert window.ends is not None
    assert window.starts <= at < window.ends
    assert parse_window(window.window_id, zone) == window
    previous, following = before(window, zone), after(window, zone)
    assert previous is not None
    assert following is not None
    assert previous.ends == window.starts
    assert following.starts == window.ends
    assert after(previous, zone) == window == before(following, zone)
    # The first instant of a window is in it, the last one too.
    assert window_of(kind, window.starts, zone) == window
    assert window_of(kind, window.ends - timedelta(microseconds=1), zone) == window


@settings(max_examples=400, deadline=None)
@given(at=INSTANTS, zone=st.sampled_from(ZONES))
@pytest.mark.fault(18)
def test_a_day_is_the_one_on_the_wall_calendar(at: datetime, zone: str) -> None:
    local = at.astimezone(ZoneInfo(zone))
    named = date.fromisoformat(window_of(DAILY, at, zone).window_id.removeprefix("daily:"))
    if named != local.date():
        # The clock is about to go back into the old day, to which these minutes belong.
        soon = [
            (at + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone)).date()
            for minutes in range(1, 180)
        ]
        assert named == min(soon) == local.date() - timedelta(days=1)
    year, week, _ = named.isocalendar()
    assert window_of(WEEKLY, at, zone).window_id == f"weekly:{year:04}-W{week:02}"
    assert window_of(MONTHLY, at, zone).window_id == f"monthly:{named:%Y-%m}"


@pytest.mark.parametrize(
    ("zone", "window_id", "starts", "hours"),
    [
        ("Europe/Berlin", "daily:2026-03-29", "2026-03-28T23:00:00+00:00", 23),  # clocks go forward
        ("Europe/Berlin", "daily:2026-10-25", "2026-10-24T22:00:00+00:00", 25),  # clocks go back
        ("America/New_York", "weekly:2026-W10", "2026-03-02T05:00:00+00:00", 167),
        ("America/New_York", "monthly:2025-11", "2025-11-01T04:00:00+00:00", 30 * 24 + 1),
        # midnight is skipped
        ("America/Sao_Paulo", "daily:2018-11-04", "2018-11-04T03:00:00+00:00", 23),
        ("Asia/Beirut", "daily:2026-03-29", "2026-03-28T22:00:00+00:00", 23),  # the same
        (
            "America/Havana",
            "daily:2019-11-03",
            "2019-11-03T04:00:00+00:00",
            25,
        ),  # midnight comes twice, the old day does not
        # the old day comes back for an hour
        ("America/St_Johns", "daily:1990-10-28", "1990-10-28T03:30:00+00:00", 24),
        # a day that never was
        ("Pacific/Apia", "daily:2011-12-30", "2011-12-30T10:00:00+00:00", 0),
        ("Pacific/Apia", "weekly:2011-W52", "2011-12-26T10:00:00+00:00", 6 * 24),
        ("UTC", "weekly:2026-W53", "2026-12-28T00:00:00+00:00", 168),
        ("UTC", "weekly:2025-W01", "2024-12-30T00:00:00+00:00", 168),  # begins in the old year
        ("UTC", "monthly:2028-02", "2028-02-01T00:00:00+00:00", 29 * 24),
        ("UTC", "hourly:2026-10-25T02", "2026-10-25T02:00:00+00:00", 1),
        ("Europe/Berlin", "hourly:2026-03-29T01", "2026-03-29T00:00:00+00:00", 1),
        # an hour that never was
        ("Europe/Berlin", "hourly:2026-03-29T02", "2026-03-29T01:00:00+00:00", 0),
        ("Europe/Berlin", "hourly:2026-03-29T03", "2026-03-29T01:00:00+00:00", 1),
        # and one that came twice
        ("Europe/Berlin", "hourly:2026-10-25T02", "2026-10-25T00:00:00+00:00", 2),
        ("Europe/Berlin", "hourly:2026-10-25T03", "2026-10-25T02:00:00+00:00", 1),
        ("Europe/Berlin", "6-hourly:2026-03-29T00", "2026-03-28T23:00:00+00:00", 5),
        ("Europe/Berlin", "6-hourly:2026-10-25T00", "2026-10-24T22:00:00+00:00", 7),
        ("Europe/Berlin", "6-hourly:2026-10-25T06", "2026-10-25T05:00:00+00:00", 6),
        ("Asia/Kolkata", "hourly:2026-04-05T14", "2026-04-05T08:30:00+00:00", 1),
        # it went back by three hours
        ("Antarctica/Casey", "hourly:2010-03-04T23", "2010-03-04T12:00:00+00:00", 4),
        ("America/Havana", "2-hourly:2019-11-03T00", "2019-11-03T04:00:00+00:00", 3),
    ],
)
@pytest.mark.fault(18)
def test_known_windows(zone: str, window_id: str, starts: str, hours: int) -> None:
    window = parse_window(window_id, zone)
    assert window.starts == datetime.fromisoformat(starts)
    assert window.ends == window.starts + timedelta(hours=hours)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != CUSTOM])
def test_a_window_is_found_again_by_its_name(kind: str) -> None:
    window = window_of(kind, datetime(2026, 1, 1, tzinfo=UTC), "Australia/Lord_Howe")
    assert parse_window(window.window_id, "Australia/Lord_Howe") == window
    assert (before(window, "UTC") is None) == (kind == ALL_TIME)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "daily",
        "daily:2026-02-30",
        "weekly:2026-W54",
        "weekly:2025-W53",
        "monthly:2026-13",
        "monthly:2026-1",
        "hourly:2026-01-01",
        "hourly:2026-01-01T24",
        "6-hourly:2026-01-01T05",
        "5-hourly:2026-01-01T05",
        "hourly:2026-02-30T05",
        "all-time:2026",
        "daily:1969-12-31",
        "daily:9999-12-31",
        "daily:٢٠٢٦-01-01",
    ],
)
def test_a_window_that_there_is_not_is_refused_with_examples(name: str) -> None:
    with pytest.raises(InvalidWindowError, match="Use a name like daily:2026-04-05"):
        parse_window(name, "UTC")


@pytest.mark.parametrize(
    ("window_id", "words"),
    [
        ("daily:2026-04-05", "Sunday, 5 April 2026"),
        ("weekly:2026-W14", "30 March to 5 April 2026"),
        ("weekly:2026-W15", "6 to 12 April 2026"),
        ("weekly:2026-W01", "29 December 2025 to 4 January 2026"),
        ("monthly:2026-04", "April 2026"),
        ("6-hourly:2026-04-05T18", "Sunday, 5 April 2026, 18:00 to 00:00"),
        ("all-time", "All time"),
    ],
)
def test_windows_have_the_names_that_people_use(window_id: str, words: str) -> None:
    assert title(parse_window(window_id, "UTC")) == words


def test_times_far_off_are_refused() -> None:
    with pytest.raises(InvalidWindowError, match="between 1970 and 2199"):
        window_of(DAILY, datetime(2200, 1, 1, tzinfo=UTC), "UTC")


@pytest.mark.parametrize(
    ("alias", "window_id"),
    [
        ("hourly", "hourly:2026-03-29T23"),
        ("6-hourly:previous", "6-hourly:2026-03-29T12"),
        ("daily", "daily:2026-03-29"),
        ("daily:previous", "daily:2026-03-28"),
        ("weekly", "weekly:2026-W13"),
        ("weekly:previous", "weekly:2026-W12"),
        ("monthly", "monthly:2026-03"),
        ("monthly:previous", "monthly:2026-02"),
        ("all-time", "all-time"),
    ],
)
def test_an_alias_means_a_window_of_the_modes_own_calendar(alias: str, window_id: str) -> None:
    # the clocks went forward that night
    zone, late = "Europe/Berlin", datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC)
    window = named_window(alias, late, zone)
    assert window.window_id == window_id
    assert alias_of(window, late, zone) == (None if alias == ALL_TIME else alias)
    assert named_window(window_id, late, zone) == window


@pytest.mark.parametrize("name", ["daily:next", "yearly", "all-time:previous", ""])
def test_other_aliases_there_are_none(name: str) -> None:
    with pytest.raises(InvalidWindowError):
        named_window(name, datetime(2026, 3, 29, tzinfo=UTC), "UTC")
