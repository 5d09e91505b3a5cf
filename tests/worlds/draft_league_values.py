"""Values for the pages of draft leagues: one in set-up, the demo's, and one that goes on."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.demo.seed_draft_league import NAME, SETTINGS
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.keepers.models import KeeperWindow
from app.draft_leagues.season_facts import season_facts
from app.draft_leagues.setting_fitting import fitted
from app.draft_leagues.settings import PRESETS, KeeperSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import runs
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.queries import open_claims
from app.draft_leagues.waivers.services import Wish
from app.fantasy.leagues import owners
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.standings.models import League
from tests.worlds.draft_leagues import free_agents

SET_UP = ("setup", "draft")  # pages of a league that has not drafted
API = "/api/v1/draft-leagues/"
IN_SEASON = (
    "bracket",
    "commissioner",
    "players",
    "rankings",
    "records",
    "roster",
    "schedule",
    "standings",
    "trades",
    "transactions",
    "waivers",
)


def draft_league_values(owner: Member, season_id: int) -> dict[str, dict[str, str]]:
    """Values for each variable of a path, by the path's prefix. The owner runs them all."""
    set_up = _set_up(owner, season_id)
    played = _played(owner)
    mine, other = _franchise(played, owner), 1
    claimed, dropped = _claim(played, owner)
    trade = _offer(played, owner, other)
    run_id = runs.run(played.id, clock.now() - timedelta(hours=1), clock.now())
    slugs = {f"/leagues/<slug>/{page}": set_up.slug for page in SET_UP}
    slugs |= {f"/leagues/<slug>/{page}": played.slug for page in IN_SEASON}
    claim = open_claims(played.id, mine)[0].id
    slugs["/leagues/<slug>/keepers"] = _going_on(owner, played).slug
    return {
        "slug": slugs,
        "league": {API: played.slug},
        "franchise": {
            "": str(other),
            "/leagues/<slug>/commissioner/line-up/": str(mine),
        },
        "footballer_id": {
            "/leagues/<slug>/waivers/claim/": claimed,
            "/leagues/<slug>/roster/drop/": dropped,
            API: dropped,
        },
        "number": {API: "1"},
        "gameweek": {API: "GW1"},
        "claim": {"": str(claim)},
        "trade": {"": str(trade)},
        "run": {"": str(run_id)},
        "week": {"/leagues/<slug>/commissioner/line-up/": "1"},
        "claim_id": {"": str(claim)},
        "trade_id": {"": str(trade)},
        "run_id": {"": str(run_id)},
        "draft_id": {"": "1"},
        "draft": {"": "1"},
    }


def _set_up(owner: Member, season_id: int) -> League:
    facts = season_facts(season_id, clock.now())
    settings = fitted(PRESETS["redraft"], facts)
    founded = setup.found(
        owner.id, NewDraftLeague("The Draft", "Draft FC", season_id, settings), clock.now()
    )
    assert isinstance(founded, League), founded
    return founded


def _played(owner: Member) -> League:
    """The demo's league, which the owner runs and has a team in."""
    league = db.session.scalars(select(League).where(League.name == NAME)).one()
    if franchises.franchise_of(league.id, owner.id) is None:
        second = db.session.get_one(Franchise, (league.id, 2))
        owners.hand_over(league, second, owner.id, clock.now())
    league.commissioner_id = owner.id
    db.session.commit()
    return league


def _going_on(owner: Member, played: League) -> League:
    """A league that continues the demo's, and whose owners choose keepers."""
    settings = replace(SETTINGS, keepers=KeeperSettings(most=3))
    league = setup.found(
        owner.id, NewDraftLeague("The Yard", "Yard FC", played.season_id, settings), clock.now()
    )
    assert isinstance(league, League), league
    league.continues_id = played.id
    deadline = clock.now() + timedelta(days=5)
    db.session.add(KeeperWindow(league_id=league.id, deadline=deadline))
    db.session.commit()
    return league


def _franchise(league: League, owner: Member) -> int:
    number = franchises.franchise_of(league.id, owner.id)
    assert number is not None
    return number


def _claim(league: League, owner: Member) -> tuple[str, str]:
    """Let the owner claim somebody whose game has begun: that footballer, and one to drop."""
    roster = rosters_of(league.id).of(_franchise(league, owner))
    free = [each for position in ("QB", "RB", "WR", "TE") for each in free_agents(league, position)]
    claims = (
        (footballer_id, dropped)
        for footballer_id, dropped in product(free, roster)
        if waivers.claim(league.id, owner.id, Wish(footballer_id, dropped), clock.now()) == []
    )
    claim = next(claims, None)
    assert claim is not None, "nobody is on waivers in the demo's league"
    return claim


def _offer(league: League, owner: Member, other: int) -> int:
    """Let the owner offer the last footballer of their roster for the other's."""
    mine = _franchise(league, owner)
    rosters = rosters_of(league.id)
    give, get = [*rosters.of(mine)][-1], [*rosters.of(other)][-1]
    terms = Terms((FootballerGift(give, mine, other), FootballerGift(get, other, mine)))
    offered = trades.offer(league.id, Actor(owner.id), NewOffer(terms, token="offer"), clock.now())
    assert offered.trade_id is not None, offered.refusals
    return offered.trade_id
