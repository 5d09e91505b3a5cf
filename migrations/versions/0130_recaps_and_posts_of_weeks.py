"""Recaps that are made once, and one post per week in place of four

The post of a result takes over what the posts of the recap, the record and the largest swing said.

Revision ID: 0130
Revises: 0129
Create Date: 2026-11-30 16:20:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0130"
down_revision = "0129"
branch_labels = None
depends_on = None

POSTS = ("post", "joined", "rules", "result", "corrected")
STORIES = ("recap", "record", "swing")
NEWS = ("joined", "rules", "result", "corrected")

_MERGE = """
    UPDATE posts r SET data = r.data || s.data FROM posts s
    WHERE r.kind = 'result' AND s.kind = :kind AND s.league_id = r.league_id
      AND s.data->>'gameweek' = r.data->>'gameweek'
"""


def upgrade() -> None:
    op.create_table(
        "league_recaps",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("page", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["gameweek_id"],
            ["gameweeks.id"],
            name=op.f("fk_league_recaps_gameweek_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
            name=op.f("fk_league_recaps_league_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("league_id", "gameweek_id", name=op.f("pk_league_recaps")),
    )
    op.create_index("ix_league_recaps_gameweek_id", "league_recaps", ["gameweek_id"])
    for kind in STORIES:
        op.execute(sa.text(_MERGE).bindparams(kind=kind))
    op.execute("DELETE FROM posts WHERE kind IN ('recap', 'record', 'swing')")
    op.execute("DELETE FROM league_news WHERE kind = 'recap'")
    _allow("posts", POSTS)
    _allow("league_news", NEWS)


def downgrade() -> None:
    _allow("posts", (*POSTS, *STORIES))
    _allow("league_news", (*NEWS, "recap"))
    op.drop_table("league_recaps")


def _allow(table: str, kinds: tuple[str, ...]) -> None:
    """Allow these kinds of rows. They are checked in a second step, while others write."""
    name = f"ck_{table}_kind"
    allowed = ", ".join(f"'{kind}'" for kind in kinds)
    op.execute(sa.text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
    op.execute(
        sa.text(f"ALTER TABLE {table} ADD CONSTRAINT {name} CHECK (kind IN ({allowed})) NOT VALID")
    )
    op.execute(sa.text(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}"))
