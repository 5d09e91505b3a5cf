"""Draft leagues: their game, team rules of their own, franchises and the log of transactions

Revision ID: 0083
Revises: 0082
Create Date: 2026-11-27 16:00:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None

CHOICE = (
    "season_id",
    "format",
    "lock",
    "time_zone",
    sa.text("coalesce(deadline, '')"),
    "budget",
    "club_limit",
    sa.text("coalesce(free_transfers, -1)"),
    "bank_limit",
    "transfer_cost",
    "postponed_games",
)
# A transaction is never changed. Only the member who made it may be forgotten, and a league's log
# goes with the league.
APPEND_ONLY = """
    CREATE FUNCTION guard_roster_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        IF NEW.by_member_id IS NULL
          AND to_jsonb(OLD) - 'by_member_id' = to_jsonb(NEW) - 'by_member_id' THEN
          RETURN NEW;
        END IF;
      ELSIF NOT EXISTS (SELECT FROM leagues WHERE id = OLD.league_id) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'roster transactions are never changed: reverse them' USING ERRCODE = '55000';
    END $$;
    CREATE TRIGGER guard_roster_transactions BEFORE UPDATE OR DELETE ON roster_transactions
    FOR EACH ROW EXECUTE FUNCTION guard_roster_transactions();
"""

# A sheet that only changes hands, with a franchise whose owner is replaced, is no new sheet.
CHANGES_HANDS = """OLD.member_id <> NEW.member_id AND
    to_jsonb(OLD) - 'member_id' = to_jsonb(NEW) - 'member_id'"""


def upgrade() -> None:
    op.add_column(
        "leagues", sa.Column("game", sa.String(), server_default="salary_cap", nullable=False)
    )
    op.create_check_constraint(
        op.f("ck_leagues_game"), "leagues", "game in ('salary_cap', 'draft')"
    )
    op.add_column(
        "team_rules", sa.Column("is_own", sa.Boolean(), server_default="false", nullable=False)
    )
    op.drop_index("uq_team_rules_all", table_name="team_rules")
    op.create_index(
        "uq_team_rules_all",
        "team_rules",
        [*CHOICE],
        unique=True,
        postgresql_where=sa.text("NOT is_own"),
    )
    _create_draft_leagues()
    _create_rosters()
    op.execute(APPEND_ONLY)
    op.execute("DROP TRIGGER team_sheet_guard ON team_sheets")
    op.execute(
        "CREATE TRIGGER team_sheet_guard BEFORE INSERT OR DELETE ON team_sheets"
        " FOR EACH ROW EXECUTE FUNCTION guard_team_sheet()"
    )
    op.execute(
        "CREATE TRIGGER team_sheet_guard_update BEFORE UPDATE ON team_sheets"
        f" FOR EACH ROW WHEN (NOT ({CHANGES_HANDS})) EXECUTE FUNCTION guard_team_sheet()"
    )


def _create_draft_leagues() -> None:
    op.create_table(
        "draft_leagues",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("settings", postgresql.JSONB(), nullable=False),
        sa.Column("phase", sa.String(), server_default="setup", nullable=False),
        sa.Column(
            "co_commissioners",
            postgresql.ARRAY(sa.BigInteger()),
            server_default="{}",
            nullable=False,
        ),
        sa.Column("champion", sa.SmallInteger(), nullable=True),
        sa.Column("seen_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint(
            "phase in ('setup', 'drafting', 'season', 'finished')",
            name=op.f("ck_draft_leagues_phase"),
        ),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
            name=op.f("fk_draft_leagues_league_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("league_id", name=op.f("pk_draft_leagues")),
    )


def _create_rosters() -> None:
    op.create_table(
        "franchises",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.SmallInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("division", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("waiver_priority", sa.SmallInteger(), nullable=False),
        sa.Column("is_locked", sa.Boolean(), server_default="false", nullable=False),
        sa.CheckConstraint("number BETWEEN 1 AND 32", name=op.f("ck_franchises_number")),
        sa.CheckConstraint("waiver_priority > 0", name=op.f("ck_franchises_waiver_priority")),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_franchises_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_franchises_member_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("league_id", "number", name=op.f("pk_franchises")),
    )
    op.create_index(
        "uq_franchises_member_id", "franchises", ["league_id", "member_id"], unique=True
    )
    op.create_index("ix_franchises_member_id", "franchises", ["member_id"])
    op.create_table(
        "roster_transactions",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.Column("franchises", postgresql.ARRAY(sa.SmallInteger()), nullable=False),
        sa.Column("by_member_id", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("depends_on", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("number > 0", name=op.f("ck_roster_transactions_number")),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
            name=op.f("fk_roster_transactions_league_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["league_id", "depends_on"],
            ["roster_transactions.league_id", "roster_transactions.number"],
            name=op.f("fk_roster_transactions_depends_on"),
        ),
        sa.ForeignKeyConstraint(
            ["by_member_id"],
            ["members.id"],
            name=op.f("fk_roster_transactions_by_member_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("league_id", "number", name=op.f("pk_roster_transactions")),
    )
    op.create_index(
        "uq_roster_transactions_source", "roster_transactions", ["league_id", "source"], unique=True
    )
    op.create_index("ix_roster_transactions_by_member_id", "roster_transactions", ["by_member_id"])
    _create_what_franchises_own()


def _create_what_franchises_own() -> None:
    op.create_table(
        "roster_spots",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("spot", sa.String(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "spot in ('active', 'reserve', 'taxi')", name=op.f("ck_roster_spots_spot")
        ),
        _of_franchise("roster_spots"),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_roster_spots_footballer_id")
        ),
        sa.PrimaryKeyConstraint("league_id", "footballer_id", name=op.f("pk_roster_spots")),
    )
    op.create_index("ix_roster_spots_franchise", "roster_spots", ["league_id", "franchise"])
    op.create_table(
        "franchise_budgets",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        sa.Column("amount", sa.Integer(), nullable=False),
        _of_franchise("franchise_budgets"),
        sa.PrimaryKeyConstraint("league_id", "franchise", name=op.f("pk_franchise_budgets")),
    )
    op.create_table(
        "pick_owners",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("round", sa.SmallInteger(), nullable=False),
        sa.Column("original_franchise", sa.SmallInteger(), nullable=False),
        sa.Column("franchise", sa.SmallInteger(), nullable=False),
        _of_franchise("pick_owners"),
        sa.PrimaryKeyConstraint(
            "league_id", "season", "round", "original_franchise", name=op.f("pk_pick_owners")
        ),
    )


def _of_franchise(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["league_id", "franchise"],
        ["franchises.league_id", "franchises.number"],
        name=op.f(f"fk_{table}_franchise"),
        ondelete="CASCADE",
    )


def downgrade() -> None:
    op.execute("DROP TRIGGER team_sheet_guard_update ON team_sheets")
    op.execute("DROP TRIGGER team_sheet_guard ON team_sheets")
    op.execute(
        "CREATE TRIGGER team_sheet_guard BEFORE INSERT OR UPDATE OR DELETE ON team_sheets"
        " FOR EACH ROW EXECUTE FUNCTION guard_team_sheet()"
    )
    for table in (
        "pick_owners",
        "franchise_budgets",
        "roster_spots",
        "roster_transactions",
        "franchises",
        "draft_leagues",
    ):
        op.drop_table(table)
    op.execute("DROP FUNCTION guard_roster_transactions")
    op.drop_index("uq_team_rules_all", table_name="team_rules")
    op.create_index("uq_team_rules_all", "team_rules", [*CHOICE], unique=True)
    op.drop_column("team_rules", "is_own")
    op.drop_column("leagues", "game")
