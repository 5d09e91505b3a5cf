"""A score can carry a small JSON object

As it was sent: json, not jsonb, which would spell a number of three characters out to hundreds of
digits.

Revision ID: 0042
Revises: 0047
Create Date: 2026-11-22 19:20:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0042"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "score_modes",
        sa.Column("takes_metadata", sa.Boolean(), server_default="false", nullable=False),
    )
    op.add_column("score_attempts", sa.Column("score_metadata", postgresql.JSON(), nullable=True))
    op.create_check_constraint(
        "score_metadata", "score_attempts", "octet_length(CAST(score_metadata AS text)) <= 8192"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_score_attempts_score_metadata"), "score_attempts", type_="check")
    op.drop_column("score_attempts", "score_metadata")
    op.drop_column("score_modes", "takes_metadata")
