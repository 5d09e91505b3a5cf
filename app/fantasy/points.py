"""Fantasy points from stat lines, team sheets and league tables from points: recomputed, never nudged.

Lives here: what ingestion and the refresh job call. Not here: the rules (scoring.py), pages.
All points are whole thousandths.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert

from app.boards.board import Board, held_versions, open_board
from app.boards.rules import Ties
from app.boards.spec import BoardSpec
from app.core.db import db
from app.fantasy.models import League, LeagueMember, LeagueVersion, PlayerPoints, SheetPoints, TeamSheet
from app.fantasy.scoring import PRESETS, points
from app.record.totals import ChangedLines

ACTIVE = timedelta(minutes=15)


def store_player_points(changed: ChangedLines) -> None:
    """The points of the changed stat lines under every preset. Inside the caller's transaction."""
    gone = [player for player, stats in changed.stats.items() if not stats]
    if gone:
        db.session.execute(
            delete(PlayerPoints).where(PlayerPoints.game_id == changed.game_id, PlayerPoints.player_id.in_(gone))
        )
    rows = [
        {
            "game_id": changed.game_id,
            "player_id": player,
            "rules": rules.name,
            "points": points(stats, rules),
            "held": points(changed.held.get(player, {}), rules),
        }
        for player, stats in sorted(changed.stats.items())
        if stats
        for rules in PRESETS.values()
    ]
    if rows:
        statement = insert(PlayerPoints)
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["game_id", "player_id", "rules"],
                set_={"points": statement.excluded.points, "held": statement.excluded.held},
            ),
            rows,
        )


def forget_player_points(game_id: str) -> None:
    """Takes away all points of the game, before its record is built anew. Inside the caller's transaction."""
    db.session.execute(delete(PlayerPoints).where(PlayerPoints.game_id == game_id))


# Totals of the sheets that own a footballer of the game's clubs (or with points in it, whatever his club is now),
# under the rules of the leagues they play in. Asking for points alone would miss him whose last point was taken away.
_SHEET_TOTALS = text("""
    WITH footballers_touched AS (
      SELECT f.id FROM footballers f JOIN games g ON f.club_id IN (g.home_id, g.away_id)
      WHERE g.id = CAST(:game AS text)
      UNION
      SELECT player_id FROM player_points WHERE game_id = CAST(:game AS text)
    ), touched AS (
      SELECT DISTINCT s.id, l.rules
      FROM team_sheets s
      JOIN league_members lm ON lm.member_id = s.member_id
      JOIN leagues l ON l.id = lm.league_id
      WHERE s.gameweek_id = :gameweek
        AND (CAST(:game AS text) IS NULL OR s.id IN (
          SELECT p.team_sheet_id FROM team_sheet_picks p JOIN footballers_touched t ON t.id = p.footballer_id))
    ), totals AS (
      SELECT t.id, t.rules, coalesce(sum(pp.points * p.multiplier), 0) AS points,
        coalesce(sum(pp.held * p.multiplier), 0) AS held
      FROM touched t
      JOIN team_sheet_picks p ON p.team_sheet_id = t.id
      LEFT JOIN player_points pp ON pp.player_id = p.footballer_id AND pp.rules = t.rules
        AND pp.game_id IN (
          SELECT g.id FROM games g JOIN gameweeks w USING (season, season_type, week) WHERE w.id = :gameweek)
      GROUP BY t.id, t.rules
    )
    INSERT INTO sheet_points (team_sheet_id, rules, points, held)
    SELECT id, rules, points, held FROM totals
    ON CONFLICT (team_sheet_id, rules) DO UPDATE SET points = excluded.points, held = excluded.held
      WHERE (sheet_points.points, sheet_points.held) <> (excluded.points, excluded.held)
    RETURNING team_sheet_id, rules
""")

_STATUSES = text("""
    SELECT coalesce(string_agg(coalesce(s.status, 'scheduled'), ',' ORDER BY g.id), '')
    FROM games g JOIN gameweeks w USING (season, season_type, week)
    LEFT JOIN game_states s ON s.game_id = g.id
    WHERE w.id = :gameweek
""")


def refresh_game(game_id: str, now: datetime) -> list[int]:
    """Brings sheets, tables and boards up to date after a change in a game; returns the leagues that moved.

    Running it again changes nothing. A game that belongs to no gameweek changes nothing.
    """
    gameweek_id = db.session.scalar(
        text("SELECT w.id FROM gameweeks w JOIN games g USING (season, season_type, week) WHERE g.id = :game"),
        {"game": game_id},
    )
    return [] if gameweek_id is None else refresh_gameweek(gameweek_id, now, game_id=game_id)


