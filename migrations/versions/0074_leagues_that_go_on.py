"""A league knows the one of the season before that it goes on from.

Until now its address alone said so

Revision ID: 0074
Revises: 0073
Create Date: 2026-11-26 15:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

# As rolling over made their addresses: without the old year, with the new one.
CARRIED = """
    UPDATE leagues SET continues_id = carried.old_id
    FROM (
      SELECT DISTINCT ON (new.id) new.id AS new_id, old.id AS old_id
      FROM leagues new
        JOIN seasons season ON season.id = new.season_id
        JOIN seasons before ON (before.competition, before.season_type, before.season)
          = (season.competition, season.season_type, season.season - 1)
        JOIN leagues old ON old.season_id = before.id AND NOT old.is_overall
          AND new.slug = regexp_replace(old.slug, '-' || before.season || '$', '') || '-' || season.season
      WHERE NOT new.is_overall
      ORDER BY new.id, old.name <> new.name, old.id
    ) AS carried
    WHERE leagues.id = carried.new_id
"""


def upgrade() -> None:
    op.add_column("leagues", sa.Column("continues_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        "fk_leagues_continues_id",
        "leagues",
        "leagues",
        ["continues_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_unique_constraint("uq_leagues_continues_id", "leagues", ["continues_id"])
    op.execute(CARRIED)


def downgrade() -> None:
    op.drop_column("leagues", "continues_id")
