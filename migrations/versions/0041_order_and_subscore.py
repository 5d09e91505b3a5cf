"""The lowest score can be the best, and a second number can rank equal scores

Revision ID: 0041
Revises: 0044
Create Date: 2026-11-22 18:40:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0041"
down_revision = "0044"
branch_labels = None
depends_on = None

SUBSCORE = """subscore IS NULL OR (aggregation <> 'sum'
  AND CAST(subscore ->> 'min' AS bigint) <= CAST(subscore ->> 'max' AS bigint)
  AND subscore ->> 'order' IN ('highest', 'lowest') AND length(subscore ->> 'title') BETWEEN 1 AND 40) IS TRUE"""


def upgrade() -> None:
    op.add_column(
        "score_modes", sa.Column("order", sa.String(), server_default="highest", nullable=False)
    )
    op.add_column("score_modes", sa.Column("subscore", postgresql.JSONB(), nullable=True))
    op.create_check_constraint("order", "score_modes", "\"order\" in ('highest', 'lowest')")
    op.create_check_constraint("subscore", "score_modes", SUBSCORE)
    op.add_column("score_attempts", sa.Column("subscore", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    # Boards of such modes rank by other numbers than their scores, which nothing of before can
    # read.
    op.execute("""DELETE FROM boards WHERE mode_id IN (
        SELECT id FROM score_modes WHERE "order" = 'lowest' OR subscore IS NOT NULL)""")
    op.drop_column("score_attempts", "subscore")
    op.drop_constraint(op.f("ck_score_modes_subscore"), "score_modes", type_="check")
    op.drop_constraint(op.f("ck_score_modes_order"), "score_modes", type_="check")
    op.drop_column("score_modes", "subscore")
    op.drop_column("score_modes", "order")
