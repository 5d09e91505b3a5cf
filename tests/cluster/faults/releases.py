"""A rolling upgrade: processes of the previous release beside those of this one, back and forth."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.cluster.pressbox import Pressbox
from tests.roles import commands_of_roles
from tests.waiting import patience, rest
from workers.supervisor.children import Children

# What stood before the team sheets of a stadium, the stamps of polls and their migrations (0053 to
# 0057).
PREVIOUS = "b1b1b30"
PROJECT = Path(__file__).parents[3]
SIDE_BY_SIDE_SECONDS = 6.0


@contextmanager
def rolling_upgrade(box: Pressbox, chance: Random) -> Iterator[None]:
    """One process after the other goes back to the previous release, and forward again.

    The database stays the new one's. So each process of the one meets each of the other.
    """
    with _previous() as root:
        yield
        chosen = commands_of_roles()
        old = Children(box.stack, chosen, root=root)
        # The previous release took the address of one PostgreSQL only.
        old.environment["DATABASE_URL"] = box.machines.postgres.primary.url_of("pressbox_app")
        try:
            for command in chance.sample(chosen, len(chosen)):
                box.children.paused.add(command.name)
                box.children.running[command.name].kill()
                box.children.running[command.name].wait(patience(60))
                old.commands = [command]
                old.start()
                rest(0.5)
            rest(SIDE_BY_SIDE_SECONDS)
        finally:
            old.commands = chosen
            old.stop()
            box.children.resume()


@contextmanager
def _previous() -> Iterator[Path]:
    """The code of the previous release in a folder."""
    result = subprocess.run(
        ["git", "archive", PREVIOUS],  # noqa: S607
        cwd=PROJECT,
        capture_output=True,
        check=False,
    )
    if result.returncode:
        pytest.skip(f"the previous release, {PREVIOUS}, is not in this clone: it has no history")
    with (
        tempfile.TemporaryDirectory() as folder,
        tarfile.open(fileobj=io.BytesIO(result.stdout)) as packed,
    ):
        packed.extractall(folder, filter="data")
        yield Path(folder)
