"""The origins whose pages may call the API for a game

Revision ID: 0032
Revises: 0031
Create Date: 2026-11-22 14:40:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column(
        "allowed_origins", postgresql.ARRAY(sa.TEXT()), server_default="{}", nullable=False
    )
    op.add_column("score_games", column)
    op.create_index(
        "ix_score_games_allowed_origins", "score_games", ["allowed_origins"], postgresql_using="gin"
    )


def downgrade() -> None:
    op.drop_index("ix_score_games_allowed_origins", "score_games")
    op.drop_column("score_games", "allowed_origins")
