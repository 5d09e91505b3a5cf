"""A `pressbox up` of a test's own, as a process, and what its processes are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import fields
from pathlib import Path

import psutil

from app.embedded.store import ReservedPort
from app.settings import Settings
from tests.waiting import patience

PRESSBOX = [sys.executable, "-m", "app.cli"]
ROOT = Path(__file__).parent.parent.parent


def environment(**values: object) -> dict[str, str]:
    """This process's, with these settings and no others."""
    settings = {field.metadata["env"] for field in fields(Settings)}
    clean = {name: value for name, value in os.environ.items() if name not in settings}
    return clean | {name: str(value) for name, value in values.items()}


def pressbox(*arguments: str, **values: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PRESSBOX, *arguments],
        cwd=ROOT,
        env=environment(**values),
        capture_output=True,
        text=True,
        timeout=patience(300),
    )


def is_healthy(port: int) -> bool:
    """Whether the one on this port says so now.

    A busy machine's broker may be late for one look.
    """
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/healthz", timeout=patience(30)
        ) as answer:
            return bool(json.load(answer)["status"] == "ok")
    except (urllib.error.HTTPError, OSError):
        return False


class Up:
    """One `pressbox up` in the folder `var`; what it prints is in `output`."""

    def __init__(self, var: Path, *arguments: str, **values: object) -> None:
        self.var = var
        self._reserved = ReservedPort()
        self.port = self._reserved.number
        self.output = var.with_suffix(".out")
        with open(self.output, "wb") as out:
            self.process = subprocess.Popen(
                [*PRESSBOX, "up", *arguments],
                cwd=ROOT,
                env=environment(PORT=self.port, PRESSBOX_VAR=var, **values),
                stdout=out,
                stderr=out,
            )

    def text(self) -> str:
        return self.output.read_text()

    def is_ready(self) -> bool:
        """Raises AssertionError with its output when it ended instead."""
        assert self.process.poll() is None, self.text()
        return "Ctrl-C stops everything" in self.text()

    def child(self, words: str) -> psutil.Process | None:
        """A process with these words in its command line, that it or its fork server started."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if words in " ".join(child.cmdline()):
                    return child
            except (psutil.NoSuchProcess, psutil.ZombieProcess):
                continue
        return None

    def started(self) -> list[int]:
        """The numbers of all processes that it has started so far."""
        return [
            int(line.split()[0]) for line in (self.var / "started.pids").read_text().splitlines()
        ]

    def kill_all(self) -> None:
        """Ends what a failed test left, at once."""
        if self.process.poll() is None:
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.kill()
            self.process.kill()
            self.process.wait(patience(60))
        self._reserved.close()


def processes_of(folder: Path) -> list[str]:
    """Command lines of all processes that work in the folder or below it, or name it."""
    differences = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = " ".join(process.info["cmdline"] or [])
        if str(folder) in words or str(process.info["cwd"]).startswith(str(folder)):
            differences.append(words)
    return differences
