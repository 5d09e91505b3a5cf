"""Scores that the slow layers of the anti-cheat have looked at

Revision ID: 0011
Revises: 0010
Create Date: 2026-11-21 12:55:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

DUE = "second_look_at IS NULL AND fraud_state = 'clean' AND rolled_back_at IS NULL"


def upgrade():
    op.add_column("score_attempts", sa.Column("second_look_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_score_attempts_second_look", "score_attempts", ["achieved_at"], postgresql_where=sa.text(DUE))
    _actions("'roll_back', 'accept', 'reject', 'flag'")


def downgrade():
    _actions("'roll_back', 'accept', 'reject'")
    op.drop_index("ix_score_attempts_second_look", table_name="score_attempts")
    op.drop_column("score_attempts", "second_look_at")


def _actions(names):
    op.drop_constraint(op.f("ck_score_corrections_action"), "score_corrections", type_="check")
    op.create_check_constraint(op.f("ck_score_corrections_action"), "score_corrections", f"action in ({names})")
