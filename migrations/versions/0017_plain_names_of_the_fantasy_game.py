"""Name columns of team sheets, their points and notices as the field does

Revision ID: 0017
Revises: 0016
Create Date: 2026-11-21 22:30:00

"""

from pathlib import Path

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

GUARD = Path(__file__).parent.parent / "first_release" / "team_sheet_guard.sql"
# Table, name before, name from now on.
COLUMNS = (
    ("team_sheets", "paid", "purchase_prices"),
    ("team_sheets", "edition", "version"),
    ("sheet_points", "times", "multipliers"),
    ("members", "feed_edition", "feed_version"),
)


def upgrade():
    for table, before, after in COLUMNS:
        op.alter_column(table, before, new_column_name=after)
    op.execute(
        "ALTER TABLE team_sheets RENAME CONSTRAINT ck_team_sheets_paid TO ck_team_sheets_purchase_prices"
    )
    op.execute("ALTER TABLE told_corrections RENAME TO notified_corrections")
    op.execute("ALTER INDEX pk_told_corrections RENAME TO pk_notified_corrections")
    op.execute(_guard().replace(".paid", ".purchase_prices"))


def downgrade():
    op.execute("ALTER INDEX pk_notified_corrections RENAME TO pk_told_corrections")
    op.execute("ALTER TABLE notified_corrections RENAME TO told_corrections")
    op.execute(
        "ALTER TABLE team_sheets RENAME CONSTRAINT ck_team_sheets_purchase_prices TO ck_team_sheets_paid"
    )
    for table, before, after in COLUMNS:
        op.alter_column(table, after, new_column_name=before)
    op.execute(_guard())


def _guard():
    """The trigger's function as the first release has it."""
    text = GUARD.read_text()
    start, end = text.index("CREATE FUNCTION guard_team_sheet"), text.index("CREATE TRIGGER")
    return text[start:end].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
