"""A feed fetches its file, enters what is new, and changes nothing where the file is no good."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.core.db import db
from app.core.jobs import queue
from app.core.logs.configuration import RENDERER
from app.fantasy.market.models import FootballerSeason, InjuryReport
from app.feeds import fetching, running, services, timing
from app.feeds.jobs import RUN_FEED
from app.feeds.models import RUNS_SHOWN, Feed, FeedRun
from app.feeds.running import RunReport
from app.record import events as ev
from app.record.models import Footballer, Game, PublishedScore
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from scorer_console.record.accepted import accepted_events
from tests.feeds.publisher import Fault, Publisher
from tests.record.test_published_files import table
from tests.worlds.games import ingest, messages, touchdown_drive
from tests.worlds.season_files import ROSTER, SCHEDULE, written
from workers.jobs import run_feed, run_feeds

NOW = datetime(2026, 9, 13, 15, tzinfo=UTC)  # a Sunday with games
INJURIES = (
    "season,game_type,team,week,gsis_id,full_name,report_primary_injury,report_status,"
    "practice_primary_injury,practice_status\n"
    "2026,REG,HRB,1,00-0000001,Quinn Harbor,Knee,Out,Knee,Did Not Participate In Practice\n"
)
GAMES, PLAYERS, REPORTS = "games.csv", "roster_2026.csv", "injuries_2026.csv"


@pytest.fixture
def follow(publisher: Publisher) -> Callable[..., dict[str, int]]:
    """Adds the publisher's feeds of the season and returns their numbers by kind.

    Those of the seasons before are in test_player_weeks.py.
    """
    publisher.files = {
        GAMES: SCHEDULE.encode(),
        PLAYERS: ROSTER.encode(),
        REPORTS: INJURIES.encode(),
    }

    def add(folder: str = "") -> dict[str, int]:
        feeds = services.add(services.Following("nflverse", 2026, folder), NOW)
        for feed in feeds:
            if feed.season < 2026:
                services.remove(feed.id)
        return {feed.kind: feed.id for feed in feeds if feed.season == 2026}

    return add


def feed(feed_id: int) -> Feed:
    return db.session.get_one(Feed, feed_id, populate_existing=True)


def run_all(feeds: dict[str, int], now: datetime = NOW) -> dict[str, RunReport]:
    return {kind: running.run(feeds[kind], now) for kind in ("schedule", "rosters", "injuries")}


def stored() -> tuple[int, int, int, list[tuple[str, str]]]:
    """Games, footballers, injury reports, and the statuses on the market."""
    db.session.expire_all()
    counts = [
        db.session.scalar(select(func.count()).select_from(model))
        for model in (Game, Footballer, InjuryReport)
    ]
    statuses = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.status).order_by(
            FootballerSeason.footballer_id
        )
    )
    return (*counts, [tuple(row) for row in statuses])  # type: ignore[return-value]


def test_the_files_of_a_publisher_make_a_season(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    reports = run_all(follow())
    assert reports["schedule"].changes == {"games added": 5}
    assert reports["rosters"].changes["players added"] == 7, "two clubs' D/ST are among them"
    assert reports["injuries"].changes == {"reports": 1, "statuses": 1}
    assert ("00-0000001", "out") in stored()[-1]


def test_a_run_with_news_is_logged_by_the_workers_renderer(
    follow: Callable[..., dict[str, int]], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It refuses keys with spaces, such as the nouns of what was changed."""
    lines = io.StringIO()
    logger = structlog.wrap_logger(structlog.PrintLogger(lines), processors=[RENDERER])
    monkeypatch.setattr(running, "log", logger)
    feeds = follow()
    running.run(feeds["schedule"], NOW)
    assert f"event=feed_run process= feed_id={feeds['schedule']} " in lines.getvalue()
    assert 'changes="5 games added"' in lines.getvalue()


