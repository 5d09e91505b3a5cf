"""`python -m tests.source_designs`.

Check every line of the source designs, and write docs/sources.md.
"""

from __future__ import annotations

import sys

from tests.promises.sources import ROOT
from tests.source_designs.catalogue import find_problems, load_lines
from tests.source_designs.document import DOCUMENT, render


def main() -> int:
    lines = load_lines()
    if problems := find_problems(lines):
        print(*problems, sep="\n", file=sys.stderr)
        print(
            "Nothing was written. Correct tests/source_designs/lines/ and run `make promises`.",
            file=sys.stderr,
        )
        return 1
    DOCUMENT.write_text(render(lines))
    differences = sum(bool(line.decision) for line in lines)
    print(f"{len(lines)} lines in {DOCUMENT.relative_to(ROOT)}; {differences} differ by decision.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
