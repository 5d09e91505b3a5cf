"""What the processes of Pressbox import, for the fork server of tests/forked_processes.py."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from sqlalchemy.orm import configure_mappers

import workers.bridge
import workers.jobs
import workers.keeper
import workers.relay
import workers.rq_worker
import workers.scores
from app.subjects import import_tables

for job in iter_modules(workers.jobs.__path__, "workers.jobs."):
    import_module(job.name)
import_tables()
configure_mappers()
