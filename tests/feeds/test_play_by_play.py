"""Play-by-play becomes the record by difference: moments of a made-up game, entered in a row.

The game and the values are made by hand from the publisher's column list; points are those of a
fresh import of the same file.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.fantasy.scoring.export import points_rows
from app.feeds import play_by_play, running, services
from app.feeds.models import FeedGame
from app.feeds.running import RunReport
from app.record import events as ev
from app.record.models import Footballer, Game, GameState, ScorerLease
from app.record.play_by_play.published import PublishedGame
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import game_state
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.games.declaring import declare
from scorer_console.lease.leases import Holder, take
from scorer_console.record.accepted import accepted_events, forget
from scorer_console.record.numbering import Entry, submit
from tests.feeds.publisher import Publisher
from tests.killing import kill_before_statement
from tests.worlds.games import ingest_and_refresh
from tests.worlds.play_by_play import (
    CATCHER,
    GAME,
    KICKER,
    PASSER,
    RUNNER,
    STATS,
    TACKLER,
    THIEF,
    WIDE,
    H,
    S,
    named,
    play,
    ppr,
    read_one,
    small_game,
    stat_rows,
    write,
)

NOW = datetime(2031, 9, 8, 6, tzinfo=UTC)
COLUMNS = [*WIDE, "quarter_end", "desc", "order_sequence", "new_column"]
OTHER = "2031090701"
Rows = list[dict[str, Any]]
_COURSE = ev.Run | ev.Pass | ev.Kick | ev.Timeout | ev.Period | ev.GameEnded | ev.Final


def whole_game() -> Rows:
    """The small game, played to its end with a last run in the fourth quarter."""
    late = {"qtr": 4, "total_home_score": 7, "total_away_score": 0}
    run = play(
        90,
        "run",
        S,
        **late,
        quarter_seconds_remaining=40,
        down=1,
        ydstogo=10,
        rushing_yards=6,
        yards_gained=6,
        solo_tackle_1_team=H,
        **named("rusher", THIEF, "T.Quick"),
        **named("solo_tackle_1", RUNNER, "R.Legs"),
    )
    end = play(100, "", "", **late, quarter_seconds_remaining=0, quarter_end=1, desc="END GAME")
    return [*small_game(), run, end]


def changed(rows: Rows, play_id: int, **cells: object) -> Rows:
    return [row | cells if row["play_id"] == play_id else row for row in rows]


def without(rows: Rows, play_id: int) -> Rows:
    return [row for row in rows if row["play_id"] != play_id]


def inserted(rows: Rows, after: int, row: dict[str, Any]) -> Rows:
    place = next(n for n, other in enumerate(rows) if other["play_id"] == after)
    return [*rows[: place + 1], row, *rows[place + 1 :]]


class Feed:
    """A feed of play-by-play that reads a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        feeds = services.add(services.Following("nflverse", 2031, str(folder)), NOW)
        self.id = next(feed.id for feed in feeds if feed.kind == "play_by_play")
        self.ingested = 0

    @property
    def file(self) -> Path:
        return self.folder / "play_by_play_2031.csv"

    def publish(self, rows: Rows, missing: str = "") -> None:
        write(self.file, COLUMNS, rows, missing)

    def run(self, rows: Rows | None = None, missing: str = "") -> RunReport:
        """Publish the rows, if there are any, and run the feed."""
        if rows is not None:
            self.publish(rows, missing)
        return running.run(self.id, NOW, accepts_fewer_rows=True)

    def events(self, rows: Rows) -> int:
        """Run the feed on these rows, check the record, and say how many events were written."""
        report = self.run(rows)
        assert report.outcome != "finding", report.entered.findings
        self.assert_as_a_fresh_import()
        again = self.run(rows)
        assert (again.changes, again.outcome) == ({}, "unchanged"), "a second run writes nothing"
        return report.changes.get("events", 0)

    def assert_as_a_fresh_import(self) -> None:
        """Points of every player and the score are those of the file."""
        script = read_one(self.file)
        accepted = accepted_events(GAME).fold
        standing = [
            (event.event_number, event.play_number, event.body) for event in accepted.in_order
        ]
        lines = {player: line.stats for player, line in stat_lines(game_credits(standing)).items()}
        numbered, number = [], 0
        for count, event in enumerate(script.events, 1):
            number += isinstance(event.body, ev.Snap)
            numbered.append((count, number, event.body))
        expected = stat_lines(game_credits(numbered))
        assert lines == {player: line.stats for player, line in expected.items()}
        state, fresh = game_state(standing), game_state(numbered)
        assert (state.home_score, state.away_score) == (fresh.home_score, fresh.away_score)

    def ingest(self) -> None:
        """Take what was accepted since into the record, as the bridge does."""
        rows = db.session.scalars(
            select(OutboxMessage)
            .where(OutboxMessage.id > self.ingested)
            .order_by(OutboxMessage.event_number)
        ).all()
        if rows:
            self.ingested = rows[-1].id
            ingest_and_refresh(
                [Message(GAME_EVENTS.name, 0, row.id, row.game_id, row.payload) for row in rows]
            )


