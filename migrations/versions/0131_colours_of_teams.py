"""The color that a member chose for their teams

Revision ID: 0131
Revises: 0130
Create Date: 2026-11-30 16:30:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0131"
down_revision = "0130"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        ALTER TABLE members
          ADD COLUMN colour smallint,
          ADD CONSTRAINT ck_members_colour CHECK (colour BETWEEN 1 AND 16)
    """)
    _raise_after(
        "display_name, colour", "(OLD.display_name, OLD.colour)", "(NEW.display_name, NEW.colour)"
    )


def downgrade() -> None:
    _raise_after("display_name", "OLD.display_name", "NEW.display_name")
    op.execute("ALTER TABLE members DROP CONSTRAINT ck_members_colour, DROP COLUMN colour")


def _raise_after(columns: str, old: str, new: str) -> None:
    """Raise the cache tags of names after a change of these columns."""
    op.execute("DROP TRIGGER raise_names_of_members ON members")
    op.execute(f"""
        CREATE TRIGGER raise_names_of_members AFTER UPDATE OF {columns} ON members FOR EACH ROW
          WHEN ({old} IS DISTINCT FROM {new}) EXECUTE FUNCTION raise_names_of_members()
    """)
