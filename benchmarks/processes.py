"""Memory and processor time of every process of a running Pressbox, stores included.

Run it with `python -m benchmarks.processes`; it starts with the demo unless told otherwise.

Starts `pressbox up` in a new folder, waits until it is ready and then `--settle` seconds, and
measures each process for `--seconds`: its processor time as a share of a core, and at the end its
proportional set size (what it shares counts in part). With `--no-demo` this is what an idle
installation costs its owner, with `--settle 180` a demo at which nobody looks any more. Asserts
nothing: tests/test_imports.py holds what each process imports.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from app.embedded.stack import free_port

STORES = ("DATABASE_URL", "REDIS_URL", "KAFKA_BOOTSTRAP_SERVERS")
MIB = 1024 * 1024
# With games on, and idle without the demo: MiB, share of a core, processes.
GOAL_OF_DEMO = "goal 550, 60 %"
GOAL_OF_IDLE = "goal 380, 3 %, 20 processes"


@dataclass(frozen=True)
class _Measured:
    name: str
    pss_mib: float
    core_share: float


def name_of(process: psutil.Process) -> str:
    """Return `workers.relay` for `python -m workers.relay`, else the program."""
    words = " ".join(process.cmdline()).split()
    if "-m" in words:
        return " ".join(words[words.index("-m") + 1 :][:2])
    for part in ("forkserver", "resource_tracker"):  # of the standard library
        if any(part in word for word in words):
            return part
    return Path(words[0]).name.split(":")[0] if words else process.name()


def belonging_to(supervisor: psutil.Process, var: Path) -> list[psutil.Process]:
    """Return the supervisor, its descendants, and stores outside its family that use its folder."""
    processes = {
        supervisor.pid: supervisor,
        **{child.pid: child for child in supervisor.children(recursive=True)},
    }
    for process in psutil.process_iter():
        try:
            if str(var) in " ".join(process.cmdline()) and process.pid not in processes:
                processes |= {
                    member.pid: member for member in [process, *process.children(recursive=True)]
                }
        except psutil.Error:
            continue  # it has ended, or we may not inspect it
    processes.pop(os.getpid(), None)
    return list(processes.values())


def _processor_seconds(processes: list[psutil.Process]) -> dict[psutil.Process, float]:
    seconds = {}
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            seconds[process] = times.user + times.system
    return seconds


def _measure(supervisor: psutil.Process, var: Path, seconds: float) -> list[_Measured]:
    """Measure for so many seconds; the largest first. What ended meanwhile is left out."""
    began = time.monotonic()
    seconds_at_start = _processor_seconds(belonging_to(supervisor, var))
    time.sleep(seconds)
    seconds_at_end = _processor_seconds(belonging_to(supervisor, var))
    elapsed = time.monotonic() - began
    measured = []
    for process, spent in seconds_at_end.items():
        with suppress(psutil.NoSuchProcess):
            pss_mib = process.memory_full_info().pss / MIB
            core_share = (spent - seconds_at_start.get(process, 0.0)) / elapsed
            measured.append(_Measured(name_of(process), pss_mib, core_share))
    return sorted(measured, key=lambda process_measured: -process_measured.pss_mib)


def _show(goal: str, measured: list[_Measured]) -> None:
    """Print a row per name; the processes of PostgreSQL share one."""
    by_name: dict[str, list[_Measured]] = {}
    for process in measured:
        by_name.setdefault(process.name, []).append(process)
    print("\n| process | number | PSS MiB | of a core |\n|---|---|---|---|")
    for name, processes in [*by_name.items(), (f"**all** ({goal})", measured)]:
        pss_mib = sum(process.pss_mib for process in processes)
        core_share = sum(process.core_share for process in processes)
        print(f"| {name} | {len(processes)} | {pss_mib:,.0f} | {core_share:.1%} |")


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--no-demo", action="store_true")
    parser.add_argument("--settle", type=float, default=30.0, help="before it measures")
    parser.add_argument("--seconds", type=float, default=60.0, help="for which it measures")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pressbox-processes-") as folder:
        environment = {name: value for name, value in os.environ.items() if name not in STORES}
        environment |= {"PRESSBOX_VAR": folder, "PORT": str(free_port())}
        command = [
            sys.executable,
            "-m",
            "app.cli",
            "up",
            *(["--no-demo"] if chosen.no_demo else []),
        ]
        up = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert up.stdout is not None
        try:
            for line in up.stdout:
                if "Ctrl-C stops everything" in line:
                    break
            time.sleep(chosen.settle)
            measured = _measure(psutil.Process(up.pid), Path(folder), chosen.seconds)
            _show(GOAL_OF_IDLE if chosen.no_demo else GOAL_OF_DEMO, measured)
        finally:
            up.send_signal(signal.SIGINT)
            up.wait(60)


if __name__ == "__main__":
    main()
