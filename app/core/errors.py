"""Errors that a person can fix, and errors as a line of the log."""

from __future__ import annotations

LONGEST_LINE = 1_000  # characters


def one_line(error: BaseException) -> str:
    """`OperationalError: connection refused`, without what libraries add below: for a line of the
    log.
    """
    return f"{type(error).__name__}: {error}".splitlines()[0]


class UserError(Exception):
    """Its text is one sentence (or a line each) that says what is wrong and what to do.

    No traceback is needed. A line longer than LONGEST_LINE, which repeats what was sent, is shown
    without its middle.
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
    """A change of somebody's access was not committed, because Redis may still have the old one in
    its page cache.
    """
