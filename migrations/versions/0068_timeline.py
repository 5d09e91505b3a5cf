"""The timeline of the database: a restore begins a new one

Revision ID: 0068
Revises: 0067
Create Date: 2026-11-26 12:30:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A restore of an older backup has made the table already.
    op.execute(
        "CREATE TABLE IF NOT EXISTS timeline (epoch bigint NOT NULL, CONSTRAINT pk_timeline PRIMARY KEY (epoch),"
        " CONSTRAINT ck_timeline_epoch CHECK (epoch > 0))"
    )


def downgrade() -> None:
    op.execute("DROP TABLE timeline")
