"""Players whose new name boards in Redis do not show yet

Revision ID: 0072
Revises: 0071
Create Date: 2026-11-26 14:50:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "players",
        sa.Column("name_waits", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.create_index(
        "ix_players_name_waits", "players", ["id"], postgresql_where=sa.text("name_waits")
    )
    # With the rename itself, whoever writes it: a process that dies after its commit leaves the
    # note.
    op.execute("""
        CREATE FUNCTION note_new_name() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          NEW.name_waits := true;
          RETURN NEW;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER note_new_name BEFORE UPDATE OF display_name ON players FOR EACH ROW
        WHEN (OLD.display_name <> NEW.display_name) EXECUTE FUNCTION note_new_name()
    """)


def downgrade() -> None:
    op.execute("DROP FUNCTION note_new_name CASCADE")
    op.drop_index("ix_players_name_waits", "players")
    op.drop_column("players", "name_waits")
