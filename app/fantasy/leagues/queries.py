"""Reads for the pages of leagues.

Frozen rows, a fixed number of queries however many members there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, case, func, or_, select
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.accounts.sanctions import is_active, seen_member
from app.core.bidi import isolated
from app.core.db import db
from app.core.http.pagination import page_count
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.leagues.services import APART
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Gameweek, Season, TeamRules
from app.fantasy.standings.models import League, LeagueMember

PAGE_ROWS = 50
FOUND_ROWS = 10
MEMBERS_SHOWN = 12  # to whoever is invited


@dataclass(frozen=True)
class LeagueCard:
    """A league in a list. `rank` and `total` are the viewer's; None where they are no member."""

    id: int
    slug: str
    name: str
    season: str
    mode: str
    is_public: bool
    is_overall: bool
    is_mine: bool
    members: int
    team_name: str | None
    rank: int | None
    total: int | None


@dataclass(frozen=True)
class MemberRow:
    """A member on a league's list of members."""

    member_id: int
    display_name: str
    country: str | None
    team_name: str
    joined_at: datetime
    total: int
    rank: int
    is_commissioner: bool


@dataclass(frozen=True)
class Page:
    """A page of members in the league's order. `mine`: the page that has the viewer."""

    rows: Sequence[MemberRow]
    number: int
    pages: int
    mine: int
    count: int


@dataclass(frozen=True)
class About:
    """What a league is, for those who think of joining and for its members."""

    league: League
    season: Season
    choice: TeamRulesChoice
    members: int
    commissioner: str | None


def cards(member_id: int) -> list[LeagueCard]:
    """The member's leagues: the overall one last, else by name, then id."""
    return _rows(_cards_of_viewer(), member_id)


def public_cards(
    member_id: int, search: str, page: int, rows: int = 20
) -> tuple[list[LeagueCard], bool]:
    """A page of public leagues whose name has the words, by name, then id.

    And whether more follow.
    """
    query = _cards().where(
        League.is_public, ~League.is_overall, Season.competition.not_like(f"%{APART}%")
    )
    if search:
        query = query.where(League.name.icontains(search, autoescape=True))
    query = (
        query.order_by(func.lower(League.name), League.id).limit(rows + 1).offset((page - 1) * rows)
    )
    found = _rows(query, member_id)
    return found[:rows], len(found) > rows


@cache
def _cards_of_viewer() -> Select[Any]:
    query = _cards().where(LeagueMember.member_id == bindparam("viewer"))
    return query.order_by(League.is_overall, func.lower(League.name), League.id)


@cache  # to put it together takes as long as to ask
def _cards() -> Select[Any]:
    """All leagues as the member `viewer` sees them."""
    everybody, ahead = aliased(LeagueMember), aliased(LeagueMember)
    seen = seen_member(everybody.member_id)
    size = select(func.count()).where(everybody.league_id == League.id, seen).scalar_subquery()
    rank = (
        select(func.count(ahead.standing.distinct()) + 1)
        .where(
            ahead.league_id == League.id,
            ahead.standing > LeagueMember.standing,
            seen_member(ahead.member_id),
        )
        .scalar_subquery()
    )
    mine = (LeagueMember.league_id == League.id) & (LeagueMember.member_id == bindparam("viewer"))
    return (
        select(League, Season.name, size, LeagueMember.team_name, rank, LeagueMember.total_points)
        .join(Season, Season.id == League.season_id)
        .outerjoin(LeagueMember, mine)
    )


def _rows(query: Select[Any], me: int) -> list[LeagueCard]:
    return [
        LeagueCard(
            league.id,
            league.slug,
            league.name,
            season,
            league.mode,
            league.is_public,
            league.is_overall,
            league.commissioner_id == me,
            members,
            team,
            rank if team is not None else None,
            total,
        )
        for league, season, members, team, rank, total in db.session.execute(query, {"viewer": me})
    ]


def members_page(league: League, me: int, number: int | None, search: str = "") -> Page:
    """A page of the members, best first, then by id; the viewer's own without a number.

    Equal ones share a rank and the next rank follows without a gap.
    """
    found = _order(league.id).where(*_named(search)).subquery()
    count = db.session.scalar(select(func.count()).select_from(found)) or 0
    pages = page_count(count, PAGE_ROWS)
    place = db.session.scalar(select(found.c.place).where(found.c.member_id == me))
    mine = 1 if place is None else (place - 1) // PAGE_ROWS + 1
    number = mine if number is None else min(number, pages)
    low = (number - 1) * PAGE_ROWS
    rows = db.session.execute(
        select(found)
        .where(found.c.place > low, found.c.place <= low + PAGE_ROWS)
        .order_by(found.c.place)
    )
    made = [
        MemberRow(
            row.member_id,
            row.display_name,
            row.country,
            row.team_name,
            row.joined_at,
            row.total_points,
            row.rank,
            row.member_id == league.commissioner_id,
        )
        for row in rows
    ]
    return Page(made, number, pages, mine, count)


