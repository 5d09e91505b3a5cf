"""What is slow, stuck or killed holds up nothing else.

Timeouts, time limits, coalesced refreshes, JSON jobs.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
import redis
from flask import Flask
from rq import Queue
from rq.job import Job, JobStatus
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from app.core import clock, jobs
from app.core.db import db
from app.core.http.access import PUBLIC, audience
from app.core.postgres.advisory_locks import Lock
from app.core.postgres.connections import connect
from app.core.postgres.timeouts import Timeouts, Use
from app.core.redis.clients import jobs_redis
from app.embedded.stack import Stack
from app.fantasy.gameweeks import refreshing
from app.fantasy.jobs import MAKE_RECAP, REFRESH_GAMEWEEK
from app.fantasy.standings import versions
from app.fantasy.standings.boards import table_points
from app.fantasy.standings.models import League
from app.predictions.jobs import SETTLE_MATCHES
from app.record import events as ev
from app.record.backlog import ingested_count
from app.setting_reading import settings_from_env
from app.settings import SettingsError
from scorer_console.record.numbering import Entry
from tests.conftest import AnotherApp
from tests.stream.slow_jobs import LOCK, WORD
from tests.waiting import until
from tests.worlds.games import make_game, messages, touchdown_drive
from tests.worlds.scorer import submit
from workers import rq_worker, schedule
from workers.jobs import ingest_events, reconcile_boards, refresh_gameweek
from workers.rq_worker import KINDS, JobWorker, make_worker
from workers.supervisor.children import Children
from workers.supervisor.processes import commands

HOLD = "tests.stream.slow_jobs.hold"
PROCESS = "tests.stream.slow_jobs.process"
FAIL = "tests.stream.slow_jobs.fail"
WAIT = "tests.stream.slow_jobs.wait_for_word"


def sleeping() -> int:
    """How many statements of the slow job run in PostgreSQL."""
    return int(
        db.session.scalar(
            text(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND "
                "state = 'active'"
            )
        )
        or 0
    )


def locks() -> int:
    return int(
        db.session.scalar(text("SELECT count(*) FROM pg_locks WHERE objid = :lock"), {"lock": LOCK})
        or 0
    )


def log_of(stack: Stack, name: str) -> str:
    return (stack.var / "logs" / f"{name}.log").read_text()


@pytest.mark.parametrize("use", list(Use))
def test_every_connection_has_the_timeouts_of_its_use(
    use: Use, another_app: AnotherApp, stack: Stack
) -> None:
    timeouts = getattr(stack.settings, f"timeouts_{use}")
    with connect(stack.settings.database(use)) as connection:
        settings_shown = [
            connection.execute(
                "SELECT setting::int FROM pg_settings WHERE name = %s", (name,)
            ).fetchone()
            for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        ]
        check = connection.execute("SHOW client_connection_check_interval").fetchone()
        name = connection.execute("SHOW application_name").fetchone()
    assert settings_shown == [(seconds * 1000,) for seconds in timeouts]
    assert (check, name) == (("5s",), (f"pressbox-{use}",))
    with another_app(stack.settings, use).app_context():
        assert db.session.scalar(text("SHOW application_name")) == f"pressbox-{use}"
        milliseconds = db.session.scalar(
            text("SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'")
        )
        assert milliseconds == timeouts.statement * 1000


@pytest.mark.parametrize("use", list(Use))
def test_behind_a_pooler_each_transaction_has_the_timeouts_of_its_use(
    use: Use, another_app: AnotherApp, stack: Stack
) -> None:
    settings = replace(stack.settings, database_direct_url=stack.settings.database_url)
    query = text("SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'")
    with another_app(settings, use).app_context():
        for _ in range(2):
            assert db.session.scalar(query) == getattr(settings, f"timeouts_{use}").statement * 1000
            driver = db.session.connection().connection.driver_connection
            db.session.rollback()
        assert driver.prepare_threshold is None
        assert driver.execute("SHOW statement_timeout").fetchone() == ("0",)
        driver.rollback()


@pytest.mark.parametrize("wrong", ["15", "15,3", "15,0,30", "15,3,x", "1,2,3,4", "inf,1,1"])
def test_wrong_timeouts_are_refused_with_what_to_write(wrong: str) -> None:
    with pytest.raises(
        SettingsError, match=r"DATABASE_TIMEOUTS_WEB.*three numbers above 0.*15,3,30"
    ):
        settings_from_env({"DATABASE_TIMEOUTS_WEB": wrong})
    assert settings_from_env({"DATABASE_TIMEOUTS_WEB": "5,0.5,10"}).timeouts_web == (5, 0.5, 10)


def test_a_job_over_its_time_limit_leaves_nothing_behind_and_its_worker_goes_on(
    start: Callable[..., Children], stack: Stack
) -> None:
    start("worker")
    before = jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), timeout=30)
    until(lambda: before.latest_result() is not None, "the worker works")
    slow = jobs.send_once(jobs.JobType(HOLD, jobs.INGEST_QUEUE), 120, timeout=10)
    until(lambda: (sleeping(), locks()) == (1, 1), "the slow statement runs, with its lock")
    after = jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), timeout=30)
    until(lambda: after.latest_result() is not None, "the next job was done", seconds=60)
    until(lambda: (sleeping(), locks()) == (0, 0), "the statement has ended", seconds=60)
    assert slow.get_status(refresh=True) == "failed"
    pids = [job.latest_result().return_value for job in (before, after)]  # type: ignore[union-attr]
    assert pids[0] == pids[1]
    assert "job_timed_out" in log_of(stack, "worker-0")
    assert "over its time limit of 10 s" in log_of(stack, "worker-0")


def test_on_one_machine_ingestion_waits_for_no_refresh_settlement_or_recap(
    league: League, start: Callable[..., Children], stack: Stack
) -> None:
    """Relay, bridge and ingestion share a process, and others share theirs."""
    slow = [
        jobs.send_once(jobs.JobType(WAIT, job_type.queue), timeout=600)
        for job_type in (REFRESH_GAMEWEEK, SETTLE_MATCHES, MAKE_RECAP)
    ]
    children = start(*commands(stack.settings, web=False, demo=False))
    try:
        until(
            lambda: {job.get_status() for job in slow} == {JobStatus.STARTED},
            "refreshes, settlements and upkeep are busy",
        )
        make_game("live-1")
        entries = [Entry(body, str(i)) for i, body in enumerate(touchdown_drive())]
        submit("live-1", entries, clock.now())
        until(lambda: ingested_count("live-1") == len(touchdown_drive()), "all is in the record")
        assert {job.get_status() for job in slow} == {JobStatus.STARTED}
    finally:
        jobs_redis().set(WORD, 1)
    until(
        lambda: {job.get_status() for job in slow} == {JobStatus.FINISHED}, "they are done at last"
    )
    assert all(process.poll() is None for process in children.running.values())


class _Unlucky(JobWorker):
    """Redis fails once before its first job, and once after it, which is the last one."""

    failures_left = 1

    def check_for_suspension(self, burst: bool) -> None:
        if self.failures_left:
            self.failures_left -= 1
            raise redis.ConnectionError("away")
        super().check_for_suspension(burst)

    def execute_job(self, job: Job, queue: Queue) -> None:
        super().execute_job(job, queue)
        self.take_no_more()
        raise redis.ReadOnlyError("a replica now")


def test_a_worker_waits_for_redis_also_between_two_reads_of_its_queues(
    app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would end, and with it whatever shares its process."""
    monkeypatch.setattr(rq_worker, "RETRY_SECONDS", 0)
    job = jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), timeout=30)
    with capture_logs() as lines:
        make_worker(KINDS["ingest"], stack.settings, _Unlucky).run()
    assert job.get_status(refresh=True) == JobStatus.FINISHED
    waits = [line["reason"] for line in lines if line["event"] == "waiting"]
    assert waits == ["ConnectionError: away", "ReadOnlyError: a replica now"]


