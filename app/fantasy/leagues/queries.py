"""Reads for the pages of leagues, in a fixed number of queries for any number of members."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    bindparam,
    case,
    cast,
    false,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from app.accounts.models import Member
from app.accounts.placeholders import is_person
from app.accounts.sanctions import is_active, seen_member
from app.core.bidi import isolated
from app.core.db import db
from app.core.http.pagination import page_count
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.leagues.services import APART
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Gameweek, Season, TeamRules
from app.fantasy.standings.models import DRAFT, League, LeagueMember, LeagueScore
from app.fantasy.standings.season_places import in_order, own_places, season_places, under_way

PAGE_ROWS = 50
FOUND_ROWS = 10
MEMBERS_SHOWN = 12  # on an invitation


@dataclass(frozen=True)
class LeagueCard:
    """A league in a list.

    `rank` and `total` are the viewer's, None if they are not a member. `last_ranks`: the viewer's
    after the latest settled gameweeks, at most two, the latest first. `teams`: how many are ranked;
    in a draft league also those without a member who can be seen. `is_live`: `rank` and `total`
    include a gameweek under way.
    """

    id: int
    slug: str
    name: str
    season: str
    mode: str
    is_public: bool
    is_overall: bool
    is_mine: bool
    members: int
    teams: int
    team_name: str | None
    rank: int | None
    total: int | None
    last_ranks: Sequence[int]
    is_live: bool = False

    @property
    def moved(self) -> int:
        """Places won since the last gameweek; negative if lost."""
        before = self.last_ranks[0 if self.is_live else 1 :]
        return before[0] - self.rank if before and self.rank is not None else 0


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
    """A page of members in the league's order. `mine`: the page with the viewer."""

    rows: Sequence[MemberRow]
    number: int
    pages: int
    mine: int
    count: int


@dataclass(frozen=True)
class About:
    """What members, and people who may join, read about a league."""

    league: League
    season: Season
    choice: TeamRulesChoice
    members: int
    commissioner: str | None


def cards(member_id: int) -> list[LeagueCard]:
    """The member's leagues: the overall one last, else by name, then id."""
    return with_live(_rows(cards_of_viewer(), member_id), member_id)


def with_live(
    league_cards: Sequence[LeagueCard], member_id: int, live: Collection[int] | None = None
) -> list[LeagueCard]:
    """Add the gameweeks under way to the places of the member's leagues.

    `live`: the leagues that count one, if that is known.
    """
    leagues = [card.id for card in league_cards if card.rank is not None]
    by_league = own_places(under_way(leagues) if live is None else live, member_id)
    return [
        replace(card, rank=by_league[card.id].rank, total=by_league[card.id].total, is_live=True)
        if card.id in by_league
        else card
        for card in league_cards
    ]


def public_cards(
    member_id: int, search: str, page: int, rows: int = 20
) -> tuple[list[LeagueCard], bool]:
    """A page of public leagues whose name has the words, by name, and whether more follow."""
    query = _cards().where(
        League.is_public, ~League.is_overall, Season.competition.not_like(f"%{APART}%")
    )
    if search:
        query = query.where(League.name.icontains(search, autoescape=True))
    query = (
        query.order_by(func.lower(League.name), League.id).limit(rows + 1).offset((page - 1) * rows)
    )
    leagues = _rows(query, member_id)
    return with_live(leagues[:rows], member_id), len(leagues) > rows


@cache
def cards_of_viewer() -> Select[Any]:
    """The query of `cards`: rows with the fields of `LeagueCard` for the member `viewer`."""
    query = _cards().where(LeagueMember.member_id == bindparam("viewer"))
    return query.order_by(League.is_overall, func.lower(League.name), League.id)


