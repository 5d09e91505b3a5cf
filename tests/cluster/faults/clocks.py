"""Clocks of machines that are set.

Our processes' clocks, apart from those of the stores and of the test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.cluster.pressbox import Pressbox
from tests.waiting import patience, rest

LIBRARY = "faketime/libfaketime.so.1"
STEPS = ("+300", "-300", "+0")  # seconds beside the right time
STEP_SECONDS = 4.0


@contextmanager
def stepped(box: Pressbox, chance: Random) -> Iterator[None]:
    """The clocks of all our processes are five minutes ahead, then five behind, then right."""
    library, offset = _library(), box.stack.var / "clock"
    offset.write_text("+0")
    before = box.children.environment
    box.children.environment = before | {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    with box.paused(*box.children.running):
        pass
    yield
    for step in STEPS:
        offset.write_text(step)
        rest(STEP_SECONDS)
    box.children.environment = before
    with box.paused(*box.children.running):
        pass


def _library() -> Path:
    library = next(Path("/usr/lib").glob(f"**/{LIBRARY}"), None)
    if library is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "libfaketime"],  # noqa: S607
            check=False,
            timeout=patience(180),
        )
        library = next(Path("/usr/lib").glob(f"**/{LIBRARY}"), None)
    return library or pytest.skip(
        "setting the clock of a process needs libfaketime: install it (Debian: libfaketime)"
    )
