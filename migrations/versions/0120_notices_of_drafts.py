"""Notices of drafts; gameweeks before a draft league's first have no deadlines for its team rules

Revision ID: 0120
Revises: 0115
Create Date: 2026-11-28 21:30:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0120"
down_revision = "0115"
branch_labels = None
depends_on = None

NOTICES = (
    "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league', 'prediction', 'operations', "
    "'moderation', 'friend', 'mention')"
)
NOTICES_NOW = NOTICES.replace("'mention')", "'mention', 'draft')")
OUTSIDE = "ARRAY['deadline', 'result', 'correction', 'mention']"
OUTSIDE_NOW = "ARRAY['deadline', 'result', 'correction', 'mention', 'draft']"


def upgrade() -> None:
    _replace_check("notices", "kind", NOTICES_NOW)
    for channel in ("push", "mail"):
        _replace_check("notice_choices", channel, f"{channel} <@ {OUTSIDE_NOW}")
    op.execute("""
        DELETE FROM sheet_deadlines d USING team_rules r, leagues l, gameweeks w
        WHERE r.id = d.team_rules_id AND r.is_own AND l.team_rules_id = r.id
          AND w.id = d.gameweek_id AND w.week < l.first_week
    """)


def downgrade() -> None:
    for channel in ("push", "mail"):
        statement = f"UPDATE notice_choices SET {channel} = array_remove({channel}, 'draft')"  # noqa: S608
        op.execute(statement)
        _replace_check("notice_choices", channel, f"{channel} <@ {OUTSIDE}")
    op.execute("DELETE FROM notices WHERE kind = 'draft'")
    _replace_check("notices", "kind", NOTICES)


def _replace_check(table: str, name: str, condition: str) -> None:
    op.execute(f"ALTER TABLE {table} DROP CONSTRAINT ck_{table}_{name}")
    op.execute(f"ALTER TABLE {table} ADD CONSTRAINT ck_{table}_{name} CHECK ({condition})")
