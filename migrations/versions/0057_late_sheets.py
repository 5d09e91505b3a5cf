"""A team sheet that is written after the lock of its gameweek has all of that gameweek added up
anew

Revision ID: 0057
Revises: 0056
Create Date: 2026-11-23 19:20:00.000000
"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A save that the server received before the deadline may be written after the gameweek was
    # locked. Where sheets may be changed while it is played (lock 'game') they are looked at after
    # each play anyway.
    op.execute("""
        CREATE FUNCTION forget_counted_footballers() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          DELETE FROM counted_footballers WHERE gameweek_id IN (
            SELECT w.id FROM gameweeks w
            WHERE w.locked_at IS NOT NULL AND w.id IN (
              SELECT s.gameweek_id FROM changed s JOIN team_rules r ON r.id = s.team_rules_id AND r.lock <> 'game'));
          RETURN NULL;
        END $$
    """)
    for event in ("INSERT", "UPDATE"):
        op.execute(
            f"CREATE TRIGGER forget_counted_footballers_{event.lower()} AFTER {event} ON team_sheets"
            " REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forget_counted_footballers()"
        )


def downgrade() -> None:
    op.execute("DROP FUNCTION forget_counted_footballers CASCADE")
