"""Runs each target in a process of its own and reports reproducible findings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from app.embedded.stack import Stack
from app.embedded.valkey import Valkey
from app.settings import Settings
from app.stream.kafka import ensure_topics
from tests.waiting import patient
from workers.supervisor.children import environment

ROOT = Path(__file__).parent.parent.parent
LONGEST_INPUT = 64 * 1024
MEMORY_MB = 1536
ONE_INPUT_SECONDS = 60  # the end of an input that hangs
STOP_SECONDS = 300  # more than asked for: then the process itself hangs
MOST_SECONDS = 1800  # of a run that is bounded by its inputs
SHOWN_BYTES = 4000

# By target the stores that it works on, which are its own: none, Valkey, or all of them.
TARGETS: dict[str, Literal["", "valkey", "stack"]] = {
    "events": "",
    "stream": "",
    "lua": "valkey",
    "importers": "stack",
    "provider": "stack",
    "api": "stack",
    "forms": "stack",
}


@contextmanager
def stores_of(target: str) -> Iterator[dict[str, str]]:
    """Inside, the stores of the target run; the variables that say where."""
    needs = TARGETS[target]
    if not needs:
        yield dict(os.environ)
        return
    with TemporaryDirectory(prefix="pressbox-fuzz-", ignore_cleanup_errors=True) as folder:
        if needs == "valkey":
            (Path(folder) / "logs").mkdir()
            valkey = Valkey(Path(folder), lambda _: None)
            try:
                yield {**os.environ, "REDIS_URL": valkey.start()}
            finally:
                valkey.stop()
        else:
            with Stack(patient(Settings(var=Path(folder)))) as stack:
                ensure_topics(stack.settings)
                yield environment_of(stack)


def environment_of(stack: Stack) -> dict[str, str]:
    """As a process that works on these stores and may empty them has it."""
    return {**environment(stack), "DATABASE_OWNER_URL": stack.settings.database_owner_url}


@dataclass(frozen=True)
class Ran:
    """`runs`: inputs tried.

    `found`: empty, or what is wrong, with the input and the command that tries it again.
    """

    target: str
    runs: int
    finding: str = ""


def fuzz(
    target: str,
    folder: Path,
    *,
    seed: int,
    runs: int | None = None,
    seconds: int | None = None,
    variables: Mapping[str, str],
) -> Ran:
    """Tries so many inputs, or for so long.

    `folder`: where the corpus of the run and what it finds are kept.
    """
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    much = [f"-runs={runs}"] if runs is not None else [f"-max_total_time={seconds}"]
    options = [*much, f"-seed={seed}", f"-max_len={LONGEST_INPUT}", f"-artifact_prefix={folder}/"]
    return _run(target, folder, options, variables, (seconds or MOST_SECONDS) + STOP_SECONDS)


def try_again(
    target: str, folder: Path, files: Sequence[Path], variables: Mapping[str, str]
) -> Ran:
    """Tries these inputs once each."""
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    return _run(target, folder, [str(file) for file in files], variables, STOP_SECONDS)


def _run(
    target: str, folder: Path, options: list[str], variables: Mapping[str, str], most_seconds: int
) -> Ran:
    limits = [f"-rss_limit_mb={MEMORY_MB}", f"-timeout={ONE_INPUT_SECONDS}", "-print_final_stats=1"]
    before = set(folder.glob("*-*"))
    # `timeout` forks the target's process: one that we started ourselves would count our own peak
    # of memory, which a test of a million team sheets may have left, among its own.
    bounded = ["timeout", "--kill-after=5", str(most_seconds)]
    with open(folder / "output.txt", "w+b") as output:
        code = subprocess.run(
            [
                *bounded,
                sys.executable,
                "-m",
                "tests.fuzz.run",
                target,
                str(folder),
                *limits,
                *options,
            ],
            cwd=ROOT,
            env={**variables, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
            stdout=output,
            stderr=output,
            check=False,
        ).returncode
        output.seek(0)
        output_text = output.read().decode(errors="replace")
    tried = re.findall(r"stat::number_of_executed_units:\s+(\d+)", output_text) or re.findall(
        r"^#(\d+)\s", output_text, re.M
    )
    runs = int(tried[-1]) if tried else 0
    return Ran(
        target,
        runs,
        ""
        if code == 0
        else _finding(target, output_text, sorted(set(folder.glob("*-*")) - before)),
    )


def _finding(target: str, output: str, files: Sequence[Path]) -> str:
    lines = [
        line
        for line in output.splitlines()
        if not line.startswith(("INFO: Instrumenting", "#", "WARNING: Failed"))
    ]
    excerpt = ["\n".join(lines)[-SHOWN_BYTES:]]
    for file in files:
        excerpt.append(f"The input: {file.read_bytes()[:SHOWN_BYTES]!r}")
        excerpt.append(f"Try it again: python -m tests.fuzz {target} --input {file}")
    return "\n".join(excerpt)
