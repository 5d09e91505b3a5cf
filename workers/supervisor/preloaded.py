"""Imports what the processes of Pressbox import, once for all, in the fork server of forking.py."""

from __future__ import annotations

import gc
import signal
from importlib import import_module
from pkgutil import iter_modules

from sqlalchemy.orm import configure_mappers

import workers.jobs
from app.record.rules.football import rulebook
from app.subjects import connect, import_tables, web_modules

PROCESSES = ("demo", "rq_worker", "scores", "web.server")

for name in ("app.web_app", *(f"workers.{process}" for process in PROCESSES)):
    import_module(name)
for job in iter_modules(workers.jobs.__path__, "workers.jobs."):
    import_module(job.name)
import_tables()
web_modules()
connect()
configure_mappers()
rulebook.install(None)  # reads the shipped chapters
# Garbage collection would write to all of this, and each process would get a copy of its own.
gc.freeze()
# The supervisor ends its processes one by one; until then their fork server has to stay.
signal.signal(signal.SIGTERM, signal.SIG_IGN)
