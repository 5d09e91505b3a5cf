"""Loads what a ranking is made of, and reads stored rankings and members' lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, select, text

from app.core.db import db
from app.draft_leagues.rankings.lists import in_order
from app.draft_leagues.rankings.models import RankedFootballer, Ranking, RankingList
from app.draft_leagues.rankings.rules import Candidate, Ranked, Shape, bye_week
from app.fantasy.projections.preseason import Preseason
from app.record.rules.state import NOT_AWAITED, OVER

# The season of the same competition and kind before this one.
_LAST_SEASON = """
    SELECT last.id FROM seasons last JOIN seasons this ON this.id = :season
      AND (last.competition, last.season_type) = (this.competition, this.season_type)
      AND last.season < this.season
    ORDER BY last.season DESC LIMIT 1
"""

_MARKET = text(f"""
    SELECT m.footballer_id AS id, f.name, m.position, coalesce(f.club_id, '') AS club_id, m.status,
      m.price, coalesce(this.gameweeks, '{{}}') AS this_season,
      coalesce(last.gameweeks, '{{}}') AS last_season
    FROM footballer_seasons m JOIN footballers f ON f.id = m.footballer_id
    LEFT JOIN footballer_totals this ON (this.season_id, this.rules, this.footballer_id)
      = (:season, :rules, f.id)
    LEFT JOIN footballer_totals last ON (last.season_id, last.rules, last.footballer_id)
      = (({_LAST_SEASON}), :rules, f.id)
    WHERE m.season_id = :season AND m.position = ANY(:positions)
    ORDER BY f.id
""")  # noqa: S608 (made of our own words alone)

# Gameweeks of each club in this season and the last one, with the state of its game.
_CLUB_WEEKS = text(f"""
    SELECT s.id = :season AS is_this, club, g.week, coalesce(t.status, 'scheduled') AS status
    FROM seasons s JOIN games g USING (competition, season, season_type)
    CROSS JOIN unnest(ARRAY[g.home_id, g.away_id]) AS club
    LEFT JOIN game_states t ON t.game_id = g.id
    WHERE s.id IN (:season, ({_LAST_SEASON})) AND NOT g.is_practice
""")  # noqa: S608 (made of our own words alone)


# On the market now, and in any season of the same competition and kind before; or a roster says
# that their first season was before this one.
_VETERANS = text("""
    SELECT m.footballer_id FROM footballer_seasons m JOIN seasons this ON this.id = m.season_id
    WHERE m.season_id = :season AND (EXISTS (SELECT FROM footballer_careers c
      WHERE c.footballer_id = m.footballer_id AND c.first_season < this.season) OR EXISTS (
      SELECT FROM footballer_seasons b JOIN seasons s ON s.id = b.season_id
      WHERE b.footballer_id = m.footballer_id AND s.season < this.season
        AND (s.competition, s.season_type) = (this.competition, this.season_type)))
