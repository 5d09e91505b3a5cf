"""Gameweeks with too many team sheets to write each of them after each play

Revision ID: 0056
Revises: 0055
Create Date: 2026-11-23 18:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deferred_gameweeks",
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sheets_version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("game_statuses", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name="fk_deferred_gameweeks_gameweek_id_gameweeks",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("gameweek_id", name="pk_deferred_gameweeks"),
    )
    op.add_column(
        "league_versions",
        sa.Column("deferred_version", sa.Integer(), server_default="0", nullable=False),
    )
    op.execute("""
        CREATE FUNCTION raise_stamps_of_deferred_gameweeks() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM raise_stamps(ARRAY['gameweek:' || coalesce(NEW.gameweek_id, OLD.gameweek_id)]);
          RETURN NULL;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER raise_stamps_0 AFTER INSERT OR UPDATE OR DELETE ON deferred_gameweeks
        FOR EACH ROW EXECUTE FUNCTION raise_stamps_of_deferred_gameweeks()
    """)


def downgrade() -> None:
    op.execute("DROP FUNCTION raise_stamps_of_deferred_gameweeks CASCADE")
    op.drop_column("league_versions", "deferred_version")
    op.drop_table("deferred_gameweeks")
