"""Limits of how often something may be asked for, by address or caller, and how long the caller has to wait.

Lives here: the limiter. Not here: its numbers (beside each view), failures of signing in (app/accounts/throttle.py).
"""

from __future__ import annotations

import math
import time

from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

limiter = Limiter(get_remote_address)


def seconds_to_wait() -> int | None:
    """After a limit was passed in this request: the seconds until it may be tried again; None: none was passed."""
    limit = limiter.current_limit
    return max(1, math.ceil(limit.reset_at - time.time())) if limit is not None and limit.breached else None


def in_words(seconds: int) -> str:
    """The wait in whole units that are enough.

    >>> in_words(1), in_words(45), in_words(61), in_words(3600), in_words(7300)
    ('1 second', '45 seconds', '2 minutes', '60 minutes', '3 hours')
    """
    for size, unit in ((1, "second"), (60, "minute"), (3600, "hour")):
        count = math.ceil(seconds / size)
        if count <= 90 or unit == "hour":
            return f"{count} {unit}{'' if count == 1 else 's'}"
    raise AssertionError("hours always do")
