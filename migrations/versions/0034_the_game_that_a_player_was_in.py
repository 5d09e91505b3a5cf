"""Who was in which club when, so that a team sheet's lock follows the game that a player was in

Revision ID: 0034
Revises: 0033
Create Date: 2026-11-22 14:50:00.000000

"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

GUARD = Path(__file__).parent.parent / "first_release" / "team_sheet_guard.sql"
OF_THE_CLUB = """          SELECT FROM footballers f JOIN games g ON f.club_id IN (g.home_id, g.away_id)
          WHERE f.id = ANY(touched) AND g.kickoff <= moment AND (g.competition, g.season, g.season_type, g.week)
            = (limits.competition, limits.season, limits.season_type, limits.week)
"""
OF_THEN = """          SELECT FROM begun_games(touched, limits.competition, limits.season, limits.season_type,
            limits.week, moment)
"""
NOTED = """
    CREATE FUNCTION note_club_move() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO club_moves (footballer_id, moved_at, from_club_id) VALUES (NEW.id, clock_timestamp(), OLD.club_id);
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_club_move AFTER UPDATE OF club_id ON footballers
    FOR EACH ROW WHEN (OLD.club_id IS DISTINCT FROM NEW.club_id) EXECUTE FUNCTION note_club_move();
"""
# Whose club at a game's kickoff played in it, and whoever has a stat line in it, was in that game.
# The club of then is the one that they left first afterwards, else the one of now. A game has begun
# when it was played in, or its kickoff has passed and nobody said that it is not played.
BEGUN = """
    CREATE FUNCTION begun_games(
      ids text[], of_competition text, of_season int, of_type text, of_week int, moment timestamptz
    ) RETURNS TABLE (footballer_id varchar, game_id varchar) LANGUAGE sql STABLE AS $$
      SELECT f.id, g.id
      FROM games g LEFT JOIN game_states s ON s.game_id = g.id
      JOIN footballers f ON f.id = ANY(ids)
      WHERE (g.competition, g.season, g.season_type, g.week) = (of_competition, of_season, of_type, of_week)
        AND (s.status IN ('live', 'ended', 'final', 'suspended', 'forfeited')
          OR coalesce((s.state ->> 'play_number')::int, 0) > 0
          OR (g.kickoff <= moment AND coalesce(s.status, 'scheduled') NOT IN ('postponed', 'cancelled')))
        AND (coalesce((SELECT coalesce(m.from_club_id, '') FROM club_moves m
                       WHERE m.footballer_id = f.id AND m.moved_at > g.kickoff ORDER BY m.moved_at LIMIT 1),
                      f.club_id) IN (g.home_id, g.away_id)
          OR EXISTS (SELECT FROM stat_lines l WHERE l.game_id = g.id AND l.player_id = f.id))
    $$;
"""


def upgrade() -> None:
    op.create_table(
        "club_moves",
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("moved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("from_club_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["footballer_id"],
            ["footballers.id"],
            name=op.f("fk_club_moves_footballer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("footballer_id", "moved_at", name=op.f("pk_club_moves")),
    )
    op.execute(NOTED)
    op.execute(BEGUN)
    op.execute(_guard().replace(OF_THE_CLUB, OF_THEN))


def downgrade() -> None:
    op.execute(_guard())
    op.execute("DROP FUNCTION begun_games")
    op.execute("DROP TRIGGER note_club_move ON footballers")
    op.execute("DROP FUNCTION note_club_move")
    op.drop_table("club_moves")


def _guard() -> str:
    """The trigger's function as it is since 0017."""
    text = GUARD.read_text()
    start, end = text.index("CREATE FUNCTION guard_team_sheet"), text.index("CREATE TRIGGER")
    function = (
        text[start:end]
        .replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
        .replace(".paid", ".purchase_prices")
    )
    assert OF_THE_CLUB in function
    return function
