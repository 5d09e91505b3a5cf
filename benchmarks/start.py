"""From `pressbox up` to healthy, on a data folder of its own.

Goal: below 15 s once it is warm.

`python -m benchmarks.start` starts Pressbox with its demo in a new folder, as `make run` does after
its environment is there, stops it and starts it again, so many times. Printed: seconds until it
says that everything is healthy, of the first start (stores are made, the database migrated, the
demo season put in) and the median of the others, and beside them what importing the application
alone costs in a process. A start that ends by itself ends the run with an error.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from app.embedded.stack import free_port
from benchmarks.load import ROOT
from benchmarks.processes import STORES

READY = "Ctrl-C stops everything"


def _start(folder: str) -> float:
    """Return the seconds from the start of the process until it is healthy; stop it again."""
    environment = {name: value for name, value in os.environ.items() if name not in STORES}
    environment |= {"PRESSBOX_VAR": folder, "PORT": str(free_port())}
    began = time.perf_counter()
    up = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "up"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert up.stdout is not None
    try:
        for line in up.stdout:
            if READY in line:
                return time.perf_counter() - began
        raise SystemExit(f"it ended with {up.wait()} before it was healthy")
    finally:
        up.send_signal(signal.SIGINT)
        up.communicate(timeout=60)


def _imported() -> float:
    """Return the seconds of a process that imports the application and ends."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "import app.web_app, workers.supervisor.start"], cwd=ROOT, check=True
    )
    return time.perf_counter() - began


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pressbox-start-") as folder:
        first, warm, imports = _start(folder), [], []
        for _ in range(arguments.rounds):
            imports.append(_imported())
            warm.append(_start(folder))
    print("| start | s |\n|---|---|")
    print(f"| first, in a new folder | {first:.1f} |")
    print(f"| warm, median of {arguments.rounds} (goal 15) | {statistics.median(warm):.1f} |")
    print(f"| importing the application alone | {statistics.median(imports):.1f} |")


if __name__ == "__main__":
    main()