@pytest.fixture
def feed(app: Flask, tmp_path: Path) -> Iterator[Feed]:
    forget()
    yield Feed(tmp_path)
    forget()


def test_a_feed_that_is_removed_while_it_runs_ends_quietly(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = play_by_play.read_published_games

    def read_and_remove(path: Path) -> Iterator[PublishedGame]:
        services.remove(feed.id)
        yield from read(path)

    monkeypatch.setattr(play_by_play, "read_published_games", read_and_remove)
    feed.publish(whole_game())
    with pytest.raises(running.UnknownFeedError):
        feed.run()


def bodies() -> list[ev.Body]:
    """Everything that was accepted, in order of number."""
    return [event.body for event in accepted_events(GAME).fold.entered]


def kinds(since: int) -> list[str]:
    return [type(body).__name__ for body in bodies()[since:]]


def order_of_record() -> list[ev.Body]:
    """Plays, timeouts and the course of the game, in the order of the game."""
    return [
        event.body
        for event in accepted_events(GAME).fold.in_order
        if isinstance(event.body, _COURSE)
    ]


def order_of_file(feed: Feed) -> list[ev.Body]:
    return [event.body for event in read_one(feed.file).events if isinstance(event.body, _COURSE)]


def count() -> int:
    return accepted_events(GAME).last_number


# The table of moments


def test_plays_are_appended_as_the_file_grows(feed: Feed) -> None:
    rows = whole_game()
    assert feed.events(rows[:3]) == 9, "start, period, kickoff, pass and run, point, their snaps"
    assert feed.events(rows[:5]) == 10, "a foul, and a run with its fumble and review"
    assert feed.events(rows) == len(read_one(feed.file).events) - 19
    assert kinds(count() - 3) == ["Period", "GameEnded", "Final"]
    assert bodies() == [event.body for event in read_one(feed.file).events], "as entered at once"


def test_a_game_that_is_complete_is_final_and_an_incomplete_one_is_not(feed: Feed) -> None:
    assert feed.run(whole_game()[:-1]).changes.get("games final") is None
    assert not any(isinstance(body, ev.GameEnded | ev.Final) for body in bodies())
    assert feed.run(whole_game()).changes["games final"] == 1
    feed.ingest()
    state = db.session.get_one(GameState, GAME)
    assert (state.status, state.home_score, state.away_score) == ("final", 7, 0)


def test_yards_that_were_corrected_are_one_event(feed: Feed) -> None:
    feed.events(whole_game())
    before = count()
    longer = changed(whole_game(), 90, rushing_yards=8, yards_gained=8)
    assert feed.events(longer) == 2, "the run, and where its tackle was made"
    assert kinds(before) == ["StatCorrection", "StatCorrection"]
    shorter = changed(whole_game(), 20, passing_yards=60, receiving_yards=60, air_yards=30)
    assert feed.events(shorter) > 0


def test_a_correction_before_the_final_score_is_one_of_a_slip(feed: Feed) -> None:
    feed.events(whole_game()[:5])
    before = count()
    other = changed(whole_game()[:5], 50, **named("solo_tackle_1", THIEF, "T.Quick"))
    assert feed.events(other) == 1
    (correction,) = bodies()[before:]
    assert isinstance(correction, ev.Overturn)
    assert correction.by_scorer
    assert isinstance(correction.ruling, ev.Tackle)
    assert correction.ruling.tackler == THIEF


def test_another_tackler_is_one_event(feed: Feed) -> None:
    feed.events(whole_game())
    before = count()
    assert feed.events(changed(whole_game(), 90, **named("solo_tackle_1", PASSER, "P.Arm"))) == 1
    assert kinds(before) == ["StatCorrection"]


def test_a_tackle_that_was_added_late_needs_no_correction(feed: Feed) -> None:
    rows = changed(whole_game(), 90, solo_tackle_1_team="", **named("solo_tackle_1", "", ""))
    feed.events(rows)
    before = count()
    assert feed.events(whole_game()) == 1
    assert kinds(before) == ["Tackle"]


def test_a_play_that_was_taken_out_is_one_event(feed: Feed) -> None:
    feed.events(whole_game())
    before = count()
    report_events = feed.events(without(whole_game(), 80))
    assert report_events == 1
    assert kinds(before) == ["Nullify"]


def test_a_play_that_was_missing_in_the_middle_is_inserted_where_it_belongs(feed: Feed) -> None:
    whole = whole_game()
    feed.events(without(whole, 50))
    before = count()
    # The play, in eight events; the final score, taken back and declared anew; and what comes after
    # the play, a timeout and the change of quarters, taken back and entered again.
    assert feed.events(whole) == 14
    assert kinds(before)[0] == "Nullify", "the final score is taken back"
    assert kinds(before)[-1] == "Final"
    assert order_of_record() == order_of_file(feed)


def test_a_missing_play_of_a_game_that_goes_on_is_inserted_too(feed: Feed) -> None:
    part = whole_game()[:8]
    feed.events(without(part, 20))
    before = count()
    assert feed.events(part) == 3
    assert kinds(before) == ["Snap", "Pass", "Run"]


def test_a_touchdown_that_was_reviewed_away_loses_its_points(feed: Feed) -> None:
    feed.events(whole_game()[:2])
    short = changed(
        whole_game()[:2],
        20,
        touchdown="",
        pass_touchdown="",
        td_team="",
        yards_gained=58,
        passing_yards=58,
        receiving_yards=58,
        replay_or_challenge=1,
        replay_or_challenge_result="reversed",
        **named("td", "", ""),
    )
    before = count()
    assert feed.events(short) == 3
    assert sorted(kinds(before)) == ["Challenge", "Challenge", "Overturn"]


def test_a_recovery_that_changes_clubs_is_corrected(feed: Feed) -> None:
    feed.events(whole_game())
    own_recovery = changed(
        whole_game(),
        50,
        fumble_lost="",
        fumble_recovery_1_team=H,
        fumble_recovery_1_yards=0,
        **named("fumble_recovery_1", CATCHER, "C.Hands"),
    )
    before = count()
    assert feed.events(own_recovery) == 3, "no run after it, another recovery, and who was tackled"
    assert kinds(before) == ["Nullify", "StatCorrection", "StatCorrection"]


def test_renamed_clubs_and_new_columns_change_nothing(feed: Feed) -> None:
    feed.events(whole_game())
    wider = [row | {"new_column": 5} for row in whole_game()]
    assert feed.events(wider) == 0
    shuffled = [
        row | {"order_sequence": place} for place, row in reversed(list(enumerate(wider, 1)))
    ]
    assert feed.events(shuffled) == 0


def test_na_is_as_good_as_empty(feed: Feed) -> None:
    feed.events(whole_game())
    assert feed.run(whole_game(), missing="NA").changes == {}


def test_the_leagues_own_credits_are_used_and_followed(feed: Feed) -> None:
    write(feed.folder / "play_stats" / f"{GAME}.csv", STATS, stat_rows())
    feed.run(small_game())
    before = count()
    stats = [row | {"yards": 5} if row["stat_id"] == 10 else row for row in stat_rows()]
    write(feed.folder / "play_stats" / f"{GAME}.csv", STATS, stats)
    assert feed.run().changes["plays corrected"] == 1
    assert "Overturn" in kinds(before)


def test_points_in_the_record_are_those_of_a_fresh_import_after_every_moment(feed: Feed) -> None:
    moments = [
        whole_game()[:4],
        whole_game()[:8],
        without(whole_game(), 20),
        whole_game(),
        changed(whole_game(), 90, rushing_yards=2, yards_gained=2),
        without(whole_game(), 30),
    ]
    for rows in moments:
        feed.run(rows)
        feed.ingest()
        db.session.expire_all()
        points = {row[1]: round(float(row[5]) * 1000) for row in points_rows(GAME, "ppr")}
        expected = ppr(read_one(feed.file))
        for player in (PASSER, CATCHER, RUNNER, KICKER, TACKLER, THIEF):
            assert points.get(player, 0) == expected.get(player, 0), player


def test_a_compressed_file_is_followed_over_http(
    publisher: Publisher, tmp_path: Path, app: Flask
) -> None:
    forget()
    (pbp,) = [
        row.id
        for row in services.add(services.Following("nflverse", 2031), NOW)
        if row.kind == "play_by_play"
    ]
    name = "play_by_play_2031.csv.gz"
    publisher.files[name] = write(tmp_path / name, COLUMNS, whole_game()[:5]).read_bytes()
    assert running.run(pbp, NOW).changes["plays entered"] == 5
    cut = write(tmp_path / name, COLUMNS, whole_game()).read_bytes()
    publisher.files[name] = cut[:-30]
    assert running.run(pbp, NOW).outcome == "finding"
    assert count() == 19
    publisher.files[name] = cut
    assert running.run(pbp, NOW).changes["games final"] == 1
    assert running.run(pbp, NOW).outcome == "unchanged"
    assert publisher.statuses(name) == [200, 200, 200, 304]


# Who has the game


def test_a_person_who_takes_the_game_over_has_it(feed: Feed) -> None:
    feed.run(whole_game()[:4])
    before = count()
    take(GAME, Holder("console-1", "Eve Holm"), clock.now(), take_over=True)
    report = feed.run(whole_game())
    assert report.entered.findings == (
        f"{GAME} is left alone, because Eve Holm entered part of the game or took it over. "
        "Continue it in the scorer's console.",
    )
    assert count() == before
    assert db.session.get_one(FeedGame, (feed.id, GAME)).handed_over_to == "Eve Holm"
    assert feed.run(changed(whole_game(), 90, yards_gained=9)).entered.findings
    assert count() == before


def test_a_game_in_which_somebody_entered_an_event_is_theirs(feed: Feed) -> None:
    feed.run(whole_game()[:4])
    take(GAME, Holder("console-1", "Eve Holm"), clock.now(), take_over=True)
    submit(GAME, [Entry(ev.Timeout(team=H), "t:1")], clock.now(), console="console-1")
    before = count()
    feed.run(whole_game())
    assert count() == before


def test_a_scorer_who_takes_over_in_the_middle_of_a_run_has_the_game(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed.run(whole_game()[:4])
    before = count()
    take_lease = play_by_play.leases.take

    def take_and_lose(*args: Any, **options: Any) -> Any:
        lease = take_lease(*args, **options)
        take_lease(GAME, Holder("console-1", "Eve Holm"), clock.now(), take_over=True)
        return lease

    monkeypatch.setattr(play_by_play.leases, "take", take_and_lose)
    assert "Eve Holm" in feed.run(whole_game()).entered.findings[0]
    assert count() == before


def test_a_declared_status_does_not_end_the_feed(feed: Feed) -> None:
    feed.run(whole_game()[:4])
    declare(GAME, "suspended", "Lightning", clock.now())
    assert feed.run(whole_game()).changes["games final"] == 1


def test_the_feed_gives_its_lease_back(feed: Feed) -> None:
    feed.run(whole_game()[:4])
    take(GAME, Holder("console-1", "Eve Holm"), clock.now())
    lease = db.session.scalars(select(ScorerLease).order_by(ScorerLease.epoch.desc())).first()
    assert lease is not None
    assert lease.holder == "Eve Holm"


# What goes wrong


def other_game() -> Rows:
    """The beginning of a game of two other clubs."""
    ids = {"game_id": OTHER, "old_game_id": OTHER, "home_team": "ASH"}
    return [
        row | ids | {"away_team": "QRY", "posteam": "ASH", "defteam": "QRY"}
        for row in whole_game()[:3]
    ]


def test_credits_that_cannot_be_read_are_a_finding_and_all_other_games_are_entered(
    feed: Feed,
) -> None:
    broken = [row | {"yards": "ten"} for row in stat_rows()]
    write(feed.folder / "play_stats" / f"{GAME}.csv", STATS, broken)
    report = feed.run([*whole_game(), *other_game()])
    (finding,) = report.entered.findings
    assert finding.startswith(f"{GAME} was not changed. play_stats/{GAME}.csv, line 2")
    assert count() == 0
    assert accepted_events(OTHER).last_number > 0
    write(feed.folder / "play_stats" / f"{GAME}.csv", STATS, stat_rows())
    assert feed.run().changes["plays entered"] > 0


def test_a_game_that_cannot_be_read_is_a_finding_and_all_others_are_entered(feed: Feed) -> None:
    other = other_game()
    broken = changed(whole_game(), 50, qtr="fifth")
    report = feed.run([*broken, *other])
    assert "column qtr: must be a number, not 'fifth'" in report.entered.findings[0]
    assert count() == 0
    assert accepted_events(OTHER).last_number > 0
    assert feed.run([*whole_game(), *other]).changes["games final"] == 1


def test_a_file_with_a_part_of_a_game_that_is_over_changes_nothing(feed: Feed) -> None:
    feed.events(whole_game())
    before = count()
    report = feed.run(whole_game()[:6])
    assert "The file has only part of it" in report.entered.findings[0]
    assert count() == before
    assert feed.run(whole_game()).entered.findings == ()


def test_who_is_on_a_roster_keeps_what_it_says_of_them(feed: Feed) -> None:
    feed.run(whole_game()[:2])
    passer = db.session.get_one(Footballer, PASSER)
    passer.name, passer.position = "Paul Arm", "QB"
    db.session.commit()
    feed.run(whole_game())
    db.session.expire_all()
    assert db.session.get_one(Footballer, PASSER).name == "Paul Arm"
    assert db.session.get_one(Footballer, THIEF).name == "T.Quick"


def test_a_preview_counts_and_enters_nothing(feed: Feed) -> None:
    feed.publish(whole_game())
    report = running.preview(feed.id, NOW)
    assert (report.changes["plays entered"], report.changes["games final"]) == (7, 1)
    assert (count(), db.session.get(Game, GAME)) == (0, None)


def test_a_run_that_is_killed_before_any_statement_is_completed_by_the_next(feed: Feed) -> None:
    """Whatever was committed, the next run goes on, and the record is that of one whole run."""
    feed.run(whole_game()[:5])
    expected = repr(bodies())
    number, is_killed = 0, True
    while is_killed:
        clubs = {H: f"H{number}", S: f"S{number}"}  # of another game each time
        game = {"game_id": f"20310908{number:02d}", "old_game_id": ""}
        feed.publish(
            [
                {column: clubs.get(str(cell), cell) for column, cell in row.items()} | game
                for row in whole_game()[:5]
            ]
        )
        is_killed = kill_before_statement(number, feed.run) == number
        forget()
        feed.run()
        fold = accepted_events(game["game_id"]).fold
        entered = repr([event.body for event in fold.entered])
        for club, other in clubs.items():
            entered = entered.replace(f"'{other}'", f"'{club}'")
        assert entered == expected, f"killed before statement {number}"
        assert feed.run().changes == {}
        number += 1
    assert number > 20