def test_postgresql_ends_the_statement_of_a_killed_worker(
    start: Callable[..., Children], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_TIMEOUTS_INGEST", "600,5,30")
    children = start("worker")
    jobs.send_once(
        jobs.JobType(HOLD, jobs.INGEST_QUEUE), 300, timeout=600
    )  # shorter than the statement timeout
    until(lambda: (sleeping(), locks()) == (1, 1), "the slow statement runs, with its lock")
    children.running["worker-0"].send_signal(signal.SIGKILL)
    until(lambda: (sleeping(), locks()) == (0, 0), "the statement has ended", seconds=60)


def ingest(numbers: range) -> None:
    for number in numbers:
        ingest_events.run(
            [message.to_json() for message in messages([ev.Timeout(reason="tv")], first=number)]
        )


def waiting() -> int:
    return jobs.queue(jobs.BOARDS_QUEUE).count


def test_many_plays_make_one_running_and_one_waiting_refresh(league: League) -> None:
    ingest(range(1, 31))
    assert waiting() == 1
    running = jobs.queue(jobs.BOARDS_QUEUE).pop_job_id()  # a worker takes it in hand
    ingest(range(31, 61))
    assert waiting() == 1, "what comes while one runs always leads to another one after it"
    assert jobs.queue(jobs.BOARDS_QUEUE).job_ids != [running]


def test_many_senders_at_once_make_one_waiting_job(app: Flask) -> None:
    def send(_: int) -> bool:
        with app.app_context():
            return jobs.send_coalesced(jobs.JobType(PROCESS, jobs.BOARDS_QUEUE), "7", timeout=60)

    with ThreadPoolExecutor(8) as threads:
        sent = list(threads.map(send, range(200)))
    assert (sum(sent), waiting()) == (1, 1)
    assert jobs.send_coalesced(jobs.JobType(PROCESS, jobs.BOARDS_QUEUE), "8", timeout=60), (
        "another key"
    )


def test_a_worker_killed_with_the_refresh_in_hand_does_not_keep_the_next_one_away(
    league: League,
) -> None:
    ingest(range(1, 2))
    # taken from the queue, and then nothing more is heard of it
    assert jobs.queue(jobs.BOARDS_QUEUE).pop_job_id()
    assert refreshing.gameweeks_behind() == [1]
    reconcile_boards.run()
    (job,) = jobs.queue(jobs.BOARDS_QUEUE).jobs
    refresh_gameweek.run(*job.args)
    assert refreshing.gameweeks_behind() == []


def test_jobs_by_the_clock_do_not_pile_up(app: Flask) -> None:
    schedule_clock = schedule.Clock()
    for second in range(0, 7200, 60):
        schedule_clock.send_due(jobs_redis(), float(second))
    assert sum(jobs.queue(name).count for name in jobs.QUEUES) == len(schedule.SCHEDULE)


@pytest.mark.parametrize("name", jobs.QUEUES)
def test_a_failed_job_of_any_queue_goes_back_into_it_when_it_is_due_again(
    app: Flask, stack: Stack, name: str
) -> None:
    job = jobs.send(jobs.JobType(FAIL, name))
    began = datetime.now(UTC).replace(microsecond=0)  # the registry knows whole seconds
    (kind,) = [kind for kind in KINDS.values() if name in kind.queues]
    make_worker(kind, stack.settings).work(burst=True, logging_level="ERROR")
    queue = jobs.queue(name)
    registry = queue.scheduled_job_registry
    assert (queue.job_ids, registry.get_job_ids()) == ([], [job.id])
    delay = timedelta(seconds=30)
    assert began + delay <= registry.get_scheduled_time(job.id) <= datetime.now(UTC) + delay
    retry = schedule.retrying(jobs_redis())
    retry()
    assert queue.job_ids == [], "not before it is due"
    jobs_redis().zadd(registry.key, {job.id: 0})
    retry()
    retry()
    assert (queue.job_ids, registry.get_job_ids()) == ([job.id], [])


def test_a_killed_worker_leaves_no_process_behind(start: Callable[..., Children]) -> None:
    children = start("worker")
    job = jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), timeout=30)
    until(lambda: job.latest_result() is not None, "the worker works")
    assert psutil.Process(children.running["worker-0"].pid).children(recursive=True) == []


