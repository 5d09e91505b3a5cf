"""What members read of the feeds raises a cache tag when it changes

Revision ID: 0128
Revises: 0127
Create Date: 2026-11-29 20:00:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0128"
down_revision = "0127"
branch_labels = None
depends_on = None

SHOWN = "competition, season, kind, preset, state, fetched_at"


def upgrade() -> None:
    op.execute("""
        CREATE FUNCTION raise_stamps_of_feeds() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM raise_stamps(ARRAY['feeds']);
          RETURN NULL;
        END $$
    """)
    op.execute(
        f"CREATE TRIGGER raise_stamps AFTER INSERT OR DELETE OR UPDATE OF {SHOWN} ON feeds"
        " FOR EACH STATEMENT EXECUTE FUNCTION raise_stamps_of_feeds()"
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION raise_stamps_of_feeds CASCADE")
