"""What moves a member's teams right now. Reads only.

Live games with the member's players, and the newest play that earned one of these players points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from sqlalchemy import text

from app.accounts.sanctions import SEEN_MEMBER
from app.core.db import db
from app.fantasy.amounts import signed_points
from app.fantasy.scoring.changes import names_in
from app.fantasy.scoring.rules import ScoringRules, credit_points
from app.fantasy.standings import results
from app.record import events as ev
from app.record.play_sentence import ball_events, joined, play_sentences, surnames
from app.record.words import Sentence

# Credits to search, newest first: most credits of a play are worth nothing under most rules.
LOOKED_AT = 40

# The member's players in live games, by kickoff, with the fields of `LivePlayerRow`. Their points
# are those under the scoring of the member's first league (standings.queries.leagues_of), without
# one under the rules `standard`.
LIVE_PLAYERS = text("""
    SELECT DISTINCT g.kickoff, g.id AS game_id, f.id AS player_id, f.name,
      coalesce(p.points, 0) AS points
    FROM game_states t JOIN games g ON g.id = t.game_id AND NOT g.is_practice
    JOIN gameweeks w ON (w.competition, w.season, w.season_type, w.week)
      = (g.competition, g.season, g.season_type, g.week)
    JOIN team_sheets s ON s.gameweek_id = w.id AND s.member_id = :member
    JOIN footballers f ON f.id = ANY(s.picks) AND f.club_id IN (g.home_id, g.away_id)
    LEFT JOIN player_points p ON (p.game_id, p.player_id) = (g.id, f.id) AND p.rules = coalesce(
      (SELECT l.rules FROM leagues l JOIN league_members m ON m.league_id = l.id
       WHERE m.member_id = :member ORDER BY l.name, l.id LIMIT 1), :standard)
    WHERE t.status = 'live' ORDER BY g.kickoff, g.id, f.name, f.id
""")

_NEWEST = text("""
    SELECT l.game_id, l.player_id, l.play_number, l.stat, l.amount, l.opened_at
    FROM ledger l
    JOIN unnest(CAST(:games AS text[]), CAST(:players AS text[])) AS mine (game_id, player_id)
      ON (mine.game_id, mine.player_id) = (l.game_id, l.player_id)
    WHERE l.game_id = ANY(:games) AND l.closed_at IS NULL ORDER BY l.id DESC LIMIT :limit
""")


_STANDING = text("""
    SELECT e.body, g.home_id, g.away_id FROM events e JOIN games g ON g.id = e.game_id
    WHERE e.game_id = :game AND e.play_number = :play AND e.valid ORDER BY e.event_number
""")


# The member's totals in the gameweeks of `live_players` (the rows of LIVE_PLAYERS), with the fields
# of `TotalRow`. Head-to-head games come first, then the others by the name of the league, the
# overall league last. `rank`: by points of the gameweek, as in the gameweek's table. An opponent
# who is hidden has no name, as in a list of matchups.
LIVE_TOTALS = text(f"""
    SELECT l.id AS league_id, l.slug, l.name AS league, l.is_overall, m.team_name,
      w.id AS gameweek_id, w.week, w.name AS gameweek, s.points,
      (SELECT count(DISTINCT o.points) + 1 FROM league_scores o
       WHERE (o.league_id, o.gameweek_id) = (s.league_id, s.gameweek_id) AND o.points > s.points
         AND {SEEN_MEMBER.format("o.member_id")}) AS rank,
      h.home_id IS NOT NULL AS has_opponent, h.opponent_id,
      coalesce(om.team_name, 'A former member') AS opponent, coalesce(os.points, 0)
        AS opponent_points
    FROM league_scores s JOIN gameweeks w ON w.id = s.gameweek_id JOIN leagues l
      ON l.id = s.league_id
    JOIN league_members m ON (m.league_id, m.member_id) = (s.league_id, s.member_id)
    LEFT JOIN LATERAL (SELECT home_id,
        CASE WHEN home_id = s.member_id THEN away_id ELSE home_id END AS opponent_id
      FROM matchups WHERE (league_id, gameweek_id) = (s.league_id, s.gameweek_id)
        AND l.mode = 'head_to_head' AND s.member_id IN (home_id, away_id) LIMIT 1) h ON true
    LEFT JOIN league_members om ON (om.league_id, om.member_id) = (s.league_id, h.opponent_id)
      AND {SEEN_MEMBER.format("om.member_id")}
    LEFT JOIN league_scores os ON (os.league_id, os.gameweek_id, os.member_id)
      = (s.league_id, s.gameweek_id, h.opponent_id)
    WHERE s.member_id = :member AND EXISTS (
      SELECT FROM games g WHERE g.id IN (SELECT game_id FROM live_players)
        AND (g.competition, g.season, g.season_type, g.week) = (w.competition, w.season,
          w.season_type, w.week))
    ORDER BY h.home_id IS NULL, l.is_overall, lower(l.name), l.id, w.week
