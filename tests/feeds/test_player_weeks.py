"""Feeds of weekly statistics: earlier seasons come in by themselves, and rankings follow."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.core.db import db
from app.draft_leagues.rankings.services import ranked_market
from app.fantasy.market.history_models import PlayerWeek, PreseasonProjection
from app.fantasy.season_setup import player_weeks_importing
from app.feeds import running, services, timing
from app.feeds.models import Feed
from tests.conftest import NFLVERSE
from tests.feeds.publisher import Publisher
from tests.record.test_published_files import table
from tests.worlds.season_files import SCHEDULE, written
from tests.worlds.weekly_statistics import (
    ADA,
    BEA,
    EVE,
    FAY,
    GUS,
    ROSTER,
    import_season,
    line,
    new_file,
    old_file,
    season_2025,
)

NOW = datetime(2026, 9, 1, tzinfo=UTC)
LAST_YEAR = "stats_player_week_2025.csv.gz"


def zipped(rows: str) -> bytes:
    return gzip.compress(rows.encode())


def follow(folder: str = "") -> dict[tuple[str, int], int]:
    """The numbers of the publisher's feeds by kind and season."""
    feeds = services.add(services.Following("nflverse", 2026, folder), NOW)
    return {(feed.kind, feed.season): feed.id for feed in feeds}


@pytest.fixture
def feeds(publisher: Publisher, tmp_path: Path) -> dict[tuple[str, int], int]:
    """The feeds of a publisher that has the statistics of 2025; schedule and roster are here."""
    import_season(tmp_path, with_weeks=False)
    publisher.files = {LAST_YEAR: zipped(season_2025())}
    return follow()


def feed(feed_id: int) -> Feed:
    return db.session.get_one(Feed, feed_id, populate_existing=True)


