"""Time zones come from the pinned tzdata package; what an update of that package changes."""

from __future__ import annotations

import os
import subprocess
import sys
import zoneinfo
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import pytest
from flask import Flask

from app.boards.windows.rules import DAILY, parse_window, window_of
from app.core.db import db
from app.draft_leagues.settings import WaiverSettings
from app.draft_leagues.waivers.times import runs_after, runs_between
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.deadlines import locks_at
from app.fantasy.market.models import SheetDeadline
from app.fantasy.market.seasons import ensure_team_rules, set_deadlines
from tests.waiting import patience
from tests.worlds.seasons import make_weekly_season

ZONE = "Europe/Berlin"
OTHER = "Etc/GMT-5"  # five hours east of Greenwich the whole year
ASK = f"""
from datetime import UTC, datetime
from zoneinfo import ZoneInfo
print(datetime(2020, 7, 1, tzinfo=UTC).astimezone(ZoneInfo("{ZONE}")).isoformat())
"""
SUNDAY = datetime(2020, 7, 5, 20, tzinfo=UTC)  # 22:00 in Berlin


@pytest.fixture
def other_rules(tmp_path: Path) -> Path:
    """A database of time zones in which Berlin has other rules."""
    file = tmp_path / ZONE
    file.parent.mkdir(parents=True)
    package, _, name = f"tzdata.zoneinfo.{OTHER.replace('/', '.')}".rpartition(".")
    file.write_bytes((resources.files(package) / name).read_bytes())
    return tmp_path


@pytest.fixture
def updated(other_rules: Path) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Within `updated()` the database of time zones is a newer one."""

    @contextmanager
    def update() -> Iterator[None]:
        zoneinfo.reset_tzpath(to=[other_rules])
        zoneinfo.ZoneInfo.clear_cache()
        yield
        zoneinfo.reset_tzpath(to=())
        zoneinfo.ZoneInfo.clear_cache()

    yield update
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()


@pytest.mark.parametrize("first", ["app.cli", "workers.process", "scorer_console.entry.rules"])
def test_a_process_never_asks_the_machines_database(first: str, other_rules: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {first}\n{ASK}"],
        env=os.environ | {"PYTHONTZPATH": str(other_rules)},
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(60),
    )
    assert done.stdout.strip() == "2020-07-01T02:00:00+02:00"


def test_an_update_moves_the_windows_of_boards_which_keep_their_names(
    updated: Callable[[], AbstractContextManager[None]],
) -> None:
    stored = window_of(DAILY, SUNDAY, ZONE)
    assert (stored.window_id, stored.starts.hour) == ("daily:2020-07-05", 22)
    with updated():
        assert window_of(DAILY, SUNDAY, ZONE).window_id == "daily:2020-07-06"
        assert parse_window(stored.window_id, ZONE).starts.hour == 19


def test_an_update_moves_waiver_runs_that_are_to_come_and_leaves_those_that_are_done(
    updated: Callable[[], AbstractContextManager[None]],
) -> None:
    settings = WaiverSettings(days=("WED",), time="09:00")
    done = next(runs_after(settings, ZONE, SUNDAY))
    assert done == datetime(2020, 7, 8, 7, tzinfo=UTC)
    with updated():
        following = datetime(2020, 7, 15, 4, tzinfo=UTC)
        assert runs_between(settings, ZONE, done, following) == [following]


def test_an_update_moves_a_stored_deadline_when_the_schedule_is_imported_again(
    app: Flask, updated: Callable[[], AbstractContextManager[None]]
) -> None:
    season, (gameweek,) = make_weekly_season(1, SUNDAY, 2020)
    choice = TeamRulesChoice.of("nfl-classic", ZONE, deadline="SUN 12:00")
    rules = ensure_team_rules(season.id, choice)
    db.session.commit()

    def stored() -> datetime:
        return db.session.get_one(
            SheetDeadline, (rules.id, gameweek.id), populate_existing=True
        ).locks_at

    noon = datetime(2020, 7, 5, 10, tzinfo=UTC)
    assert stored() == noon == locks_at("SUN 12:00", ZONE, SUNDAY)
    with updated():
        assert locks_at("SUN 12:00", ZONE, SUNDAY) == datetime(2020, 7, 5, 7, tzinfo=UTC)
        assert stored() == noon
        set_deadlines(season.id)
        assert stored() == datetime(2020, 7, 5, 7, tzinfo=UTC)
    assert gameweek.deadline == SUNDAY