""")


@dataclass(frozen=True)
class ListOwner:
    """Whose order of footballers it is: a member's in a league, or the league's own (None)."""

    league_id: int
    member_id: int | None


@dataclass(frozen=True)
class ListedFootballer:
    """A footballer of the market as a ranking shows them.

    `bye_week`: None if the schedule does not say.
    """

    id: str
    name: str
    position: str
    club_id: str
    club: str
    status: str
    news: str
    ranked: Ranked


@dataclass
class _ClubWeeks:
    played: set[int]
    scheduled: set[int]
    left: int = 0


def candidates(
    season_id: int, rules: str, shape: Shape, preseason: Mapping[str, Preseason]
) -> list[Candidate]:
    """Everybody on the season's market who has a place in the line-up, by id.

    `preseason`: what was expected of them before the season, by id.
    """
    this, last = _club_weeks(season_id)
    weeks = _season_weeks(season_id)
    rows = db.session.execute(
        _MARKET,
        {
            "season": season_id,
            "rules": rules,
            "positions": sorted(shape.positions),
        },
    )
    nothing = _ClubWeeks(set(), set())
    listed = []
    for row in rows:
        club, club_before = this.get(row.club_id, nothing), last.get(row.club_id, nothing)
        listed.append(
            Candidate(
                row.id,
                row.name,
                row.position,
                row.club_id,
                row.status,
                row.price,
                _by_week(row.this_season),
                _by_week(row.last_season),
                frozenset(club.played),
                frozenset(club_before.played),
                club.left,
                bye_week(club.scheduled, weeks) if club.scheduled else None,
                preseason.get(row.id),
            )
        )
    return listed


def veterans(season_id: int) -> set[str]:
    """The ids of those who have played in an earlier season: they are no rookies."""
    return set(db.session.scalars(_VETERANS, {"season": season_id}))


def _by_week(points: dict[str, int]) -> dict[int, int]:
    return {int(week): amount for week, amount in points.items()}


def _club_weeks(season_id: int) -> tuple[dict[str, _ClubWeeks], dict[str, _ClubWeeks]]:
    this: dict[str, _ClubWeeks] = {}
    last: dict[str, _ClubWeeks] = {}
    for row in db.session.execute(_CLUB_WEEKS, {"season": season_id}):
        clubs = this if row.is_this else last
        weeks = clubs.setdefault(row.club, _ClubWeeks(set(), set()))
        weeks.scheduled.add(row.week)
        if row.status in OVER and row.status != "cancelled":
            weeks.played.add(row.week)
        weeks.left += row.status not in NOT_AWAITED
    return this, last


def _season_weeks(season_id: int) -> Sequence[int]:
    return db.session.scalars(
        text("SELECT week FROM gameweeks WHERE season_id = :season"), {"season": season_id}
    ).all()


def stored_ranking(season_id: int, rules: str, shape: str) -> tuple[datetime, list[Ranked]] | None:
    """When a ranking was made, and its footballers, best first; None if there is none."""
    ranking = db.session.scalars(
        select(Ranking).where(
            Ranking.season_id == season_id, Ranking.rules == rules, Ranking.shape == shape
        )
    ).one_or_none()
    if ranking is None:
        return None
    rows = db.session.execute(
        select(
            RankedFootballer.footballer_id,
            RankedFootballer.rank,
            RankedFootballer.position_rank,
            RankedFootballer.tier,
            RankedFootballer.value,
            RankedFootballer.points,
            RankedFootballer.per_game,
            RankedFootballer.share,
            RankedFootballer.bye_week,
        )
        .where(RankedFootballer.ranking_id == ranking.id)
        .order_by(RankedFootballer.rank)
    )
    return ranking.made_at, [Ranked(*row) for row in rows]


def list_of(owner: ListOwner) -> RankingList | None:
    """The order that somebody chose; None if they chose none."""
    return db.session.scalars(select(RankingList).where(*owned_by(owner))).one_or_none()


def owned_by(owner: ListOwner) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The condition of a query for the list of this owner."""
    return (
        RankingList.league_id == owner.league_id,
        RankingList.member_id.is_not_distinct_from(owner.member_id),
    )


def order_for(owner: ListOwner, ranking: Sequence[str]) -> list[str]:
    """Everybody of a ranking in the order in which this member wants them.

    Their own list comes first, then the league's, then the ranking.
    """
    rows = db.session.execute(
        select(RankingList.member_id, RankingList.footballer_ids).where(
            RankingList.league_id == owner.league_id,
            RankingList.member_id.is_(None) | (RankingList.member_id == owner.member_id),
        )
    ).all()
    lists = {row.member_id: row.footballer_ids for row in rows}
    return in_order(ranking, lists.get(owner.member_id, []), lists.get(None, []))


_LISTED = text("""
    SELECT f.id, f.name, m.position, coalesce(f.club_id, '') AS club_id, coalesce(c.name, '') AS
      club, m.status, m.news
    FROM footballer_seasons m JOIN footballers f ON f.id = m.footballer_id
    LEFT JOIN clubs c ON c.id = f.club_id
    WHERE m.season_id = :season AND f.id = ANY(:footballers)
""")


def listed(season_id: int, ranking: Sequence[Ranked]) -> dict[str, ListedFootballer]:
    """The footballers of a ranking with what people want to see of them, by id."""
    rows: dict[str, Row[Any]] = {
        row.id: row
        for row in db.session.execute(
            _LISTED,
            {"season": season_id, "footballers": [each.footballer_id for each in ranking]},
        )
    }
    return {
        each.footballer_id: ListedFootballer(**rows[each.footballer_id]._mapping, ranked=each)
        for each in ranking
        if each.footballer_id in rows
    }


def bye_weeks(season_id: int) -> dict[str, int]:
    """The bye week of each club whose schedule says it, by club."""
    this, _ = _club_weeks(season_id)
    weeks = _season_weeks(season_id)
    byes = {club: bye_week(each.scheduled, weeks) for club, each in this.items()}
    return {club: week for club, week in byes.items() if week is not None}
