"""Job: does what an operator asked for on a page."""

from __future__ import annotations

from app.ops import operations
from workers.context import in_app


@in_app
def run(number: int) -> None:
    """Running twice does it once."""
    operations.execute(number)
