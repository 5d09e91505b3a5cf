"""`pressbox dead-letters` and `pressbox hydrate`, as an operator types them."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.dead_letters import letters
from app.dead_letters.models import DeadJob
from app.ops import comparison
from app.predictions import keys
from app.predictions.projections import store as projections
from app.record.backlog import ingested_count, unpublished_count
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message
from app.stream.models import DeadLetter
from tests.dead_letters.conftest import Pressbox
from tests.dead_letters.failing_jobs import FAIL, MENDED, REFUSE
from tests.predictions.conftest import world as world
from tests.stream.conftest import game as game
from tests.waiting import until
from tests.worlds.games import make_game, messages, touchdown_drive
from tests.worlds.tournament import BEFORE, World
from workers.supervisor.children import Children

Kill = Callable[..., None]


def queued() -> int:
    return jobs.queue(jobs.SETTLEMENT_QUEUE).count


def test_they_are_listed_by_cause_with_how_many_the_oldest_and_the_newest(
    kill: Kill, pressbox: Pressbox
) -> None:
    kill((FAIL, 0), (FAIL, 1), (FAIL, 2), (REFUSE, 9))
    code, output = pressbox("dead-letters", "list")
    lines = output.splitlines()
    assert (code, len(lines)) == (0, 3)
    assert lines[1].split()[:2] == ["tests.dead_letters.failing_jobs.fail", "3"]
    assert lines[1].endswith("RuntimeError")
    assert lines[2].endswith("PermanentJobError")
    code, output = pressbox("dead-letters", "list", "--cause", "RuntimeError")
    assert [line.split()[-1] for line in output.splitlines()[1:]] == ["0", "1", "2"]
    header, output = pressbox("dead-letters", "list", "--kind", "webhooks")[1].splitlines()[::-1]
    assert (header.split()[0], output) == ("kind", "No pending dead letters.")


def test_one_is_shown_whole(kill: Kill, pressbox: Pressbox) -> None:
    kill((FAIL, 7))
    code, output = pressbox("dead-letters", "show", letters.waiting()[0].id)
    assert code == 0
    for words in (
        "RuntimeError",
        "the cause of number 7",
        '{"arguments": [7]}',
        "attempts:     4",
        "replays:      0",
    ):
        assert words in output
    code, output = pressbox("dead-letters", "show", "job-999")
    assert (code, output.splitlines()) == (
        1,
        [
            "Error: There is no pending dead letter job-999. `pressbox dead-letters list` shows "
            "all pending ones."
        ],
    )


def test_a_dry_run_says_what_would_be_sent_and_sends_nothing(
    kill: Kill, pressbox: Pressbox
) -> None:
    kill((FAIL, 7))
    code, output = pressbox("dead-letters", "replay", "--all", "--dry-run")
    assert (code, queued()) == (0, 0)
    assert output.split()[-3:] == ["would", "be", "sent"]
    assert letters.waiting()[0].replays == 0


def test_one_cause_is_sent_again_and_done_when_the_job_goes_well(
    kill: Kill, work: Callable[[], None], pressbox: Pressbox
) -> None:
    kill((FAIL, 1), (FAIL, 2), (REFUSE, 3))
    code, output = pressbox("dead-letters", "replay", "--cause", "RuntimeError")
    assert (code, output.splitlines()[-1], queued()) == (0, "2 of 2 sent again.", 2)
    jobs_redis().set(MENDED, 1)
    work()
    db.session.rollback()
    assert [letter.cause for letter in letters.waiting()] == ["PermanentJobError"]


def test_one_that_was_sent_again_three_times_is_refused_without_force(
    kill: Kill, pressbox: Pressbox
) -> None:
    kill((FAIL, 7))
    name = letters.waiting()[0].id
    for _ in range(3):
        assert "1 of 1 sent again" in pressbox("dead-letters", "replay", name)[1]
        kill()
    code, output = pressbox("dead-letters", "replay", name)
    assert (code, queued()) == (0, 0)
    assert "was already sent again 3 times; find the cause, then use --force" in output
    assert "0 of 1 sent again" in output
    assert "1 of 1 sent again" in pressbox("dead-letters", "replay", name, "--force")[1]
    assert queued() == 1


def test_a_canary_that_is_not_done_keeps_the_others_back(kill: Kill, pressbox: Pressbox) -> None:
    kill((FAIL, 0), (FAIL, 1), (FAIL, 2), (FAIL, 3))
    code, output = pressbox("dead-letters", "replay", "--all", "--canary", "1", "--wait", "1")
    assert (code, queued()) == (1, 1)
    assert "was not done within 1 s, so 3 others were not sent" in output


def test_a_canary_that_fails_again_keeps_the_others_back_and_one_that_is_done_lets_them_go(
    kill: Kill, start: Callable[..., Children], pressbox: Pressbox
) -> None:
    kill((REFUSE, 0), (FAIL, 1), (FAIL, 2), (FAIL, 3), (FAIL, 4))
    jobs_redis().set(MENDED, 1)
    start("settlement")
    code, output = pressbox("dead-letters", "replay", "--all", "--canary", "1")
    assert code == 1
    assert "failed again, so 4 others were not sent" in output
    db.session.rollback()
    assert [letter.replays for letter in letters.waiting()] == [0, 0, 0, 0, 1]
    code, output = pressbox("dead-letters", "replay", "--cause", "RuntimeError", "--canary", "1")
    assert (code, output.splitlines()[-1]) == (0, "4 of 4 sent again.")
    until(lambda: len(letters.waiting()) == 1, "the others are done")


@pytest.mark.parametrize("arguments", [[], ["--all", "--cause", "x"], ["job-1", "--all"]])
def test_a_replay_says_what_exactly_is_to_be_sent(
    app: Flask, pressbox: Pressbox, arguments: list[str]
) -> None:
    code, output = pressbox("dead-letters", "replay", *arguments)
    assert code == 2
    assert "Give one or more IDs, one --cause, or --all." in output


def test_one_that_is_given_up_waits_no_more_and_keeps_the_reason(
    kill: Kill, pressbox: Pressbox
) -> None:
    kill((FAIL, 7))
    name = letters.waiting()[0].id
    assert pressbox("dead-letters", "drop", name)[0] == 2
    code, _ = pressbox("dead-letters", "drop", name, "--reason", "entered by hand")
    assert code == 0
    db.session.rollback()
    assert letters.waiting() == []
    assert db.session.scalars(select(DeadJob.dropped_because)).one() == "entered by hand"


def test_a_message_that_this_installation_has_not_written_is_never_sent_again(
    app: Flask, pressbox: Pressbox
) -> None:
    db.session.execute(
        text(
            'INSERT INTO dead_letters (topic, partition, "offset", payload, reason, is_ours)'
            " VALUES ('game-events.v1', 0, 1, 'a', 'signature: none', false)"
        )
    )
    db.session.commit()
    code, output = pressbox("dead-letters", "replay", "--all", "--force")
    assert code == 0
    assert "it was not written by this Pressbox, so it is not trusted" in output
    assert "0 of 1 sent again." in output


@pytest.mark.fault(12)
def test_messages_are_sent_again_a_canary_first_and_land_in_the_record(
    app: Flask, start: Callable[..., Children], pressbox: Pressbox, game: str
) -> None:
    make_game(game)
    written = messages(touchdown_drive(), game_id=game)
    dead_letter([(message, "event: could not be taken in") for message in written])
    dead_letter([(Message("game-events.v1", 0, 77, game, b"{broken"), "JSON: no object")])
    db.session.commit()
    total = len(written)
    assert ingested_count(game) == total + 1
    start("worker", "bridge")
    code, output = pressbox(
        "dead-letters",
        "replay",
        "--cause",
        "event: could not be taken in",
        "--canary",
        "2",
        "--rate",
        "500",
    )
    assert (code, output.splitlines()[-1]) == (0, f"{total} of {total} sent again.")
    until(lambda: ingested_count(game) == total + 1, "all are in the record")
    assert unpublished_count() == 0
    assert [letter.error for letter in letters.waiting()] == ["JSON: no object"]
    (broken,) = letters.waiting()
    code, output = pressbox("dead-letters", "replay", broken.id)
    assert code == 0, output
    until(
        lambda: [letter.replays for letter in letters.waiting()] == [1],
        "the broken one came back, as a new letter",
    )
    db.session.rollback()
    rows = db.session.scalars(
        select(DeadLetter).where(DeadLetter.payload == b"{broken").order_by(DeadLetter.id)
    ).all()
    assert [(row.done_at is not None, row.replays) for row in rows] == [(True, 1), (False, 0)]
    assert ingested_count(game) == total + 1


def test_hydrate_fills_redis_with_one_tournament_or_all_that_are_running(
    app: Flask, world: Callable[..., World], pressbox: Pressbox
) -> None:
    cups = [world(name=f"Cup {number}") for number in range(3)]
    for cup in cups:
        cup.match("m1")
        cup.poll(BEFORE)
    cups[0].guess("Ann", "m1", 2, 1)
    db.session.execute(
        text("UPDATE tournaments SET is_active = false WHERE id = :id"), {"id": cups[2].id}
    )
    db.session.commit()

    def shown() -> list[bool]:
        return [bool(jobs_redis().exists(keys.leaderboard_key(cup.id))) for cup in cups]

    code, output = pressbox("hydrate", "scoreboard", "--tournament", str(cups[1].id))
    assert (code, output, shown()) == (
        0,
        "Tournaments hydrated: 1\n1 tournament, 2 rows: equal to PostgreSQL\n",
        [False, True, False],
    )
    code, output = pressbox("hydrate", "scoreboard", "--all-active")
    assert (code, output, shown()) == (
        0,
        "Tournaments hydrated: 2\n2 tournaments, 5 rows: equal to PostgreSQL\n",
        [True, True, False],
    )
    code, output = pressbox("hydrate", "scoreboard", "--tournament", str(uuid4()))
    assert (code, len(output.splitlines())) == (1, 1)
    assert "Cup 0" in output
    assert pressbox("hydrate", "scoreboard")[0] == 2


@pytest.mark.parametrize(
    "command", [("hydrate", "scoreboard", "--all-active"), ("rebuild", "caches")]
)
def test_a_repair_whose_work_does_not_stand_names_the_rows_and_fails(
    world: Callable[..., World],
    pressbox: Pressbox,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    """docs/recovery.md: it names the first differences and ends with exit code 1."""
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    monkeypatch.setattr(comparison, "WAITS", (0.0,))
    monkeypatch.setattr(projections, "project", lambda tournament_id: 2)
    code, output = pressbox(*command)
    assert code == 1
    assert "1 tournament, 3 rows: 3 differ from PostgreSQL" in output
    assert (
        f"Tournament The Cup, member {here.player('Ann')}: nothing in the store, 0 for Ann in "
        "PostgreSQL" in output
    )


def test_a_command_leaves_no_connection_behind(app: Flask, pressbox: Pressbox) -> None:
    since = db.session.scalar(text("SELECT clock_timestamp()"))
    assert pressbox("dead-letters", "list")[0] == 0
    left = text(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pressbox-upkeep' AND "
        "backend_start > :at"
    )
    until(lambda: db.session.scalar(left, {"at": since}) == 0, "PostgreSQL has seen them end")
