"""Limits of how often something may be asked for, by address or caller, and how long the caller has
to wait.

Lives here: the limiter. Not here: its numbers (beside each view), failures of signing in
(app/accounts/throttle.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from flask import Response, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import current_user

View = TypeVar("View", bound=Callable[..., Any])

limiter = Limiter(get_remote_address)
WRONG_CODE = "pressbox.wrong_code"
CODE_TRIES = "30 per minute; 200 per hour"  # wrong codes of invitations


def who_tries() -> str:
    """Whose wrong codes are counted: the member's, else the address's.

    Many people share one address.
    """
    return (
        f"member:{current_user.get_id()}" if current_user.is_authenticated else get_remote_address()
    )


def limit_code_tries(view: View) -> View:
    """Limits how many wrong codes are tried; one that is right costs nothing.

    The view calls `note_wrong_code`.
    """
    return cast(
        "View", limiter.limit(CODE_TRIES, key_func=who_tries, deduct_when=_is_wrong_code)(view)
    )


def note_wrong_code() -> None:
    """This request tried a code that is none."""
    request.environ[WRONG_CODE] = True


def _is_wrong_code(_response: Response) -> bool:
    return WRONG_CODE in request.environ


def seconds_to_wait() -> int | None:
    """After a limit was passed in this request: the seconds until it may be tried again.

    None: none was passed.
    """
    limit = limiter.current_limit
    return (
        max(1, math.ceil(limit.reset_at - time.time()))
        if limit is not None and limit.breached
        else None
    )


def in_words(seconds: int) -> str:
    """The wait in whole units that are enough.

    >>> in_words(1), in_words(45), in_words(91), in_words(3600), in_words(7300)
    ('1 second', '45 seconds', '2 minutes', '60 minutes', '3 hours')
    """
    for size, unit in ((1, "second"), (60, "minute"), (3600, "hour")):
        count = math.ceil(seconds / size)
        if count <= 90 or unit == "hour":
            return f"{count} {unit}{'' if count == 1 else 's'}"
    raise AssertionError("hours always do")
