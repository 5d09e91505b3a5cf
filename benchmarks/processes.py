"""Memory and CPU of every process of a running Pressbox, stores included.

Run it with `python -m benchmarks.processes`; it starts with the demo unless told otherwise.

Starts `pressbox up` in a new folder, waits until it is ready, and prints for each process its
proportional set size (what it shares counts in part), its processor time so far, and their sums.
`--seconds` later it prints both once more. Asserts nothing: tests/test_imports.py holds what each
process imports.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from app.embedded.stack import free_port

STORES = ("DATABASE_URL", "REDIS_URL", "KAFKA_BOOTSTRAP_SERVERS")
MIB = 1024 * 1024
GOAL_MIB = 800


@dataclass(frozen=True)
class _Measured:
    name: str
    pss_mib: float
    cpu_seconds: float


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


def _measure(processes: list[psutil.Process]) -> list[_Measured]:
    measured = []
    for process in processes:
        try:
            times = process.cpu_times()
            measured.append(
                _Measured(
                    name_of(process),
                    process.memory_full_info().pss / MIB,
                    times.user + times.system,
                )
            )
        except psutil.NoSuchProcess:
            continue
    return sorted(measured, key=lambda process_measured: -process_measured.pss_mib)


def _show(title: str, measured: list[_Measured]) -> None:
    """Print a row per name; the processes of PostgreSQL share one."""
    by_name: dict[str, list[_Measured]] = {}
    for process in measured:
        by_name.setdefault(process.name, []).append(process)
    print(f"\n{title}\n\n| process | number | PSS MiB | processor s |\n|---|---|---|---|")
    for name, processes in [*by_name.items(), (f"**all** (goal {GOAL_MIB})", measured)]:
        pss_mib = sum(process.pss_mib for process in processes)
        cpu_seconds = sum(process.cpu_seconds for process in processes)
        print(f"| {name} | {len(processes)} | {pss_mib:,.0f} | {cpu_seconds:.1f} |")


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--no-demo", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0, help="until the second look")
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
            supervisor = psutil.Process(up.pid)
            _show("When ready", _measure(belonging_to(supervisor, Path(folder))))
            time.sleep(chosen.seconds)
            _show(f"{chosen.seconds:.0f} s later", _measure(belonging_to(supervisor, Path(folder))))
        finally:
            up.send_signal(signal.SIGINT)
            up.wait(60)


if __name__ == "__main__":
    main()