@cache  # building the statement takes as long as running it
def _cards() -> Select[Any]:
    """All leagues as the member `viewer` sees them."""
    everybody, ahead, team = (aliased(LeagueMember) for _ in range(3))
    size = (
        select(func.count())
        .select_from(everybody)
        .join(Member, Member.id == everybody.member_id)
        .where(everybody.league_id == League.id, is_person(), seen_member(everybody.member_id))
        .scalar_subquery()
    )
    # Every team of a draft league has its place in the table, whoever runs it.
    teams = select(func.count()).where(team.league_id == League.id).scalar_subquery()
    rank = (
        select(func.count(ahead.standing.distinct()) + 1)
        .where(
            ahead.league_id == League.id,
            ahead.standing > LeagueMember.standing,
            (League.game == DRAFT) | seen_member(ahead.member_id),
        )
        .scalar_subquery()
    )
    score, gameweek = aliased(LeagueScore), aliased(Gameweek)
    last_ranks = (
        select(score.rank)
        .join(gameweek, gameweek.id == score.gameweek_id)
        .where(
            score.league_id == League.id,
            score.member_id == LeagueMember.member_id,
            score.rank.is_not(None),
        )
        .order_by(gameweek.week.desc())
        .limit(2)
        .correlate(League, LeagueMember)
        .scalar_subquery()
    )
    mine = (LeagueMember.league_id == League.id) & (LeagueMember.member_id == bindparam("viewer"))
    is_commissioner = League.commissioner_id == bindparam("viewer")
    return (
        select(
            League.id,
            League.slug,
            League.name,
            Season.name.label("season"),
            League.mode,
            League.is_public,
            League.is_overall,
            func.coalesce(is_commissioner, false()).label("is_mine"),
            size.label("members"),
            case((League.game == DRAFT, teams), else_=size).label("teams"),
            LeagueMember.team_name,
            case((LeagueMember.member_id.is_not(None), rank)).label("rank"),
            LeagueMember.total_points.label("total"),
            func.array(last_ranks).label("last_ranks"),
        )
        .join(Season, Season.id == League.season_id)
        .outerjoin(LeagueMember, mine)
    )


def _rows(query: Select[Any], member_id: int) -> list[LeagueCard]:
    return [LeagueCard(*row) for row in db.session.execute(query, {"viewer": member_id})]


