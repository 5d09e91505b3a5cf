"""Errors that a user can fix, and errors as a line of the log."""

from __future__ import annotations

LONGEST_LINE = 1_000  # characters


def one_line(error: BaseException) -> str:
    """Return an error as one line of the log, such as `OperationalError: connection refused`.

    Leaves out what libraries add on further lines.
    """
    return f"{type(error).__name__}: {error}".splitlines()[0]


class UserError(Exception):
    """An error that a user can fix: a sentence, or one per line, on what is wrong and what to do.

    No traceback is needed. A line longer than LONGEST_LINE, which repeats input, is shown without
    its middle.
    """

    def __str__(self) -> str:
        return "\n".join(_without_middle(line) for line in super().__str__().split("\n"))


def _without_middle(line: str) -> str:
    return (
        line
        if len(line) <= LONGEST_LINE
        else f"{line[: LONGEST_LINE // 2]} ... {line[-LONGEST_LINE // 2 :]}"
    )


class CannotRevokeError(Exception):
    """A change of access was not committed, because Redis may still have the old access cached."""
