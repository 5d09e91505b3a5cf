"""Raise cache tags when players' tokens are revoked, and when players are banned or hidden

Revision ID: 0133
Revises: 0132
Create Date: 2026-12-01 13:00:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0133"
down_revision = "0132"
branch_labels = None
depends_on = None

# By table: the tag that a changed row raises, and when.
TAGS = {
    "refresh_tokens": (
        "'family:' || OLD.family",
        "UPDATE OF revoked_at ON refresh_tokens FOR EACH ROW"
        " WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)",
    ),
    "players": (
        "'sanctions:' || OLD.id",
        "UPDATE OF banned_until, hidden_at ON players FOR EACH ROW"
        " WHEN ((OLD.banned_until, OLD.hidden_at)"
        " IS DISTINCT FROM (NEW.banned_until, NEW.hidden_at))",
    ),
}


def upgrade() -> None:
    for table, (tag, event) in TAGS.items():
        op.execute(f"""
            CREATE FUNCTION raise_access_of_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              PERFORM raise_stamps(ARRAY[{tag}]);
              RETURN NULL;
            END $$
        """)
        op.execute(
            f"CREATE TRIGGER raise_access AFTER {event} EXECUTE FUNCTION raise_access_of_{table}()"
        )


def downgrade() -> None:
    for table in TAGS:
        op.execute(f"DROP TRIGGER raise_access ON {table}")
        op.execute(f"DROP FUNCTION raise_access_of_{table}()")
