"""Counts of durations under the upper bound of their bucket, no longer under its number

Revision ID: 0122
Revises: 0120
Create Date: 2026-11-29 16:20:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0122"
down_revision = "0120"
branch_labels = None
depends_on = None

# The bounds by number until now: 0 is "up to 1 ms", 15 "more than an hour".
BOUNDS = [
    "0.001",
    "0.002",
    "0.005",
    "0.01",
    "0.02",
    "0.04",
    "0.1",
    "0.25",
    "1.0",
    "2.5",
    "5.0",
    "15.0",
    "60.0",
    "300.0",
    "3600.0",
    "inf",
]
# Bounds that are new: downgrading adds their counts to the next bucket that was there.
NEW = {"0.05": "0.1", "0.2": "0.25"}


def upgrade() -> None:
    _rename({str(number): bound for number, bound in enumerate(BOUNDS)})


def downgrade() -> None:
    numbers = {bound: str(number) for number, bound in enumerate(BOUNDS)}
    _rename(numbers | {new: numbers[bound] for new, bound in NEW.items()})


def _rename(names: dict[str, str]) -> None:
    """Rename what follows the colon of each field; counts that then have the same name add up."""
    op.get_bind().execute(
        sa.text("""
            WITH renamed AS (
              DELETE FROM measure_counts c USING unnest(CAST(:before AS text[]),
                CAST(:after AS text[])) AS n (before, after)
              WHERE split_part(c.field, ':', 2) = n.before
              RETURNING c.span, c.at, split_part(c.field, ':', 1) || ':' || n.after AS field, c.count
            )
            INSERT INTO measure_counts (span, at, field, count)
            SELECT span, at, field, sum(count) FROM renamed GROUP BY span, at, field
        """),
        {"before": list(names), "after": list(names.values())},
    )
