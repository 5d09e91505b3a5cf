"""Members' pictures and years of birth; a moderator's mark of a minor on its own

Revision ID: 0124
Revises: 0123
Create Date: 2026-11-29 16:20:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0124"
down_revision = "0123"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        ALTER TABLE members
          ADD COLUMN picture varchar,
          ADD COLUMN birth_year smallint,
          ADD COLUMN is_marked_minor boolean NOT NULL DEFAULT false,
          ADD CONSTRAINT ck_members_birth_year CHECK (birth_year BETWEEN 1900 AND 2100)
    """)
    op.execute("UPDATE members SET is_marked_minor = true WHERE is_minor")
    op.execute("""
        ALTER TABLE members
          ADD CONSTRAINT ck_members_marked_minor CHECK (is_minor OR NOT is_marked_minor)
    """)
    op.execute("CREATE INDEX ix_members_minor ON members (birth_year) WHERE is_minor")


def downgrade() -> None:
    op.execute("DROP INDEX ix_members_minor")
    op.execute("""
        ALTER TABLE members
          DROP CONSTRAINT ck_members_marked_minor,
          DROP COLUMN is_marked_minor,
          DROP COLUMN birth_year,
          DROP COLUMN picture
    """)
