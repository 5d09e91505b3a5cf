"""A process that dies at a chosen line of the consumer's code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from app.core.db import db
from app.scores import apply

FOLDER = str(Path(apply.__file__).parent)


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


Line = tuple[str, int]


class Steps:
    """Counts the lines of app/scores that run; dies when the line `at` comes for the first time."""

    def __init__(self, at: Line | int | None = None) -> None:
        self.at = at
        self.lines: dict[Line, int] = {}
        self.count = 0

    def __call__(self, frame: FrameType, kind: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        if kind == "line":
            line = (Path(frame.f_code.co_filename).name, frame.f_lineno)
            self.lines.setdefault(line, self.count)
            self.count += 1
            if self.at in (line, self.count):
                raise Killed
        return self


@contextmanager
def dying(at: Line | int | None) -> Iterator[Steps]:
    """What runs inside ends at that line (or at that many lines), as if killed; None: it is only watched."""
    steps = Steps(at)
    before = sys.gettrace()
    sys.settrace(steps)
    try:
        yield steps
    except Killed:
        pass
    finally:
        sys.settrace(before)
        db.session.rollback()  # as PostgreSQL does when a connection is gone
