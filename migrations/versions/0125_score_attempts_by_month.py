"""Score attempts are partitioned by month, and cold months can leave PostgreSQL

Revision ID: 0125
Revises: 0124
Create Date: 2026-11-29 16:20:00.000000

"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0125"
down_revision = "0124"
branch_labels = None
depends_on = None

SQL = Path(__file__).parent.parent / "scores" / "months.sql"

COLUMNS = """event_id, attempt_id, player_id, mode_id, score, subscore, achieved_at, fraud_state,
    fraud_reasons, rolled_back_at, rollback_id, score_metadata, client_meta, device, address, replay,
    rechecked_at, kafka_partition, kafka_offset, ingested_at, session_id"""
CONSTRAINTS = (
    "pk_score_attempts",
    "ck_score_attempts_fraud_state",
    "ck_score_attempts_score_metadata",
    "fk_score_attempts_mode_id",
    "fk_score_attempts_player_id",
    "fk_score_attempts_rollback_id",
)
INDEXES = {
    "counted": "(mode_id, player_id, achieved_at)",
    "mode_time": "(mode_id, achieved_at)",
    "player_time": "(player_id, ingested_at DESC)",
    "recheck": "(achieved_at) WHERE rechecked_at IS NULL AND fraud_state = 'clean' AND rolled_back_at IS NULL",
    "rollback_id": "(rollback_id) WHERE rollback_id IS NOT NULL",
    "address": "(address) WHERE address IS NOT NULL",
    "device": "(device) WHERE device IS NOT NULL",
    "flagged": "(mode_id, ingested_at) WHERE fraud_state = 'flagged'",
}
POINTING = ("score_corrections", "appeals")
NOTES = {
    "note_inserted_attempts": "AFTER INSERT ON score_attempts REFERENCING NEW TABLE AS new_rows",
    "note_changed_attempts": "AFTER UPDATE ON score_attempts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows",
}


def upgrade() -> None:
    op.create_table(
        "score_attempt_keys",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("mode_id", sa.Uuid(), nullable=False),
        sa.Column("achieved_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_score_attempt_keys"),
    )
    op.create_table(
        "score_months",
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("blob", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("rollback_ids", postgresql.ARRAY(sa.Uuid()), server_default="{}", nullable=False),
        sa.Column("rewrite_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("restored_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("month", name="pk_score_months"),
        sa.CheckConstraint("extract(day FROM month) = 1", name="ck_score_months_month"),
    )
    op.create_table(
        "archived_standings",
        sa.Column("board_id", sa.BigInteger(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("score", sa.BigInteger(), nullable=False),
        sa.Column("subscore", sa.BigInteger(), nullable=True),
        sa.Column("achieved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("score_metadata", postgresql.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("board_id", "player_id", "month", name="pk_archived_standings"),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name="fk_archived_standings_board_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
            name="fk_archived_standings_player_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["month"],
            ["score_months.month"],
            name="fk_archived_standings_month",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_archived_standings_player_id", "archived_standings", ["player_id"])
    op.create_index("ix_archived_standings_month", "archived_standings", ["month"])
    _set_aside()
    _create("event_id, achieved_at", "PARTITION BY RANGE (achieved_at)")
    op.execute("CREATE TABLE score_attempts_default PARTITION OF score_attempts DEFAULT")
    op.execute(
        "INSERT INTO score_attempt_keys SELECT event_id, player_id, mode_id, achieved_at"
        " FROM score_attempts_before"
    )
    op.execute(SQL.read_text())
    op.execute(
        "SELECT add_score_month(month) FROM (SELECT DISTINCT CAST(date_trunc('month', achieved_at AT"
        " TIME ZONE 'UTC') AS date) AS month FROM score_attempts_before ORDER BY 1) months"
    )
    _fill()
    for table in POINTING:
        _point(table, "score_attempt_keys")


def downgrade() -> None:
    # Archived months have to be brought back first: `pressbox scores restore`.
    op.execute("""
        DO $$ BEGIN
          IF EXISTS (SELECT FROM score_months WHERE restored_at IS NULL) THEN
            RAISE EXCEPTION 'months of scores are archived: pressbox scores restore brings them back';
          END IF;
        END $$
    """)
    for table in POINTING:
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT fk_{table}_event_id")
    op.execute("DROP TRIGGER add_attempt_keys ON score_attempts")
    op.execute("DROP TRIGGER remove_attempt_keys ON score_attempts")
    for function in (
        "partition_score_attempts()",
        "add_score_month(date)",
        "begin_score_month(date)",
        "attach_score_month(date)",
        "drop_score_month(date)",
        "score_month_table(date)",
        "add_attempt_keys()",
        "remove_attempt_keys()",
    ):
        op.execute(f"DROP FUNCTION {function}")
    _set_aside()
    _create("event_id")
    op.execute(
        "ALTER TABLE score_attempts ADD CONSTRAINT uq_score_attempts_attempt UNIQUE (player_id, attempt_id)"
    )
    _fill()
    for table in POINTING:
        _point(table, "score_attempts")
    for table in ("archived_standings", "score_months", "score_attempt_keys"):
        op.drop_table(table)


def _set_aside() -> None:
    """The table and its constraints and indexes give their names to the new ones.

    Nobody writes until this commits.
    """
    op.execute("LOCK TABLE score_attempts IN ACCESS EXCLUSIVE MODE")
    for trigger in NOTES:
        op.execute(f"DROP TRIGGER {trigger} ON score_attempts")
    for table in POINTING:
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS fk_{table}_event_id")
    op.execute("ALTER TABLE score_attempts RENAME TO score_attempts_before")
    for constraint in CONSTRAINTS:
        op.execute(
            f"ALTER TABLE score_attempts_before RENAME CONSTRAINT {constraint} TO {constraint}_before"
        )
    for index in INDEXES:
        op.execute(
            f"ALTER INDEX ix_score_attempts_{index} RENAME TO ix_score_attempts_{index}_before"
        )


def _create(key: str, partitions: str = "") -> None:
    op.execute(f"""
        CREATE TABLE score_attempts (
          event_id uuid NOT NULL, attempt_id uuid NOT NULL, player_id uuid NOT NULL, mode_id uuid NOT NULL,
          score bigint NOT NULL, achieved_at timestamptz NOT NULL,
          fraud_state varchar DEFAULT 'clean' NOT NULL, fraud_reasons text[] DEFAULT '{{}}'::text[] NOT NULL,
          rolled_back_at timestamptz, client_meta jsonb DEFAULT '{{}}'::jsonb NOT NULL,
          kafka_partition integer, kafka_offset bigint, ingested_at timestamptz DEFAULT now() NOT NULL,
          device varchar, address varchar, replay varchar, rechecked_at timestamptz, rollback_id uuid,
          subscore bigint, score_metadata json, session_id varchar,
          CONSTRAINT pk_score_attempts PRIMARY KEY ({key}),
          CONSTRAINT ck_score_attempts_fraud_state CHECK (fraud_state in ('clean', 'flagged', 'rejected')),
          CONSTRAINT ck_score_attempts_score_metadata
            CHECK (octet_length(CAST(score_metadata AS text)) <= 8192),
          CONSTRAINT fk_score_attempts_mode_id FOREIGN KEY (mode_id) REFERENCES score_modes(id) ON DELETE CASCADE,
          CONSTRAINT fk_score_attempts_player_id FOREIGN KEY (player_id) REFERENCES players(id),
          CONSTRAINT fk_score_attempts_rollback_id FOREIGN KEY (rollback_id) REFERENCES rollbacks(id)
        ) {partitions}
    """)
    for name, columns in INDEXES.items():
        op.execute(f"CREATE INDEX ix_score_attempts_{name} ON score_attempts {columns}")


def _fill() -> None:
    """Copy the rows; triggers come afterwards, because nothing about these rows is new."""
    op.execute("ALTER TABLE score_attempts DISABLE TRIGGER USER")
    op.execute(
        f"INSERT INTO score_attempts ({COLUMNS}) SELECT {COLUMNS} FROM score_attempts_before"  # noqa: S608
    )
    op.execute("ALTER TABLE score_attempts ENABLE TRIGGER USER")
    op.execute("DROP TABLE score_attempts_before")
    for trigger, event in NOTES.items():
        op.execute(
            f"CREATE TRIGGER {trigger} {event} FOR EACH STATEMENT EXECUTE FUNCTION note_changed_attempts()"
        )


def _point(table: str, target: str) -> None:
    op.execute(
        f"ALTER TABLE {table} ADD CONSTRAINT fk_{table}_event_id FOREIGN KEY (event_id)"
        f" REFERENCES {target}(event_id) ON DELETE CASCADE"
    )
