from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import event

from app.core.db import db
from tests.worlds.play_by_play import (
    GAME,
    WIDE,
    small_game,
    write,
)


class Killed(BaseException):
    """Stands for the process's death: not an Exception, so that nothing on the way may catch it."""


@pytest.fixture
def count_and_kill(app: Flask) -> Callable[..., int]:
    """Runs an act and kills it before statement number `at` (from 0, a commit is one); returns how many began."""

    def run(at: int, act: Callable[[], object]) -> int:
        begun = 0

        def before(*_: object) -> None:
            nonlocal begun
            if begun == at:
                raise Killed
            begun += 1

        for moment in ("before_cursor_execute", "commit"):
            event.listen(db.engine, moment, before)
        try:
            act()
        except Killed:
            db.session.rollback()
        finally:
            for moment in ("before_cursor_execute", "commit"):
                event.remove(db.engine, moment, before)
        return begun

    return run


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    return write(tmp_path / "pbp" / f"{GAME}.csv.gz", WIDE, small_game())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "pbp" / f"{GAME}.csv", WIDE, small_game())
    return tmp_path
