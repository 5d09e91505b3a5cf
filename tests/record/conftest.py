from __future__ import annotations

from pathlib import Path

import pytest

from tests.worlds.play_by_play import (
    GAME,
    WIDE,
    small_game,
    write,
)


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    return write(tmp_path / "pbp" / f"{GAME}.csv.gz", WIDE, small_game())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "pbp" / f"{GAME}.csv", WIDE, small_game())
    return tmp_path
