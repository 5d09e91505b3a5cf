"""How much the tests with the marker `sized` try.

Little in `make test`, much in `make test-full`.
"""

from __future__ import annotations

import os

FULL = os.environ.get("PRESSBOX_TEST_SIZE") == "full"


def size(variable: str, small: int, many: int) -> int:
    """The number in the environment variable; without it `many` in a full run, `few` otherwise."""
    return int(os.environ.get(variable) or (many if FULL else small))
