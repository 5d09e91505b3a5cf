"""Scheduled job, also after each sanction: end those that are over, apply pending ones.

It also gives members who are minors no longer their names back.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog

from app.accounts import minors
from app.core import clock
from app.core.batch_failures import Failures
from app.moderation import rollback, sanctions
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing."""
    now, failures, done = clock.now(), Failures("not_shown"), dict[str, int]()
    parts: dict[str, Callable[[], int]] = {
        "ended": lambda: sanctions.lift_ended(now),
        "shown": lambda: sanctions.show_waiting(now),
        "rollbacks": lambda: rollback.show_waiting(now),
        "grown_up": lambda: minors.end_minority(now),
        "names": sanctions.show_waiting_names,
    }
    for name, show in parts.items():
        with failures.apart(name):
            done[name] = show()
    if any(done.values()):
        log.info("sanctions_shown", **done)
    failures.raise_first()
