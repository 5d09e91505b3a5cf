"""Runs of feeds that are killed, come twice at once, or in which a scorer takes a game over."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Select, func, select

from app.core import clock, jobs
from app.core.db import db
from app.embedded.stack import Stack
from app.fantasy.market.models import FootballerSeason, InjuryReport
from app.feeds import play_by_play, running, services
from app.feeds.jobs import RUN_FEED, RUN_SECONDS
from app.feeds.models import FeedGame, FeedRun
from app.record.models import Game
from app.stream.models import OutboxMessage
from scorer_console.lease.leases import Holder, take
from scorer_console.record.accepted import accepted_events, forget
from tests.at_once import at_once
from tests.feeds.test_moments import longer_run, missing_play, other_tackler, own_recovery
from tests.feeds.test_play_by_play import NOW, Feed, Rows, whole_game, without
from tests.feeds.test_running import INJURIES
from tests.killing import kill_before_statement
from tests.waiting import until
from tests.worlds.play_by_play import H, S
from tests.worlds.season_files import ROSTER, SCHEDULE, written
from workers.supervisor.children import environment


@pytest.fixture
def feed(app: Flask, tmp_path: Path) -> Iterator[Feed]:
    forget()
    yield Feed(tmp_path)
    forget()


def game_id(number: int) -> str:
    return f"20310908{number:02d}"


def game(number: int, rows: Rows) -> Rows:
    """The rows as those of another game, with clubs of its own."""
    clubs = {H: f"H{number}", S: f"S{number}"}
    ids = {"game_id": game_id(number), "old_game_id": ""}
    return [
        {column: clubs.get(str(cell), cell) for column, cell in row.items()} | ids for row in rows
    ]


def entered(number: int) -> str:
    """Everything that was accepted of the game, with the clubs' usual names."""
    fold = accepted_events(game_id(number)).fold
    text = repr([event.body for event in fold.entered])
    return text.replace(f"'H{number}'", f"'{H}'").replace(f"'S{number}'", f"'{S}'")


def assert_sent_once(number: int) -> None:
    """The game's events are numbered without a gap, and each is sent once."""
    numbers = db.session.scalars(
        select(OutboxMessage.event_number)
        .where(OutboxMessage.game_id == game_id(number))
        .order_by(OutboxMessage.event_number)
    ).all()
    assert list(numbers) == list(range(1, len(numbers) + 1))
    assert len(numbers) == accepted_events(game_id(number)).last_number


def tuesday(rows: Rows) -> Rows:
    """Corrections of every kind: changed, taken out, inserted, and another player."""
    return own_recovery(other_tackler(longer_run(missing_play(without(rows, 80)))))


# Kills


@pytest.mark.breadth("kills that test_play_by_play.py tries on new plays")
def test_corrections_that_are_killed_before_any_statement_are_completed_by_the_next_run(
    feed: Feed,
) -> None:
    """The whole difference of a game is there or nothing of it, and never twice."""
    feed.run(game(0, whole_game()))
    feed.run(game(0, tuesday(whole_game())))
    expected, number, is_killed = entered(0), 1, True
    while is_killed:
        feed.run(game(number, whole_game()))
        before = accepted_events(game_id(number)).last_number
        feed.publish(game(number, tuesday(whole_game())))
        is_killed = kill_before_statement(number - 1, feed.run) == number - 1
        forget()
        after = accepted_events(game_id(number)).last_number
        assert entered(number) == expected or after == before, f"half of it, statement {number - 1}"
        feed.run()
        assert entered(number) == expected, f"killed before statement {number - 1}"
        assert_sent_once(number)
        assert feed.run().changes == {}
        number += 1
    assert number > 15


FILES = {
    "schedule": ("games.csv", SCHEDULE, SCHEDULE.replace("13:00,ASH,,QRY", "16:05,ASH,,QRY")),
    "rosters": ("roster_2026.csv", ROSTER, ROSTER.replace("QB,9,ACT", "QB,9,RES")),
    "injuries": ("injuries_2026.csv", INJURIES, INJURIES.replace(",Out,", ",Doubtful,")),
}


def stored() -> tuple[object, ...]:
    db.session.rollback()
    db.session.expire_all()
    return (
        sorted(db.session.execute(select(Game.id, Game.kickoff)).all()),
        sorted(
            db.session.execute(
                select(FootballerSeason.footballer_id, FootballerSeason.status, Game.id).join(
                    Game, Game.id == "2026_01_SUM_HRB"
                )
            ).all()
        ),
        sorted(
            db.session.execute(
                select(InjuryReport.footballer_id, InjuryReport.week, InjuryReport.report_status)
            ).all(),
            key=repr,
        ),
    )


