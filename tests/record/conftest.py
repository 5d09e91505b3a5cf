from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import event

from app.core.db import db


class Killed(BaseException):
    """Stands for the process's death: not an Exception, so that nothing on the way may catch it."""


@pytest.fixture
def count_and_kill(app: Flask) -> Callable[..., int]:
    """Runs an act and kills it before statement number `at` (from 0); returns how many statements began."""

    def run(at: int, act: Callable[[], object]) -> int:
        begun = 0

        def before(*_: object) -> None:
            nonlocal begun
            if begun == at:
                raise Killed
            begun += 1

        event.listen(db.engine, "before_cursor_execute", before)
        try:
            act()
        except Killed:
            db.session.rollback()
        finally:
            event.remove(db.engine, "before_cursor_execute", before)
        return begun

    return run
