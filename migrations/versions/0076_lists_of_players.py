"""The list of players: sums of statistics, news, and what tells the page cache of a change

Revision ID: 0076
Revises: 0075
Create Date: 2026-11-27 04:00:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None

# As season_totals.add_up writes it, for all seasons.
FILL = """
    WITH lines AS (
      SELECT w.season_id, l.game_id, l.player_id, l.stats
      FROM (SELECT game_id, player_id, stats FROM stat_lines
        UNION ALL SELECT game_id, player_id, stats FROM imported_lines) l
      JOIN games g ON g.id = l.game_id
      JOIN gameweeks w USING (competition, season, season_type, week)
      WHERE l.stats <> '{}'
    ), sums AS (
      SELECT y.season_id, y.player_id, jsonb_object_agg(y.stat, y.amount) AS stats FROM (
        SELECT l.season_id, l.player_id, e.key AS stat, sum(CAST(e.value AS bigint)) AS amount
        FROM lines l CROSS JOIN jsonb_each_text(l.stats) e GROUP BY l.season_id, l.player_id, e.key
      ) y GROUP BY y.season_id, y.player_id
    )
    INSERT INTO footballer_statistics (season_id, footballer_id, games, stats)
    SELECT p.season_id, p.player_id, p.games, coalesce(s.stats, '{}')
    FROM (SELECT season_id, player_id, count(DISTINCT game_id) AS games FROM lines
      GROUP BY season_id, player_id) p
    JOIN footballers f ON f.id = p.player_id
    LEFT JOIN sums s ON (s.season_id, s.player_id) = (p.season_id, p.player_id)
"""
TABLES = ("footballer_seasons", "footballer_totals", "footballer_statistics")
CHANGED = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def upgrade() -> None:
    op.create_table(
        "footballer_statistics",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("stats", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["season_id"],
            ["seasons.id"],
            name=op.f("fk_footballer_statistics_season_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["footballer_id"],
            ["footballers.id"],
            name=op.f("fk_footballer_statistics_footballer_id"),
        ),
        sa.PrimaryKeyConstraint(
            "season_id", "footballer_id", name=op.f("pk_footballer_statistics")
        ),
    )
    op.execute(FILL)
    op.create_table(
        "player_notes",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("source_url", sa.String(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("status_before", sa.String(), nullable=False),
        sa.Column("news_before", sa.String(), nullable=False),
        sa.Column("written_by", sa.BigInteger(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "status in ('available', 'doubtful', 'injured', 'suspended', 'left')",
            name=op.f("ck_player_notes_status"),
        ),
        sa.CheckConstraint("length(text) BETWEEN 1 AND 500", name=op.f("ck_player_notes_text")),
        sa.CheckConstraint("source_url LIKE 'http%'", name=op.f("ck_player_notes_source_url")),
        sa.ForeignKeyConstraint(
            ["season_id", "footballer_id"],
            ["footballer_seasons.season_id", "footballer_seasons.footballer_id"],
            name="fk_player_notes_footballer_seasons",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["written_by"], ["members.id"], name=op.f("fk_player_notes_written_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player_notes")),
    )
    op.create_index("ix_player_notes_footballer_id", "player_notes", ["footballer_id", "season_id"])
    op.execute("""
        CREATE FUNCTION raise_markets() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM raise_stamps((SELECT array_agg(DISTINCT 'market:' || season_id) FROM changed));
          RETURN NULL;
        END $$
    """)
    for table in TABLES:
        for event, rows in CHANGED.items():
            op.execute(
                f"CREATE TRIGGER raise_markets_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {rows} TABLE AS changed"
                " FOR EACH STATEMENT EXECUTE FUNCTION raise_markets()"
            )


def downgrade() -> None:
    op.execute("DROP FUNCTION raise_markets CASCADE")
    op.drop_table("player_notes")
    op.drop_table("footballer_statistics")
