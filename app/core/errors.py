"""Errors that a person can fix."""

from __future__ import annotations


class UserError(Exception):
    """Its text is one sentence (or a line each) that says what is wrong and what to do; no traceback is needed."""
