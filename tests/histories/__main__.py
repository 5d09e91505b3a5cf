"""`python -m tests.histories`: histories until the time is over, a line each.

See the package's own words.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import structlog
from flask import Flask

from tests.conftest import emptied
from tests.histories.schedule import Schedule, generate
from tests.histories.shrinking import shrink
from tests.histories.stepping import Lived, live
from tests.histories.stores import stores
from tests.long_runs import LongRun, current_commit, record

SHRINK_SECONDS = 180.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.histories", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long")
    parser.add_argument("--seed", type=int, help="this history alone")
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with")
    parser.add_argument("--processes", action="store_true", help="real processes and a real broker")
    parser.add_argument(
        "--as-it-is", action="store_true", help="do not look for a shorter schedule"
    )
    parser.add_argument("--record-run", metavar="NAME", help="write a row of docs/long-runs.md")
    options = parser.parse_args()
    # faults are what is wanted here
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    if options.processes:
        from tests.histories.processes import in_processes

        with in_processes() as lives:
            sys.exit(many(options, lives, None))
    with stores() as (app, _):

        def lives(schedule: Schedule) -> Lived:
            with emptied(app):
                return live(app, schedule)

        sys.exit(many(options, lives, app))


def many(options: argparse.Namespace, lives: Callable[[Schedule], Lived], app: Flask | None) -> int:
    """How many differed."""
    began, wrong, total = time.monotonic(), [], 0
    commit = current_commit()
    acts = faults = 0
    seed = options.first if options.seed is None else options.seed
    while options.seed is not None or time.monotonic() < began + options.seconds:
        at = time.monotonic()
        schedule = generate(seed)
        lived = lives(schedule)
        total, acts, faults = total + 1, acts + lived.acts, faults + lived.faults
        print(
            f"seed {seed}: {lived.acts} acts, {lived.acknowledged} acknowledged, {lived.refused} "
            "refused, "
            f"{lived.faults} faults, {time.monotonic() - at:.1f} "
            f"s{': DIFFERS' if lived.found else ''}",
            flush=True,
        )
        if lived.found:
            wrong.append(seed)
            report(lived)
            if app is not None and not options.as_it_is:
                shorter(schedule, lives, lived)
        if options.seed is not None:
            break
        seed += 1
    if options.record_run:
        seeds = f"{seed - total} to {seed - 1}" if options.seed is None else options.seed
        passed, seconds = total - len(wrong), time.monotonic() - began
        record(LongRun(options.record_run, commit, passed, len(wrong), 0, seconds, seeds))
    minutes = (time.monotonic() - began) / 60
    print(
        f"{total} histories in {minutes:.1f} minutes: {acts} acts, {faults} faults; {len(wrong)} "
        f"differed {wrong or ''}"
    )
    return len(wrong)


def report(lived: Lived) -> None:
    for line in lived.found[:12]:
        print(f"  {line[:600]}", flush=True)


def shorter(schedule: Schedule, lives: Callable[[Schedule], Lived], first: Lived) -> None:
    kind = first.found[0].split(":")[0].split()[0]

    def fails(candidate: Schedule) -> bool:
        try:
            differences = lives(candidate).found
        except AssertionError:
            return False
        return any(line.split(":")[0].split()[0] == kind for line in differences)

    small = shrink(schedule, fails, SHRINK_SECONDS)
    print(f"  with {len(small.acts)} of {len(schedule.acts)} acts:", flush=True)
    for act in small.acts:
        print(f"    {act}", flush=True)
    report(lives(small))


if __name__ == "__main__":
    main()
