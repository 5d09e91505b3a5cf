"""The whole fantasy game

Revision ID: 0014
Revises: 0013
Create Date: 2026-11-21 14:51:51.314749

"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

# revision identifiers, used by Alembic.
revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

CHECKS = (
    ("members", "country", "country ~ '^[A-Z]{2}$'"),
    ("leagues", "mode", "mode in ('total', 'head_to_head')"),
    ("leagues", "ties", "ties in ('shared', 'fewest_transfers', 'latest_gameweek')"),
    ("leagues", "commissioner", "is_overall OR commissioner_id IS NOT NULL"),
    ("team_sheets", "captain", "captain BETWEEN 1 AND cardinality(picks)"),
    ("team_sheets", "vice_captain", "vice_captain BETWEEN 1 AND cardinality(picks)"),
    ("team_sheets", "two_captains", "captain <> vice_captain"),
    ("team_sheets", "paid", "cardinality(paid) = cardinality(picks)"),
    ("team_sheets", "amounts", "bank >= 0 AND transfers >= 0 AND transfer_cost >= 0"),
)

# What was there belongs to one season a year of the house's competition, played by the classic format. A sheet of
# seven places keeps them and has its further ones empty.
CONVERT = """
    INSERT INTO seasons (competition, season, season_type, name, time_zone, rules)
    SELECT DISTINCT 'nfl', season, season_type, season::text, 'America/New_York', 'half_ppr' FROM gameweeks;
    UPDATE gameweeks w SET season_id = s.id, competition = s.competition
    FROM seasons s WHERE (s.season, s.season_type) = (w.season, w.season_type);
    INSERT INTO team_rules (season_id, format, lock, time_zone, budget, club_limit, bank_limit, transfer_cost)
    SELECT id, 'nfl-classic', 'gameweek', time_zone, 1000, 4, 0, 0 FROM seasons;
    INSERT INTO sheet_deadlines (team_rules_id, gameweek_id, locks_at)
    SELECT r.id, w.id, w.deadline FROM team_rules r JOIN gameweeks w USING (season_id);
    UPDATE leagues SET season_id = r.season_id, team_rules_id = r.id
    FROM (SELECT id, season_id FROM team_rules ORDER BY season_id DESC LIMIT 1) r;
    DELETE FROM sheet_points;
    UPDATE team_sheets s SET team_rules_id = r.id, bank = 0,
      picks = p.picks || array_fill(''::text, ARRAY[13 - cardinality(p.picks)]),
      paid = array_fill(0::smallint, ARRAY[13]), captain = coalesce(p.captain, 1),
      vice_captain = coalesce(p.vice_captain, CASE coalesce(p.captain, 1) WHEN 1 THEN 2 ELSE 1 END)
    FROM gameweeks w JOIN team_rules r USING (season_id), (
      SELECT team_sheet_id, array_agg(footballer_id::text ORDER BY place) AS picks,
        min(place) FILTER (WHERE multiplier = 2) AS captain, min(place) FILTER (WHERE is_vice_captain) AS vice_captain
      FROM team_sheet_picks GROUP BY team_sheet_id) p
    WHERE w.id = s.gameweek_id AND p.team_sheet_id = s.id;
    DELETE FROM team_sheets WHERE picks IS NULL;
"""

CONVERT_BACK = """
    DELETE FROM team_sheets s USING team_sheets o
    WHERE (o.member_id, o.gameweek_id) = (s.member_id, s.gameweek_id) AND o.team_rules_id < s.team_rules_id;
    INSERT INTO team_sheet_picks (team_sheet_id, place, slot, footballer_id, multiplier, is_vice_captain)
    SELECT s.id, p.place, 'PLACE ' || p.place, p.footballer, CASE p.place WHEN s.captain THEN 2 ELSE 1 END,
      p.place = s.vice_captain
    FROM team_sheets s, unnest(s.picks) WITH ORDINALITY AS p (footballer, place) WHERE p.footballer <> '';
    DELETE FROM sheet_points;
    DELETE FROM leagues WHERE commissioner_id IS NULL;
