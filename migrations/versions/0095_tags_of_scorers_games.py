"""The games that a scorer is bound to raise the scorer's cache tag when they change

Revision ID: 0095
Revises: 0094
Create Date: 2026-11-28 03:08:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0095"
down_revision = "0094"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE FUNCTION raise_stamps_of_scorer_games() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM raise_stamps(array_remove(ARRAY['member:' || OLD.member_id, 'member:' || NEW.member_id], NULL));
          RETURN NULL;
        END $$
    """)
    op.execute(
        "CREATE TRIGGER raise_stamps AFTER INSERT OR UPDATE OR DELETE ON scorer_games"
        " FOR EACH ROW EXECUTE FUNCTION raise_stamps_of_scorer_games()"
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION raise_stamps_of_scorer_games CASCADE")
