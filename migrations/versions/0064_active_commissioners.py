"""A league and a pool are run by an active member, as long as they have one

Revision ID: 0064
Revises: 0063
Create Date: 2026-11-26 11:50:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None

ACTIVE_MEMBER = "p.banned_at IS NULL AND p.suspended_until IS NULL AND p.erased_at IS NULL"
ACTIVE_PLAYER = "p.banned_until IS NULL AND a.erased_at IS NULL"


def upgrade() -> None:
    # Those whose commissioner was erased or kept out before this rule was held go to who has been
    # in them longest.
    op.execute(f"""
        UPDATE leagues l SET commissioner_id = h.member_id
        FROM (
          SELECT DISTINCT ON (m.league_id) m.league_id, m.member_id
          FROM league_members m JOIN members p ON p.id = m.member_id WHERE {ACTIVE_MEMBER}
          ORDER BY m.league_id, p.is_shadowed, m.joined_at, m.member_id
        ) h
        WHERE h.league_id = l.id AND NOT l.is_overall
          AND NOT EXISTS (SELECT FROM members p WHERE p.id = l.commissioner_id AND {ACTIVE_MEMBER})
    """)  # noqa: S608 (made of our own words alone)
    op.execute(f"""
        UPDATE pools l SET owner_id = h.player_id
        FROM (
          SELECT DISTINCT ON (m.pool_id) m.pool_id, m.player_id
          FROM pool_members m JOIN players p ON p.id = m.player_id LEFT JOIN members a ON a.id = p.member_id
          WHERE {ACTIVE_PLAYER}
          ORDER BY m.pool_id, p.hidden_at IS NOT NULL, m.joined_at, m.player_id
        ) h
        WHERE h.pool_id = l.id AND NOT EXISTS (
          SELECT FROM players p LEFT JOIN members a ON a.id = p.member_id WHERE p.id = l.owner_id AND {ACTIVE_PLAYER})
    """)  # noqa: S608
    # Asked when the transaction commits, as whoever keeps a member out then appoints the heirs.
    op.execute(f"""
        CREATE FUNCTION guard_commissioners() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
          without bigint;
        BEGIN
          SELECT l.id INTO without FROM leagues l
          WHERE (CASE TG_TABLE_NAME WHEN 'leagues' THEN l.id ELSE l.commissioner_id END) = NEW.id
            AND NOT l.is_overall
            AND NOT EXISTS (SELECT FROM members p WHERE p.id = l.commissioner_id AND {ACTIVE_MEMBER})
            AND EXISTS (SELECT FROM league_members m JOIN members p ON p.id = m.member_id
              WHERE m.league_id = l.id AND {ACTIVE_MEMBER})
          LIMIT 1;
          IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'league_commissioner',
              MESSAGE = 'league ' || without || ' has active members, so that one of them must run it';
          END IF;
          RETURN NULL;
        END $$
    """)  # noqa: S608
    for name, table, columns in (
        ("of_members", "members", "UPDATE OF banned_at, suspended_until, erased_at"),
        ("of_leagues", "leagues", "INSERT OR UPDATE OF commissioner_id"),
    ):
        op.execute(f"""
            CREATE CONSTRAINT TRIGGER guard_commissioners_{name} AFTER {columns} ON {table}
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard_commissioners()
        """)
    op.create_index("ix_leagues_commissioner_id", "leagues", ["commissioner_id"])


def downgrade() -> None:
    op.drop_index("ix_leagues_commissioner_id", "leagues")
    op.execute("DROP FUNCTION guard_commissioners CASCADE")