def _order(league_id: int) -> Select[Any]:
    """Ranks are those of the whole league, places those among whom the search leaves."""
    rank = func.dense_rank().over(order_by=LeagueMember.standing.desc())
    ranked = (
        select(
            LeagueMember.member_id,
            LeagueMember.team_name,
            LeagueMember.joined_at,
            LeagueMember.total_points,
            LeagueMember.standing,
            rank.label("rank"),
        )
        .where(LeagueMember.league_id == league_id, seen_member(LeagueMember.member_id))
        .subquery("ranked")
    )
    place = func.row_number().over(order_by=(ranked.c.rank, ranked.c.member_id))
    return select(
        ranked.c.member_id,
        Member.display_name,
        Member.country,
        ranked.c.team_name,
        ranked.c.joined_at,
        ranked.c.total_points,
        ranked.c.rank,
        place.label("place"),
    ).join(Member, Member.id == ranked.c.member_id)


def _named(search: str) -> list[ColumnElement[bool]]:
    if not search:
        return []
    return [Member.display_name.icontains(search, autoescape=True)]


def banned(league_id: int) -> list[tuple[int, str]]:
    """Who was removed and not let back, by name, then id."""
    query = (
        select(Member.id, Member.display_name)
        .join(LeagueBan, LeagueBan.member_id == Member.id)
        .where(LeagueBan.league_id == league_id)
        .order_by(func.lower(Member.display_name), Member.id)
    )
    return [(member, name) for member, name in db.session.execute(query)]


def about(league: League) -> About:
    """Return what somebody reads about a league before they join it."""
    season = db.session.get_one(Season, league.season_id)
    seen = seen_member(LeagueMember.member_id)
    members = (
        db.session.scalar(select(func.count()).where(LeagueMember.league_id == league.id, seen))
        or 0
    )
    name = None
    if league.commissioner_id is not None:
        name = db.session.scalar(
            select(Member.display_name).where(Member.id == league.commissioner_id)
        )
    return About(league, season, choice_of(league.team_rules_id), members, name)


def first_members(league_id: int) -> list[tuple[str, str]]:
    """Team and name of those who joined first, at most MEMBERS_SHOWN, for whoever is invited.

    Ties by id. A minor's name stands with their team only for who is in the league.
    """
    name = case((Member.is_minor, ""), else_=Member.display_name)
    query = (
        select(LeagueMember.team_name, name)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(LeagueMember.league_id == league_id, seen_member(LeagueMember.member_id))
        .order_by(LeagueMember.joined_at, Member.id)
        .limit(MEMBERS_SHOWN)
    )
    return [(team, member) for team, member in db.session.execute(query)]


def choice_of(team_rules_id: int) -> TeamRulesChoice:
    """Return the team rules as a choice of the form."""
    found = db.session.get_one(TeamRules, team_rules_id)
    return TeamRulesChoice(
        found.format,
        found.lock,
        found.time_zone,
        found.deadline,
        found.budget,
        found.club_limit,
        found.free_transfers,
        found.bank_limit,
        found.transfer_cost,
        found.postponed_games,
    )


def open_seasons(now: datetime) -> Sequence[Season]:
    """Seasons that a league can be founded in: all but those whose last deadline has passed.

    The latest first. Simulated ones are left out: they live by their own clock.
    """
    ended = (
        select(Gameweek.season_id)
        .group_by(Gameweek.season_id)
        .having(func.max(Gameweek.deadline) <= now)
    )
    query = select(Season).where(~Season.is_simulated, Season.id.not_in(ended))
    return db.session.scalars(query.order_by(Season.season.desc(), Season.id.desc())).all()


def open_to_all(now: datetime) -> League | None:
    """The overall league of the newest season that can still be played.

    None without such a season.
    """
    newest = next(iter(open_seasons(now)), None)
    if newest is None:
        return None
    return db.session.scalar(select(League).where(League.season_id == newest.id, League.is_overall))


def is_member(league_id: int, member_id: int) -> bool:
    """Whether the member belongs to the league."""
    return db.session.get(LeagueMember, (league_id, member_id)) is not None


@dataclass(frozen=True)
class FoundMembers:
    """Who a search finds, to choose one: (id, team and name).

    `more`: there are others, whom a longer search finds.
    """

    choices: Sequence[tuple[str, str]]
    search: str
    more: bool


def find_members(
    league_id: int,
    search: str,
    *,
    chosen: int | None = None,
    but: int | None = None,
    active_only: bool = False,
) -> FoundMembers:
    """Find at most FOUND_ROWS visible members whose team or name has these words.

    The `chosen` one comes first, then those that begin with the words, then by team name and id.
    Without `but`.

    Args:
        active_only: Only members who may sign in.
    """
    named = or_(
        LeagueMember.team_name.icontains(search, autoescape=True),
        Member.display_name.icontains(search, autoescape=True),
    )
    begins = or_(
        LeagueMember.team_name.istartswith(search, autoescape=True),
        Member.display_name.istartswith(search, autoescape=True),
    )
    is_chosen = Member.id == (chosen or 0)
    query = (
        select(Member.id, LeagueMember.team_name, Member.display_name)
        .join(LeagueMember, LeagueMember.member_id == Member.id)
        .where(LeagueMember.league_id == league_id, Member.id != (but or 0), or_(named, is_chosen))
        .where(seen_member(LeagueMember.member_id))
        .order_by(is_chosen.desc(), begins.desc(), func.lower(LeagueMember.team_name), Member.id)
        .limit(FOUND_ROWS + 1)
    )
    if active_only:
        query = query.where(is_active())
    found = [
        (str(member), f"{isolated(team)} ({isolated(name)})")
        for member, team, name in db.session.execute(query)
    ]
    return FoundMembers(found[:FOUND_ROWS], search, len(found) > FOUND_ROWS)
