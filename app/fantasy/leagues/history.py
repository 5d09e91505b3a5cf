"""Reads a league gameweek by gameweek, and the race over them, in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlalchemy import func, select, text

from app.accounts.models import Member
from app.accounts.sanctions import SEEN_MEMBER, seen_member
from app.core.db import db
from app.core.http.pagination import page_count
from app.fantasy.leagues import adjustments
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import queries, results
from app.fantasy.standings.live_scores import SCORES, live_scores, live_values
from app.fantasy.standings.models import League, LeagueScore

PAGE_ROWS = 50
RACERS = 8
AVERAGE = "the average"


@dataclass(frozen=True)
class WeekRow:
    """A member's gameweek, with points in thousandths.

    Attributes:
        place: The dense place by the points of the gameweek alone.
        held_points: Points of plays under review.
        opponent: The opponent in a head-to-head game; empty without one.
        total: The total after the gameweek; None until it is settled.
        rank: The rank after the gameweek; None until it is settled.
        reasons: Points and reason of each of the commissioner's adjustments.
    """

    member_id: int
    name: str
    team_name: str
    place: int
    points: int
    held_points: int
    transfers: int
    match_points: int | None
    opponent: str
    opponent_points: int | Fraction
    total: int | None
    rank: int | None
    reasons: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True)
class WeekPage:
    """A page of a gameweek. `mine`: the page with the viewer."""

    rows: Sequence[WeekRow]
    number: int
    pages: int
    mine: int
    count: int


_WEEK = text(f"""
    WITH placed AS (
      SELECT s.*, dense_rank() OVER (ORDER BY s.points DESC) AS place,
        row_number() OVER (ORDER BY s.points DESC, s.member_id) AS line
      FROM {SCORES} s WHERE s.league_id = :league AND s.gameweek_id = :gameweek
        AND {SEEN_MEMBER.format("s.member_id")}
    ),
    shown AS (SELECT * FROM placed WHERE line > :low AND line <= :low + :rows),
    games AS (
      SELECT home_id AS member_id, away_id AS other_id FROM matchups
      WHERE league_id = :league AND gameweek_id = :gameweek
      UNION ALL SELECT away_id, home_id FROM matchups
      WHERE league_id = :league AND gameweek_id = :gameweek AND away_id IS NOT NULL
    )
    SELECT p.member_id, m.display_name, p.team_name, p.place, p.points, p.held, p.transfers,
      p.match_points,
      CASE WHEN g.member_id IS NULL THEN '' WHEN g.other_id IS NULL THEN '{AVERAGE}'
        WHEN {SEEN_MEMBER.format("o.member_id")} THEN coalesce(o.team_name, 'a former member')
        ELSE 'a former member' END AS opponent,
      CASE WHEN g.member_id IS NULL OR g.other_id IS NOT NULL THEN coalesce(o.points, 0)
        END AS opponent_points,
      p.total, p.rank
    FROM shown p
    JOIN members m ON m.id = p.member_id
    LEFT JOIN games g ON g.member_id = p.member_id
    LEFT JOIN {SCORES} o ON (o.league_id, o.gameweek_id, o.member_id) = (:league, :gameweek,
      g.other_id)
    ORDER BY p.line
""")  # noqa: S608 (made of our own words alone)

_COUNT = text(f"""
    SELECT count(*) FROM {SCORES} s WHERE s.league_id = :league AND s.gameweek_id = :gameweek
      AND {SEEN_MEMBER.format("s.member_id")}
""")  # noqa: S608

_LINE = text(f"""
    SELECT count(*) FROM {SCORES} s JOIN {SCORES} me USING (league_id, gameweek_id)
    WHERE s.league_id = :league AND s.gameweek_id = :gameweek AND me.member_id = :member
      AND (s.points > me.points OR s.points = me.points AND s.member_id < me.member_id)
      AND {SEEN_MEMBER.format("s.member_id")}
""")  # noqa: S608


def week_page(league: League, gameweek_id: int, me: int, number: int | None) -> WeekPage:
    """A page of the gameweek, most points first, then by id; without a number the viewer's."""
    live = live_scores([league.id], gameweek_id=gameweek_id)
    where = {"league": league.id, "gameweek": gameweek_id, **live_values(live)}
    count = int(db.session.scalar(_COUNT, where) or 0)
    pages = page_count(count, PAGE_ROWS)
    mine = int(db.session.scalar(_LINE, where | {"member": me}) or 0) // PAGE_ROWS + 1
    number = mine if number is None else min(number, pages)
    reasons = adjustments.reasons(league.id, gameweek_id)
    page_rows = db.session.execute(
        _WEEK, where | {"low": (number - 1) * PAGE_ROWS, "rows": PAGE_ROWS}
    )
    average = results.averages(gameweek_id, [league.id]).get(league.id, Fraction(0))
    rows = [
        replace(
            WeekRow(*row),
            opponent_points=average if row.opponent_points is None else row.opponent_points,
            reasons=reasons.get(row.member_id, ()),
        )
        for row in page_rows
    ]
    return WeekPage(rows, number, pages, mine, count)


