"""Everybody's place in leagues' tables of the season, gameweeks under way included. Reads only.

Totals and standings are stored of settled gameweeks (places.py). What gameweeks under way add to
them is worked out here, once for everybody who looks until the league's version changes. The order
of a large league is in Redis (large_table.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from app.accounts.sanctions import SEEN_MEMBER, shadowed_viewer
from app.core.db import db
from app.core.db.repeatable_read import is_snapshot
from app.core.page_cache.values import CachedValue, cached_value
from app.fantasy.standings.large_table import IS_LARGE, LIMIT, large_rank
from app.fantasy.standings.live_scores import LiveScore, live_scores, shared_live_scores
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.ranking import SeasonSoFar, dense_ranks, plus


@dataclass(frozen=True)
class SeasonPlace:
    """A member's place in the table of the season.

    Attributes:
        total: Points in thousandths.
        standing: What the league ranks by (ranking.py).
        rank: Dense (1, 1, 2), among the members who are not hidden; in a draft league among all.
        shared: Another member has the rank too.
        is_hidden: Only in a draft league; other hidden members have no place.
    """

    total: int
    standing: Sequence[int]
    rank: int
    shared: bool
    is_hidden: bool


@dataclass(frozen=True)
class RankedTotal:
    """A member's total of the season, in thousandths, and dense rank in a league."""

    total: int
    rank: int


_MEMBERS = text(f"""
    SELECT m.member_id, m.total_points, m.standing, l.mode, l.ties, l.game,
      NOT {SEEN_MEMBER.format("m.member_id")} AS is_hidden,
      ARRAY(SELECT w.id FROM gameweeks w WHERE w.season_id = l.season_id ORDER BY w.week DESC)
        AS gameweeks
    FROM leagues l JOIN league_members m ON m.league_id = l.id
    WHERE l.id = :league AND NOT {IS_LARGE}
    ORDER BY m.member_id
""")  # noqa: S608 (made of our own words alone)
_UNDER_WAY = text("""
    SELECT DISTINCT l.id FROM leagues l JOIN gameweeks w ON w.season_id = l.season_id
      AND w.week >= l.first_week JOIN live_gameweeks d ON d.gameweek_id = w.id
    WHERE l.id = ANY(:leagues) ORDER BY l.id
""")
_STORED_TOTALS = text("""
    SELECT league_id, total_points FROM league_members
    WHERE member_id = :member AND league_id = ANY(:leagues)
""")


def season_places(league_id: int) -> dict[int, SeasonPlace] | None:
    """The places by member; None for a large league."""
    if shadowed_viewer() is not None:  # who stands on boards for themselves alone
        return _load(league_id) or None
    tags = (f"league:{league_id}", f"table:{league_id}", "gameweeks", "sheets")
    places = cached_value(
        f"season-places:{league_id}",
        dict[int, SeasonPlace],
        lambda: CachedValue(_load(league_id), () if is_snapshot() else tags),
    )
    return places or None


def cache_places(league_id: int) -> None:
    """Cache what the table shows of gameweeks under way: in a snapshot nothing would be cached."""
    if season_places(league_id) is not None:
        shared_live_scores(league_id)


def in_order(places: Mapping[int, SeasonPlace]) -> list[int]:
    """The members who are not hidden, the best first, equals by id."""
    ranks = [(place.rank, member) for member, place in places.items() if not place.is_hidden]
    return [member for _, member in sorted(ranks)]


def _load(league_id: int) -> dict[int, SeasonPlace]:
    members = db.session.execute(_MEMBERS, {"league": league_id, **LIMIT}).all()
    live: dict[int, list[LiveScore]] = defaultdict(list)
    for score in live_scores([league_id]) if members else ():
        live[score.member_id].append(score)
    rows = [row for row in members if not row.is_hidden or row.game == DRAFT]
    standings = {row.member_id: _standing(row, live[row.member_id]) for row in rows}
    ranks = dense_ranks(standings)
    return {
        row.member_id: SeasonPlace(
            row.total_points + sum(score.points for score in live[row.member_id]),
            standings[row.member_id],
            ranks[row.member_id].rank,
            ranks[row.member_id].shared,
            row.is_hidden,
        )
        for row in rows
    }


def _standing(row: Any, scores: Sequence[LiveScore]) -> tuple[int, ...]:
    """The member's standing. That of a draft league has games won, of settled gameweeks alone."""
    if row.game == DRAFT:
        return tuple(row.standing)
    return standing_with(row, row.standing, scores, row.gameweeks)


def standing_with(
    league: Any, stored: Sequence[int], scores: Sequence[LiveScore], gameweeks: Sequence[int]
) -> tuple[int, ...]:
    """A member's standing with the scores of gameweeks under way.

    Args:
        league: Its `mode` and `ties` are read.
        stored: The standing after the settled gameweeks.
        scores: Those of the member.
        gameweeks: Ids of all of the season's, the latest first.
    """
    points = {score.gameweek_id: score.points for score in scores}
    live_season = SeasonSoFar(
        match_points=0,
        total=sum(points.values()),
        transfers=sum(score.transfers for score in scores),
        latest=tuple(points.get(gameweek, 0) for gameweek in gameweeks),
    )
    return plus(league.mode, league.ties, stored, live_season)


def under_way(leagues: Collection[int]) -> list[int]:
    """Those of these leagues that count a gameweek under way."""
    return list(db.session.scalars(_UNDER_WAY, {"leagues": list(leagues)}))


def live_scores_around(leagues: Collection[int], member_id: int) -> list[LiveScore]:
    """The scores of gameweeks under way in these leagues; in large ones only the member's."""
    large = [league for league in leagues if season_places(league) is None]
    small = set(leagues).difference(large)
    shared = [score for league in sorted(small) for score in shared_live_scores(league)]
    return [*shared, *live_scores(large, members=[member_id])]


def own_places(leagues: Collection[int], member_id: int) -> dict[int, RankedTotal]:
    """The member's place in these leagues, which count a gameweek under way.

    Of a large league only if Redis has its table.
    """
    own_places_by_league = {}
    large = []
    for league in leagues:
        places = season_places(league)
        if places is None:
            large.append(league)
        elif member_id in places:
            own_places_by_league[league] = RankedTotal(
                places[member_id].total, places[member_id].rank
            )
    return own_places_by_league | _own_large_places(large, member_id)


def _own_large_places(leagues: Collection[int], member_id: int) -> dict[int, RankedTotal]:
    if not leagues:
        return {}
    values = {"leagues": list(leagues), "member": member_id}
    totals: dict[int, int] = dict(db.session.execute(_STORED_TOTALS, values).all())
    for score in live_scores(totals, members=[member_id]):
        totals[score.league_id] += score.points
    ranks = {league: large_rank(league, total) for league, total in totals.items()}
    return {
        league: RankedTotal(totals[league], rank)
        for league, rank in ranks.items()
        if rank is not None
    }
