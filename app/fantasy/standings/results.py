"""Writes results of settled gameweeks: match points, running totals and ranks, set-wise.

Called when a gameweek is settled, and again after a later correction or adjustment, for what it
touched. Only the caller commits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import places
from app.fantasy.standings.fixtures import Pair, average_points, match_points
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League, LeagueScore, Matchup

_MATCH_POINTS = text("""
    WITH fresh AS (
      SELECT t.*, s.match_points AS before
      FROM unnest(CAST(:leagues AS bigint[]), CAST(:members AS bigint[]), CAST(:points AS int[]))
        AS t (league_id, member_id, points)
      JOIN league_scores s ON s.gameweek_id = :gameweek AND (s.league_id,
        s.member_id) = (t.league_id, t.member_id)
      WHERE s.match_points IS DISTINCT FROM t.points
    )
    UPDATE league_scores s SET match_points = t.points FROM fresh t
    WHERE s.gameweek_id = :gameweek AND (s.league_id, s.member_id) = (t.league_id, t.member_id)
    RETURNING s.league_id, s.member_id, t.before
""")


Reversed = set[tuple[int, int]]


def write_results(gameweek: Gameweek, leagues: Sequence[int]) -> Reversed:
    """Write match points of the gameweek, and totals and ranks of it and later settled ones.

    Nothing is written before the gameweek is settled.

    Returns:
        The (league, member) whose head-to-head game had another outcome before.
    """
    if gameweek.settled_at is None or not leagues:
        return set()
    changed = _write_match_points(gameweek.id, leagues)
    places.write_ranks(leagues, gameweek.week)
    return changed


def pairs_of(gameweek_id: int, leagues: Sequence[int]) -> dict[int, list[Pair]]:
    """Load the gameweek's head-to-head games by league, in the order of the home members' ids.

    Leagues without games are left out.
    """
    pairs: dict[int, list[Pair]] = defaultdict(list)
    for league, home, away in db.session.execute(
        select(Matchup.league_id, Matchup.home_id, Matchup.away_id)
        .join(League, League.id == Matchup.league_id)
        .where(
            Matchup.gameweek_id == gameweek_id,
            Matchup.league_id.in_(leagues),
            League.mode == "head_to_head",
        )
        .order_by(Matchup.home_id)
    ):
        pairs[league].append((home, away))
    return pairs


def averages(gameweek_id: int, leagues: Sequence[int]) -> dict[int, Fraction]:
    """The average that decides the gameweek's game without an opponent, by league.

    It is that of the present scores. Leagues without games are left out.
    """
    pairs = pairs_of(gameweek_id, leagues)
    scores = _scores_of(gameweek_id, pairs)
    return {league: average_points(scores[league], games) for league, games in pairs.items()}


def _scores_of(gameweek_id: int, leagues: Collection[int]) -> Mapping[int, Mapping[int, int]]:
    """Points by member, by league."""
    scores: dict[int, dict[int, int]] = defaultdict(dict)
    for league, member, points in db.session.execute(
        select(LeagueScore.league_id, LeagueScore.member_id, LeagueScore.points).where(
            LeagueScore.gameweek_id == gameweek_id, LeagueScore.league_id.in_(leagues)
        )
    ):
        scores[league][member] = points
    for score in live_scores(leagues, gameweek_id=gameweek_id):
        scores[score.league_id][score.member_id] = score.points
    return scores


def _write_match_points(gameweek_id: int, leagues: Sequence[int]) -> Reversed:
    pairs = pairs_of(gameweek_id, leagues)
    if not pairs:
        return set()
    scores = _scores_of(gameweek_id, pairs)
    rows = [
        (league, member, points)
        for league, games in pairs.items()
        for member, points in match_points(scores[league], games).items()
    ]
    changed = db.session.execute(
        _MATCH_POINTS,
        {
            "gameweek": gameweek_id,
            "leagues": [league for league, _, _ in rows],
            "members": [member for _, member, _ in rows],
            "points": [points for _, _, points in rows],
        },
    )
    return {(league, member) for league, member, before in changed if before is not None}