""")  # noqa: S608 (made of our own words alone)

_STATE = text("""
    SELECT ARRAY(SELECT league_id FROM league_members WHERE member_id = :member) AS leagues,
      ARRAY(SELECT w.id FROM gameweeks w WHERE w.settled_at IS NULL AND w.deadline <= :soon
        AND w.season_id IN (SELECT l.season_id FROM leagues l JOIN league_members m
          ON m.league_id = l.id WHERE m.member_id = :member)) AS gameweeks,
      EXISTS (SELECT FROM deferred_gameweeks d JOIN gameweeks w ON w.id = d.gameweek_id
        JOIN leagues l ON l.season_id = w.season_id JOIN league_members m ON m.league_id = l.id
        WHERE m.member_id = :member) AS is_deferred,
      concat_ws('-',
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
       WHERE t.status = 'live')) AS version
""")
SOON = timedelta(hours=1)  # longer than a page is cached


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
class Opponent:
    """The other side of a member's head-to-head game. `points`: in thousandths, exact."""

    team_name: str
    points: int | Fraction


@dataclass(frozen=True)
class LiveTotal:
    """A team's points in a gameweek under way, in thousandths, and its rank in that gameweek.

    `opponent`: in a head-to-head league, unless the team has no game in the gameweek.
    """

    league_id: int
    slug: str
    league: str
    is_overall: bool
    team_name: str
    gameweek_id: int
    week: int
    gameweek: str
    points: int
    rank: int
    opponent: Opponent | None


@dataclass(frozen=True)
class LivePlayerRow:
    """A member's player in a game that is being played. `points`: in thousandths."""

    game_id: str
    player_id: str
    name: str
    points: int


@dataclass(frozen=True)
class TotalRow:
    """A `LiveTotal` as it is read. `opponent_id`: None for an opponent that is the average."""

    league_id: int
    slug: str
    league: str
    is_overall: bool
    team_name: str
    gameweek_id: int
    week: int
    gameweek: str
    points: int
    rank: int
    has_opponent: bool
    opponent_id: int | None
    opponent: str
    opponent_points: int


def live_totals(rows: Sequence[TotalRow]) -> tuple[LiveTotal, ...]:
    """Return these totals in the same order, with the averages that are somebody's opponent."""
    averages = _averages(rows)
    return tuple(
        LiveTotal(
            row.league_id,
            row.slug,
            row.league,
            row.is_overall,
            row.team_name,
            row.gameweek_id,
            row.week,
            row.gameweek,
            row.points,
            row.rank,
            _opponent(row, averages) if row.has_opponent else None,
        )
        for row in rows
    )


def _averages(rows: Sequence[TotalRow]) -> dict[tuple[int, int], Fraction]:
    """The average of each league in which the member has no other opponent, by gameweek too."""
    alone = [row for row in rows if row.has_opponent and row.opponent_id is None]
    return {
        (gameweek, league): average
        for gameweek in {row.gameweek_id for row in alone}
        for league, average in results.averages(
            gameweek, [row.league_id for row in alone if row.gameweek_id == gameweek]
        ).items()
    }


def _opponent(row: TotalRow, averages: Mapping[tuple[int, int], Fraction]) -> Opponent:
    if row.opponent_id is not None:
        return Opponent(row.opponent, row.opponent_points)
    return Opponent("The average", averages.get((row.gameweek_id, row.league_id), Fraction(0)))


@dataclass(frozen=True)
class MemberState:
    """What a member's games depend on.

    Attributes:
        leagues: The ids of the member's leagues.
        gameweeks: The ids of their gameweeks that are played or about to lock.
        is_deferred: Whether totals of a gameweek of their seasons are computed when somebody looks.
        version: It changes with the member's tables, teams, notices and live games.
    """

    leagues: Sequence[int]
    gameweeks: Sequence[int]
    is_deferred: bool
    version: str


def state(member_id: int, now: datetime) -> MemberState:
    """Load what the member's games depend on."""
    row = db.session.execute(_STATE, {"member": member_id, "soon": now + SOON}).one()
    return MemberState(row.leagues, row.gameweeks, row.is_deferred, row.version)


def newest_play(players: Sequence[LivePlayerRow], rules: ScoringRules) -> Play | None:
    """The newest valid play that earned one of these players points."""
    rows = db.session.execute(
        _NEWEST,
        {
            "games": [player.game_id for player in players],
            "players": [player.player_id for player in players],
            "limit": LOOKED_AT,
        },
    ).all()
    names = {player.player_id: player.name for player in players}
    worth: dict[tuple[str, str, int], int] = {}
    for row in rows:
        key = (row.game_id, row.player_id, row.play_number)
        worth[key] = worth.get(key, 0) + credit_points(row.stat, row.amount, rules)
    for row in rows:
        if points := worth[row.game_id, row.player_id, row.play_number]:
            return Play(
                row.game_id,
                row.player_id,
                names[row.player_id],
                signed_points(points),
                _words(row.game_id, row.play_number),
                row.opened_at,
            )
    return None


def _words(game_id: str, play_number: int) -> Sentence:
    """The sentence of a play as it stands."""
    rows = db.session.execute(_STANDING, {"game": game_id, "play": play_number}).all()
    bodies = [ev.body_from(row.body) for row in rows]
    clubs = (rows[0].home_id, rows[0].away_id) if rows else None
    return joined(play_sentences(ball_events(bodies), surnames(names_in(bodies)), clubs))
