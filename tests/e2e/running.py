"""A running Pressbox for the stories.

The web process, and all other processes once a story needs them.
"""

from __future__ import annotations

import urllib.request
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

import psutil
from rq.registry import StartedJobRegistry
from sqlalchemy import text

from app.accounts.push import new_key
from app.core import jobs
from app.core.db import db
from app.core.postgres.timeouts import Timeouts
from app.embedded.stack import Stack, end_process
from tests.groups import own_groups, start_at_the_end
from tests.ports import reserved_port
from tests.waiting import patience, until
from workers.supervisor.children import Children
from workers.supervisor.processes import commands

# What processes note in Redis about themselves: it stays when the stores are emptied under them.
KEPT_KEYS = ("rq:worker", "pressbox:heartbeat:")
# How long a busy machine takes is no story's matter: the usual limits would answer a page with an
# error.
PATIENT = str(Timeouts(statement=60, lock=30, idle=600))
OPEN_TRANSACTIONS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pressbox-web'"
    " AND datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
)
# Events that are not in the record yet.
ON_THE_WAY = text(
    "SELECT count(*) FROM outbox WHERE NOT is_practice AND NOT EXISTS (SELECT FROM events"
    " WHERE events.game_id = outbox.game_id AND events.event_number = outbox.event_number)"
)


class RunningPressbox:
    """Processes on the stores of this test worker. Leaving the context ends them.

    Each starts when a story first needs it, and runs on for the stories after that.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self._resources = ExitStack()
        port = self._resources.enter_context(reserved_port())
        self._resources.enter_context(own_groups(stack, starting_now=False))
        self._groups_have_begun = False
        self.settings = replace(stack.settings, port=port, workers=1)
        self.children = Children(stack, [])
        # With push, and nobody to take what is sent: stories look at the switches.
        self.children.environment |= {
            "VAPID_KEY": new_key(),
            "PUSH_CONTACT": "ops@example.com",
            "PUSH_PRIVATE": "1",
        }
        self.children.environment |= {
            f"DATABASE_TIMEOUTS_{use}": PATIENT for use in ("WEB", "INGEST")
        }
        self.commands = commands(self.settings, web=True, demo=False)
        self.address = f"http://127.0.0.1:{port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.children.stop()
        self._resources.close()

    def start_web(self) -> None:
        self._start("web")
        until(lambda: self._answers("/sign-in"), "the web process answers", seconds=120)

    def end_all_but_web(self) -> None:
        """End the other processes, if a story before has started them."""
        others = [
            self.children.running.pop(name) for name in [*self.children.running] if name != "web"
        ]
        for process in others:
            process.terminate()
        for process in others:
            end_process(process)

    def start_all(self) -> None:
        if not self._groups_have_begun:
            start_at_the_end(self.stack)
            self._groups_have_begun = True
        self._start(*(command.name for command in self.commands))
        until(lambda: self._answers("/healthz"), "healthy", seconds=120)

    def kill_web(self) -> None:
        web = psutil.Process(self.children.running["web"].pid)
        family = [web, *web.children(recursive=True)]
        for process in family:
            kill(process)
        self.children.running.pop("web").wait(patience(60))
        until(
            lambda: all(map(has_ended, family)), "the web process has ended with all that it began"
        )

    def wait_until_idle(self) -> None:
        """Wait for all that was entered to be in the record, and for all that follows from it.

        The web process goes on with what a closed browser has asked for. What it writes must not
        come into the next story.
        """
        db.session.rollback()
        until(lambda: db.session.scalar(OPEN_TRANSACTIONS) == 0, "requests have ended", seconds=120)
        if self.children.running.keys() <= {"web"}:
            return
        until(lambda: db.session.scalar(ON_THE_WAY) == 0, "all events in the record", seconds=120)
        until(lambda: not any(map(_has_jobs, jobs.QUEUES)), "all jobs done", seconds=120)

    def _start(self, *names: str) -> None:
        """Starts those that do not run yet. A process that ended by itself fails the story."""
        ended = {name: process.poll() for name, process in self.children.running.items()}
        assert set(ended.values()) <= {None}, f"ended by themselves: {ended}"
        for command in self.commands:
            if command.name in names and command.name not in self.children.running:
                self.children._start(command)

    def _answers(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}{path}", timeout=patience(10)):
                return True
        except OSError:
            return False


def kill(process: psutil.Process) -> None:
    """Kills it unless it has ended, which the death of its parent may have brought about."""
    with suppress(psutil.NoSuchProcess):
        process.kill()


def has_ended(process: psutil.Process) -> bool:
    """A zombie has ended, too: there may be nobody to fetch it."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _has_jobs(queue: str) -> bool:
    waiting = jobs.queue(queue)
    return waiting.count > 0 or StartedJobRegistry(queue=waiting).count > 0
