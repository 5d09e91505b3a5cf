"""Jobs that fail, for tests; as jobs they must be importable by name."""

from __future__ import annotations

from app.core.jobs import PermanentJobError
from app.core.redis.clients import jobs_redis
from workers.context import in_app

FAIL = "tests.dead_letters.failing_jobs.fail"
REFUSE = "tests.dead_letters.failing_jobs.refuse"
MENDED = "test:mended"  # in Redis: since then `fail` goes well


@in_app
def fail(number: int) -> None:
    if not jobs_redis().exists(MENDED):
        raise RuntimeError(f"the cause of number {number}\nand a second line")


@in_app
def refuse(number: int) -> None:
    raise PermanentJobError(f"number {number} can never be done")
