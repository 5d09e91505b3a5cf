"""What an unchanged poll rests on says so when it changes, so that its answer can be remembered

Revision ID: 0054
Revises: 0053
Create Date: 2026-11-23 14:00:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

# A notice of SQLSTATE PB001 holds the names of stamps as JSON; our connections read it
# (app/core/stamped.py).
RAISE = """
    CREATE FUNCTION raise_stamps(names text[]) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF cardinality(names) > 1000 THEN names := '{everything}'; END IF;
      IF cardinality(names) > 0 THEN RAISE NOTICE '%', to_json(names) USING ERRCODE = 'PB001'; END IF;
    END $$
"""
# The game, and the gameweek in which it counts.
OF_GAME = """
    CREATE FUNCTION stamps_of_game(g games) RETURNS text[] LANGUAGE sql STABLE AS $$
      SELECT ARRAY['game:' || g.id] || ARRAY(SELECT 'gameweek:' || w.id FROM gameweeks w
        WHERE (w.competition, w.season, w.season_type, w.week) = (g.competition, g.season, g.season_type, g.week))
    $$
"""
# By table: the names that a changed row raises. Inserted rows of the first four take nothing away
# from anybody.
BY_ROW = {
    "member_sessions": "ARRAY['session:' || OLD.id]",
    "members": "ARRAY['member:' || OLD.id]",
    "leagues": "ARRAY['league:' || OLD.id]",
    "league_members": "ARRAY['league:' || OLD.league_id]",
    "gameweeks": "'{gameweeks}'",
    "games": "stamps_of_game(OLD) || CASE TG_OP WHEN 'UPDATE' THEN stamps_of_game(NEW) END",
    "game_states": """coalesce((SELECT stamps_of_game(games) FROM games WHERE id = coalesce(NEW.game_id, OLD.game_id)),
      ARRAY['game:' || coalesce(NEW.game_id, OLD.game_id)])""",
    "score_games": "'{catalogue}'",
    "score_modes": "'{catalogue}'",
    "boards": "ARRAY['board:' || OLD.id]",
    "players": "array_remove(ARRAY['player:' || NEW.member_id, 'player:' || OLD.member_id], NULL)",
}
WHEN = {
    "member_sessions": [
        """UPDATE ON {} WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at OR NEW.ends_at < OLD.ends_at
          OR (OLD.id, OLD.member_id, OLD.has_second_factor) <> (NEW.id, NEW.member_id, NEW.has_second_factor))""",
        "DELETE ON {}",
    ],
    "members": [
        """UPDATE OF id, roles, banned_at, suspended_until, is_shadowed, erased_at ON {}
          WHEN ((OLD.id, OLD.roles, OLD.banned_at, OLD.suspended_until, OLD.is_shadowed, OLD.erased_at)
          IS DISTINCT FROM (NEW.id, NEW.roles, NEW.banned_at, NEW.suspended_until, NEW.is_shadowed, NEW.erased_at))""",
        "DELETE ON {}",
    ],
    "leagues": ["UPDATE OF id, slug, is_public, season_id ON {}", "DELETE ON {}"],
    "league_members": ["UPDATE OF league_id, member_id ON {}", "DELETE ON {}"],
    "gameweeks": [
        "UPDATE OF id, season_id, competition, season, season_type, week, deadline ON {}",
        "INSERT OR DELETE ON {}",
    ],
    "games": [
        "UPDATE OF id, competition, season, season_type, week, is_practice ON {}",
        "DELETE ON {}",
    ],
    "game_states": ["INSERT OR UPDATE OR DELETE ON {}"],
    "score_games": ["UPDATE OR DELETE ON {}"],
    "score_modes": ["UPDATE OR DELETE ON {}"],
    "boards": [
        """UPDATE OF id, mode_id, window_id, layout, shards, generation, next_generation, archived_at, blob,
          stale_since, frozen_at ON {}""",
        "DELETE ON {}",
    ],
    "players": [
        "INSERT ON {} WHEN (NEW.member_id IS NOT NULL)",
        "UPDATE OF id, member_id ON {}",
        "DELETE ON {} WHEN (OLD.member_id IS NOT NULL)",
    ],
}
# These change many rows in one statement, which raises them together. Nobody changes whose a row
# is.
BY_STATEMENT = {"league_versions": "'table:' || league_id", "notices": "'notices:' || member_id"}
CHANGED = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def upgrade() -> None:
    op.execute(RAISE)
    op.execute(OF_GAME)
    for table, names in BY_ROW.items():
        _function(table, f"PERFORM raise_stamps({names});")
        for number, when in enumerate(WHEN[table]):
            event, _, condition = when.format(table).partition(" WHEN ")
            condition = f"WHEN {condition}" if condition else ""
            op.execute(
                f"CREATE TRIGGER raise_stamps_{number} AFTER {event} FOR EACH ROW {condition}"
                f" EXECUTE FUNCTION raise_stamps_of_{table}()"
            )
    for table, name in BY_STATEMENT.items():
        together = f"SELECT array_agg(DISTINCT {name}) FROM changed"  # noqa: S608 (made of our own words alone)
        _function(table, f"PERFORM raise_stamps(({together}));")
        for event, rows in CHANGED.items():
            op.execute(
                f"CREATE TRIGGER raise_stamps_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_stamps_of_{table}()"
            )


def _function(table: str, body: str) -> None:
    op.execute(
        f"CREATE FUNCTION raise_stamps_of_{table}() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN {body} RETURN NULL; END $$"
    )


def downgrade() -> None:
    for table in (*BY_ROW, *BY_STATEMENT):
        op.execute(f"DROP FUNCTION raise_stamps_of_{table} CASCADE")
    op.execute("DROP FUNCTION stamps_of_game")
    op.execute("DROP FUNCTION raise_stamps")
