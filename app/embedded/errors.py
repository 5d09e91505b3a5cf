"""What is raised when an embedded store does not start."""

from __future__ import annotations

from app.core.errors import UserError


class StackError(UserError):
    """A store did not start; the text is one sentence that says what to do."""
