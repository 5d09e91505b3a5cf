"""Points of a gameweek under way are not stored, except those of members who left

Revision ID: 0132
Revises: 0131
Create Date: 2026-12-01 08:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0132"
down_revision = "0131"
branch_labels = None
depends_on = None

# A condition on the version `v`: of a league with one of the sheets in `changed`.
_OF_SHEETS = """(v.league_id, v.gameweek_id) IN (
              SELECT l.id, s.gameweek_id FROM changed s JOIN live_gameweeks d USING (gameweek_id)
              JOIN league_members m ON m.member_id = s.member_id
              JOIN leagues l ON (l.id, l.team_rules_id) = (m.league_id, s.team_rules_id))"""


def upgrade() -> None:
    _rename("deferred_gameweeks", "live_gameweeks")
    op.drop_column("league_versions", "deferred_version")
    # What footballers count may have been forgotten, for a sheet that was saved late. Imported
    # leagues have scores of gameweeks without games, which stay.
    op.execute("""
        INSERT INTO live_gameweeks (gameweek_id, version, sheets_version, game_statuses)
        SELECT w.id, 1, 1, '' FROM gameweeks w WHERE w.settled_at IS NULL
          AND (EXISTS (SELECT FROM counted_footballers c WHERE c.gameweek_id = w.id)
            OR EXISTS (SELECT FROM leagues l JOIN league_scores s ON s.league_id = l.id
                WHERE l.season_id = w.season_id AND s.gameweek_id = w.id)
              AND EXISTS (SELECT FROM games g
                WHERE (g.competition, g.season, g.season_type, g.week)
                  = (w.competition, w.season, w.season_type, w.week)))
        ON CONFLICT DO NOTHING
    """)
    # A standing is a sum of gameweeks in each of its parts: match points, and what the games
    # between equals gave, of settled ones alone; total points; transfers, or points by gameweek,
    # the latest first.
    op.execute("""
        WITH live AS (
          SELECT s.league_id, s.member_id, s.gameweek_id, s.points, s.transfers,
            (SELECT count(*) FROM gameweeks o WHERE o.season_id = w.season_id
              AND o.week > w.week) AS later
          FROM league_scores s JOIN gameweeks w ON w.id = s.gameweek_id
          JOIN live_gameweeks d ON d.gameweek_id = w.id
        ), added AS (
          SELECT league_id, member_id, sum(points) AS points, sum(transfers) AS transfers
          FROM live GROUP BY league_id, member_id
        )
        UPDATE league_members m SET total_points = m.total_points - a.points,
          standing = CASE WHEN l.game = 'draft' THEN m.standing ELSE ARRAY(
            SELECT part - CASE
              WHEN place = total.place THEN a.points
              WHEN place > total.place AND l.ties = 'fewest_transfers' THEN -a.transfers
              WHEN place > total.place AND l.ties = 'latest_gameweek' THEN coalesce((
                SELECT v.points FROM live v WHERE (v.league_id, v.member_id)
                  = (m.league_id, m.member_id) AND v.later = place - total.place - 1), 0)
              ELSE 0 END
            FROM unnest(m.standing) WITH ORDINALITY AS parts (part, place) ORDER BY place) END
        FROM added a JOIN leagues l ON l.id = a.league_id
        CROSS JOIN LATERAL (SELECT 1 + (l.mode = 'head_to_head')::int
          + (l.ties = 'result_between')::int AS place) total
        WHERE (m.league_id, m.member_id) = (a.league_id, a.member_id)
    """)
    op.execute("""
        DELETE FROM league_scores s USING live_gameweeks d, league_members m
        WHERE d.gameweek_id = s.gameweek_id
          AND (m.league_id, m.member_id) = (s.league_id, s.member_id)
    """)
    op.execute("""
        DELETE FROM sheet_points p USING team_sheets t, live_gameweeks d
        WHERE t.id = p.team_sheet_id AND d.gameweek_id = t.gameweek_id
    """)
    # A sheet that changes while the gameweek is under way changes the tables of its leagues: one
    # that may change until each game begins (lock 'game'), or one that the server received before
    # the deadline and wrote after it. Only of the latter are there copies (large_tables.py).
    op.execute("DROP FUNCTION forget_counted_footballers CASCADE")
    op.execute(f"""
        CREATE FUNCTION raise_versions_of_late_sheets() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM FROM league_versions v WHERE {_OF_SHEETS}
            ORDER BY v.league_id FOR UPDATE;
          UPDATE league_versions v SET version = v.version + 1
            WHERE {_OF_SHEETS};
          UPDATE live_gameweeks d SET version = d.version + 1, sheets_version = d.version + 1
            WHERE d.gameweek_id IN (SELECT s.gameweek_id FROM changed s
              JOIN team_rules r ON r.id = s.team_rules_id AND r.lock <> 'game');
          RETURN NULL;
        END $$
    """)  # noqa: S608 (made of our own words alone)
    _on_sheets("raise_versions_of_late_sheets")


def downgrade() -> None:
    # The next refresh of each gameweek writes the points of all of its sheets.
    op.execute("""
        DELETE FROM counted_footballers c USING live_gameweeks d
        WHERE d.gameweek_id = c.gameweek_id
    """)
    op.execute("DELETE FROM live_gameweeks")
    op.execute("DROP FUNCTION raise_versions_of_late_sheets CASCADE")
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
    _on_sheets("forget_counted_footballers")
    op.add_column(
        "league_versions",
        sa.Column("deferred_version", sa.Integer(), server_default="0", nullable=False),
    )
    _rename("live_gameweeks", "deferred_gameweeks")


def _on_sheets(function: str) -> None:
    for event in ("INSERT", "UPDATE"):
        op.execute(f"""
            CREATE TRIGGER {function}_{event.lower()} AFTER {event} ON team_sheets
            REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {function}()
        """)


def _rename(before: str, after: str) -> None:
    op.rename_table(before, after)
    for constraint in ("pk_{0}", "fk_{0}_gameweek_id_gameweeks"):
        op.execute(
            f"ALTER TABLE {after} RENAME CONSTRAINT {constraint.format(before)} "
            f"TO {constraint.format(after)}"
        )
