"""When claims are processed, in the zone of the league."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from app.draft_leagues.settings import WaiverSettings
from app.draft_leagues.waivers.times import first_run_from, runs_between

DAILY = WaiverSettings(days=("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"), time="02:30")
NEW_YORK = "America/New_York"


def test_runs_keep_their_time_of_day_when_the_clocks_change() -> None:
    weekly = WaiverSettings(days=("WED", "SAT"), time="09:00")
    start = datetime(2026, 3, 6, tzinfo=UTC)  # a Friday; summer time begins on 8 March
    runs = runs_between(weekly, NEW_YORK, start, start + timedelta(days=6))
    assert [run.isoformat() for run in runs] == [
        "2026-03-07T14:00:00+00:00",
        "2026-03-11T13:00:00+00:00",
    ]


def test_a_night_without_the_time_has_one_run_and_a_night_with_two_has_one() -> None:
    spring = runs_between(
        DAILY, NEW_YORK, datetime(2026, 3, 8, 4, tzinfo=UTC), datetime(2026, 3, 9, 4, tzinfo=UTC)
    )
    assert [run.isoformat() for run in spring] == ["2026-03-08T07:30:00+00:00"]
    autumn = runs_between(
        replace(DAILY, time="01:30"),
        NEW_YORK,
        datetime(2026, 11, 1, 4, tzinfo=UTC),
        datetime(2026, 11, 2, 5, tzinfo=UTC),
    )
    assert [run.isoformat() for run in autumn] == ["2026-11-01T05:30:00+00:00"]


def test_a_run_at_the_very_moment_counts_as_from_it_and_not_as_after_it() -> None:
    run = first_run_from(DAILY, NEW_YORK, datetime(2026, 6, 1, tzinfo=UTC))
    assert first_run_from(DAILY, NEW_YORK, run) == run
    assert runs_between(DAILY, NEW_YORK, run, run) == []
    assert runs_between(DAILY, NEW_YORK, run - timedelta(seconds=1), run) == [run]
