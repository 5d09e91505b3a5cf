"""Found a draft league, change its settings, and prepare it for its draft and its season."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import delete, exists, select

from app.accounts.models import Member
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import locked, teams
from app.draft_leagues.models import DRAFTING, SEASON, SETUP, DraftLeague
from app.draft_leagues.season.services import write_schedule
from app.draft_leagues.season_facts import season_facts
from app.draft_leagues.setting_changes import with_origin
from app.draft_leagues.setting_fitting import fitted_to_weeks
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import record, settings_of
from app.fantasy.leagues import owners
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import draft_format_name
from app.fantasy.market.models import TeamRules
from app.fantasy.market.seasons import add_own_team_rules, begin_with
from app.fantasy.rosters.models import Franchise, PickOwner
from app.fantasy.rosters.rules import BudgetMove, Transaction
from app.fantasy.sheets import roster_services
from app.fantasy.standings.models import DRAFT, League, LeagueMember
from app.fantasy.standings.ranking import HEAD_TO_HEAD

BEGUN = Refusal("begun", "", "The draft has begun. You can change settings next season.")


HAVE_TRADED = Refusal(
    "traded",
    "franchises",
    "Teams have traded picks of this draft, so the number of teams is fixed.",
)
CHANGED = Refusal(
    "changed", "", "Someone else changed the settings at the same time. Check them and save again."
)
GOES_ON = Refusal(
    "goes_on",
    "franchises",
    "A continuing league keeps its teams. Create a new league for a different number.",
)


# A form that comes again within this time was sent twice.
SENT_AGAIN = timedelta(minutes=10)


@dataclass(frozen=True)
class NewDraftLeague:
    """A draft league to be founded: its name, the commissioner's team, the season, the settings."""

    name: str
    team_name: str
    season_id: int
    settings: DraftLeagueSettings
    is_public: bool = False


def found(member_id: int, new: NewDraftLeague, now: datetime) -> League | list[Refusal]:
    """Found a draft league with its commissioner as the first franchise.

    The caller has checked the settings (`setting_faults`).

    A form that is sent twice founds one league: the second sending returns that of the first.

    Returns:
        The league, or everything that is wrong with its names.
    """
    if (twin := _twin(member_id, new, now)) is not None:
        return twin
    refused = name_refusals(new.name, new.team_name)
    if leagues.leagues_count(member_id) >= leagues.MOST_LEAGUES:
        refused.append(leagues.TOO_MANY)
    if refused:
        return refused
    with transaction():
        db.session.execute(select(Member.id).where(Member.id == member_id).with_for_update())
        if (twin := _twin(member_id, new, now)) is not None:
            return twin
        return add_draft_league(member_id, new, now)


def name_refusals(name: str, team_name: str) -> list[Refusal]:
    """Everything that is wrong with the names of a new league and of its first team."""
    return leagues.refusals(name, team_name, HEAD_TO_HEAD, "shared")


def _twin(member_id: int, new: NewDraftLeague, now: datetime) -> League | None:
    """The league that the same form founded a moment ago."""
    league = founded_just_now(member_id, new.name, new.season_id, now)
    if league is None or settings_for(league.id) != new.settings:
        return None
    return league


def founded_just_now(member_id: int, name: str, season_id: int, now: datetime) -> League | None:
    """The draft league that the member founded or imported under this name a moment ago."""
    return db.session.scalars(
        select(League)
        .where(
            League.commissioner_id == member_id,
            League.season_id == season_id,
            League.game == DRAFT,
            League.name == name,
            League.continues_id.is_(None),
            League.created_at > now - SENT_AGAIN,
        )
        .order_by(League.id.desc())
        .limit(1)
    ).one_or_none()


