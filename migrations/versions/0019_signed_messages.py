"""Signed messages

Revision ID: 0019
Revises: 0018
Create Date: 2026-11-21 22:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "dead_letters", sa.Column("is_ours", sa.Boolean(), server_default="true", nullable=False)
    )
    op.create_index(
        "ix_dead_letters_not_ours",
        "dead_letters",
        ["topic"],
        postgresql_where=sa.text("NOT is_ours"),
    )
    op.create_table(
        "refused_messages",
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("messages", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("topic", "day", "reason", name=op.f("pk_refused_messages")),
    )
    op.create_index(
        "ix_events_final", "events", ["game_id"], postgresql_where=sa.text("type = 'final'")
    )
    op.create_index(
        "ix_outbox_final",
        "outbox",
        ["game_id", "event_number"],
        postgresql_where=sa.text("""position('"type":"final"'::bytea IN payload) > 0"""),
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_final", table_name="outbox")
    op.drop_index("ix_events_final", table_name="events")
    op.drop_table("refused_messages")
    op.drop_index("ix_dead_letters_not_ours", table_name="dead_letters")
    op.drop_column("dead_letters", "is_ours")
