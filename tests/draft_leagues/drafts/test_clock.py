"""The clock of a draft, at night and on the nights when the clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.draft_leagues.drafts.clock import Hours
from app.draft_leagues.settings import NightPause

NEW_YORK = ZoneInfo("America/New_York")
SLOW = Hours(NightPause("22:00", "08:00"), "America/New_York")
HOUR = 3600


def local(day: str, clock_time: str) -> datetime:
    return datetime.fromisoformat(f"{day}T{clock_time}").replace(tzinfo=NEW_YORK).astimezone(UTC)


def test_without_a_night_pause_the_clock_runs_through() -> None:
    start = local("2026-08-20", "23:00")
    assert Hours(None, "America/New_York").deadline(start, 90) == start + timedelta(seconds=90)


@pytest.mark.parametrize(
    ("start", "hours", "deadline"),
    [
        (("2026-08-20", "10:00"), 4, ("2026-08-20", "14:00")),
        (("2026-08-20", "18:00"), 4, ("2026-08-20", "22:00")),
        (("2026-08-20", "20:00"), 4, ("2026-08-21", "10:00")),
        (("2026-08-20", "23:30"), 4, ("2026-08-21", "12:00")),
        (("2026-08-21", "03:00"), 4, ("2026-08-21", "12:00")),
        (("2026-08-20", "20:00"), 20, ("2026-08-22", "12:00")),
        # 2026-11-01: the night is an hour longer, but its local hours are the same.
        (("2026-10-31", "21:00"), 2, ("2026-11-01", "09:00")),
        # 2026-03-08: an hour shorter.
        (("2026-03-07", "21:00"), 2, ("2026-03-08", "09:00")),
    ],
)
def test_the_clock_stands_still_at_night(
    start: tuple[str, str], hours: int, deadline: tuple[str, str]
) -> None:
    assert SLOW.deadline(local(*start), hours * HOUR) == local(*deadline)


def test_the_nights_with_a_change_of_clocks_have_their_true_length() -> None:
    for day, length in (("2026-10-31", 11), ("2026-03-07", 9), ("2026-08-20", 10)):
        start = local(day, "22:00")
        assert SLOW.deadline(start, 0.001) - start == timedelta(hours=length, seconds=0.001)


def test_a_night_that_ends_in_the_skipped_hour_ends_when_the_clocks_change() -> None:
    hours = Hours(NightPause("00:00", "02:30"), "America/New_York")
    # 02:30 does not exist on that night; counted with the old hour it is 03:30 of the new one.
    assert hours.deadline(local("2026-03-08", "00:00"), 60) == local("2026-03-08", "03:31")


def minutes_model(night: NightPause, start: datetime, minutes: int) -> datetime:
    """The plain way: count the minutes that are not night on the wall."""
    moment = start
    while minutes:
        wall = moment.astimezone(NEW_YORK).strftime("%H:%M")
        if night.starts < night.ends:
            is_night = night.starts <= wall < night.ends
        else:
            is_night = wall >= night.starts or wall < night.ends
        minutes -= not is_night
        moment += timedelta(minutes=1)
    return moment


@given(
    st.integers(0, 60 * 24 * 5),
    st.integers(1, 60 * 30),
    st.sampled_from(["22:00", "23:30", "00:30"]),
    st.sampled_from(["06:00", "08:15"]),
    st.sampled_from(["2026-10-30", "2026-03-06", "2026-08-01"]),
)
@settings(max_examples=40, deadline=None)
def test_the_deadline_equals_counting_minutes(
    after: int, minutes: int, starts: str, ends: str, day: str
) -> None:
    night = NightPause(starts, ends)
    hours = Hours(night, "America/New_York")
    start = local(day, "00:00") + timedelta(minutes=after)
    deadline = hours.deadline(start, minutes * 60)
    assert deadline == minutes_model(night, start, minutes)
    assert hours.seconds_between(start, deadline) == minutes * 60