def refresh_gameweek(gameweek_id: int, now: datetime, *, game_id: str | None = None) -> list[int]:
    """As refresh_game, for all games of the gameweek unless one is named."""
    # Two refreshes of one gameweek at once could each miss the other's points: one after the other.
    db.session.execute(text("SELECT pg_advisory_xact_lock(7001, :gameweek)"), {"gameweek": gameweek_id})
    # Read before the totals, and where one changed every sheet is added up: a version whose statuses say that a
    # game is over has that game's last points, even when the game's own refresh is still to come.
    statuses = db.session.scalar(_STATUSES, {"gameweek": gameweek_id})
    known = select(LeagueVersion.league_id).where(
        LeagueVersion.gameweek_id == gameweek_id, LeagueVersion.game_statuses == statuses
    )
    if db.session.scalar(known.limit(1)) is None:
        game_id = None
    changed = db.session.execute(_SHEET_TOTALS, {"gameweek": gameweek_id, "game": game_id}).all()
    moved = _leagues_to_bump(gameweek_id, {(sheet, rules) for sheet, rules in changed}, statuses)
    if moved:
        statement = insert(LeagueVersion)
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["league_id", "gameweek_id"],
                set_={
                    "version": LeagueVersion.version + 1,
                    "game_statuses": statement.excluded.game_statuses,
                    "updated_at": statement.excluded.updated_at,
                },
            ),
            [
                {
                    "league_id": league,
                    "gameweek_id": gameweek_id,
                    "version": 1,
                    "game_statuses": statuses,
                    "updated_at": now,
                }
                for league in moved
            ],
        )
    db.session.commit()
    publish_boards(gameweek_id)
    return moved


def _leagues_to_bump(gameweek_id: int, changed: set[tuple[int, str]], statuses: str) -> list[int]:
    """Leagues with a changed sheet under their rules, or whose games changed status since their version."""
    sheets = [sheet for sheet, _ in changed]
    owners = db.session.execute(
        select(League.id, TeamSheet.id, League.rules)
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .join(TeamSheet, TeamSheet.member_id == LeagueMember.member_id)
        .where(TeamSheet.id.in_(sheets))
    )
    moved = {league for league, sheet, rules in owners if (sheet, rules) in changed}
    current = select(LeagueVersion.league_id).where(
        LeagueVersion.gameweek_id == gameweek_id, LeagueVersion.game_statuses == statuses
    )
    playing = (
        select(League.id)
        .distinct()
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .join(TeamSheet, TeamSheet.member_id == LeagueMember.member_id)
        .where(TeamSheet.gameweek_id == gameweek_id, League.id.not_in(current))
    )
    return sorted(moved | set(db.session.scalars(playing)))


def league_board(league_id: int, gameweek_id: int) -> Board:
    return open_board(BoardSpec("fantasy", f"league-{league_id}", f"gameweek-{gameweek_id}", ties=Ties.DENSE))


def publish_boards(gameweek_id: int) -> int:
    """Writes those tables of the gameweek to Redis whose version there is not PostgreSQL's; returns how many.

    An older table never replaces a newer one. Also the way back after Redis was lost.
    """
    versions = db.session.execute(
        select(LeagueVersion.league_id, LeagueVersion.version).where(LeagueVersion.gameweek_id == gameweek_id)
    ).all()
    held = held_versions([league_board(league_id, gameweek_id) for league_id, _ in versions])
    stale = [(league, version) for (league, version), there in zip(versions, held, strict=True) if there != version]
    for league_id, version in stale:
        points = table_points(league_id, gameweek_id)
        league_board(league_id, gameweek_id).publish(version, {str(member): held for member, held in points.items()})
    return len(stale)


def publish_all_boards() -> int:
    """publish_boards for every gameweek that has tables; returns how many boards were written."""
    gameweeks = db.session.scalars(select(LeagueVersion.gameweek_id).distinct())
    return sum(publish_boards(gameweek_id) for gameweek_id in gameweeks.all())


def active_gameweeks(now: datetime) -> list[int]:
    """Gameweeks in whose games something changed within the last ACTIVE time."""
    found = db.session.scalars(
        text(
            "SELECT DISTINCT w.id FROM gameweeks w JOIN games g USING (season, season_type, week)"
            " JOIN game_states s ON s.game_id = g.id WHERE s.updated_at > :since ORDER BY w.id"
        ),
        {"since": now - ACTIVE},
    )
    return list(found)


def table_held(league_id: int, gameweek_id: int) -> dict[int, int]:
    """How much of their points rests on plays under review, of those members of the league with any, by id."""
    rows = db.session.execute(
        select(LeagueMember.member_id, SheetPoints.held)
        .join(League, League.id == LeagueMember.league_id)
        .join(TeamSheet, (TeamSheet.member_id == LeagueMember.member_id) & (TeamSheet.gameweek_id == gameweek_id))
        .join(SheetPoints, (SheetPoints.team_sheet_id == TeamSheet.id) & (SheetPoints.rules == League.rules))
        .where(LeagueMember.league_id == league_id, SheetPoints.held != 0)
    )
    return dict(rows.all())


def table_points(league_id: int, gameweek_id: int) -> dict[int, int]:
    """Points of every member of the league by id; a member without a sheet or points has 0."""
    rows = db.session.execute(
        select(LeagueMember.member_id, func.coalesce(SheetPoints.points, 0))
        .join(League, League.id == LeagueMember.league_id)
        .outerjoin(TeamSheet, (TeamSheet.member_id == LeagueMember.member_id) & (TeamSheet.gameweek_id == gameweek_id))
        .outerjoin(SheetPoints, (SheetPoints.team_sheet_id == TeamSheet.id) & (SheetPoints.rules == League.rules))
        .where(LeagueMember.league_id == league_id)
    )
    return dict(rows.all())
