"""Reads a gamer as others see them: their leagues, gameweeks and totals (PRODUCT B1).

No team sheet is revealed before its deadline, because there are points only after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select, text
from sqlalchemy.orm import aliased

from app.accounts.countries import COUNTRIES
from app.accounts.models import Member
from app.accounts.placeholders import is_person
from app.accounts.sanctions import seen_member
from app.core.db import db
from app.fantasy.market.models import Season
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import League, LeagueMember
from app.fantasy.standings.season_places import own_places, under_way


@dataclass(frozen=True)
class Week:
    """A gamer's gameweek. `reasons`: why a commissioner gave or took points in it."""

    week: int
    name: str
    points: int
    held_points: int
    reasons: Sequence[str]


@dataclass(frozen=True)
class InLeague:
    """A league of the gamer that the viewer may know of.

    Attributes:
        season_key: The season as the API names it, such as `nfl-2026-REG`.
        is_shared: Whether the viewer is in it too, and may open it.
        rank: The dense rank, as in the table.
        weeks: The gamer's gameweeks in it, in order.
    """

    slug: str
    name: str
    season: str
    season_key: str
    is_overall: bool
    is_public: bool
    is_shared: bool
    team_name: str
    total: int
    rank: int
    members: int
    weeks: Sequence[Week]


@dataclass(frozen=True)
class Gamer:
    """A member as other members see them."""

    id: int
    name: str
    country: str | None
    since: datetime
    leagues: Sequence[InLeague]


_WEEKS = text(f"""
    SELECT s.league_id, w.week, w.name, s.points, s.held, ARRAY(
      SELECT a.reason FROM score_adjustments a
      WHERE (a.league_id, a.gameweek_id, a.member_id) = (s.league_id, s.gameweek_id, s.member_id))
    FROM {SCORES} s JOIN gameweeks w ON w.id = s.gameweek_id
    WHERE s.member_id = :member AND s.league_id = ANY(:leagues) ORDER BY w.week
""")  # noqa: S608 (made of our own words alone)


def gamer(member_id: int, viewer_id: int) -> Gamer | None:
    """The gamer, with their leagues that are public or that the viewer is in too.

    Overall leagues come first, then the latest season, then by name, then by id. The number of
    queries is fixed.

    Returns:
        None for a member who is on no board, and for a placeholder.
    """
    member = db.session.scalar(
        select(Member).where(Member.id == member_id, is_person(), seen_member(Member.id))
    )
    if member is None:
        return None
    mine = aliased(LeagueMember)
    everybody, ahead = aliased(LeagueMember), aliased(LeagueMember)
    shared = select(mine).where(mine.league_id == League.id, mine.member_id == viewer_id).exists()
    rank = (
        select(func.count(ahead.standing.distinct()) + 1)
        .where(
            ahead.league_id == League.id,
            ahead.standing > LeagueMember.standing,
            seen_member(ahead.member_id),
        )
        .scalar_subquery()
    )
    is_seen = seen_member(everybody.member_id)
    size = select(func.count()).where(everybody.league_id == League.id, is_seen).scalar_subquery()
    rows = db.session.execute(
        select(
            League,
            Season,
            LeagueMember.team_name,
            LeagueMember.total_points,
            rank,
            size,
            shared,
        )
        .join(LeagueMember, LeagueMember.league_id == League.id)
        .join(Season, Season.id == League.season_id)
        .where(
            LeagueMember.member_id == member_id,
            or_(League.is_public, League.is_overall, shared),
            seen_member(LeagueMember.member_id),
        )
        .order_by(
            League.is_overall.desc(), Season.season.desc(), func.lower(League.name), League.id
        )
    ).all()
    league_ids = [league.id for league, *_ in rows]
    weeks, own_by_league = (
        _weeks(member_id, league_ids),
        own_places(under_way(league_ids), member_id),
    )
    leagues = [
        InLeague(
            league.slug,
            league.name,
            season.name,
            f"{season.competition}-{season.season}-{season.season_type}",
            league.is_overall,
            league.is_public,
            is_shared,
            team,
            own_by_league[league.id].total if league.id in own_by_league else total,
            own_by_league[league.id].rank if league.id in own_by_league else place,
            count,
            weeks.get(league.id, ()),
        )
        for league, season, team, total, place, count, is_shared in rows
    ]
    return Gamer(member.id, member.display_name, member.country, member.created_at, leagues)


def _weeks(member_id: int, leagues: Sequence[int]) -> dict[int, list[Week]]:
    live = live_values(live_scores(leagues, members=[member_id]))
    rows = db.session.execute(_WEEKS, {"member": member_id, "leagues": list(leagues), **live})
    by_league: dict[int, list[Week]] = {}
    for league, *week in rows:
        by_league.setdefault(league, []).append(Week(*week))
    return by_league


def set_country(member_id: int, country: str) -> bool:
    """Set the gamer's own country ('' for none); return whether there is such a country."""
    code = country.strip().upper()
    if code and code not in COUNTRIES:
        return False
    db.session.get_one(Member, member_id).country = code or None
    db.session.commit()
    return True
