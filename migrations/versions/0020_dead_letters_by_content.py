"""Dead letters by content: a new in-memory broker counts its offsets from 0 again

Revision ID: 0020
Revises: 0019
Create Date: 2026-11-21 23:40:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_constraint("uq_dead_letters_message", "dead_letters", type_="unique")
    op.create_index(
        "ix_dead_letters_message",
        "dead_letters",
        ["topic", "partition", "offset", sa.text("sha256(payload)")],
        unique=True,
    )


def downgrade() -> None:
    op.drop_index("ix_dead_letters_message", table_name="dead_letters")
    # The narrower rule has room for one letter at a place: the first one.
    op.execute(
        "DELETE FROM dead_letters later USING dead_letters first WHERE first.id < later.id"
        ' AND (first.topic, first.partition, first."offset") = (later.topic, later.partition, later."offset")'
    )
    op.create_unique_constraint(
        "uq_dead_letters_message", "dead_letters", ["topic", "partition", "offset"]
    )
