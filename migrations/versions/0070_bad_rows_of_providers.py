"""Rows of a provider's answer that cannot be used are findings

Revision ID: 0070
Revises: 0069
Create Date: 2026-11-26 14:40:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

KINDS = ("unknown-status", "left", "doubled", "new-id", "new-teams", "late-guesses", "bad-row")


def upgrade() -> None:
    op.drop_constraint("kind", "provider_findings", type_="check")
    op.create_check_constraint("kind", "provider_findings", f"kind in {KINDS}")


def downgrade() -> None:
    op.execute("DELETE FROM provider_findings WHERE kind = 'bad-row'")
    op.drop_constraint("kind", "provider_findings", type_="check")
    op.create_check_constraint("kind", "provider_findings", f"kind in {KINDS[:-1]}")
