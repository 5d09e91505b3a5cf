"""The error of an embedded store that does not start."""

from __future__ import annotations

from app.core.errors import UserError


class StackError(UserError):
    """A store did not start; the text is one sentence that says what to do."""
