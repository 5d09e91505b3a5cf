"""kill -9 of every store and every process under `pressbox up`, while a game is entered.

Nothing is lost or doubled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from app import create_app
from app.core import clock
from app.core.db import db
from app.core.jobs import jobs_redis
from app.demo.seed import simulated_game
from app.embedded.stack import with_running_stack
from app.ops import incidents
from app.record.models import RecordedEvent, StatLine
from app.record.services import store_script
from app.settings import Settings
from app.stream.models import OutboxMessage
from scorer_console.record.replay import replay
from tests.embedded.running import Up, is_healthy, pressbox
from tests.waiting import patient, until
from workers.process import heartbeat_key

STORES = ("bin/postgres", "valkey-server", "tansu")
PROCESSES = (
    "workers.scores",
    "workers.rq_worker ingest",
    "workers.rq_worker refresh",
    "workers.rq_worker upkeep",
    "workers.web",
)
STEPS = 6  # entered before each kill, and again while what was killed is away
HEALTHY_SECONDS = 120


@pytest.fixture
def up(store_folder: Path) -> Iterator[Up]:
    up = Up(store_folder / "var", "--no-demo", WORKERS=1)
    yield up
    up.kill_all()


def enter(game_id: str, until_step: int) -> float:
    """Enters steps as a console does, again and again until they are accepted.

    Returns the seconds it had to wait.
    """
    began = time.monotonic()

    def is_accepted() -> bool:
        try:
            for _ in replay(game_id, until=until_step):
                pass
        except SQLAlchemyError:
            db.session.rollback()
            return False
        return True

    until(is_accepted, "entries are accepted", HEALTHY_SECONDS)
    return time.monotonic() - began


def accepted() -> int:
    return db.session.scalar(select(func.count()).select_from(OutboxMessage)) or 0


def recorded() -> int:
    return db.session.scalar(select(func.count()).where(RecordedEvent.revision == 0)) or 0


def is_new(process: psutil.Process | None, before: psutil.Process) -> bool:
    return process is not None and process.pid != before.pid


def stat_lines() -> list[tuple[object, ...]]:
    columns = [
        column for column in StatLine.__table__.columns if column.name not in ("updated_at", "id")
    ]
    rows = sorted((tuple(row) for row in db.session.execute(select(*columns))), key=repr)
    db.session.rollback()
    return rows


def killed_while_entering(up: Up, victim: str, game_id: str, step: int) -> str:
    """Kills the victim between entries; returns, once all is well again, what that cost."""
    enter(game_id, step + STEPS)
    # It may be on its way back after the end of a store that it needs.
    until(lambda: up.child(victim) is not None, f"{victim} runs", HEALTHY_SECONDS)
    killed = up.child(victim)
    assert killed is not None, f"{victim} ended by itself"
    killed.kill()
    began = time.monotonic()
    refused = enter(game_id, step + 2 * STEPS)
    until(
        lambda: accepted() == recorded(),
        f"all is in the record after the end of {victim}",
        HEALTHY_SECONDS,
    )
    held_back = time.monotonic() - began
    until(
        lambda: is_new(up.child(victim), killed),
        f"another {victim} after the first one",
        HEALTHY_SECONDS,
    )
    until(lambda: is_healthy(up.port), f"healthy after the end of {victim}", HEALTHY_SECONDS)
    return (
        f"kill -9 {victim.removeprefix('bin/')} under `up`: entries waited {refused:.1f} s for "
        "acceptance, "
        f"{held_back:.1f} s for the record, healthy after {time.monotonic() - began:.1f} s; "
        f"lost {accepted() - recorded()}"
    )


def watch_is_up() -> bool:
    return next(jobs_redis().scan_iter(heartbeat_key("watch", "*")), None) is not None


@pytest.mark.full
@pytest.mark.timeout(900)
def test_every_store_and_process_may_be_killed_while_a_game_is_entered(
    up: Up, measured: Callable[[str], None]
) -> None:
    until(up.is_ready, "up is ready", seconds=150)
    settings = with_running_stack(patient(Settings(var=up.var)))
    with create_app(settings).app_context():
        script = simulated_game(7, clock.now())
        store_script(script)
        until(watch_is_up, "the watch, which keeps the history, has begun to look", HEALTHY_SECONDS)
        step = 0
        for victim in (*STORES, *PROCESSES):
            measured(killed_while_entering(up, victim, script.game_id, step))
            step += 2 * STEPS
        until(
            lambda: (
                {"postgres", "redis"}
                <= {incident.part for incident in incidents.latest(100) if incident.ended_at}
            ),
            lambda: (
                "the history has both stores' ends: "
                f"{[(i.part, i.cause, i.ended_at) for i in incidents.latest()]}"
            ),
            HEALTHY_SECONDS,
        )
        before = stat_lines()
        built = pressbox("rebuild", "record", script.game_id, PRESSBOX_VAR=up.var)
        assert built.returncode == 0, built.stderr
        after = stat_lines()
        doubled = sum(1 for line in before if line not in after)
        assert (accepted(), recorded(), doubled) == (step, step, 0)
        measured(
            f"after {len(STORES) + len(PROCESSES)} kills: {step} accepted, {recorded()} in the "
            "record, doubled 0"
        )
