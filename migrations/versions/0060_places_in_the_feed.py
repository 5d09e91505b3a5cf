"""Changes have places that the feed assigns itself, in place of transaction ids of one PostgreSQL
server

Revision ID: 0060
Revises: 0059
Create Date: 2026-11-26 11:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "feed_state",
        sa.Column("id", sa.Integer(), autoincrement=False, server_default="1", nullable=False),
        sa.Column("last_place", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("server", sa.String(), nullable=True),
        sa.CheckConstraint("id = 1", name=op.f("ck_feed_state_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_state")),
    )
    op.create_table(
        "feed_forks",
        sa.Column("resumed_from", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kept_through", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("kept_through < resumed_from", name=op.f("ck_feed_forks_forward")),
        sa.PrimaryKeyConstraint("resumed_from", name=op.f("pk_feed_forks")),
    )
    op.execute("INSERT INTO feed_state DEFAULT VALUES")
    for table in ("board_changes", "feed_floors", "webhooks"):
        op.execute(f"ALTER TABLE {table} ADD COLUMN place bigint")
    op.execute("ALTER TABLE webhook_deliveries ADD COLUMN timeline bigint DEFAULT 0 NOT NULL")
    # The order of before, whatever server the transactions were of. The first place is left to the
    # floors.
    op.execute("""
        UPDATE board_changes c SET place = n.place FROM (
          SELECT transaction, id, (extract(epoch FROM now()) * 1000000)::bigint
            + row_number() OVER (ORDER BY transaction, id) AS place FROM board_changes) n
        WHERE (n.transaction, n.id) = (c.transaction, c.id)
    """)
    op.execute("""
        UPDATE feed_state SET last_place =
          greatest((extract(epoch FROM now()) * 1000000)::bigint, (SELECT max(place) FROM board_changes))
    """)
    op.execute("""
        UPDATE feed_floors f SET place = coalesce(
          (SELECT min(place) - 1 FROM board_changes c WHERE c.integrator_id = f.integrator_id),
          (SELECT last_place FROM feed_state))
    """)
    op.execute("""
        UPDATE webhooks w SET place = coalesce(
          (SELECT max(place) FROM board_changes c WHERE c.integrator_id = w.integrator_id
             AND (c.transaction, c.id) <= (w.transaction, w.change_id)),
          (SELECT place FROM feed_floors f WHERE f.integrator_id = w.integrator_id), 0)
    """)
    of_before = ("transaction", "change_id")
    _replace("id", "(integrator_id, place)", ("feed_floors", *of_before), ("webhooks", *of_before))
    op.execute("ALTER TABLE board_changes DROP COLUMN transaction")
    op.execute("ALTER TABLE board_changes ADD CONSTRAINT uq_board_changes_place UNIQUE (place)")
    op.execute("CREATE INDEX ix_board_changes_unplaced ON board_changes (id) WHERE place IS NULL")
    for table in ("feed_floors", "webhooks"):
        op.execute(f"ALTER TABLE {table} ALTER COLUMN place SET NOT NULL")


def downgrade() -> None:
    """The places of webhooks and floors are those of this server: nothing is sent twice or left
    out.
    """
    op.execute("ALTER TABLE board_changes DROP CONSTRAINT uq_board_changes_place")
    op.execute("DROP INDEX ix_board_changes_unplaced")
    op.execute("""
        ALTER TABLE board_changes ADD COLUMN transaction bigint
          DEFAULT pg_current_xact_id()::text::bigint NOT NULL
    """)
    for table in ("feed_floors", "webhooks"):
        op.execute(
            f"ALTER TABLE {table} ADD COLUMN transaction bigint, ADD COLUMN change_id bigint"
        )
        op.execute(f"""
            UPDATE {table} t SET transaction = pg_current_xact_id()::text::bigint, change_id = coalesce(
              (SELECT max(id) FROM board_changes c WHERE c.integrator_id = t.integrator_id AND c.place <= t.place), 0)
        """)  # noqa: S608 (names of ours)
        op.execute(
            f"ALTER TABLE {table} ALTER COLUMN transaction SET NOT NULL, ALTER COLUMN change_id SET NOT NULL"
        )
    _replace(
        "transaction, id",
        "(integrator_id, transaction, id)",
        ("feed_floors", "place"),
        ("webhooks", "place"),
    )
    op.execute("ALTER TABLE board_changes DROP COLUMN place")
    op.execute("ALTER TABLE webhook_deliveries DROP COLUMN timeline")
    op.drop_table("feed_forks")
    op.drop_table("feed_state")


def _replace(key: str, index: str, *dropped: tuple[str, ...]) -> None:
    op.execute("ALTER TABLE board_changes DROP CONSTRAINT pk_board_changes")
    op.execute(f"ALTER TABLE board_changes ADD CONSTRAINT pk_board_changes PRIMARY KEY ({key})")
    op.execute("DROP INDEX ix_board_changes_feed")
    op.execute(f"CREATE INDEX ix_board_changes_feed ON board_changes {index}")
    for table, *columns in dropped:
        for column in columns:
            op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
