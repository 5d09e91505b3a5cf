"""A placeholder is nobody who could run a league

Revision ID: 0106
Revises: 0105
Create Date: 2026-11-28 21:25:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0106"
down_revision = "0105"
branch_labels = None
depends_on = None

CAN_SIGN_IN = "p.banned_at IS NULL AND p.suspended_until IS NULL AND p.erased_at IS NULL"
ACTIVE = f"p.username NOT LIKE 'franchise:%' AND {CAN_SIGN_IN}"


def guard(active: str) -> str:
    return f"""
        CREATE OR REPLACE FUNCTION guard_commissioners() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
          without bigint;
        BEGIN
          SELECT l.id INTO without FROM leagues l
          WHERE (CASE TG_TABLE_NAME WHEN 'leagues' THEN l.id ELSE l.commissioner_id END) = NEW.id
            AND NOT l.is_overall
            AND NOT EXISTS (SELECT FROM members p WHERE p.id = l.commissioner_id AND {active})
            AND EXISTS (SELECT FROM league_members m JOIN members p ON p.id = m.member_id
              WHERE m.league_id = l.id AND {active})
          LIMIT 1;
          IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'league_commissioner',
              MESSAGE = 'league ' || without || ' has active members, so that one of them must run it';
          END IF;
          RETURN NULL;
        END $$
    """  # noqa: S608 (made of our own words alone)


def upgrade() -> None:
    # A league that fell to a placeholder goes to who has been in it longest.
    op.execute(f"""
        UPDATE leagues l SET commissioner_id = h.member_id
        FROM (
          SELECT DISTINCT ON (m.league_id) m.league_id, m.member_id
          FROM league_members m JOIN members p ON p.id = m.member_id WHERE {ACTIVE}
          ORDER BY m.league_id, p.is_shadowed, m.joined_at, m.member_id
        ) h, members c
        WHERE h.league_id = l.id AND c.id = l.commissioner_id AND c.username LIKE 'franchise:%'
    """)  # noqa: S608
    op.execute(guard(ACTIVE))


def downgrade() -> None:
    op.execute(guard(CAN_SIGN_IN))
