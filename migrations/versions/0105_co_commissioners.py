"""A co-commissioner is one by their membership

Revision ID: 0105
Revises: 0096
Create Date: 2026-11-28 21:20:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0105"
down_revision = "0096"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE league_members ADD COLUMN is_co_commissioner boolean NOT NULL DEFAULT false"
    )
    op.execute("""
        UPDATE league_members m SET is_co_commissioner = true FROM draft_leagues d
        WHERE d.league_id = m.league_id AND m.member_id = ANY(d.co_commissioners)
    """)
    op.execute("ALTER TABLE draft_leagues DROP COLUMN co_commissioners")


def downgrade() -> None:
    op.execute(
        "ALTER TABLE draft_leagues ADD COLUMN co_commissioners bigint[] NOT NULL DEFAULT '{}'"
    )
    op.execute("""
        UPDATE draft_leagues d SET co_commissioners = found.members
        FROM (SELECT league_id, array_agg(member_id ORDER BY member_id) AS members
              FROM league_members WHERE is_co_commissioner GROUP BY league_id) found
        WHERE found.league_id = d.league_id
    """)
    op.execute("ALTER TABLE league_members DROP COLUMN is_co_commissioner")
