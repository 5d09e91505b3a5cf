"""Feeds, their runs and games; injury reports; published final scores; more statuses of players

Revision ID: 0126
Revises: 0125
Create Date: 2026-11-29 16:15:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0126"
down_revision = "0125"
branch_labels = None
depends_on = None

STATUSES = "status in ('available', 'doubtful', 'injured', 'suspended', 'left')"
STATUSES_NOW = (
    "status in ('available', 'questionable', 'doubtful', 'out', 'injured', 'suspended', 'left')"
)


def upgrade() -> None:
    for table in ("footballer_seasons", "player_notes"):
        _replace_check(table, STATUSES_NOW)
    op.add_column(
        "footballer_seasons",
        sa.Column("roster_status", sa.String(), server_default="available", nullable=False),
    )
    op.add_column(
        "footballer_seasons",
        sa.Column("roster_news", sa.String(), server_default="", nullable=False),
    )
    op.create_check_constraint("roster_status", "footballer_seasons", f"roster_{STATUSES_NOW}")
    # Where the newest note is what the market says, the roster's word is the one before it.
    op.execute("""
        UPDATE footballer_seasons f SET
          roster_status = coalesce(note.status_before, f.status),
          roster_news = coalesce(note.news_before, f.news)
        FROM footballer_seasons s
        LEFT JOIN LATERAL (
          SELECT n.* FROM player_notes n
          WHERE (n.season_id, n.footballer_id) = (s.season_id, s.footballer_id)
          ORDER BY n.id DESC LIMIT 1
        ) AS note ON (note.status, note.text) = (s.status, s.news)
        WHERE (f.season_id, f.footballer_id) = (s.season_id, s.footballer_id)
          AND (s.status <> 'available' OR s.news <> '')
    """)
    op.create_table(
        "injury_reports",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("week", sa.Integer(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("club_id", sa.String(), nullable=False),
        sa.Column("report_status", sa.String(), nullable=True),
        sa.Column("injury", sa.String(), nullable=False),
        sa.Column("practice_status", sa.String(), nullable=False),
        sa.Column("practice_injury", sa.String(), nullable=False),
        sa.Column("reported_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("week > 0", name=op.f("ck_injury_reports_week")),
        sa.ForeignKeyConstraint(
            ["season_id"],
            ["seasons.id"],
            name=op.f("fk_injury_reports_season_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_injury_reports_footballer_id")
        ),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name=op.f("fk_injury_reports_club_id")),
        sa.PrimaryKeyConstraint(
            "season_id", "week", "footballer_id", name=op.f("pk_injury_reports")
        ),
    )
    op.create_table(
        "published_scores",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("home_score", sa.Integer(), nullable=False),
        sa.Column("away_score", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "home_score >= 0 AND away_score >= 0", name=op.f("ck_published_scores_scores")
        ),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_published_scores_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_published_scores")),
    )
    op.execute("""
        CREATE FUNCTION raise_published_scores() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM raise_stamps(ARRAY['game:' || coalesce(NEW.game_id, OLD.game_id)]);
          RETURN NULL;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER raise_published_scores AFTER INSERT OR UPDATE OR DELETE ON published_scores
        FOR EACH ROW EXECUTE FUNCTION raise_published_scores()
    """)
    op.create_table(
        "feeds",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("competition", sa.String(), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("preset", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("state", sa.String(), server_default="on", nullable=False),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("last_modified", sa.String(), nullable=True),
        sa.Column("published", sa.String(), nullable=True),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("row_count", sa.Integer(), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("findings", postgresql.JSONB(), server_default="[]", nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("state in ('on', 'paused', 'ended')", name=op.f("ck_feeds_state")),
        sa.CheckConstraint("season BETWEEN 1869 AND 2200", name=op.f("ck_feeds_season")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feeds")),
        sa.UniqueConstraint("competition", "season", "kind", name="uq_feeds_kind"),
    )
    op.create_table(
        "feed_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("feed_id", sa.BigInteger(), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("changes", postgresql.JSONB(), nullable=False),
        sa.Column("findings", postgresql.JSONB(), nullable=False),
        sa.CheckConstraint(
            "outcome in ('changed', 'unchanged', 'finding', 'failed')",
            name=op.f("ck_feed_runs_outcome"),
        ),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_feed_runs_feed_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_runs")),
    )
    op.create_index("ix_feed_runs_feed_id", "feed_runs", ["feed_id", "id"])
    op.create_table(
        "feed_games",
        sa.Column("feed_id", sa.BigInteger(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("rows_sha256", sa.String(), nullable=False),
        sa.Column("handed_over_to", sa.String(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["feeds.id"], name=op.f("fk_feed_games_feed_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_feed_games_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("feed_id", "game_id", name=op.f("pk_feed_games")),
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION raise_published_scores CASCADE")
    for table in ("feed_games", "feed_runs", "feeds", "published_scores", "injury_reports"):
        op.drop_table(table)
    op.drop_column("footballer_seasons", "roster_news")
    op.drop_column("footballer_seasons", "roster_status")
    for table in ("footballer_seasons", "player_notes"):
        op.execute(f"""
            UPDATE {table} SET status = CASE status WHEN 'out' THEN 'injured' ELSE 'doubtful' END
            WHERE status IN ('questionable', 'out')
        """)  # noqa: S608 (names of ours)
        _replace_check(table, STATUSES)


def _replace_check(table: str, condition: str) -> None:
    op.execute(f"ALTER TABLE {table} DROP CONSTRAINT ck_{table}_status")
    op.execute(f"ALTER TABLE {table} ADD CONSTRAINT ck_{table}_status CHECK ({condition})")
