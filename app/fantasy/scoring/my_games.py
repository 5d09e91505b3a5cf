"""What moves a member's teams right now. Reads only.

Live games with the member's players, and the newest play that earned one of these players points.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.fantasy.amounts import signed_points
from app.fantasy.scoring.changes import names_in
from app.fantasy.scoring.rules import ScoringRules, credit_points
from app.record import events as ev
from app.record.words import Sentence, named_sentence

# Credits to search, newest first: most credits of a play are worth nothing under most rules.
LOOKED_AT = 40

_LIVE = text("""
    SELECT DISTINCT g.kickoff, g.id AS game_id, f.id AS player_id, f.name
    FROM game_states t JOIN games g ON g.id = t.game_id AND NOT g.is_practice
    JOIN gameweeks w ON (w.competition, w.season, w.season_type, w.week)
      = (g.competition, g.season, g.season_type, g.week)
    JOIN team_sheets s ON s.gameweek_id = w.id AND s.member_id = :member
    JOIN footballers f ON f.id = ANY(s.picks) AND f.club_id IN (g.home_id, g.away_id)
    WHERE t.status = 'live' ORDER BY g.kickoff, g.id, f.name, f.id
""")

_NEWEST = text("""
    SELECT l.game_id, l.player_id, l.event_number, l.stat, l.amount, l.opened_at, e.body
    FROM ledger l JOIN events e ON (e.game_id, e.event_number, e.revision) = (l.game_id,
      l.event_number, l.revision)
    JOIN unnest(CAST(:games AS text[]), CAST(:players AS text[])) AS mine (game_id, player_id)
      ON (mine.game_id, mine.player_id) = (l.game_id, l.player_id)
    WHERE l.game_id = ANY(:games) AND l.closed_at IS NULL ORDER BY l.id DESC LIMIT :limit
""")


# `rank`: by points of the gameweek, as in the gameweek's table.
_TOTALS = text(f"""
    SELECT l.slug, l.name AS league, m.team_name, w.name AS gameweek, s.points,
      (SELECT count(DISTINCT o.points) + 1 FROM league_scores o
       WHERE (o.league_id, o.gameweek_id) = (s.league_id, s.gameweek_id) AND o.points > s.points
         AND {SEEN_MEMBER.format("o.member_id")}) AS rank
    FROM league_scores s JOIN gameweeks w ON w.id = s.gameweek_id JOIN leagues l
      ON l.id = s.league_id
    JOIN league_members m ON (m.league_id, m.member_id) = (s.league_id, s.member_id)
    WHERE s.member_id = :member AND EXISTS (
      SELECT FROM games g WHERE g.id = ANY(:games)
        AND (g.competition, g.season, g.season_type, g.week) = (w.competition, w.season,
          w.season_type, w.week))
    ORDER BY l.is_overall, lower(l.name), l.id, w.week
""")  # noqa: S608 (made of our own words alone)

_VERSION = text("""
    SELECT concat_ws('-',
      (SELECT coalesce(sum(v.version), 0) FROM league_versions v
       JOIN league_members m USING (league_id) WHERE m.member_id = :member),
      (SELECT sum(d.version) FROM deferred_gameweeks d JOIN team_sheets s USING (gameweek_id)
       WHERE s.member_id = :member),
      (SELECT count(*) FROM league_members WHERE member_id = :member),
      (SELECT coalesce(sum(version), 0) FROM team_sheets WHERE member_id = :member),
      (SELECT coalesce(max(id), 0) FROM notices WHERE member_id = :member),
      (SELECT concat(count(*), '.', sum(t.version))
       FROM game_states t JOIN games g ON g.id = t.game_id AND NOT g.is_practice
       JOIN gameweeks w ON (w.competition, w.season, w.season_type, w.week)
         = (g.competition, g.season, g.season_type, g.week)
       JOIN team_sheets s ON s.gameweek_id = w.id AND s.member_id = :member
       WHERE t.status = 'live'))
""")


@dataclass(frozen=True)
class Play:
    """A play and what it earned one of the member's players.

    `points`: the player's own, such as `+6.00`.
    """

    game_id: str
    player_id: str
    name: str
    points: str
    words: Sentence
    at: datetime


@dataclass(frozen=True)
class LiveTotal:
    """A team's points in a gameweek under way, in thousandths, and its rank in that gameweek."""

    slug: str
    league: str
    team_name: str
    gameweek: str
    points: int
    rank: int


def live_totals(member_id: int, games: Collection[str]) -> tuple[LiveTotal, ...]:
    """The member's totals in the gameweeks of these games, by the name of the league.

    The overall league comes last.
    """
    if not games:
        return ()
    rows = db.session.execute(_TOTALS, {"member": member_id, "games": sorted(games)})
    return tuple(LiveTotal(**row) for row in rows.mappings())


def version(member_id: int) -> str:
    """A version that changes with the member's tables, teams, notices and live games."""
    return str(db.session.scalar(_VERSION, {"member": member_id}))


def live_games(member_id: int) -> dict[str, dict[str, str]]:
    """Live games with players of the member, by kickoff, then id.

    Returns:
        For each game the names of these players by id, in the order of their names.
    """
    names: dict[str, dict[str, str]] = {}
    for row in db.session.execute(_LIVE, {"member": member_id}):
        names.setdefault(row.game_id, {})[row.player_id] = row.name
    return names


def newest_play(mine: Mapping[str, Mapping[str, str]], rules: ScoringRules) -> Play | None:
    """The newest valid play that earned one of these players points.

    `mine`: as `live_games` returns it.
    """
    pairs = [(game, player) for game, players in mine.items() for player in players]
    if not pairs:
        return None
    rows = db.session.execute(
        _NEWEST,
        {
            "games": [game for game, _ in pairs],
            "players": [player for _, player in pairs],
            "limit": LOOKED_AT,
        },
    ).all()
    worth: dict[tuple[str, str, int], int] = {}
    for row in rows:
        key = (row.game_id, row.player_id, row.event_number)
        worth[key] = worth.get(key, 0) + credit_points(row.stat, row.amount, rules)
    for row in rows:
        if points := worth[row.game_id, row.player_id, row.event_number]:
            body = ev.body_from(row.body)
            name = mine[row.game_id][row.player_id]
            words = named_sentence(body, names_in([body]))
            return Play(
                row.game_id, row.player_id, name, signed_points(points), words, row.opened_at
            )
    return None