def add_draft_league(member_id: int, new: NewDraftLeague, now: datetime) -> League:
    """Write a draft league with its franchises, of which the member has the first.

    Only the caller commits, and has checked everything.
    """
    choice = team_rules_choice(new.settings)
    league = leagues.add_league(
        member_id,
        NewLeague(
            new.name,
            new.team_name,
            new.season_id,
            choice,
            new.settings.scoring,
            HEAD_TO_HEAD,
            is_public=new.is_public,
            first_week=new.settings.season.first_week,
        ),
        add_own_team_rules(new.season_id, choice).id,
        now,
        game=DRAFT,
    )
    db.session.add(DraftLeague(league_id=league.id, settings=msgspec.to_builtins(new.settings)))
    db.session.flush()
    _add_franchises(league.id, new.settings, member_id)
    return league


def change_settings(
    league_id: int,
    settings: DraftLeagueSettings,
    now: datetime,
    *,
    expected: DraftLeagueSettings | None = None,
) -> list[Refusal]:
    """Replace the settings before the draft begins. The caller has checked them.

    Franchises that nobody runs make way if there are to be fewer. `expected`: the settings to
    which the caller made changes; it is refused if they are others by now, unless they are what it
    asks for.
    """
    del now  # the phase decides, not the clock
    with transaction():
        draft_league = locked(league_id)
        if draft_league.phase != SETUP:
            return [BEGUN]
        before = settings_of(draft_league)
        if expected is not None and before not in (expected, settings):
            return [CHANGED]
        settings = with_origin(before, settings)
        league = db.session.get_one(League, league_id)
        members = _franchise_members(league_id)
        keeps_number = settings.franchises == len(teams(league_id))
        if not keeps_number and (refusal := _number_refusal(league, settings, len(members))):
            return [refusal]
        draft_league.settings = msgspec.to_builtins(settings)
        league.rules = settings.scoring
        league.first_week = settings.season.first_week or league.first_week
        team_rules = db.session.get_one(TeamRules, league.team_rules_id)
        choice = team_rules_choice(settings)
        team_rules.format, team_rules.time_zone = choice.format, choice.time_zone
        begin_with(team_rules.id, league.first_week)
        if keeps_number:  # they may have a history, and traded picks
            divide(league_id, settings)
        else:
            db.session.execute(delete(Franchise).where(Franchise.league_id == league_id))
            _add_franchises(league_id, settings, *members)
    return []


def _number_refusal(league: League, settings: DraftLeagueSettings, taken: int) -> Refusal | None:
    """Why the league cannot have another number of teams. `taken`: how many have a member."""
    if league.continues_id is not None:
        return GOES_ON
    if _has_traded(league.id):
        return HAVE_TRADED
    if taken > settings.franchises:
        text = f"{taken} teams are taken. Choose at least as many, or remove a member first."
        return Refusal("franchises", "franchises", text)
    return None


def _has_traded(league_id: int) -> bool:
    """Whether picks of the coming draft have changed hands."""
    has_traded: bool = db.session.query(exists().where(PickOwner.league_id == league_id)).scalar()
    return has_traded


def begin_draft(draft_league: DraftLeague) -> None:
    """Close the settings: the draft begins. Only the caller commits."""
    draft_league.phase = DRAFTING


def begin_season(draft_league: DraftLeague, now: datetime) -> None:
    """Open the season after the draft. Only the caller commits.

    Franchises that nobody runs get a placeholder member, so that line-ups, scores and matchups,
    which belong to members, have one until the commissioner finds an owner.
    """
    league = db.session.get_one(League, draft_league.league_id)
    vacant = db.session.scalars(
        select(Franchise)
        .where(Franchise.league_id == league.id, Franchise.member_id.is_(None))
        .order_by(Franchise.number)
    )
    for franchise in vacant:
        franchise.member_id = owners.add_placeholder(franchise).id
        db.session.add(
            LeagueMember(
                league_id=league.id,
                member_id=franchise.member_id,
                team_name=franchise.name,
                joined_at=now,
            )
        )
    db.session.flush()
    _begin_with_open_week(draft_league, league, now)
    draft_league.phase = SEASON
    _grant_budgets(draft_league, now)
    write_schedule(draft_league)
    roster_services.fit_open(league.team_rules_id, _franchise_members(league.id), now)