def stored() -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Weekly lines and projections."""
    db.session.expire_all()
    lines = db.session.execute(
        select(PlayerWeek.season, PlayerWeek.footballer_id, PlayerWeek.week, PlayerWeek.stats)
    )
    projections = db.session.execute(
        select(
            PreseasonProjection.rules,
            PreseasonProjection.footballer_id,
            PreseasonProjection.per_game,
        )
    )
    return (
        sorted((tuple(row) for row in lines), key=str),
        sorted((tuple(row) for row in projections), key=str),
    )


def backs() -> list[str]:
    """The running backs in the order of the ranking."""
    ranked = ranked_market("nfl", 2026, "half_ppr", 2, NOW)
    return [each.id for each in ranked if each.id in (ADA, BEA, EVE, FAY, GUS)]


def test_a_season_follows_the_three_seasons_before_it(
    feeds: dict[tuple[str, int], int],
) -> None:
    assert [season for kind, season in feeds if kind == "player_weeks"] == [2025, 2024, 2023]
    # the market of the season is there before what follows for it
    assert [kind for kind, _ in feeds][:4] == ["schedule", "rosters", "injuries", "play_by_play"]


def test_the_first_season_of_all_has_none_before_it(publisher: Publisher) -> None:
    added = services.add(services.Following("nflverse", 1869), NOW)
    assert {feed.season for feed in added} == {1869}


def test_following_another_season_leaves_the_feeds_of_the_first_where_they_read(
    publisher: Publisher, tmp_path: Path
) -> None:
    first = follow(str(tmp_path))
    services.pause(first["player_weeks", 2023])
    added = services.add(services.Following("nflverse", 2024), NOW)
    assert ("player_weeks", 2023) in {(row.kind, row.season) for row in added}
    stored_feed = feed(first["player_weeks", 2023])
    assert (stored_feed.address, stored_feed.state) == (str(tmp_path), "paused")
    assert feed(first["player_weeks", 2025]).address == str(tmp_path)


def test_a_season_that_is_followed_again_is_read_elsewhere(
    publisher: Publisher, tmp_path: Path
) -> None:
    feeds = follow()
    follow(str(tmp_path))
    assert {feed(number).address for number in feeds.values()} == {str(tmp_path)}


def test_a_file_is_entered_once_and_a_newer_one_by_what_has_changed(
    feeds: dict[tuple[str, int], int], publisher: Publisher
) -> None:
    number = feeds["player_weeks", 2025]
    assert running.preview(number, NOW).changes == {"lines entered": 101}
    assert stored()[0] == []
    assert running.run(number, NOW).changes == {"lines entered": 101}
    assert backs()[-2:] == [EVE, GUS]
    before = stored()
    assert running.run(number, NOW).outcome == "unchanged"
    assert publisher.statuses(LAST_YEAR) == [200, 200, 304]
    # the same lines in another file
    publisher.files[LAST_YEAR] = gzip.compress(season_2025().encode(), compresslevel=1)
    assert running.run(number, NOW).outcome == "unchanged"
    assert stored() == before
    corrected = season_2025().replace(",100,", ",120,", 1)
    publisher.files[LAST_YEAR] = zipped(corrected)
    assert running.run(number, NOW).changes == {"lines entered": 1}
    assert stored() != before


def test_statistics_that_are_not_published_are_asked_for_once_a_day(
    feeds: dict[tuple[str, int], int], publisher: Publisher
) -> None:
    number = feeds["player_weeks", 2024]
    assert running.run(number, NOW).outcome == "failed"
    row = feed(number)
    assert "has no stats_player_week_2024.csv.gz (404)" in row.findings[0]
    assert (row.failures, row.due_at) == (0, NOW + timedelta(days=1))
    publisher.files["stats_player_week_2024.csv.gz"] = zipped(
        old_file(line(ADA, "HRB", "SUM", 1, season=2024, carries=3))
    )
    # the player, and two defences
    assert running.run(number, NOW).changes == {"lines entered": 3}
    assert (feed(number).findings, feed(number).due_at) == ([], NOW + timedelta(days=1))


BAD_FILES = {
    "roster": (ROSTER, "this is a roster, not weekly statistics of players"),
    "other season": (
        old_file(line(ADA, "HRB", "SUM", 1, season=2024)),
        "no rows for 2025. It has 2024.",
    ),
    "playoffs alone": (
        season_2025().replace(",REG,", ",POST,"),
        "no regular-season games for 2025",
    ),
    "bad cell": (season_2025().replace(",250,", ",many,", 1), "must be a number, not 'many'"),
    "fewer": (season_2025(weeks=10), "The file has 39 rows, and the last one had 67"),
}


@pytest.mark.parametrize(("text", "says"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_is_no_good_changes_nothing(
    feeds: dict[tuple[str, int], int], publisher: Publisher, text: str, says: str
) -> None:
    number = feeds["player_weeks", 2025]
    running.run(number, NOW)
    before = stored()
    publisher.files[LAST_YEAR] = zipped(text)
    assert running.run(number, NOW).outcome == "finding"
    assert says in feed(number).findings[0]
    assert stored() == before


def test_rows_of_another_season_in_the_file_are_left_out(
    feeds: dict[tuple[str, int], int], publisher: Publisher
) -> None:
    publisher.files[LAST_YEAR] = zipped(
        season_2025() + line(ADA, "HRB", "SUM", 1, season=2024, carries=3) + "\n"
    )
    running.run(feeds["player_weeks", 2025], NOW)
    assert db.session.scalars(select(PlayerWeek.season).distinct()).all() == [2025]


def test_a_run_that_is_killed_is_repeated_as_a_whole(
    feeds: dict[tuple[str, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(competition: str) -> None:
        raise KeyboardInterrupt(competition)

    number = feeds["player_weeks", 2025]
    before = stored()
    with monkeypatch.context() as killed:
        killed.setattr(player_weeks_importing, "_reprice_unused_markets", fail)
        with pytest.raises(KeyboardInterrupt):
            running.run(number, NOW)
    assert (stored(), feed(number).sha256) == (before, None)
    assert running.run(number, NOW).changes == {"lines entered": 101}


def test_a_folder_has_both_formats_and_one_round_makes_the_board(
    app: Flask, tmp_path: Path
) -> None:
    written(tmp_path, "games.csv", SCHEDULE)
    written(tmp_path, "roster_2026.csv", ROSTER)
    added = line(BEA, "SUM", "HRB", 1, rushing_yards=90) + ",0,0,0,0,0,0,0"
    table(tmp_path / "stats_player_week_2025.parquet", new_file(added))
    earlier = line(ADA, "HRB", "SUM", 1, season=2024, rushing_yards=50)
    (tmp_path / "player_stats_2024.csv.gz").write_bytes(zipped(old_file(earlier)))
    outcomes = {
        key: running.run(number, NOW).outcome for key, number in follow(str(tmp_path)).items()
    }
    assert outcomes == {
        ("schedule", 2026): "changed",
        ("rosters", 2026): "changed",
        ("injuries", 2026): "failed",
        ("play_by_play", 2026): "failed",
        ("player_weeks", 2025): "changed",
        ("player_weeks", 2024): "changed",
        ("player_weeks", 2023): "failed",
    }
    assert backs().index(BEA) < backs().index(ADA) < backs().index(EVE)


@pytest.mark.parametrize(
    ("now", "pause"), [("2026-01-02", timedelta(hours=1)), ("2026-05-01", timedelta(days=1))]
)
def test_statistics_of_a_season_that_goes_on_are_asked_for_every_hour(
    now: str, pause: timedelta
) -> None:
    games = [timing.Played(datetime(2026, 1, 4, 18, tzinfo=UTC), is_final=False)]
    assert (
        timing.pause("player_weeks", games, datetime.fromisoformat(f"{now}T12:00+00:00")) == pause
    )
    assert timing.pause("player_weeks", [], NOW) == timedelta(days=1)


@pytest.mark.realgames
@pytest.mark.breadth("real files of one more season")
def test_one_round_of_the_real_files_makes_the_board(app: Flask) -> None:
    feeds = follow(str(NFLVERSE))
    reports = {key: running.run(number, NOW) for key, number in feeds.items()}
    assert reports["schedule", 2026].changes == {"games added": 272}
    assert reports["rosters", 2026].changes["players added"] > 2_000
    assert reports["player_weeks", 2023].changes["lines entered"] > 5_000
    missing = {key for key, report in reports.items() if report.outcome == "failed"}
    assert missing == {
        ("injuries", 2026),
        ("play_by_play", 2026),
        ("player_weeks", 2025),
        ("player_weeks", 2024),
    }
    first = [each.name for each in ranked_market("nfl", 2026, "half_ppr", 10, NOW)[:24]]
    assert {"CeeDee Lamb", "Bijan Robinson", "Ja'Marr Chase", "Jeremiyah Love"} <= set(first)
    assert db.session.scalar(select(func.count()).select_from(PlayerWeek)) > 5_000
