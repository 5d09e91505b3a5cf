"""Rate limits by address or caller, and how long the caller must wait.

The numbers stand beside each view; failed sign-ins are counted in app/accounts/throttle.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from flask import Response, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from app.core.viewer import current_user

View = TypeVar("View", bound=Callable[..., Any])

limiter = Limiter(get_remote_address)
WRONG_CODE = "pressbox.wrong_code"
MOST_OF_A_UNIT = 90  # a longer wait is written in the next larger unit
COSTLY_WORK = "10 per minute; 100 per hour"
CODE_TRIES = "30 per minute; 200 per hour"  # wrong codes of invitations


def who_tries() -> str:
    """Return the key for counting wrong codes: the member if signed in, else the address.

    Many people share one address.
    """
    return (
        f"member:{current_user.get_id()}" if current_user.is_authenticated else get_remote_address()
    )


def limit_code_tries(view: View) -> View:
    """Limit how many wrong codes may be tried; a right one costs nothing.

    The view calls `note_wrong_code`.
    """
    return cast(
        "View", limiter.limit(CODE_TRIES, key_func=who_tries, deduct_when=_is_wrong_code)(view)
    )


def limit_costly_work(view: View) -> View:
    """Limit how often a member may ask for work that takes longer than a page."""
    return cast("View", limiter.limit(COSTLY_WORK, key_func=who_tries)(view))


def note_wrong_code() -> None:
    """Count this request as a wrong code."""
    request.environ[WRONG_CODE] = True


def _is_wrong_code(_response: Response) -> bool:
    return WRONG_CODE in request.environ


def seconds_to_wait() -> int | None:
    """The seconds to wait if this request exceeded a limit, else None."""
    limit = limiter.current_limit
    return (
        max(1, math.ceil(limit.reset_at - time.time()))
        if limit is not None and limit.breached
        else None
    )


def in_words(seconds: int) -> str:
    """Return the wait in words, in the largest unit that is precise enough.

    >>> in_words(1), in_words(45), in_words(91), in_words(3600), in_words(7300)
    ('1 second', '45 seconds', '2 minutes', '60 minutes', '3 hours')
    """
    for size, unit in ((1, "second"), (60, "minute"), (3600, "hour")):
        count = math.ceil(seconds / size)
        if count <= MOST_OF_A_UNIT or unit == "hour":
            return f"{count} {unit}{'' if count == 1 else 's'}"
    raise AssertionError("hours always do")
