"""A friendship that changes says so, so that a player's friends can be remembered

Revision ID: 0059
Revises: 0058
Create Date: 2026-11-26 11:40:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None

# Requests and blocks change nobody's friends: a block ends the friendship in the same update.
EVENTS = {
    "begun": "INSERT ON friendships FOR EACH ROW WHEN (NEW.state = 'friends')",
    "changed": "UPDATE OF state ON friendships FOR EACH ROW WHEN (OLD.state <> NEW.state)",
    "deleted": "DELETE ON friendships FOR EACH ROW WHEN (OLD.state = 'friends')",
}


def upgrade() -> None:
    op.execute("""
        CREATE FUNCTION end_friend_sets() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE pair friendships := coalesce(NEW, OLD);
        BEGIN
          PERFORM raise_stamps(ARRAY['friends:' || pair.low_id, 'friends:' || pair.high_id]);
          RETURN NULL;
        END $$
    """)
    for name, event in EVENTS.items():
        op.execute(
            f"CREATE TRIGGER end_friend_sets_{name} AFTER {event} EXECUTE FUNCTION end_friend_sets()"
        )


def downgrade() -> None:
    op.execute("DROP FUNCTION end_friend_sets CASCADE")