def test_a_refresh_that_another_session_holds_up_lets_its_worker_go_and_is_asked_for_again(
    another_app: AnotherApp, league: League, stack: Stack
) -> None:
    ingest(range(1, 2))
    jobs.queue(jobs.BOARDS_QUEUE).empty()
    hurried = another_app(
        replace(stack.settings, timeouts_refresh=Timeouts(30, 0.2, 30)), Use.REFRESH
    )
    with db.engine.connect() as holder, hurried.app_context(), capture_logs() as lines:
        holder.execute(text("SELECT pg_advisory_xact_lock(:lock, 1)"), {"lock": Lock.GAMEWEEK})
        refresh_gameweek.run(1)
        assert [line["event"] for line in lines] == ["refresh_waits"]
        assert waiting() == 1
    refresh_gameweek.run(1)
    assert refreshing.gameweeks_behind() == []


def test_a_refresh_with_a_slow_statement_ends_says_so_and_is_tried_later(
    another_app: AnotherApp, league: League, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_events.run([message.to_json() for message in messages(touchdown_drive())])
    jobs.queue(jobs.BOARDS_QUEUE).empty()
    hurried = another_app(
        replace(stack.settings, timeouts_refresh=Timeouts(0.5, 2, 30)), Use.REFRESH
    )
    with monkeypatch.context() as patch, hurried.app_context(), capture_logs() as lines:
        patch.setattr(
            versions, "game_statuses", lambda _: db.session.scalar(text("SELECT pg_sleep(20)"))
        )
        for _ in range(2):
            with pytest.raises(OperationalError, match="statement timeout"):
                refresh_gameweek.run(1)
        db.session.rollback()
        assert sleeping() == 0
    assert [(line["event"], line["gameweek_id"], line["again_in_seconds"]) for line in lines] == [
        ("refresh_failed", 1, 15),
        ("refresh_failed", 1, 60),
    ]
    assert "DATABASE_TIMEOUTS_REFRESH" in lines[0]["remedy"]
    assert (refreshing.ask(1), waiting()) == (False, 0), (
        "a refresh that fails is not tried at once, again and again"
    )
    reconcile_boards.run()
    assert waiting() == 0
    jobs_redis().delete("pressbox:refresh-pause:1")  # its time is over
    reconcile_boards.run()
    assert waiting() == 1
    refresh_gameweek.run(1)
    assert table_points(league.id, 1) == {1: 14_200, 2: 12_500, 3: 0}
    assert jobs_redis().exists("pressbox:refresh-failures:1") == 0


class _Harmful:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Path, str]]:
        return Path.write_text, (self.path, "ran")


