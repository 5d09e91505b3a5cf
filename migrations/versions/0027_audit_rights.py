"""The audit's one change, erasure, as a function of the owner of the tables

Revision ID: 0027
Revises: 0026
Create Date: 2026-11-22 07:50:00.000000

"""

from pathlib import Path

from alembic import op

# revision identifiers, used by Alembic.
revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

SQL = Path(__file__).parent.parent / "audit" / "rights.sql"


def upgrade() -> None:
    op.execute(SQL.read_text())


def downgrade() -> None:
    op.execute("DROP FUNCTION forget_in_audit(bigint)")
