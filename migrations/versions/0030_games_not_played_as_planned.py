"""Games that are postponed, suspended, cancelled or forfeited, and what leagues make of those that
were moved

Revision ID: 0030
Revises: 0029
Create Date: 2026-11-22 14:25:00.000000
"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

BEFORE = "status in ('scheduled', 'live', 'ended', 'final')"
AFTER = BEFORE.replace("'final')", "'final', 'postponed', 'suspended', 'cancelled', 'forfeited')")
TEAM_RULES = (
    "season_id, format, lock, time_zone, coalesce(deadline, ''), budget, club_limit, coalesce(free_transfers, -1),"
    " bank_limit, transfer_cost"
)


def upgrade() -> None:
    op.drop_constraint("status", "game_states", type_="check")
    op.create_check_constraint("status", "game_states", AFTER)
    op.create_index(
        "ix_events_game_status",
        "events",
        ["game_id"],
        postgresql_where=sa.text("type = 'game_status'"),
    )
    op.add_column("games", sa.Column("planned_week", sa.Integer(), nullable=True))
    op.add_column("games", sa.Column("planned_kickoff", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "team_rules",
        sa.Column("postponed_games", sa.String(), nullable=False, server_default="played"),
    )
    op.create_check_constraint(
        "postponed_games", "team_rules", "postponed_games in ('played', 'never')"
    )
    op.drop_index("uq_team_rules_all", "team_rules")
    op.execute(
        f"CREATE UNIQUE INDEX uq_team_rules_all ON team_rules ({TEAM_RULES}, postponed_games)"
    )


def downgrade() -> None:
    if op.get_bind().scalar(
        sa.text("SELECT EXISTS (SELECT FROM team_rules WHERE postponed_games = 'never')")
    ):
        raise RuntimeError(
            "There are leagues in which moved games do not count; releases before 0030 count them."
        )
    op.drop_index("uq_team_rules_all", "team_rules")
    op.drop_constraint("postponed_games", "team_rules", type_="check")
    op.drop_column("team_rules", "postponed_games")
    op.execute(f"CREATE UNIQUE INDEX uq_team_rules_all ON team_rules ({TEAM_RULES})")
    op.drop_column("games", "planned_kickoff")
    op.drop_column("games", "planned_week")
    op.drop_index("ix_events_game_status", "events")
    op.drop_constraint("status", "game_states", type_="check")
    op.execute("""
        UPDATE game_states SET status = CASE status WHEN 'postponed' THEN 'scheduled' WHEN 'suspended' THEN 'live'
          WHEN 'cancelled' THEN 'ended' WHEN 'forfeited' THEN 'ended' ELSE status END
    """)
    op.create_check_constraint("status", "game_states", BEFORE)