def test_a_job_that_is_pickled_is_refused_with_one_line_and_not_run(
    app: Flask, stack: Stack, tmp_path: Path
) -> None:
    # RQ's own serializer: pickle
    job = Queue(jobs.INGEST_QUEUE, connection=jobs_redis()).create_job(PROCESS)
    job.data = pickle.dumps((PROCESS, None, (_Harmful(tmp_path / "ran"),), {}))
    Queue(jobs.INGEST_QUEUE, connection=jobs_redis()).enqueue_job(job)
    good = jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), timeout=30)
    with capture_logs() as lines:
        make_worker(KINDS["ingest"], stack.settings).work(burst=True, logging_level="WARNING")
    refused = [line for line in lines if line["event"] == "job_refused"]
    assert [(line["job_id"], line["reason"]) for line in refused] == [
        (job.id, "not JSON: it was queued by an older Pressbox or another program")
    ]
    assert not (tmp_path / "ran").exists()
    assert good.get_status(refresh=True) == "finished"


def test_arguments_that_are_not_json_are_refused_by_the_sender(app: Flask) -> None:
    with pytest.raises(TypeError, match="bytes"):
        jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), b"no text", timeout=5)


def test_a_message_of_any_bytes_goes_through_a_job_unchanged(app: Flask) -> None:
    (message,) = messages([ev.Timeout(reason="tv")])
    odd = replace(message, value=bytes(range(256)), key=None)
    job = jobs.send_once(jobs.JobType(PROCESS, jobs.INGEST_QUEUE), odd.to_json(), timeout=5)
    fetched = jobs.queue(jobs.INGEST_QUEUE).fetch_job(job.id)
    assert fetched is not None
    assert type(message).from_json(fetched.args[0]) == odd


def test_a_page_that_is_held_up_answers_503_and_says_when_to_try_again(
    another_app: AnotherApp, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = another_app(replace(stack.settings, timeouts_web=Timeouts(0.3, 0.3, 30)))
    slow = audience(PUBLIC)(lambda: str(db.session.scalar(text("SELECT pg_sleep(9)"))))
    monkeypatch.setitem(hurried.view_functions, "accounts.sign_in", slow)
    with capture_logs() as lines:
        response = hurried.test_client().get("/sign-in")
    assert (response.status_code, response.headers["Retry-After"]) == (503, "30")
    assert "Try again in a minute" in response.text
    assert [(line["event"], line["path"]) for line in lines] == [("held_up", "/sign-in")]