def _begin_with_open_week(draft_league: DraftLeague, league: League, now: datetime) -> None:
    """Leave out gameweeks that began before the draft ended, unless the settings name the first.

    The rest of the season is fitted to the gameweeks that are left. Nothing changes if none is.
    """
    settings = settings_of(draft_league)
    facts = season_facts(league.season_id, now)
    if settings.season.first_week is not None or not (
        league.first_week < facts.first_week <= facts.last_week
    ):
        return
    settings = fitted_to_weeks(settings, facts)
    draft_league.settings = msgspec.to_builtins(settings)
    league.first_week = facts.first_week
    begin_with(league.team_rules_id, league.first_week)
    db.session.flush()


def set_first_priorities(draft_league: DraftLeague, draft_order: Sequence[int]) -> None:
    """Let the franchise that drafted last claim first, as Yahoo, Sleeper and ESPN do.

    A league that goes on has its priorities from the last season's table. Only the caller commits.
    """
    league = db.session.get_one(League, draft_league.league_id)
    if league.continues_id is not None:
        return
    for priority, number in enumerate(reversed(draft_order), start=1):
        franchise = db.session.get_one(Franchise, (league.id, number))
        franchise.waiver_priority = priority


def _grant_budgets(draft_league: DraftLeague, now: datetime) -> None:
    """Give every franchise its waiver budget, if claims are bids."""
    settings = settings_of(draft_league)
    if settings.waivers.kind != "blind_bids" or not settings.waivers.budget:
        return
    grant = Transaction(
        "budget",
        budgets=tuple(
            BudgetMove(number, settings.waivers.budget)
            for number in range(1, settings.franchises + 1)
        ),
        reason="Season waiver budget",
        source="budget:season",
    )
    result = record(draft_league, [grant], now)
    assert isinstance(result, list)  # a budget that rises is never refused


def team_rules_choice(settings: DraftLeagueSettings) -> TeamRulesChoice:
    """The team rules of a draft league: a format of its own, locked footballer by footballer."""
    roster = settings.roster
    name = draft_format_name(
        {each.slot: each.count for each in roster.starters},
        roster.bench,
        substitutes_come_on=roster.substitutes_come_on,
        is_best_ball=roster.best_ball,
    )
    return TeamRulesChoice.of(name, settings.time_zone, lock="game")


def settings_for(league_id: int) -> DraftLeagueSettings:
    """The settings of a draft league."""
    return settings_of(db.session.get_one(DraftLeague, league_id))


def _franchise_members(league_id: int) -> list[int]:
    """The members who run franchises, in the order of their franchises."""
    return [
        *db.session.scalars(
            select(Franchise.member_id)
            .where(Franchise.league_id == league_id, Franchise.member_id.is_not(None))
            .order_by(Franchise.number)
        )
    ]


def _add_franchises(league_id: int, settings: DraftLeagueSettings, *members: int) -> None:
    """Write all franchises; the first are the members'."""
    for number in range(1, settings.franchises + 1):
        db.session.add(
            Franchise(
                league_id=league_id,
                number=number,
                member_id=members[number - 1] if number <= len(members) else None,
                name=f"Team {number}",
                division=_division(number, settings),
                waiver_priority=number,
            )
        )
    db.session.flush()


def _division(number: int, settings: DraftLeagueSettings) -> int:
    """The division of a franchise; 0 without divisions."""
    divisions = settings.season.divisions
    return (number - 1) % divisions + 1 if divisions > 1 else 0


def divide(league_id: int, settings: DraftLeagueSettings) -> None:
    """Divide the franchises anew if there is another number of divisions now."""
    franchises = db.session.scalars(select(Franchise).where(Franchise.league_id == league_id)).all()
    before = len({franchise.division for franchise in franchises})
    if before != max(settings.season.divisions, 1):
        for franchise in franchises:
            franchise.division = _division(franchise.number, settings)
