"""Integrators erase their players, delete themselves, and rotate the secrets of their webhooks

Revision ID: 0063
Revises: 0062
Create Date: 2026-11-26 11:50:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE players ADD erased_at timestamptz")
    op.execute("ALTER TABLE integrators ADD deleting_at timestamptz")
    op.execute("""
        ALTER TABLE webhooks ADD old_secret varchar, ADD old_secret_until timestamptz,
          ADD CONSTRAINT ck_webhooks_old_secret CHECK ((old_secret IS NULL) = (old_secret_until IS NULL))
    """)


def downgrade() -> None:
    op.execute("ALTER TABLE webhooks DROP old_secret, DROP old_secret_until")
    op.execute("ALTER TABLE integrators DROP deleting_at")
    op.execute("ALTER TABLE players DROP erased_at")