"""

# The deadline holds in the database too. `saved_at` is when the server received the save: a slow database takes
# nobody's team away; but a stated time may not lie far back, except in a season that lives by its own clock.
GUARD = (
    """
    CREATE FUNCTION team_sheet_refused(name text, words text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = name, MESSAGE = words;
    END $$
    """,
    """
    CREATE FUNCTION guard_team_sheet() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      sheet team_sheets := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
      limits record;
      before team_sheets;
      moment timestamptz;
      touched text[];
    BEGIN
      IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN OLD; -- it goes with its member
      END IF;
      SELECT r.lock, d.locks_at, s.is_simulated, w.season_id, w.week, w.competition, w.season, w.season_type INTO limits
      FROM team_rules r JOIN seasons s ON s.id = r.season_id JOIN gameweeks w ON w.id = sheet.gameweek_id
      LEFT JOIN sheet_deadlines d ON d.team_rules_id = r.id AND d.gameweek_id = w.id
      WHERE r.id = sheet.team_rules_id;
      IF TG_OP = 'INSERT' AND NEW.is_carried THEN
        SELECT s.* INTO before FROM team_sheets s JOIN gameweeks w ON w.id = s.gameweek_id
        WHERE s.member_id = NEW.member_id AND s.team_rules_id = NEW.team_rules_id AND w.week < limits.week
        ORDER BY w.week DESC LIMIT 1;
        IF (before.picks, before.captain, before.vice_captain, before.paid, before.bank)
          IS DISTINCT FROM (NEW.picks, NEW.captain, NEW.vice_captain, NEW.paid, NEW.bank) OR NEW.transfers > 0 THEN
          PERFORM team_sheet_refused('team_sheet_carried', 'a carried team sheet is the one before, unchanged');
        END IF;
        RETURN NEW;
      END IF;
      moment := CASE WHEN TG_OP = 'DELETE' AND NOT limits.is_simulated THEN clock_timestamp() ELSE sheet.saved_at END;
      IF limits.locks_at IS NULL THEN
        PERFORM team_sheet_refused('team_sheet_deadline', 'these team rules have no deadline for this gameweek');
      END IF;
      IF moment >= limits.locks_at THEN
        PERFORM team_sheet_refused('team_sheet_locked', 'the team sheet locked at ' || limits.locks_at);
      END IF;
      IF TG_OP = 'DELETE' THEN
        RETURN OLD;
      END IF;
      IF NOT limits.is_simulated AND abs(extract(epoch FROM clock_timestamp() - moment)) > 300 THEN
        PERFORM team_sheet_refused('team_sheet_clock', 'saved_at is not the time of now');
      END IF;
      IF (SELECT count(*) <> count(DISTINCT one) FROM unnest(NEW.picks) AS one WHERE one <> '') THEN
        PERFORM team_sheet_refused('team_sheet_twice', 'a footballer stands on the team sheet twice');
      END IF;
      IF limits.lock = 'game' THEN
        SELECT array_agg(footballer) INTO touched FROM (
          SELECT unnest(ARRAY[now_in.one, was_in.one]) AS footballer
          FROM unnest(NEW.picks) WITH ORDINALITY AS now_in (one, place)
          FULL JOIN unnest(CASE TG_OP WHEN 'UPDATE' THEN OLD.picks END) WITH ORDINALITY AS was_in (one, place)
            USING (place)
          WHERE now_in.one IS DISTINCT FROM was_in.one
          UNION SELECT NEW.picks[NEW.captain]
          WHERE TG_OP = 'INSERT' OR OLD.picks[OLD.captain] IS DISTINCT FROM NEW.picks[NEW.captain]
          UNION SELECT OLD.picks[OLD.captain]
          WHERE TG_OP = 'UPDATE' AND OLD.picks[OLD.captain] IS DISTINCT FROM NEW.picks[NEW.captain]
        ) AS moved;
        IF EXISTS (
          SELECT FROM footballers f JOIN games g ON f.club_id IN (g.home_id, g.away_id)
          WHERE f.id = ANY(touched) AND g.kickoff <= moment AND (g.competition, g.season, g.season_type, g.week)
            = (limits.competition, limits.season, limits.season_type, limits.week)
        ) THEN
          PERFORM team_sheet_refused('team_sheet_game_begun', 'the game of a footballer who was moved has begun');
        END IF;
      END IF;
      RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER team_sheet_guard BEFORE INSERT OR UPDATE OR DELETE ON team_sheets
    FOR EACH ROW EXECUTE FUNCTION guard_team_sheet()
    """,
)


def upgrade():
    op.create_table(
        "told_corrections",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("event_number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "event_number", name=op.f("pk_told_corrections")),
    )
    op.create_table(
        "custom_rules",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("milli_points", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_custom_rules")),
    )
    op.create_table(
        "seasons",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("competition", sa.String(), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("season_type", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("time_zone", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("is_simulated", sa.Boolean(), server_default="false", nullable=False),
        sa.CheckConstraint("season_type in ('PRE', 'REG', 'POST')", name=op.f("ck_seasons_season_type")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seasons")),
        sa.UniqueConstraint("competition", "season", "season_type", name="uq_seasons_season"),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("delta", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league')",
            name=op.f("ck_notices_kind"),
        ),
        sa.ForeignKeyConstraint(["member_id"], ["members.id"], name=op.f("fk_notices_member_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sa.UniqueConstraint("member_id", "key", name="uq_notices_key"),
    )
    op.create_index(
        "ix_notices_member_id",
        "notices",
        ["member_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_notices_unread", "notices", ["member_id", "id"], unique=False, postgresql_where=sa.text("read_at IS NULL")
    )
    op.create_table(
        "team_rules",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("lock", sa.String(), nullable=False),
        sa.Column("time_zone", sa.String(), nullable=False),
        sa.Column("deadline", sa.String(), nullable=True),
        sa.Column("budget", sa.Integer(), nullable=False),
        sa.Column("club_limit", sa.Integer(), nullable=False),
        sa.Column("free_transfers", sa.Integer(), nullable=True),
        sa.Column("bank_limit", sa.Integer(), nullable=False),
        sa.Column("transfer_cost", sa.Integer(), nullable=False),
        sa.CheckConstraint("lock in ('gameweek', 'game')", name=op.f("ck_team_rules_lock")),
        sa.CheckConstraint(
            "budget > 0 AND club_limit > 0 AND bank_limit >= 0 AND transfer_cost >= 0",
            name=op.f("ck_team_rules_amounts"),
        ),
        sa.CheckConstraint("free_transfers >= 0", name=op.f("ck_team_rules_free_transfers")),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_team_rules_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_rules")),
    )
    op.create_table(
        "footballer_seasons",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("position", sa.String(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("start_price", sa.Integer(), nullable=False),
        sa.Column("selected", sa.Integer(), server_default="0", nullable=False),
        sa.Column("status", sa.String(), server_default="available", nullable=False),
        sa.Column("news", sa.String(), server_default="", nullable=False),
        sa.CheckConstraint(
            "status in ('available', 'doubtful', 'injured', 'suspended', 'left')",
            name=op.f("ck_footballer_seasons_status"),
        ),
        sa.CheckConstraint("price > 0 AND start_price > 0", name=op.f("ck_footballer_seasons_price")),
        sa.ForeignKeyConstraint(
            ["footballer_id"], ["footballers.id"], name=op.f("fk_footballer_seasons_footballer_id")
        ),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.id"], name=op.f("fk_footballer_seasons_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("season_id", "footballer_id", name=op.f("pk_footballer_seasons")),
    )
    op.create_index(
        "ix_footballer_seasons_price",
        "footballer_seasons",
        ["season_id", "position", sa.literal_column("price DESC"), "footballer_id"],
        unique=False,
    )
    op.create_index(
        "ix_footballer_seasons_selected",
        "footballer_seasons",
        ["season_id", "position", sa.literal_column("selected DESC"), "footballer_id"],
        unique=False,
    )
    op.create_table(
        "footballer_totals",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("footballer_id", sa.String(), nullable=False),
        sa.Column("position", sa.String(), nullable=False),
        sa.Column("total_points", sa.BigInteger(), nullable=False),
        sa.Column("form", sa.Integer(), server_default="0", nullable=False),
        sa.Column("gameweeks", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["footballer_id"], ["footballers.id"], name=op.f("fk_footballer_totals_footballer_id")),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.id"], name=op.f("fk_footballer_totals_season_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("season_id", "rules", "footballer_id", name=op.f("pk_footballer_totals")),
    )
    op.create_index(
        "ix_footballer_totals_points",
        "footballer_totals",
        ["season_id", "rules", "position", sa.literal_column("total_points DESC"), "footballer_id"],
        unique=False,
    )
    op.create_table(
        "imported_lines",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("player_id", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("stats", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_imported_lines_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["footballers.id"], name=op.f("fk_imported_lines_player_id")),
        sa.PrimaryKeyConstraint("game_id", "player_id", name=op.f("pk_imported_lines")),
    )
    op.create_table(
        "sheet_deadlines",
        sa.Column("team_rules_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("locks_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["gameweek_id"], ["gameweeks.id"], name=op.f("fk_sheet_deadlines_gameweek_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_rules_id"], ["team_rules.id"], name=op.f("fk_sheet_deadlines_team_rules_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_rules_id", "gameweek_id", name=op.f("pk_sheet_deadlines")),
    )
    op.create_table(
        "league_bans",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_league_bans_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_league_bans_member_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("league_id", "member_id", name=op.f("pk_league_bans")),
    )
    op.create_table(
        "league_scores",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("team_name", sa.String(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("held", sa.Integer(), server_default="0", nullable=False),
        sa.Column("transfers", sa.Integer(), server_default="0", nullable=False),
        sa.Column("match_points", sa.Integer(), nullable=True),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["gameweek_id"], ["gameweeks.id"], name=op.f("fk_league_scores_gameweek_id")),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_league_scores_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_league_scores_member_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("league_id", "member_id", "gameweek_id", name=op.f("pk_league_scores")),
    )
    op.create_index("ix_league_scores_gameweek_id", "league_scores", ["league_id", "gameweek_id"], unique=False)
    op.create_table(
        "matchups",
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("home_id", sa.BigInteger(), nullable=False),
        sa.Column("away_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["away_id"], ["members.id"], name=op.f("fk_matchups_away_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["gameweek_id"], ["gameweeks.id"], name=op.f("fk_matchups_gameweek_id")),
        sa.ForeignKeyConstraint(["home_id"], ["members.id"], name=op.f("fk_matchups_home_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name=op.f("fk_matchups_league_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("league_id", "gameweek_id", "home_id", name=op.f("pk_matchups")),
    )
    op.create_table(
        "rule_changes",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("old_rules", sa.String(), nullable=False),
        sa.Column("new_rules", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("length(trim(reason)) > 0", name=op.f("ck_rule_changes_reason")),
        sa.ForeignKeyConstraint(["by_id"], ["members.id"], name=op.f("fk_rule_changes_by_id")),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_rule_changes_league_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_changes")),
    )
    op.create_index("ix_rule_changes_league_id", "rule_changes", ["league_id"], unique=False)
    op.create_table(
        "score_adjustments",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("league_id", sa.BigInteger(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("gameweek_id", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("length(trim(reason)) > 0", name=op.f("ck_score_adjustments_reason")),
        sa.CheckConstraint("points <> 0", name=op.f("ck_score_adjustments_points")),
        sa.ForeignKeyConstraint(["by_id"], ["members.id"], name=op.f("fk_score_adjustments_by_id")),
        sa.ForeignKeyConstraint(["gameweek_id"], ["gameweeks.id"], name=op.f("fk_score_adjustments_gameweek_id")),
        sa.ForeignKeyConstraint(
            ["league_id"], ["leagues.id"], name=op.f("fk_score_adjustments_league_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_score_adjustments_member_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_score_adjustments")),
    )
    op.create_index("ix_score_adjustments_league_id", "score_adjustments", ["league_id", "gameweek_id"], unique=False)
    op.add_column("games", sa.Column("competition", sa.String(), server_default="nfl", nullable=False))
    op.drop_index(op.f("ix_games_season"), table_name="games")
    op.create_index("ix_games_season", "games", ["competition", "season", "season_type", "week"], unique=False)
    op.add_column("gameweeks", sa.Column("season_id", sa.BigInteger(), nullable=True))
    op.add_column("gameweeks", sa.Column("competition", sa.String(), nullable=True))
    op.add_column("gameweeks", sa.Column("locked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("gameweeks", sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True))
    op.drop_constraint(op.f("uq_gameweeks_week"), "gameweeks", type_="unique")
    op.create_unique_constraint("uq_gameweeks_week", "gameweeks", ["competition", "season", "season_type", "week"])
    op.create_unique_constraint("uq_gameweeks_season_id", "gameweeks", ["season_id", "week"])
    op.create_foreign_key(op.f("fk_gameweeks_season_id"), "gameweeks", "seasons", ["season_id"], ["id"])
    op.add_column("league_members", sa.Column("total_points", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column(
        "league_members", sa.Column("standing", postgresql.ARRAY(sa.BigInteger()), server_default="{0}", nullable=False)
    )
    op.create_index(
        "ix_league_members_standing",
        "league_members",
        ["league_id", sa.literal_column("standing DESC"), "member_id"],
        unique=False,
    )
    op.create_index(
        "ix_league_members_total",
        "league_members",
        ["league_id", sa.literal_column("total_points DESC"), "member_id"],
        unique=False,
    )
    op.add_column("leagues", sa.Column("season_id", sa.BigInteger(), nullable=True))
    op.add_column("leagues", sa.Column("team_rules_id", sa.BigInteger(), nullable=True))
    op.add_column("leagues", sa.Column("is_public", sa.Boolean(), server_default="false", nullable=False))
    op.add_column("leagues", sa.Column("is_overall", sa.Boolean(), server_default="false", nullable=False))
    op.add_column("leagues", sa.Column("mode", sa.String(), server_default="total", nullable=False))
    op.add_column("leagues", sa.Column("ties", sa.String(), server_default="shared", nullable=False))
    op.alter_column("leagues", "commissioner_id", existing_type=sa.BIGINT(), nullable=True)
    op.create_index("ix_leagues_season_id", "leagues", ["season_id", "is_public"], unique=False)
    op.create_index("ix_leagues_team_rules_id", "leagues", ["team_rules_id", "rules"], unique=False)
    op.create_index("uq_leagues_overall", "leagues", ["season_id"], unique=True, postgresql_where=sa.text("is_overall"))
    op.create_foreign_key(op.f("fk_leagues_season_id"), "leagues", "seasons", ["season_id"], ["id"])
    op.create_foreign_key(op.f("fk_leagues_team_rules_id"), "leagues", "team_rules", ["team_rules_id"], ["id"])
    op.add_column("members", sa.Column("country", sa.String(), nullable=True))
    op.add_column("members", sa.Column("feed_edition", sa.Integer(), server_default="1", nullable=False))
    op.add_column("sheet_points", sa.Column("times", postgresql.ARRAY(sa.SmallInteger()), nullable=True))
    op.add_column("team_sheets", sa.Column("team_rules_id", sa.BigInteger(), nullable=True))
    op.add_column("team_sheets", sa.Column("picks", postgresql.ARRAY(sa.TEXT()), nullable=True))
    op.add_column("team_sheets", sa.Column("captain", sa.SmallInteger(), nullable=True))
    op.add_column("team_sheets", sa.Column("vice_captain", sa.SmallInteger(), nullable=True))
    op.add_column("team_sheets", sa.Column("paid", postgresql.ARRAY(sa.SmallInteger()), nullable=True))
    op.add_column("team_sheets", sa.Column("bank", sa.Integer(), nullable=True))
    op.add_column("team_sheets", sa.Column("free_transfers", sa.Integer(), nullable=True))
    op.add_column("team_sheets", sa.Column("transfers", sa.Integer(), server_default="0", nullable=False))
    op.add_column("team_sheets", sa.Column("transfer_cost", sa.Integer(), server_default="0", nullable=False))
    op.add_column("team_sheets", sa.Column("edition", sa.Integer(), server_default="1", nullable=False))
    op.add_column("team_sheets", sa.Column("is_carried", sa.Boolean(), server_default="false", nullable=False))
    op.drop_constraint(op.f("uq_team_sheets_member_gameweek"), "team_sheets", type_="unique")
    op.drop_index(op.f("ix_team_sheets_gameweek_id"), table_name="team_sheets")
    op.create_index("ix_team_sheets_gameweek_id", "team_sheets", ["gameweek_id", "team_rules_id"], unique=False)
    op.create_unique_constraint("uq_team_sheets_gamer", "team_sheets", ["member_id", "team_rules_id", "gameweek_id"])
    op.create_foreign_key(op.f("fk_team_sheets_team_rules_id"), "team_sheets", "team_rules", ["team_rules_id"], ["id"])
    op.execute(CONVERT)
    op.alter_column("gameweeks", "season_id", nullable=False)
    op.alter_column("gameweeks", "competition", nullable=False)
    op.alter_column("leagues", "season_id", nullable=False)
    op.alter_column("leagues", "team_rules_id", nullable=False)
    op.alter_column("sheet_points", "times", nullable=False)
    op.alter_column("team_sheets", "team_rules_id", nullable=False)
    op.alter_column("team_sheets", "picks", nullable=False)
    op.alter_column("team_sheets", "captain", nullable=False)
    op.alter_column("team_sheets", "vice_captain", nullable=False)
    op.alter_column("team_sheets", "paid", nullable=False)
    op.alter_column("team_sheets", "bank", nullable=False)
    op.drop_index(op.f("ix_team_sheet_picks_footballer_id"), table_name="team_sheet_picks")
    op.drop_table("team_sheet_picks")
    for table, name, rule in CHECKS:
        op.create_check_constraint(op.f(f"ck_{table}_{name}"), table, rule)
    for statement in GUARD:
        op.execute(statement)


def downgrade():
    op.drop_table("told_corrections")
    op.execute("DROP TRIGGER team_sheet_guard ON team_sheets")
    op.execute("DROP FUNCTION guard_team_sheet")
    op.execute("DROP FUNCTION team_sheet_refused")
    for table, name, _ in reversed(CHECKS):
        op.drop_constraint(op.f(f"ck_{table}_{name}"), table)
    op.create_table(
        "team_sheet_picks",
        sa.Column("team_sheet_id", sa.BIGINT(), autoincrement=False, nullable=False),
        sa.Column("place", sa.INTEGER(), autoincrement=False, nullable=False),
        sa.Column("slot", sa.VARCHAR(), autoincrement=False, nullable=False),
        sa.Column("footballer_id", sa.VARCHAR(), autoincrement=False, nullable=False),
        sa.Column("multiplier", sa.INTEGER(), autoincrement=False, nullable=False),
        sa.Column("is_vice_captain", sa.BOOLEAN(), autoincrement=False, nullable=False),
        sa.CheckConstraint("multiplier = ANY (ARRAY[1, 2])", name=op.f("ck_team_sheet_picks_multiplier")),
        sa.ForeignKeyConstraint(["footballer_id"], ["footballers.id"], name=op.f("fk_team_sheet_picks_footballer_id")),
        sa.ForeignKeyConstraint(
            ["team_sheet_id"], ["team_sheets.id"], name=op.f("fk_team_sheet_picks_team_sheet_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_sheet_id", "place", name=op.f("pk_team_sheet_picks")),
        sa.UniqueConstraint(
            "team_sheet_id",
            "footballer_id",
            name=op.f("uq_team_sheet_picks_footballer"),
            postgresql_include=[],
        ),
    )
    op.create_index(op.f("ix_team_sheet_picks_footballer_id"), "team_sheet_picks", ["footballer_id"], unique=False)
    op.execute(CONVERT_BACK)
    op.drop_constraint(op.f("fk_team_sheets_team_rules_id"), "team_sheets", type_="foreignkey")
    op.drop_constraint("uq_team_sheets_gamer", "team_sheets", type_="unique")
    op.drop_index("ix_team_sheets_gameweek_id", table_name="team_sheets")
    op.create_index(op.f("ix_team_sheets_gameweek_id"), "team_sheets", ["gameweek_id"], unique=False)
    op.create_unique_constraint(
        op.f("uq_team_sheets_member_gameweek"),
        "team_sheets",
        ["member_id", "gameweek_id"],
    )
    op.drop_column("team_sheets", "is_carried")
    op.drop_column("team_sheets", "edition")
    op.drop_column("team_sheets", "transfer_cost")
    op.drop_column("team_sheets", "transfers")
    op.drop_column("team_sheets", "free_transfers")
    op.drop_column("team_sheets", "bank")
    op.drop_column("team_sheets", "paid")
    op.drop_column("team_sheets", "vice_captain")
    op.drop_column("team_sheets", "captain")
    op.drop_column("team_sheets", "picks")
    op.drop_column("team_sheets", "team_rules_id")
    op.drop_column("sheet_points", "times")
    op.drop_column("members", "feed_edition")
    op.drop_column("members", "country")
    op.drop_constraint(op.f("fk_leagues_team_rules_id"), "leagues", type_="foreignkey")
    op.drop_constraint(op.f("fk_leagues_season_id"), "leagues", type_="foreignkey")
    op.drop_index("uq_leagues_overall", table_name="leagues", postgresql_where=sa.text("is_overall"))
    op.drop_index("ix_leagues_team_rules_id", table_name="leagues")
    op.drop_index("ix_leagues_season_id", table_name="leagues")
    op.alter_column("leagues", "commissioner_id", existing_type=sa.BIGINT(), nullable=False)
    op.drop_column("leagues", "ties")
    op.drop_column("leagues", "mode")
    op.drop_column("leagues", "is_overall")
    op.drop_column("leagues", "is_public")
    op.drop_column("leagues", "team_rules_id")
    op.drop_column("leagues", "season_id")
    op.drop_index("ix_league_members_total", table_name="league_members")
    op.drop_index("ix_league_members_standing", table_name="league_members")
    op.drop_column("league_members", "standing")
    op.drop_column("league_members", "total_points")
    op.drop_constraint(op.f("fk_gameweeks_season_id"), "gameweeks", type_="foreignkey")
    op.drop_constraint("uq_gameweeks_season_id", "gameweeks", type_="unique")
    op.drop_constraint("uq_gameweeks_week", "gameweeks", type_="unique")
    op.create_unique_constraint(op.f("uq_gameweeks_week"), "gameweeks", ["season", "season_type", "week"])
    op.drop_column("gameweeks", "settled_at")
    op.drop_column("gameweeks", "locked_at")
    op.drop_column("gameweeks", "competition")
    op.drop_column("gameweeks", "season_id")
    op.drop_index("ix_games_season", table_name="games")
    op.create_index(op.f("ix_games_season"), "games", ["season", "season_type", "week"], unique=False)
    op.drop_column("games", "competition")
    op.drop_index("ix_score_adjustments_league_id", table_name="score_adjustments")
    op.drop_table("score_adjustments")
    op.drop_index("ix_rule_changes_league_id", table_name="rule_changes")
    op.drop_table("rule_changes")
    op.drop_table("matchups")
    op.drop_index("ix_league_scores_gameweek_id", table_name="league_scores")
    op.drop_table("league_scores")
    op.drop_table("league_bans")
    op.drop_table("sheet_deadlines")
    op.drop_table("imported_lines")
    op.drop_index("ix_footballer_totals_points", table_name="footballer_totals")
    op.drop_table("footballer_totals")
    op.drop_index("ix_footballer_seasons_selected", table_name="footballer_seasons")
    op.drop_index("ix_footballer_seasons_price", table_name="footballer_seasons")
    op.drop_table("footballer_seasons")
    op.drop_table("team_rules")
    op.drop_index("ix_notices_member_id", table_name="notices")
    op.drop_table("notices")
    op.drop_table("seasons")
    op.drop_table("custom_rules")
