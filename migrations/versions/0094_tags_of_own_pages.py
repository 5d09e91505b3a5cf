"""What a member's own pages show raises cache tags when it changes: team sheets, guesses, tournaments

Revision ID: 0094
Revises: 0093
Create Date: 2026-11-27 23:00:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0094"
down_revision = "0093"
branch_labels = None
depends_on = None

# Raised by any change of these tables, by the tag.
WHOLE = {
    "tournaments": (
        "tournaments",
        "rounds",
        "matches",
        "teams",
        "tournament_points",
        "round_slams",
    ),
    "gameweeks": ("seasons",),
}
# Raised for each owner of a changed row, or for everybody if a statement changes the rows of many.
OWNED = {"team_sheets": ("sheets", "member_id"), "guesses": ("guesses", "player_id")}
MOST_OWNERS = 100
# By event: its transition tables, and the owners before and after it.
OWNERS = {
    "INSERT": ("NEW TABLE AS after", "after"),
    "DELETE": ("OLD TABLE AS before", "before"),
    "UPDATE": (
        "OLD TABLE AS before NEW TABLE AS after",
        "(SELECT {owner} FROM before UNION SELECT {owner} FROM after) both_tables",
    ),
}


def upgrade() -> None:
    for tag, tables in WHOLE.items():
        _function(f"own_pages_{tag}", f"PERFORM raise_stamps('{{{tag}}}');")
        for table in tables:
            op.execute(
                f"CREATE TRIGGER raise_own_pages AFTER INSERT OR UPDATE OR DELETE ON {table}"
                f" FOR EACH STATEMENT EXECUTE FUNCTION raise_own_pages_{tag}()"
            )
    for table, (tag, owner) in OWNED.items():
        for event, (tables, rows) in OWNERS.items():
            _function(
                f"own_pages_of_{table}_{event.lower()}",
                f"""
                  PERFORM raise_stamps(CASE WHEN count(*) > {MOST_OWNERS} THEN ARRAY['{tag}:all']
                    ELSE array_agg('{tag}:' || {owner}) END)
                  FROM (SELECT DISTINCT {owner} FROM {rows.format(owner=owner)}) owners;
                """,  # noqa: S608 (made of our own words alone)
            )
            op.execute(
                f"CREATE TRIGGER raise_own_pages_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {tables} FOR EACH STATEMENT"
                f" EXECUTE FUNCTION raise_own_pages_of_{table}_{event.lower()}()"
            )
    # A team of a league may change hands.
    _function(
        "moved_memberships",
        "PERFORM raise_stamps(ARRAY['memberships:' || OLD.member_id, 'memberships:' || NEW.member_id]);",
    )
    op.execute(
        "CREATE TRIGGER raise_moved_memberships AFTER UPDATE OF member_id ON league_members FOR EACH ROW"
        " WHEN (OLD.member_id <> NEW.member_id) EXECUTE FUNCTION raise_moved_memberships()"
    )
    # The overall league of a new season is open to members who have not joined it.
    _function("new_overall_leagues", "PERFORM raise_stamps('{leagues}');")
    op.execute(
        "CREATE TRIGGER raise_new_overall_leagues AFTER INSERT ON leagues FOR EACH ROW"
        " WHEN (NEW.is_overall) EXECUTE FUNCTION raise_new_overall_leagues()"
    )


def _function(name: str, body: str) -> None:
    op.execute(
        f"CREATE FUNCTION raise_{name}() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN {body} RETURN NULL; END $$"
    )


def downgrade() -> None:
    for name in (
        *(f"own_pages_{tag}" for tag in WHOLE),
        *(f"own_pages_of_{table}_{event.lower()}" for table in OWNED for event in OWNERS),
        "moved_memberships",
        "new_overall_leagues",
    ):
        op.execute(f"DROP FUNCTION raise_{name} CASCADE")
