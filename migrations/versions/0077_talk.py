"""Talk in leagues: posts, reactions to them, how far each member has read, reports about posts

Revision ID: 0077
Revises: 0076
Create Date: 2026-11-27 04:00:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None

NOTICES = (
    "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league', 'prediction', 'operations', "
    "'moderation', 'friend')"
)
NOTICES_NOW = NOTICES.replace("'friend')", "'friend', 'mention')")
OUTSIDE = "ARRAY['deadline', 'result', 'correction']"
OUTSIDE_NOW = "ARRAY['deadline', 'result', 'correction', 'mention']"
REPORTS = "kind in ('name', 'cheating', 'other')"
REPORTS_NOW = "kind in ('name', 'cheating', 'other', 'post')"
CHANGED = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}
# By table: the tags that a changed row raises.
TAGS = {
    "posts": "SELECT array_agg(DISTINCT 'talk:' || league_id) FROM changed",
    "post_reactions": "SELECT array_agg(DISTINCT 'talk:' || p.league_id) FROM changed c JOIN posts p ON p.id = c.post_id",
    "board_reads": "SELECT array_agg(DISTINCT 'talk-read:' || member_id) FROM changed",
}


def upgrade() -> None:
    _create_tables()
    for table, tags in TAGS.items():
        op.execute(
            f"CREATE FUNCTION raise_{table}() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN PERFORM raise_stamps(({tags})); RETURN NULL; END $$"
        )
        for event, rows in CHANGED.items():
            op.execute(
                f"CREATE TRIGGER raise_{table}_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_{table}()"
            )
    op.execute("""
        CREATE FUNCTION raise_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE pair friendships := coalesce(NEW, OLD);
        BEGIN
          PERFORM raise_stamps(ARRAY['blocks:' || pair.low_id, 'blocks:' || pair.high_id]);
          RETURN NULL;
        END $$
    """)
    op.execute(
        "CREATE TRIGGER raise_blocks_changed AFTER UPDATE ON friendships FOR EACH ROW"
        " WHEN ((OLD.low_blocks, OLD.high_blocks) <> (NEW.low_blocks, NEW.high_blocks))"
        " EXECUTE FUNCTION raise_blocks()"
    )
    op.execute(
        "CREATE TRIGGER raise_blocks_deleted AFTER DELETE ON friendships FOR EACH ROW"
        " WHEN (OLD.low_blocks OR OLD.high_blocks) EXECUTE FUNCTION raise_blocks()"
    )
    # This reads the notices once: about a second for five million.
    _replace_check("notices", "kind", NOTICES_NOW)
    _replace_check("notice_choices", "push", f"push <@ {OUTSIDE_NOW}")
    _replace_check("notice_choices", "mail", f"mail <@ {OUTSIDE_NOW}")
    _replace_check("reports", "kind", REPORTS_NOW)
    op.add_column("reports", sa.Column("post_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        op.f("fk_reports_post_id"), "reports", "posts", ["post_id"], ["id"], ondelete="SET NULL"
    )
    op.create_index("ix_reports_post_id", "reports", ["post_id"])
    op.drop_index("uq_reports_open", table_name="reports")
    op.create_index(
        "uq_reports_open",
        "reports",
        ["reporter_id", "player_id", "kind", sa.text("coalesce(post_id, 0)")],
        unique=True,
        postgresql_where=sa.text("closed_at IS NULL"),
    )


def _replace_check(table: str, name: str, condition: str) -> None:
    op.execute(f"ALTER TABLE {table} DROP CONSTRAINT ck_{table}_{name}")
    op.execute(f"ALTER TABLE {table} ADD CONSTRAINT ck_{table}_{name} CHECK ({condition})")


def _create_tables() -> None:
    op.create_table(
        "posts",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("thread", sa.String(), server_default="", nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(), server_default="post", nullable=False),
        sa.Column("text", sa.String(), nullable=True),
        sa.Column(
            "data", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("key", sa.String(), nullable=True),
        sa.Column("reply_to_id", sa.BigInteger(), nullable=True),
        sa.Column("picture", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("removed_by", sa.BigInteger(), nullable=True),
        sa.Column("removed_as", sa.String(), nullable=True),
        sa.Column("removal_reason", sa.String(), nullable=True),
        sa.Column("pinned_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind in ('post', 'joined', 'rules', 'result', 'corrected', 'lead')",
            name=op.f("ck_posts_kind"),
        ),
        sa.CheckConstraint("(kind = 'post') = (key IS NULL)", name=op.f("ck_posts_key")),
        sa.CheckConstraint("(kind = 'post') = (text IS NOT NULL)", name=op.f("ck_posts_text")),
        sa.CheckConstraint("kind <> 'post' OR member_id IS NOT NULL", name=op.f("ck_posts_author")),
        sa.CheckConstraint("length(text) <= 4000", name=op.f("ck_posts_length")),
        sa.CheckConstraint(
            "num_nulls(removed_at, removed_as, removal_reason) IN (0, 3)",
            name=op.f("ck_posts_removed"),
        ),
        sa.CheckConstraint(
            "removed_as in ('commissioner', 'moderator')", name=op.f("ck_posts_removed_as")
        ),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_posts_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_posts_member_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reply_to_id"], ["posts.id"], name=op.f("fk_posts_reply_to_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["removed_by"], ["members.id"], name=op.f("fk_posts_removed_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posts")),
    )
    op.create_index("ix_posts_thread", "posts", ["league_id", "thread", "id"])
    op.create_index("ix_posts_member_id", "posts", ["member_id"])
    op.create_index("ix_posts_reply_to_id", "posts", ["reply_to_id"])
    op.create_index("uq_posts_key", "posts", ["league_id", "key"], unique=True)
    op.create_index(
        "uq_posts_pinned",
        "posts",
        ["league_id", "thread"],
        unique=True,
        postgresql_where=sa.text("pinned_at IS NOT NULL"),
    )
    op.create_table(
        "post_reactions",
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind in ('like', 'laugh', 'fire', 'wow', 'ouch')", name=op.f("ck_post_reactions_kind")
        ),
        sa.ForeignKeyConstraint(
            ["post_id"], ["posts.id"], name=op.f("fk_post_reactions_post_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_post_reactions_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("post_id", "member_id", "kind", name=op.f("pk_post_reactions")),
    )
    op.create_index("ix_post_reactions_member_id", "post_reactions", ["member_id"])
    op.create_table(
        "board_reads",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("post_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_board_reads_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_board_reads_member_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("league_id", "member_id", name=op.f("pk_board_reads")),
    )
    op.create_index("ix_board_reads_member_id", "board_reads", ["member_id"])


def downgrade() -> None:
    op.execute("DELETE FROM reports WHERE kind = 'post'")
    op.drop_index("uq_reports_open", table_name="reports")
    op.create_index(
        "uq_reports_open",
        "reports",
        ["reporter_id", "player_id", "kind"],
        unique=True,
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.drop_column("reports", "post_id")
    _replace_check("reports", "kind", REPORTS)
    for channel in ("push", "mail"):
        statement = f"UPDATE notice_choices SET {channel} = array_remove({channel}, 'mention')"  # noqa: S608
        op.execute(statement)
        _replace_check("notice_choices", channel, f"{channel} <@ {OUTSIDE}")
    op.execute("DELETE FROM notices WHERE kind = 'mention'")
    _replace_check("notices", "kind", NOTICES)
    for table in ("board_reads", "post_reactions", "posts"):
        op.drop_table(table)
        op.execute(f"DROP FUNCTION raise_{table}")
    op.execute("DROP FUNCTION raise_blocks CASCADE")
