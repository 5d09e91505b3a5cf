"""Members may have notices pushed to their devices and sent by mail

Revision ID: 0046
Revises: 0041
Create Date: 2026-11-22 19:00:00.000000

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0046"
down_revision = "0041"
branch_labels = None
depends_on = None

KINDS = "ARRAY['deadline', 'result', 'correction']"


def upgrade() -> None:
    op.create_table(
        "push_devices",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("endpoint", sa.String(), nullable=False),
        sa.Column("p256dh", sa.String(), nullable=False),
        sa.Column("auth", sa.String(), nullable=False),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("pushed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_push_devices_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push_devices")),
        sa.UniqueConstraint("digest", name=op.f("uq_push_devices_digest")),
    )
    op.create_index("ix_push_devices_member_id", "push_devices", ["member_id"])
    op.create_table(
        "notice_choices",
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("push", postgresql.ARRAY(sa.TEXT()), nullable=False),
        sa.Column("mail", postgresql.ARRAY(sa.TEXT()), nullable=False),
        sa.CheckConstraint(f"push <@ {KINDS}", name=op.f("ck_notice_choices_push")),
        sa.CheckConstraint(f"mail <@ {KINDS}", name=op.f("ck_notice_choices_mail")),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_notice_choices_member_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("member_id", name=op.f("pk_notice_choices")),
    )
    op.create_table(
        "notice_deliveries",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("notice_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("device_id", sa.BigInteger(), nullable=True),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("state", sa.String(), server_default="waiting", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "state in ('waiting', 'sending', 'sent', 'failed', 'unknown', 'dropped')",
            name=op.f("ck_notice_deliveries_state"),
        ),
        sa.CheckConstraint(
            "(state IN ('waiting', 'sending')) = (ended_at IS NULL)",
            name=op.f("ck_notice_deliveries_ended_at"),
        ),
        sa.ForeignKeyConstraint(
            ["device_id"],
            ["push_devices.id"],
            name=op.f("fk_notice_deliveries_device_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["members.id"],
            name=op.f("fk_notice_deliveries_member_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["notice_id"],
            ["notices.id"],
            name=op.f("fk_notice_deliveries_notice_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice_deliveries")),
        sa.UniqueConstraint("notice_id", "device_id", name="uq_notice_deliveries_device"),
    )
    by_mail, is_open = sa.text("device_id IS NULL"), sa.text("ended_at IS NULL")
    op.create_index(
        "uq_notice_deliveries_mail",
        "notice_deliveries",
        ["notice_id"],
        unique=True,
        postgresql_where=by_mail,
    )
    op.create_index("ix_notice_deliveries_member_id", "notice_deliveries", ["member_id"])
    op.create_index("ix_notice_deliveries_device_id", "notice_deliveries", ["device_id"])
    op.create_index(
        "ix_notice_deliveries_open",
        "notice_deliveries",
        ["service", "next_at", "id"],
        postgresql_where=is_open,
    )
    op.create_index("ix_notice_deliveries_ended_at", "notice_deliveries", ["ended_at"])
    op.create_index(
        "ix_notice_deliveries_failed_at",
        "notice_deliveries",
        ["failed_at"],
        postgresql_where=sa.text("failed_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_table("notice_deliveries")
    op.drop_table("notice_choices")
    op.drop_table("push_devices")
