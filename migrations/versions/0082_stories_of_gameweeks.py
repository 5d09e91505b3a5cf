"""Posts about the recap, the record and the largest swing of a gameweek

Revision ID: 0082
Revises: 0081
Create Date: 2026-11-27 08:05:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None

POSTS = ("post", "joined", "rules", "result", "corrected")
NEVER_WRITTEN = "lead"  # a kind of 0077 that nothing writes
STORIES = ("recap", "record", "swing")
NEWS = ("joined", "rules", "result", "corrected")


def upgrade() -> None:
    _allow("posts", (*POSTS, *STORIES))
    _allow("league_news", (*NEWS, "recap"))


def downgrade() -> None:
    op.execute(sa.text("DELETE FROM posts WHERE kind IN ('recap', 'record', 'swing')"))
    op.execute(sa.text("DELETE FROM league_news WHERE kind = 'recap'"))
    _allow("posts", (*POSTS, NEVER_WRITTEN))
    _allow("league_news", NEWS)


def _allow(table: str, kinds: tuple[str, ...]) -> None:
    """Allow these kinds of rows. They are checked in a second step, while others write."""
    name = f"ck_{table}_kind"
    allowed = ", ".join(f"'{kind}'" for kind in kinds)
    op.execute(sa.text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
    op.execute(
        sa.text(f"ALTER TABLE {table} ADD CONSTRAINT {name} CHECK (kind IN ({allowed})) NOT VALID")
    )
    op.execute(sa.text(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}"))