@pytest.mark.breadth("kills before every statement")
@pytest.mark.parametrize("kind", FILES)
def test_a_run_that_is_killed_before_any_statement_leaves_the_old_state_or_the_new_one(
    app: Flask, tmp_path: Path, kind: str
) -> None:
    feeds = services.add(services.Following("nflverse", 2026, str(tmp_path)), NOW)
    numbers = {feed.kind: feed.id for feed in feeds}
    for name, text, _ in FILES.values():
        written(tmp_path, name, text)
    for each_kind in FILES:
        running.run(numbers[each_kind], NOW)
    name, first, second = FILES[kind]
    states = {first: stored()}
    written(tmp_path, name, second)
    running.run(numbers[kind], NOW)
    states[second] = stored()
    assert states[first] != states[second]
    number, is_killed, text = 0, True, first
    while is_killed:
        old = stored()
        written(tmp_path, name, text)
        begun = kill_before_statement(number, lambda: running.run(numbers[kind], NOW))
        is_killed = begun == number
        assert stored() in (old, states[text]), f"half of it, statement {number}"
        running.run(numbers[kind], NOW)
        assert stored() == states[text], f"killed before statement {number}"
        number, text = number + 1, second if text == first else first
    assert number > 5


# Two workers


def test_two_workers_who_run_a_feed_at_once_enter_everything_once(
    feed: Feed, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.core.db.BUSY_SECONDS", 0.1)
    feed.publish([row for number in (1, 2, 3) for row in game(number, whole_game())])

    def run() -> str:
        try:
            return running.run(feed.id, NOW).outcome
        except running.FeedBusyError:
            return "busy"

    outcomes = Counter(at_once(app, run, run))
    assert outcomes in (
        Counter({"changed": 1, "busy": 1}),
        Counter({"changed": 1, "unchanged": 1}),
    )
    for number in (1, 2, 3):
        assert_sent_once(number)
    changes = db.session.scalars(select(FeedRun.changes)).all()
    assert sum(row.get("games final", 0) for row in changes) == 3
    assert feed.run().changes == {}


def test_two_runs_that_both_go_on_enter_everything_once(
    feed: Feed, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose connection is cut loses the feed's lock, and does not know it yet.

    Here both runs have no lock at all: the games' leases and numbers still keep them apart.
    """
    feed.run([row for number in (1, 2) for row in game(number, whole_game()[:4])])
    feed.publish([row for number in (1, 2) for row in game(number, tuesday(whole_game()))])
    source = play_by_play.Source(feed.id, "nfl", 2031, NOW)
    at_once(app, *(lambda: play_by_play.enter(feed.file, source) for _ in range(2)))
    forget()
    for number in (1, 2):
        assert_sent_once(number)
    states = {entered(number) for number in (1, 2)}
    feed.run()
    assert {entered(number) for number in (1, 2)} == states, "nothing was left to enter"
    assert db.session.scalars(select(FeedGame.handed_over_to)).all() == ["", ""]


# Two processes


@contextmanager
def two_processes(stack: Stack) -> Iterator[None]:
    """Two processes that run the jobs of feeds, and are killed at the end."""
    command = [sys.executable, "-m", "workers.rq_worker", "providers"]
    root = Path(__file__).parents[2]
    processes = [subprocess.Popen(command, env=environment(stack), cwd=root) for _ in range(2)]
    yield
    for process in processes:
        process.kill()
        process.wait()


def count(statement: Select[Any]) -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).select_from(statement.subquery())) or 0


def test_two_processes_enter_everything_once_although_both_are_killed(
    feed: Feed, stack: Stack
) -> None:
    numbers = range(1, 9)
    feed.publish([row for number in numbers for row in game(number, whole_game())])
    with two_processes(stack):
        for _ in range(2):
            jobs.send_once(RUN_FEED, feed.id, timeout=RUN_SECONDS)
        until(lambda: count(select(FeedGame)) > 1, "two games are entered")
    ended = select(FeedRun).where(FeedRun.feed_id == feed.id)
    assert count(ended) == 0, "they were killed in the middle of a run"
    with two_processes(stack):
        for _ in range(2):
            jobs.send_once(RUN_FEED, feed.id, timeout=RUN_SECONDS)
        until(lambda: count(ended.where(FeedRun.outcome == "changed")) == 1, "the rest is entered")
    for number in numbers:
        assert_sent_once(number)
    assert len({entered(number) for number in numbers}) == 1, "each game is whole"
    assert feed.run().changes == {}


# A scorer


def test_a_scorer_who_takes_a_later_game_of_a_run_has_it_and_the_feed_has_the_others(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed.run([row for number in (1, 2, 3) for row in game(number, whole_game()[:4])])
    before = accepted_events(game_id(2)).last_number
    enter_game = play_by_play._enter_game

    def enter_and_lose_the_next(run: Any, published: Any) -> None:
        enter_game(run, published)
        if published.ids[0] == game_id(1):
            take(game_id(2), Holder("console-1", "Eve Holm"), clock.now(), take_over=True)

    monkeypatch.setattr(play_by_play, "_enter_game", enter_and_lose_the_next)
    report = feed.run([row for number in (1, 2, 3) for row in game(number, whole_game())])
    assert report.changes["games final"] == 2
    (finding,) = report.entered.findings
    assert finding.startswith(f"{game_id(2)} is left alone, because Eve Holm")
    assert accepted_events(game_id(2)).last_number == before
    assert db.session.scalar(select(func.count()).select_from(FeedGame)) == 3
