"""A process that dies.

At a line of the code, before a statement, or where a test patches in `die`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from sqlalchemy import event

from app.core.db import db

Line = tuple[str, int]


class Killed(BaseException):
    """Stands for the death of the process.

    Not an Exception, so that nothing on the way catches it.
    """


def die(*_: object, **__: object) -> None:
    raise Killed


class LineTracer:
    """Counts the lines that run in these files and folders.

    Raises Killed when `at` comes for the first time.
    """

    def __init__(self, places: tuple[str, ...], at: Line | int | None) -> None:
        self.places = places
        self.at = at
        self.lines: dict[Line, int] = {}
        self.count = 0

    def __call__(self, frame: FrameType, kind: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(self.places):
            return None
        if kind == "line":
            line = (Path(frame.f_code.co_filename).name, frame.f_lineno)
            self.lines.setdefault(line, self.count)
            self.count += 1
            if self.at in (line, self.count):
                raise Killed
        return self


@contextmanager
def kill_at_line(at: Line | int | None, *modules: ModuleType) -> Iterator[LineTracer]:
    """End the block at a line of these modules, as if the process were killed.

    Args:
        at: File name and line number, or how many lines run; None only counts them.
        modules: A package stands for all modules in its folder.
    """
    tracer = LineTracer(
        tuple(str(module.__file__).removesuffix("__init__.py") for module in modules), at
    )
    tracer_before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield tracer
    except Killed:
        pass
    finally:
        sys.settrace(tracer_before)
        db.session.rollback()  # as PostgreSQL does when a connection is gone


def kill_before_statement(at: int, act: Callable[[], object]) -> int:
    """Run an act and kill it before statement `at`, counted from 0; a commit is one.

    Returns how many began.
    """
    begun = 0

    def count_or_die(*_: object) -> None:
        nonlocal begun
        if begun == at:
            raise Killed
        begun += 1

    for moment in ("before_cursor_execute", "commit"):
        event.listen(db.engine, moment, count_or_die)
    try:
        act()
    except Killed:
        db.session.rollback()
    finally:
        for moment in ("before_cursor_execute", "commit"):
            event.remove(db.engine, moment, count_or_die)
    return begun
