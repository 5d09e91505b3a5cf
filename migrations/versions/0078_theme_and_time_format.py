"""A member's theme and time format

Revision ID: 0078
Revises: 0077
Create Date: 2026-11-27 03:30:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None

CHOICES = {"theme": ("system", "light", "dark"), "time_format": ("system", "12", "24")}
# The cached description of a member has both (app/accounts/sessions.py).
RAISES = """
    CREATE TRIGGER raise_appearance AFTER UPDATE OF theme, time_format ON members FOR EACH ROW
      WHEN ((OLD.theme, OLD.time_format) IS DISTINCT FROM (NEW.theme, NEW.time_format))
      EXECUTE FUNCTION raise_stamps_of_members()
"""


def upgrade() -> None:
    for name, values in CHOICES.items():
        # A constant default rewrites no row.
        op.add_column(
            "members", sa.Column(name, sa.String(), server_default="system", nullable=False)
        )
        op.create_check_constraint(name, "members", f"{name} in {values}")
    op.execute(RAISES)


def downgrade() -> None:
    op.execute("DROP TRIGGER raise_appearance ON members")
    for name in CHOICES:
        op.drop_column("members", name)
