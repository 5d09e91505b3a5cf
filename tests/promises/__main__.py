"""`python -m tests.promises`: check that tests hold every promise, and write docs/promises.md."""

from __future__ import annotations

import sys

from tests.promises.catalogue import find_problems, load_promises
from tests.promises.collecting import collect_tiers
from tests.promises.document import DOCUMENT, render
from tests.promises.sources import ROOT


def main() -> int:
    promises = load_promises()
    problems = find_problems(promises)
    if not problems:
        tiers = collect_tiers()
        problems = [
            f"{promise.id}: pytest does not collect {test}"
            for promise in promises
            for test in promise.tests
            if test not in tiers
        ]
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        print(
            "Nothing was written. Correct tests/promises/promises.toml and run `make promises`.",
            file=sys.stderr,
        )
        return 1
    DOCUMENT.write_text(render(promises, tiers))
    partly = sum(bool(promise.tests and promise.not_built) for promise in promises)
    unbuilt = sum(not promise.tests for promise in promises)
    print(
        f"{len(promises)} promises in {DOCUMENT.relative_to(ROOT)}: "
        f"{len(promises) - partly - unbuilt} held by tests, "
        f"{partly} built and held in part, {unbuilt} not built."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