def test_a_file_that_has_not_changed_is_not_fetched_again(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    run_all(feeds)
    before = stored()
    again = run_all(feeds, NOW + timedelta(minutes=5))
    assert [report.outcome for report in again.values()] == ["unchanged"] * 3
    assert [report.changes for report in again.values()] == [{}] * 3
    assert (publisher.statuses(GAMES), publisher.statuses(PLAYERS)) == ([200, 304], [200, 304])
    assert stored() == before


def test_the_publishers_timestamp_is_looked_at_before_the_file(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    publisher.files["rosters.json"] = b'{"last_updated": "2026-09-13 07:00:00 UTC"}'
    run_all(feeds)
    running.run(feeds["rosters"], NOW)
    assert publisher.statuses(PLAYERS) == [200]
    publisher.files["rosters.json"] = b'{"last_updated": ["2026-09-14 07:00:00 UTC"]}'
    publisher.files[PLAYERS] = ROSTER.replace("QB,9,ACT", "QB,9,RES").encode()
    assert running.run(feeds["rosters"], NOW).changes == {"statuses": 1}
    assert publisher.statuses(PLAYERS) == [200, 200]


def test_a_moved_game_a_final_score_and_a_traded_player_are_counted(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    run_all(feeds)
    publisher.files[GAMES] = (
        SCHEDULE.replace("2026-10-31,Saturday,13:00", "2026-10-30,Friday,20:15")
        .replace("20:20,SUM,,HRB,,", "20:20,SUM,17,HRB,20,")
        .encode()
    )
    publisher.files[PLAYERS] = ROSTER.replace("2026,HRB,RB,HB,22", "2026,SUM,RB,HB,22").encode()
    reports = run_all(feeds)
    assert reports["schedule"].changes == {"games moved": 1, "final scores": 1}
    moved = "Moved: ASH at SUM to Fri, Oct 30, 8:15 PM ET (week 9)."
    assert feed(feeds["schedule"]).findings[0] == moved
    assert reports["rosters"].changes == {"players moved": 1}
    score = db.session.get_one(PublishedScore, "2026_01_SUM_HRB")
    assert (score.home_score, score.away_score) == (20, 17)


def test_a_kickoff_without_a_time_in_the_file_keeps_the_known_one(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    run_all(feeds)
    publisher.files[GAMES] = SCHEDULE.replace("20:20,SUM", ",SUM").encode()
    assert running.run(feeds["schedule"], NOW).changes == {}
    publisher.files[GAMES] = SCHEDULE.replace("09-10,Thursday,20:20", "09-12,Saturday,").encode()
    assert running.run(feeds["schedule"], NOW).changes == {"games moved": 1}
    kickoff = db.session.get_one(Game, "2026_01_SUM_HRB").kickoff
    assert kickoff == datetime(2026, 9, 12, 17, tzinfo=UTC)


def test_a_postponed_game_of_the_schedule_is_declared_in_its_record(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    lines = SCHEDULE.splitlines()
    statuses = ["status", "", "postponed", "", "", ""]
    text = "\n".join(f"{line},{status}" for line, status in zip(lines, statuses, strict=True))
    publisher.files[GAMES] = text.encode()
    assert running.run(feeds["schedule"], NOW).changes == {"games added": 5, "statuses": 1}
    (event,) = accepted_events("2026_01_ASH_QRY").fold.entered
    assert event.body == ev.GameStatus(status="postponed", reason="Changed by the schedule")
    ingest([Message(GAME_EVENTS.name, 0, 0, event.game_id, ev.encode(event))])
    assert running.run(feeds["schedule"], NOW).changes == {}
    assert running.run(feeds["schedule"], NOW).outcome == "unchanged"
    assert publisher.statuses(GAMES) == [200, 200, 304]


BAD_ROSTERS = {
    "html": (b"<!DOCTYPE html><html></html>", "a web page or XML, not a roster"),
    "injuries": (INJURIES.encode(), "this is a list of injury reports, not a roster"),
    "cut": (ROSTER.encode()[:-20], "the file was cut or changed"),
    "cut gzip": (gzip.compress(ROSTER.encode())[:-20], "this is not a roster as text"),
    "no column": (ROSTER.replace("position", "p").encode(), "the header has no such column"),
    "other season": (ROSTER.replace("2026,", "2025,").encode(), "no rows for 2026. It has 2025."),
    "mixed seasons": (
        ROSTER.replace("2026,SUM,K", "2025,SUM,K").encode(),
        "The file has 7 rows, and the last one had 8",
    ),
    "fewer": (
        "".join(ROSTER.splitlines(keepends=True)[:-2]).encode(),
        "The file has 6 rows, and the last one had 8",
    ),
    "empty": (b"", "the file is empty"),
}


@pytest.mark.parametrize(("body", "says"), BAD_ROSTERS.values(), ids=BAD_ROSTERS)
def test_a_file_that_is_no_good_is_a_finding_changes_nothing_and_the_next_good_one_heals_it(
    follow: Callable[..., dict[str, int]], publisher: Publisher, body: bytes, says: str
) -> None:
    feeds = follow()
    run_all(feeds)
    before = stored()
    publisher.files[PLAYERS] = body
    report = running.run(feeds["rosters"], NOW)
    assert report.outcome == "finding"
    assert says in feed(feeds["rosters"]).findings[0]
    assert "/tmp/" not in feed(feeds["rosters"]).findings[0]
    assert stored() == before
    publisher.files[PLAYERS] = ROSTER.replace("QB,9,ACT", "QB,9,SUS").encode()
    assert running.run(feeds["rosters"], NOW).changes == {"statuses": 1}
    assert feed(feeds["rosters"]).findings == [
        "Clubs with games, but without a player on the market: ASH (2 games), QRY (2 games). "
        "Import their roster.",
        "1 row without a player ID was left out.",
    ]


def test_a_roster_in_place_of_injuries_and_a_parquet_file_of_another_table_are_findings(
    follow: Callable[..., dict[str, int]], publisher: Publisher, tmp_path: Path
) -> None:
    feeds = follow()
    run_all(feeds)
    before = stored()
    publisher.files[REPORTS] = ROSTER.encode()
    assert running.run(feeds["injuries"], NOW).outcome == "finding"
    assert "this is a roster, not a list of injury reports" in feed(feeds["injuries"]).findings[0]
    other = table(tmp_path / "other.parquet", "name,team\nAnn,HRB\n")
    publisher.files[REPORTS] = other.read_bytes()
    assert running.run(feeds["injuries"], NOW).outcome == "finding"
    assert "has no such column" in feed(feeds["injuries"]).findings[0]
    assert stored() == before
    publisher.files[REPORTS] = table(tmp_path / "good.parquet", INJURIES).read_bytes()
    assert running.run(feeds["injuries"], NOW).outcome == "unchanged"
    assert feed(feeds["injuries"]).findings == []


def test_fewer_rows_are_entered_if_the_operator_says_so(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    run_all(feeds)
    publisher.files[PLAYERS] = BAD_ROSTERS["fewer"][0]
    assert running.run(feeds["rosters"], NOW).outcome == "finding"
    report = running.run(feeds["rosters"], NOW, accepts_fewer_rows=True)
    assert (report.outcome, report.changes["players left"]) == ("changed", 1)
    assert feed(feeds["rosters"]).row_count == 6


FAULTS = {
    "404": (Fault(404), "has no roster_2026.csv (404)", 0),
    "500": (Fault(500), "answered 500 for roster_2026.csv", 1),
    "429": (Fault(429, {"Retry-After": "7200"}), "asks us to wait 120 minutes", 1),
    "cut": (Fault(200, {}, ROSTER.encode(), cut=20), "could not be reached", 1),
    "2 GB": (Fault(200, {"Content-Length": str(2 * 1024**3)}), "larger than", 1),
    "endless": (
        Fault(302, {"Location": "/roster_2026.csv"}),
        "redirects more than 5 times",
        1,
    ),
    "nowhere": (Fault(302, {"Location": "ftp://example.com/x"}), "cannot be used", 1),
}


@pytest.mark.parametrize(("fault", "says", "failures"), FAULTS.values(), ids=FAULTS)
def test_a_publisher_that_gives_no_file_is_asked_again_later(
    follow: Callable[..., dict[str, int]],
    publisher: Publisher,
    fault: Fault,
    says: str,
    failures: int,
) -> None:
    feeds = follow()
    run_all(feeds)
    before = stored()
    publisher.faults[PLAYERS] = fault
    report = running.run(feeds["rosters"], NOW)
    row = feed(feeds["rosters"])
    assert report.outcome == "failed"
    assert says in row.findings[0]
    assert (row.failures, stored()) == (failures, before)
    wait = timedelta(minutes=5) if failures else timedelta(hours=1)
    if "Retry-After" in fault.headers:
        wait = timedelta(hours=2)
    assert row.due_at == NOW + wait
    del publisher.faults[PLAYERS]
    assert running.run(feeds["rosters"], row.due_at).outcome == "unchanged"
    assert feed(feeds["rosters"]).failures == 0


def test_a_slow_answer_is_given_up(
    follow: Callable[..., dict[str, int]], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = follow()
    monkeypatch.setattr(fetching, "SECONDS", 0.2)
    publisher.faults[GAMES] = Fault(200, {"Content-Length": "100"}, is_slow=True)
    assert running.run(feeds["schedule"], NOW).outcome == "failed"
    assert "No complete response within 0.2 s." in feed(feeds["schedule"]).findings[0]


def test_failures_in_a_row_make_the_pauses_longer(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    run_all(feeds)
    publisher.faults[GAMES] = Fault(503)
    pauses = []
    for _ in range(9):
        running.run(feeds["schedule"], NOW)
        pauses.append(int((feed(feeds["schedule"]).due_at - NOW).total_seconds() // 60))
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 360, 360]


def test_a_first_failure_is_tried_again_in_minutes_although_no_games_are_stored(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    publisher.faults[GAMES] = Fault(503)
    running.run(feeds["schedule"], NOW)
    assert feed(feeds["schedule"]).due_at == NOW + timedelta(minutes=5)


def test_a_redirect_is_followed_to_public_addresses_only(
    follow: Callable[..., dict[str, int]], publisher: Publisher, app: Flask
) -> None:
    feeds = follow()
    publisher.files["elsewhere.csv"] = ROSTER.encode()
    publisher.faults[PLAYERS] = Fault(302, {"Location": publisher.address("elsewhere.csv")})
    run_all(feeds)
    assert publisher.statuses("elsewhere.csv") == [200]


def test_a_private_address_is_refused(app: Flask) -> None:
    """The same address as a redirect's target goes through the same check."""
    with pytest.raises(fetching.NotFetchedError, match="Use an address that starts with https"):
        fetching._follow("http://127.0.0.1:1/x", {}, Path("unused"))
    with pytest.raises(fetching.NotFetchedError, match="Use a public address"):
        fetching._follow("https://127.0.0.1:1/x", {}, Path("unused"))


def test_a_folder_is_read_under_the_publishers_names(
    follow: Callable[..., dict[str, int]], tmp_path: Path
) -> None:
    feeds = follow(str(tmp_path))
    assert running.run(feeds["schedule"], NOW).outcome == "failed"
    assert "There is no games file (.parquet, .csv.gz, .csv)" in feed(feeds["schedule"]).findings[0]
    written(tmp_path, GAMES, SCHEDULE)
    (tmp_path / "roster_2026.csv.gz").write_bytes(gzip.compress(ROSTER.encode()))
    table(tmp_path / "injuries_2026.parquet", INJURIES)
    reports = run_all(feeds)
    assert [report.outcome for report in reports.values()] == ["changed"] * 3
    assert [report.outcome for report in run_all(feeds).values()] == ["unchanged"] * 3
    written(tmp_path, GAMES, SCHEDULE.replace("13:00,ASH,,QRY", "16:05,ASH,,QRY"))
    assert running.run(feeds["schedule"], NOW).changes == {"games moved": 1}


def test_a_folder_that_is_followed_again_is_as_old_as_before(
    follow: Callable[..., dict[str, int]], tmp_path: Path
) -> None:
    written(tmp_path, GAMES, SCHEDULE)
    running.run(follow(str(tmp_path))["schedule"], NOW)
    feeds = follow(str(tmp_path))
    assert running.run(feeds["schedule"], NOW + timedelta(days=1)).outcome == "unchanged"
    assert feed(feeds["schedule"]).fetched_at == NOW


def test_a_preview_says_what_a_run_would_change_and_writes_nothing(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    assert running.preview(feeds["schedule"], NOW).changes == {"games added": 5}
    assert stored()[0] == 0
    assert db.session.scalar(select(func.count()).select_from(FeedRun)) == 0
    run_all(feeds)
    before = stored()
    publisher.files[PLAYERS] = ROSTER.replace("QB,9,ACT", "QB,9,RES").encode()
    assert running.preview(feeds["rosters"], NOW).changes == {"statuses": 1}
    assert stored() == before
    assert running.run(feeds["rosters"], NOW).changes == {"statuses": 1}


def test_the_last_fifty_runs_are_kept(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    for minutes in range(RUNS_SHOWN + 3):
        running.run(feeds["schedule"], NOW + timedelta(minutes=minutes))
    runs = db.session.scalars(select(FeedRun).order_by(FeedRun.id)).all()
    assert len(runs) == RUNS_SHOWN
    assert runs[0].began_at == NOW + timedelta(minutes=3)
    assert {run.outcome for run in runs} == {"unchanged"}


def test_two_runs_at_once_do_not_mix(
    follow: Callable[..., dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = follow()
    monkeypatch.setattr("app.core.db.BUSY_SECONDS", 0.1)
    enter = running._enter

    def run_meanwhile(*args: object, **options: object) -> object:
        with pytest.raises(running.FeedBusyError):
            running.run(feeds["schedule"], NOW)
        return enter(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "_enter", run_meanwhile)
    assert running.run(feeds["schedule"], NOW).changes == {"games added": 5}


def test_a_paused_feed_is_not_due_and_a_removed_one_is_gone(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    running.run(feeds["schedule"], NOW)
    services.pause(feeds["rosters"])
    assert services.due(NOW) == [feeds["injuries"], feeds["play_by_play"]]
    services.resume(feeds["rosters"], NOW)
    services.remove(feeds["injuries"])
    assert services.due(NOW) == [feeds["rosters"]]
    with pytest.raises(running.UnknownFeedError):
        running.run(feeds["injuries"], NOW)


def test_a_feed_waits_for_the_feeds_it_needs(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    assert services.due(NOW) == [feeds["schedule"]]
    publisher.faults[GAMES] = Fault(503)
    running.run(feeds["schedule"], NOW)
    assert services.due(NOW) == [feeds["rosters"]], "a feed that failed is waited for no longer"
    running.run(feeds["rosters"], NOW)
    assert services.due(NOW) == [feeds["injuries"], feeds["play_by_play"]]


def test_a_feed_whose_runs_break_off_is_not_waited_for_forever(
    follow: Callable[..., dict[str, int]], publisher: Publisher
) -> None:
    feeds = follow()
    db.session.query(Feed).update({"checked_at": NOW - timedelta(days=1)})
    db.session.commit()
    assert services.due(NOW + timedelta(minutes=5)) == [feeds["schedule"]]
    assert set(services.due(NOW + timedelta(minutes=11))) == set(feeds.values())


def test_a_final_score_of_the_schedule_is_provisional_until_the_plays_come(
    follow: Callable[..., dict[str, int]], publisher: Publisher, client: FlaskClient
) -> None:
    feeds = follow()
    run_all(feeds)
    path = "/games/2026_01_SUM_HRB"
    assert "provisional" not in client.get(path).text
    publisher.files[GAMES] = SCHEDULE.replace("20:20,SUM,,HRB,,", "20:20,SUM,17,HRB,20,").encode()
    running.run(feeds["schedule"], NOW)
    page = client.get(path).text
    assert "Final: SUM 17, HRB 20." in page
    assert "The score is provisional." in page
    ingest(messages(touchdown_drive(), "2026_01_SUM_HRB"))
    assert "provisional" not in client.get(path).text


@pytest.mark.parametrize(
    ("now", "kind", "minutes"),
    [
        ("2026-09-13T15:00", "play_by_play", 5),  # before the games of that Sunday
        ("2026-09-14T06:00", "play_by_play", 5),  # the night after, not final yet
        ("2026-09-15T06:00", "play_by_play", 60),  # the next, although the data never came
        ("2026-09-13T15:00", "rosters", 60),
        ("2026-08-01T15:00", "schedule", 60),
        ("2026-05-01T15:00", "schedule", 24 * 60),
        ("2027-02-20T15:00", "play_by_play", 24 * 60),
    ],
)
def test_how_often_a_publisher_is_asked_depends_on_the_games(
    now: str, kind: str, minutes: int
) -> None:
    games = [
        timing.Played(datetime(2026, 9, 10, 17, tzinfo=UTC), is_final=True),
        timing.Played(datetime(2026, 9, 13, 17, tzinfo=UTC), is_final=False),
        timing.Played(datetime(2027, 1, 10, 18, tzinfo=UTC), is_final=False),
    ]
    moment = datetime.fromisoformat(f"{now}+00:00")
    assert timing.pause(kind, games, moment) == timedelta(minutes=minutes)


def test_a_night_whose_data_are_in_is_awaited_no_longer() -> None:
    games = [timing.Played(datetime(2026, 9, 13, 17, tzinfo=UTC), is_final=True)]
    moment = datetime(2026, 9, 14, 6, tzinfo=UTC)
    assert timing.pause("play_by_play", games, moment) == timedelta(hours=1)


def test_a_feed_ends_a_week_after_the_last_game_of_its_season(
    follow: Callable[..., dict[str, int]], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = follow()
    last = datetime(2027, 2, 14, 23, tzinfo=UTC)
    games = [timing.Played(last, is_final=True)]
    monkeypatch.setattr(timing, "games_of", lambda *_: games)
    running.run(feeds["schedule"], last + timedelta(days=6))
    assert feed(feeds["schedule"]).state == "on"
    running.run(feeds["schedule"], last + timedelta(days=8))
    assert feed(feeds["schedule"]).state == "ended"
    assert feeds["schedule"] not in services.due(last + timedelta(days=30))


def test_the_scheduled_job_runs_each_feed_that_is_due_and_a_second_time_nothing(
    follow: Callable[..., dict[str, int]], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = follow()
    services.pause(feeds["rosters"])
    monkeypatch.setattr(run_feeds.clock, "now", lambda: NOW)
    run_feeds.run()
    run_feeds.run()
    sent = [tuple(job.args) for job in queue(RUN_FEED.queue).jobs]
    assert sent == [(feeds["schedule"],)]
    numbers = [number for kind, number in feeds.items() if kind != "rosters"]
    for number in numbers:
        run_feed.run(number)
        run_feed.run(number)
    run_feed.run(12345)
    query = select(FeedRun).where(FeedRun.feed_id == feeds["schedule"]).order_by(FeedRun.id)
    runs = db.session.scalars(query).all()
    assert [run.outcome for run in runs] == ["changed", "unchanged"]
    assert services.due(NOW) == []
