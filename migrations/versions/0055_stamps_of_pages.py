"""What a page that is rendered once for everybody rests on says so when it changes

Revision ID: 0055
Revises: 0054
Create Date: 2026-11-23 17:30:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

# By trigger: the stamps, as SQL, and what raises them. Row by row, where it matters which row.
BY_ROW = {
    "names_of_members": (
        "ARRAY['names', 'member:' || OLD.id]",
        "UPDATE OF display_name ON members",
        "OLD.display_name IS DISTINCT FROM NEW.display_name",
    ),
    "names_of_players": (
        "'{names}'",
        "UPDATE OF display_name, hidden_at ON players",
        "(OLD.display_name, OLD.hidden_at) IS DISTINCT FROM (NEW.display_name, NEW.hidden_at)",
    ),
    "details_of_games": (
        "ARRAY['game:' || coalesce(NEW.game_id, OLD.game_id)]",
        "INSERT OR UPDATE OR DELETE ON game_details",
        "",
    ),
    "whole_games": (
        "stamps_of_game(NEW)",
        "UPDATE OF kickoff, home_id, away_id, planned_week ON games",
        "(OLD.kickoff, OLD.home_id, OLD.away_id, OLD.planned_week)"
        " IS DISTINCT FROM (NEW.kickoff, NEW.home_id, NEW.away_id, NEW.planned_week)",
    ),
    "verified_boards": (
        "ARRAY['verified:' || NEW.id]",
        "UPDATE OF verified_at ON boards",
        "OLD.verified_at IS DISTINCT FROM NEW.verified_at",
    ),
    "whole_gameweeks": ("'{gameweeks}'", "UPDATE OF name, settled_at ON gameweeks", ""),
    "whole_leagues": (
        "ARRAY['leagues', 'table:' || NEW.id]",
        "UPDATE ON leagues",
        "OLD.* IS DISTINCT FROM NEW.*",
    ),
    "names_of_teams": (
        "ARRAY['table:' || OLD.league_id]",
        "UPDATE OF team_name ON league_members",
        "OLD.team_name IS DISTINCT FROM NEW.team_name",
    ),
}
# Of these tables an update changes the list only with these columns.
LISTED = {
    "games": "id, competition, season, season_type, week, kickoff, home_id, away_id, planned_week, is_practice",
    "boards": "id, mode_id, window_id",
}
# By statement: one name for all rows of these tables, which few write, or which a list shows all
# together.
BY_STATEMENT = {
    "games": ("games", "game_states", "clubs"),
    "clubs": ("clubs",),
    "footballers": ("footballers",),
    "boards": ("boards",),
    "sheets": ("team_sheets",),
    "deadlines": ("sheet_deadlines", "team_rules"),
}
# By statement too, by the league of each changed row.
OF_LEAGUES = ("league_members", "score_adjustments", "rule_changes")
CHANGED = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def upgrade() -> None:
    for trigger, (names, event, condition) in BY_ROW.items():
        _function(trigger, f"PERFORM raise_stamps({names});")
        when = f"WHEN ({condition})" if condition else ""
        op.execute(
            f"CREATE TRIGGER raise_{trigger} AFTER {event} FOR EACH ROW {when} EXECUTE FUNCTION raise_{trigger}()"
        )
    for name, tables in BY_STATEMENT.items():
        _function(f"all_{name}", f"PERFORM raise_stamps('{{{name}}}');")
        for table in tables:
            event = f"INSERT OR DELETE OR UPDATE{f' OF {LISTED[table]}' if table in LISTED else ''}"
            op.execute(
                f"CREATE TRIGGER raise_all_{name} AFTER {event} ON {table}"
                f" FOR EACH STATEMENT EXECUTE FUNCTION raise_all_{name}()"
            )
    _function(
        "tables_of_leagues",
        "PERFORM raise_stamps((SELECT array_agg(DISTINCT 'table:' || league_id) FROM changed));",
    )
    _function(
        "memberships",
        "PERFORM raise_stamps((SELECT array_agg(DISTINCT 'memberships:' || member_id) FROM changed));",
    )
    for event in ("INSERT", "DELETE"):
        op.execute(
            f"CREATE TRIGGER raise_memberships_{event.lower()} AFTER {event} ON league_members"
            f" REFERENCING {CHANGED[event]} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_memberships()"
        )
    for table in OF_LEAGUES:
        for event, rows in CHANGED.items():
            if (table, event) == ("league_members", "UPDATE"):
                continue  # points and places of all, with which the league's version changes
            op.execute(
                f"CREATE TRIGGER raise_tables_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_tables_of_leagues()"
            )


def _function(name: str, body: str) -> None:
    op.execute(
        f"CREATE FUNCTION raise_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
    )


def downgrade() -> None:
    for name in (
        *BY_ROW,
        *(f"all_{name}" for name in BY_STATEMENT),
        "tables_of_leagues",
        "memberships",
    ):
        op.execute(f"DROP FUNCTION raise_{name} CASCADE")