def members_page(league: League, me: int, number: int | None, search: str = "") -> Page:
    """A page of the members, best first, then by id; without a number the viewer's own page.

    Ranks are dense: members with equal points share one, and the next follows without a gap.
    """
    matches = _order(league.id).where(*_named(search)).subquery()
    count = db.session.scalar(select(func.count()).select_from(matches)) or 0
    pages = page_count(count, PAGE_ROWS)
    place = db.session.scalar(select(matches.c.place).where(matches.c.member_id == me))
    mine = 1 if place is None else (place - 1) // PAGE_ROWS + 1
    number = mine if number is None else min(number, pages)
    low = (number - 1) * PAGE_ROWS
    rows = db.session.execute(
        select(matches)
        .where(matches.c.place > low, matches.c.place <= low + PAGE_ROWS)
        .order_by(matches.c.place)
    )
    member_rows = [
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
    return Page(member_rows, number, pages, mine, count)


def _order(league_id: int) -> Select[Any]:
    """Members with their ranks in the whole league, and their places among those who match."""
    ranked = _ranked(league_id)
    place = func.row_number().over(order_by=(ranked.c.rank, ranked.c.member_id))
    is_member = (LeagueMember.league_id == league_id) & (
        LeagueMember.member_id == ranked.c.member_id
    )
    return (
        select(
            ranked.c.member_id,
            Member.display_name,
            Member.country,
            LeagueMember.team_name,
            LeagueMember.joined_at,
            ranked.c.total_points,
            ranked.c.rank,
            place.label("place"),
        )
        .join(LeagueMember, is_member)
        .join(Member, (Member.id == ranked.c.member_id) & is_person())
    )


def _ranked(league_id: int) -> FromClause:
    """Member, rank and total; of a large league after the last settled gameweek."""
    places = season_places(league_id)
    if places is None:
        rank = func.dense_rank().over(order_by=LeagueMember.standing.desc())
        return (
            select(LeagueMember.member_id, rank.label("rank"), LeagueMember.total_points)
            .where(LeagueMember.league_id == league_id, seen_member(LeagueMember.member_id))
            .subquery("ranked")
        )
    members = in_order(places)
    columns = (
        members,
        [places[member].rank for member in members],
        [places[member].total for member in members],
    )
    arrays = (cast(column, ARRAY(BigInteger)) for column in columns)
    ranked = func.unnest(*arrays).table_valued("member_id", "rank", "total_points", name="ranked")
    return ranked.render_derived()


def _named(search: str) -> list[ColumnElement[bool]]:
    if not search:
        return []
    return [Member.display_name.icontains(search, autoescape=True)]


def banned(league_id: int) -> list[tuple[int, str]]:
    """Members who were removed and not let back, by name, then id."""
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
    members = (
        db.session.scalar(
            select(func.count())
            .select_from(LeagueMember)
            .join(Member, Member.id == LeagueMember.member_id)
            .where(
                LeagueMember.league_id == league.id,
                is_person(),
                seen_member(LeagueMember.member_id),
            )
        )
        or 0
    )
    name = None
    if league.commissioner_id is not None:
        name = db.session.scalar(
            select(Member.display_name).where(Member.id == league.commissioner_id)
        )
    return About(league, season, choice_of(league.team_rules_id), members, name)


def first_members(league_id: int) -> list[tuple[str, str]]:
    """Team and name of the members who joined first, at most MEMBERS_SHOWN, for an invitation.

    Ties are broken by id. Only members of the league see the name of a minor.
    """
    name = case((Member.is_minor, ""), else_=Member.display_name)
    query = (
        select(LeagueMember.team_name, name)
        .join(Member, Member.id == LeagueMember.member_id)
        .where(
            LeagueMember.league_id == league_id, is_person(), seen_member(LeagueMember.member_id)
        )
        .order_by(LeagueMember.joined_at, Member.id)
        .limit(MEMBERS_SHOWN)
    )
    return [(team, member) for team, member in db.session.execute(query)]


def choice_of(team_rules_id: int) -> TeamRulesChoice:
    """Return the team rules as a choice of the form."""
    team_rules = db.session.get_one(TeamRules, team_rules_id)
    return TeamRulesChoice(
        team_rules.format,
        team_rules.lock,
        team_rules.time_zone,
        team_rules.deadline,
        team_rules.budget,
        team_rules.club_limit,
        team_rules.free_transfers,
        team_rules.bank_limit,
        team_rules.transfer_cost,
        team_rules.postponed_games,
    )


def open_seasons(now: datetime) -> Sequence[Season]:
    """Seasons in which a league can be founded, the latest first.

    The last deadline has not passed. Simulated seasons are left out because they have their own
    clock.
    """
    ended = (
        select(Gameweek.season_id)
        .group_by(Gameweek.season_id)
        .having(func.max(Gameweek.deadline) <= now)
    )
    query = select(Season).where(~Season.is_simulated, Season.id.not_in(ended))
    return db.session.scalars(query.order_by(Season.season.desc(), Season.id.desc())).all()


def open_to_all(now: datetime) -> League | None:
    """The overall league of the newest season that can still be played; None without one."""
    newest = next(iter(open_seasons(now)), None)
    if newest is None:
        return None
    return db.session.scalar(select(League).where(League.season_id == newest.id, League.is_overall))


def is_member(league_id: int, member_id: int) -> bool:
    """Whether the member belongs to the league."""
    return db.session.get(LeagueMember, (league_id, member_id)) is not None


@dataclass(frozen=True)
class FoundMembers:
    """Members that a search finds, as choices: id, and team and name.

    `more`: whether there are others.
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

    Those that begin with the words come first, then by team name and id.

    Args:
        league_id: The league.
        search: The words.
        chosen: A member who is found in any case, and comes first.
        but: A member who is not found.
        active_only: Whether to find only members who may sign in.
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
    choices = [
        (str(member), f"{isolated(team)} ({isolated(name)})")
        for member, team, name in db.session.execute(query)
    ]
    return FoundMembers(choices[:FOUND_ROWS], search, len(choices) > FOUND_ROWS)