def team(league_id: int, gameweek_id: int, member_id: int) -> tuple[str, str] | None:
    """The names of team and member in the gameweek, or their names now if they were not in it.

    None for a member who is in no gameweek of the league, or on no board.
    """
    if not db.session.scalar(select(seen_member(member_id))):
        return None
    then = (
        select(LeagueScore.team_name, Member.display_name)
        .join(Member, Member.id == LeagueScore.member_id)
        .where(
            LeagueScore.league_id == league_id,
            LeagueScore.gameweek_id == gameweek_id,
            LeagueScore.member_id == member_id,
        )
    )
    names = db.session.execute(then).first()
    return names or queries.team(league_id, member_id)


@dataclass(frozen=True)
class Racer:
    """A team's total and rank after each settled gameweek; None before it joined the league."""

    member_id: int
    name: str
    team_name: str
    totals: Sequence[int | None]
    ranks: Sequence[int | None]


@dataclass(frozen=True)
class Race:
    """The race over the settled gameweeks.

    Attributes:
        weeks: The numbers of the gameweeks.
        leader: The best total after each gameweek.
        chart: The best teams and the viewer's own, for the chart.
        racers: The teams of the page, best first.
        mine: The page with the viewer.
    """

    weeks: Sequence[int]
    leader: Sequence[int]
    chart: Sequence[Racer]
    racers: Sequence[Racer]
    number: int
    pages: int
    mine: int


def race(league: League, me: int, number: int | None) -> Race:
    """The race after every settled gameweek, members as they stood then, PAGE_ROWS a page.

    A member without a rank after the last one comes behind all others.
    """
    weeks = db.session.execute(
        select(Gameweek.id, Gameweek.week)
        .where(Gameweek.season_id == league.season_id, Gameweek.settled_at.is_not(None))
        .where(Gameweek.week >= league.first_week)
        .order_by(Gameweek.week)
    ).all()
    last = weeks[-1].id if weeks else None
    order = db.session.execute(_ORDER, {"league": league.id, "gameweek": last}).all()
    lines = [member for member, _, _ in order]
    pages = page_count(len(lines), PAGE_ROWS)
    mine = lines.index(me) // PAGE_ROWS + 1 if me in lines else 1
    number = mine if number is None else min(number, pages)
    page = order[(number - 1) * PAGE_ROWS : number * PAGE_ROWS]
    best = [row for place, row in enumerate(order) if place < RACERS or row[0] == me]
    racers = {row[0] for row in (*page, *best)}
    after = _after(league.id, racers)
    leader = dict(
        db.session.execute(
            select(LeagueScore.gameweek_id, func.max(LeagueScore.total))
            .where(
                LeagueScore.league_id == league.id,
                LeagueScore.total.is_not(None),
                seen_member(LeagueScore.member_id),
            )
            .group_by(LeagueScore.gameweek_id)
        ).all()
    )

    def racer(member: int, name: str, team: str) -> Racer:
        places = [after[member].get(gameweek, (None, None)) for gameweek, _ in weeks]
        return Racer(
            member, name, team, [total for total, _ in places], [rank for _, rank in places]
        )

    return Race(
        [week for _, week in weeks],
        [leader.get(gameweek) or 0 for gameweek, _ in weeks],
        [racer(*row) for row in best],
        [racer(*row) for row in page],
        number,
        pages,
        mine,
    )


_ORDER = text(f"""
    SELECT m.member_id, p.display_name, m.team_name FROM league_members m JOIN members p
      ON p.id = m.member_id
      LEFT JOIN league_scores s ON s.league_id = m.league_id AND s.member_id = m.member_id
        AND s.gameweek_id = :gameweek
    WHERE m.league_id = :league AND {SEEN_MEMBER.format("m.member_id")}
    ORDER BY s.rank NULLS LAST, m.standing DESC, m.member_id
""")  # noqa: S608


def _after(
    league_id: int, members: set[int]
) -> Mapping[int, Mapping[int, tuple[int | None, int | None]]]:
    by_member: dict[int, dict[int, tuple[int | None, int | None]]] = defaultdict(dict)
    query = select(
        LeagueScore.member_id, LeagueScore.gameweek_id, LeagueScore.total, LeagueScore.rank
    )
    for member, gameweek, total, rank in db.session.execute(
        query.where(LeagueScore.league_id == league_id, LeagueScore.member_id.in_(members))
    ):
        by_member[member][gameweek] = (total, rank)
    return by_member
