"""Head-to-head leagues may break ties by the results between the teams

Revision ID: 0069
Revises: 0068
Create Date: 2026-11-26 12:55:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None

TIES = ("shared", "fewest_transfers", "latest_gameweek", "result_between")


def upgrade() -> None:
    op.drop_constraint("ties", "leagues", type_="check")
    op.create_check_constraint("ties", "leagues", f"ties in {TIES}")
    op.create_check_constraint(
        "result_between", "leagues", "ties <> 'result_between' OR mode = 'head_to_head'"
    )


def downgrade() -> None:
    op.drop_constraint("result_between", "leagues", type_="check")
    op.execute("UPDATE leagues SET ties = 'shared' WHERE ties = 'result_between'")
    op.drop_constraint("ties", "leagues", type_="check")
    op.create_check_constraint("ties", "leagues", f"ties in {TIES[:-1]}")
