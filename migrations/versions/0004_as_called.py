"""Scripts in two variants: as the record stood in the end, and as first called

Revision ID: 0004
Revises: 0003
Create Date: 2026-11-21 09:30:00

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade():
    # What was stored before is the final record.
    op.add_column("script_steps", sa.Column("variant", sa.String(), nullable=False, server_default="final"))
    op.alter_column("script_steps", "variant", server_default=None)
    op.create_check_constraint(op.f("ck_script_steps_variant"), "script_steps", "variant in ('final', 'as_called')")
    op.drop_constraint(op.f("pk_script_steps"), "script_steps", type_="primary")
    op.create_primary_key(op.f("pk_script_steps"), "script_steps", ["game_id", "variant", "step"])


def downgrade():
    op.execute("DELETE FROM script_steps WHERE variant <> 'final'")
    op.drop_constraint(op.f("pk_script_steps"), "script_steps", type_="primary")
    op.create_primary_key(op.f("pk_script_steps"), "script_steps", ["game_id", "step"])
    op.drop_constraint(op.f("ck_script_steps_variant"), "script_steps", type_="check")
    op.drop_column("script_steps", "variant")
