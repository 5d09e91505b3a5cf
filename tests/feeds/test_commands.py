"""`pressbox feed`: follow a folder, run it, and see what it did."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from app.cli import feeds as commands
from app.cli import main
from app.core.db import db, only_run
from app.core.postgres.advisory_locks import Lock
from app.feeds import services
from app.feeds.models import Feed
from tests.commands import use_here
from tests.worlds.play_by_play import WIDE, small_game, write
from tests.worlds.season_files import ROSTER, SCHEDULE, written
from tests.worlds.weekly_statistics import season_2025


def pressbox(*words: str) -> str:
    result = invoked(*words)
    assert result.exit_code == 0, result.output
    return result.output


def invoked(*words: str) -> Result:
    """The command, run inside the test's application context."""
    return CliRunner().invoke(main, ["feed", *words])


def test_a_folder_is_followed_by_commands(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    written(tmp_path, "games.csv", SCHEDULE)
    written(tmp_path, "roster_2026.csv", ROSTER)
    added = pressbox("add", "nflverse", "--season", "2026", "--from", str(tmp_path))
    assert f"schedule 2026  folder {tmp_path}" in added
    assert "CC BY 4.0" in added
    assert "schedule 2026: 5 games added" in pressbox("preview", "schedule")
    ran = pressbox("run")
    assert "schedule 2026: 5 games added" in ran
    assert "rosters 2026: 7 players added" in ran
    assert "injuries 2026: there is no file\n  There is no injuries_2026" in ran
    assert "rosters 2026: nothing new" in pressbox("run", "rosters")
    assert "rosters 2026 is paused." in pressbox("pause", "rosters")
    assert "rosters 2026" not in pressbox("run")
    assert "rosters 2026 is on." in pressbox("resume", "rosters")
    assert "injuries 2026 is removed." in pressbox("remove", "injuries")
    listed = pressbox("list", "--csv").splitlines()
    assert [line.split(",")[2] for line in listed[1:]][:2] == ["schedule", "rosters"]


def test_a_feed_that_runs_already_does_not_stop_the_others(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    monkeypatch.setattr("app.core.db.BUSY_SECONDS", 0.1)
    written(tmp_path, "games.csv", SCHEDULE)
    pressbox("add", "nflverse", "--season", "2026", "--from", str(tmp_path))
    schedule = services.listed()[0].id
    db.session.rollback()
    with only_run(Lock.FEED, AssertionError(), schedule):
        ran = invoked("run")
    assert ran.exit_code == 1
    assert "schedule 2026: not run. Another run of this feed is still in progress" in ran.stderr
    assert "rosters 2026: there is no file" in ran.stdout


def test_a_file_that_cannot_be_used_is_a_failed_run(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    pressbox("add", "nflverse", "--season", "2026", "--from", str(tmp_path))
    assert "nothing, because there is no file" in pressbox("preview", "schedule")
    assert "schedule 2026: there is no file" in pressbox("run", "schedule")
    written(tmp_path, "games.csv", ROSTER)
    ran = invoked("run", "schedule")
    assert ran.exit_code == 1
    assert "schedule 2026: the file cannot be used, and changed nothing" in ran.stdout


def test_pausing_and_resuming_all_feeds_leaves_those_that_ended(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    pressbox("add", "nflverse", "--season", "2026", "--from", str(tmp_path))
    db.session.query(Feed).filter_by(kind="rosters").update({"state": "ended"})
    db.session.commit()
    assert "schedule 2026 is paused." in pressbox("pause")
    assert "Resume them with `pressbox feed resume`." in invoked("run").stderr
    assert "schedule 2026 is on." in pressbox("resume")
    states = {row.kind: row.state for row in services.listed()}
    assert (states["rosters"], states["schedule"]) == ("ended", "on")


def test_what_is_wrong_is_said_in_a_sentence(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    unknown = invoked("add", "espn", "--season", "2026")
    assert (unknown.exit_code, unknown.stderr) == (
        1,
        "Error: There is no publisher 'espn': choose nflverse.\n",
    )
    folder = invoked("add", "nflverse", "--season", "2026", "--from", "")
    assert folder.exit_code == 2
    assert "Name a folder, or leave the option out." in folder.stderr
    for season, says in (("abc", "'abc' is not a valid year."), ("1900", "1900 is not in the")):
        assert says in invoked("add", "nflverse", "--season", season).stderr
    none = invoked("run")
    assert "No feeds are on. Add some with" in none.stderr
    assert "There is no feed 7:" in invoked("pause", "7").stderr


def test_all_feeds_of_a_season_with_news_run_in_one_command(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    for wait in ("until_published", "until_ingested"):  # no processes take events into the record
        monkeypatch.setattr(commands, wait, lambda *_: None)
    written(tmp_path, "games.csv", SCHEDULE.replace("2026", "2031").replace("2027", "2032"))
    written(tmp_path, "roster_2031.csv", ROSTER.replace("2026", "2031"))
    written(tmp_path, "player_stats_2030.csv", season_2025().replace(",2025,", ",2030,"))
    write(tmp_path / "play_by_play_2031.csv", WIDE, small_game())
    pressbox("add", "nflverse", "--season", "2031", "--from", str(tmp_path))
    previewed = pressbox("preview")
    assert "play_by_play 2031: " in previewed
    assert "player_weeks 2030: " in previewed
    ran = pressbox("run")
    assert re.search(r"^play_by_play 2031: \d+ plays entered", ran, re.MULTILINE)
    assert re.search(r"^player_weeks 2030: \d+ lines entered", ran, re.MULTILINE)
