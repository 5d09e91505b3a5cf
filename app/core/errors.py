"""Errors that a person can fix, and errors as a line of the log."""

from __future__ import annotations


def one_line(error: BaseException) -> str:
    """`OperationalError: connection refused`, without what libraries add below: for a line of the log."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


class UserError(Exception):
    """Its text is one sentence (or a line each) that says what is wrong and what to do; no traceback is needed."""
