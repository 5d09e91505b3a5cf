"""`make fuzz`: every target for so many seconds, or one for as long as you like.

What was found is printed at the end.

python -m tests.fuzz [TARGET ...] [--seconds 60] [--seed N] [--input FILE] [--record-run NAME]
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path

from tests.fuzz.running import TARGETS, fuzz, stores_of, try_again
from tests.long_runs import LongRun, current_commit, record
from tests.tools import missing

KEPT = Path("var") / "fuzz"  # what reaches new code: the next run begins with it


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Fuzz what takes bytes from outside."
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="of each target (60)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31 - 1) + 1)
    parser.add_argument("--input", type=Path, action="append", help="try this file again, once")
    parser.add_argument("--record-run", metavar="NAME", help="write a row of docs/long-runs.md")
    arguments = parser.parse_args()
    if unknown := set(arguments.targets) - TARGETS.keys():
        parser.error(
            f"no target is called {', '.join(sorted(unknown))}: there are {', '.join(TARGETS)}"
        )
    if (reason := missing("fuzz")) is not None:
        parser.error(reason)
    findings = 0
    targets = arguments.targets or list(TARGETS)
    started, commit = time.monotonic(), current_commit()
    for target in targets:
        folder = (KEPT / target).absolute()
        with stores_of(target) as variables:
            if arguments.input:
                ran = try_again(
                    target, folder, [file.absolute() for file in arguments.input], variables
                )
            else:
                ran = fuzz(
                    target,
                    folder,
                    seed=arguments.seed,
                    seconds=arguments.seconds,
                    variables=variables,
                )
        print(
            f"{target}: {ran.runs:,} inputs with seed {arguments.seed}, "
            f"{'a finding' if ran.finding else 'nothing found'}"
        )
        if ran.finding:
            findings += 1
            print(ran.finding)
    if arguments.record_run:
        seconds = time.monotonic() - started
        record(
            LongRun(
                arguments.record_run,
                commit,
                len(targets) - findings,
                findings,
                0,
                seconds,
                arguments.seed,
            )
        )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
