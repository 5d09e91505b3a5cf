"""First release: every table, function and trigger, in plain SQL by subject
(migrations/first_release)

Its number is that of the last of the fourteen migrations that it replaces, so that a database which
they made is already here.

Revision ID: 0014
Revises:
Create Date: 2026-11-21 21:50:00
"""

from pathlib import Path

from alembic import op

revision = "0014"
down_revision = None
branch_labels = None
depends_on = None

FOLDER = Path(__file__).parent.parent / "first_release"
# In the order of their foreign keys.
SUBJECTS = (
    "accounts",
    "record",
    "plays",
    "stream",
    "boards",
    "scores",
    "feed",
    "fantasy",
    "team_sheet_guard",
    "leagues",
)


def upgrade():
    for subject in SUBJECTS:
        op.execute((FOLDER / f"{subject}.sql").read_text())


def downgrade():
    raise NotImplementedError(
        "The first release has nothing below it: remove the database instead."
    )
