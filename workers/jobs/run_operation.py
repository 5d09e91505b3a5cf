"""Job: run an operation that an operator started on a page."""

from __future__ import annotations

from app.ops import operations
from workers.context import in_app


@in_app
def run(number: int) -> None:
    """Running twice runs the operation once."""
    operations.execute(number)
