"""The demo season's draft league: founded, drafted by its members' autopilots, in mid-season."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.demo.season import CURRENT, DemoSeason
from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.desk import open_desk
from app.draft_leagues.drafts.founding import DraftToPlan, plan_draft
from app.draft_leagues.drafts.queries import Seat
from app.draft_leagues.franchises.services import teams as teams_of
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague, settings_for
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.services import Wish
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import FootballerSeason, Season
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.standings.models import League

NAME = "Second Edition"
FRANCHISES = 6
_LONGEST = 600  # seconds of the draft, which takes one for each pick
_BASE = PRESETS["redraft"]
# The demo has eight clubs, so the league is smaller than usual: free agents of every position are
# left. A gameweek takes an hour, so claims are processed every day, and whoever has played is free
# again after the game. The final is in the season's last gameweek.
SETTINGS: DraftLeagueSettings = replace(
    _BASE,
    franchises=FRANCHISES,
    roster=replace(_BASE.roster, bench=4),
    waivers=replace(
        _BASE.waivers,
        kind="blind_bids",
        days=("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"),
        hours_after_drop=1,
        locks_at_kickoff=False,
    ),
    season=replace(
        _BASE.season, first_week=1, regular_weeks=15, playoff_teams=4, weeks_per_round=(1, 1)
    ),
)


def make_draft_league(season: DemoSeason, stored_season: Season) -> None:
    """Found the league and draft it before the first gameweek. Commits; again changes nothing."""
    begin = season.weeks[0].deadline - timedelta(days=2)
    league = db.session.scalar(
        select(League).where(League.season_id == stored_season.id, League.name == NAME)
    )
    if league is None:
        league = _found(season, stored_season, begin - timedelta(days=1))
    if not rosters_of(league.id).places:
        _draft(league, stored_season, begin)
        _add_a_free_agent(league, begin + timedelta(hours=5))
        _leave_something_to_decide(league, season.current.deadline - timedelta(hours=1))


def _settings(season: DemoSeason) -> DraftLeagueSettings:
    """The settings, with claims processed shortly before the deadline that a visitor plays for."""
    run_at = season.weeks[CURRENT].deadline - timedelta(minutes=15)
    local = run_at.astimezone(ZoneInfo(SETTINGS.time_zone))
    return replace(SETTINGS, waivers=replace(SETTINGS.waivers, time=f"{local:%H:%M}"))


def _found(season: DemoSeason, stored_season: Season, now: datetime) -> League:
    members = dict(
        db.session.execute(
            select(Member.username, Member.id).where(
                Member.username.in_([team.account.username for team in season.teams])
            )
        ).all()
    )
    first, *others = season.teams[:FRANCHISES]
    league = setup.found(
        members[first.account.username],
        NewDraftLeague(NAME, first.team_name, stored_season.id, _settings(season)),
        now,
    )
    assert isinstance(league, League), league
    for team in others:
        refused = leagues.join(members[team.account.username], league.id, team.team_name, now)
        assert refused is None, refused
    return league


def _draft(league: League, stored_season: Season, now: datetime) -> None:
    """Draft with everybody's autopilot on, which takes a second for each pick."""
    teams = teams_of(league.id)
    row = plan_draft(
        DraftToPlan(
            name=f"Draft of {league.name}",
            season_id=stored_season.id,
            settings=settings_for(league.id),
            seats=[Seat(team.number, team.name, team.member_id) for team in teams],
            order=[team.number for team in teams],
            league_id=league.id,
            created_by=league.commissioner_id,
        ),
        now,
    )
    desk = open_desk(row.id, now)
    assert desk is not None
    desk.start(now, by_member_id=league.commissioner_id)
    for team in teams:
        desk.append(events.Autopilot(now, team.number, is_on=True))
    for second in range(1, _LONGEST):
        if desk.draft.status == "completed":
            break
        desk.settle(now + timedelta(seconds=second), completes=True)
    desk.save()
    assert desk.draft.status == "completed", desk.draft.status


def _add_a_free_agent(league: League, now: datetime) -> None:
    """The visitor's own first act: the dearest free agent for the last whom they drafted."""
    taken = rosters_of(league.id)
    free = db.session.scalars(
        select(FootballerSeason.footballer_id)
        .where(
            FootballerSeason.season_id == league.season_id,
            FootballerSeason.position.in_(("QB", "RB", "WR", "TE", "K")),
            FootballerSeason.footballer_id.not_in(taken.places),
        )
        .order_by(FootballerSeason.price.desc(), FootballerSeason.footballer_id)
        .limit(1)
    ).one()
    dropped = list(taken.of(1))[-1]
    assert league.commissioner_id is not None
    refused = waivers.add(league.id, league.commissioner_id, Wish(free, dropped), now)
    assert refused == [], refused


def _leave_something_to_decide(league: League, now: datetime) -> None:
    """The visitor has an offer to answer and a claim that waits for the next run."""
    visitor, offering, dropping = teams_of(league.id)[:3]
    assert visitor.member_id is not None
    assert offering.member_id is not None
    assert dropping.member_id is not None
    rosters = rosters_of(league.id)
    visitors_players, offered, dropped = (
        list(rosters.of(team.number)) for team in (visitor, offering, dropping)
    )
    terms = Terms(
        (
            FootballerGift(offered[1], offering.number, visitor.number),
            FootballerGift(visitors_players[1], visitor.number, offering.number),
        )
    )
    offer = NewOffer(terms, "demo-offer", message="Second for second?")
    assert not trades.offer(league.id, Actor(offering.member_id), offer, now).refusals
    assert roster_acts.drop(league.id, dropping.member_id, dropped[-1], now) == []
    is_full = sum(place.spot == "active" for place in rosters.of(visitor.number).values()) >= (
        SETTINGS.roster.active
    )
    wish = Wish(dropped[-1], visitors_players[-1] if is_full else None, bid=7)
    refused = waivers.claim(league.id, visitor.member_id, wish, now + timedelta(minutes=10))
    assert refused == [], refused
