"""Lets a commissioner correct a line-up of a draft league that has locked

Revision ID: 0091
Revises: 0090
Create Date: 2026-11-27 17:20:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0091"
down_revision = "0090"
branch_labels = None
depends_on = None

# As in 0083: a sheet that only changes hands is no new sheet.
CHANGES_HANDS = """OLD.member_id <> NEW.member_id AND
    to_jsonb(OLD) - 'member_id' = to_jsonb(NEW) - 'member_id'"""
# app/draft_leagues/commissioner/lineups.py sets this for one statement of its transaction. Only the
# footballers of a draft league's sheet may change: such sheets cost nothing and have no captains.
IS_CORRECTED = """current_setting('pressbox.corrects_lineup', true) = 'on' AND
    to_jsonb(OLD) - '{picks,version}'::text[] = to_jsonb(NEW) - '{picks,version}'::text[]"""


def upgrade() -> None:
    _guard_updates(f"NOT ({CHANGES_HANDS}) AND NOT coalesce({IS_CORRECTED}, false)")


def downgrade() -> None:
    _guard_updates(f"NOT ({CHANGES_HANDS})")


def _guard_updates(condition: str) -> None:
    op.execute("DROP TRIGGER team_sheet_guard_update ON team_sheets")
    op.execute(
        "CREATE TRIGGER team_sheet_guard_update BEFORE UPDATE ON team_sheets"
        f" FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION guard_team_sheet()"
    )
