"""The subjects of Pressbox, and how each of them joins a process.

A subject says in its own package what it adds:

- `models.py` and the other modules that its `__init__.py` lists in `TABLES` declare its tables,
- `jobs.py` holds its jobs,
- `connections.py` registers what subjects below it call,
- `web.py` has `init_app`, which registers its pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from app.core.jobs import JobType

SUBJECTS = (
    "app.accounts",
    "app.audit",
    "app.stream",
    "app.boards",
    "app.record",
    "app.scores",
    "app.fantasy",
    "app.talk",
    "app.draft_leagues",
    "app.predictions",
    "app.competitions",
    "app.dead_letters",
    "app.moderation",
    "app.offline",
    "app.ops",
    "scorer_console",
    "app.feeds",
    "app.styleguide",
    "app.api",
)


def import_tables() -> None:
    """Import every module that declares tables.

    Foreign keys point from subject to subject, so a process that uses one table needs the metadata
    of all.
    """
    for subject in SUBJECTS:
        for name in getattr(import_module(subject), "TABLES", ()):
            import_module(name)


def connect() -> None:
    """Import every module that registers with the subjects below its own."""
    for _ in _modules("connections"):
        pass


def job_types() -> list[JobType]:
    """Return every type of job."""
    return [
        value
        for module in _modules("jobs")
        for value in vars(module).values()
        if isinstance(value, JobType)
    ]


def web_modules() -> list[ModuleType]:
    """Return the modules whose `init_app` registers pages, in the order of their subjects."""
    return list(_modules("web"))


def _modules(name: str) -> Iterator[ModuleType]:
    for subject in SUBJECTS:
        path = f"{subject}.{name}"
        if find_spec(path) is not None:
            yield import_module(path)
