"""Every way in which a member loses a team, and everything that has to end with it.

Authority: issue 47, A4, A12, M1, M5, D15 and D34: rights follow from the membership at the moment
of the deed, and what only the owner wanted ends with them. A sanction ends nothing for good: what
stood counts again when it is lifted (decision 22).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts import member_sessions
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues import connections, draft_planning, wishes
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts import queries as draft_queries
from app.draft_leagues.drafts import services as drafts
from app.draft_leagues.drafts.models import DraftPick
from app.draft_leagues.franchises.services import runs_league, teams, without_owner
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import (
    DraftLeagueSettings,
    DraftSettings,
    RosterSettings,
    StarterCount,
    WaiverSettings,
)
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.draft_leagues.trades import block, settling
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.queries import load_trade, trade_block
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.draft_leagues.waivers import runs
from app.draft_leagues.waivers import services as waivers
from app.draft_leagues.waivers.queries import open_claims
from app.draft_leagues.waivers.services import Wish
from app.draft_leagues.waivers.times import first_run_from
from app.fantasy.leagues import owners
from app.fantasy.leagues import services as leagues
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.franchises import ENDS_WITH_OWNER
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.standings.models import League, LeagueMember
from app.moderation import privacy, sanctions
from tests.draft_leagues.drafts.plans import START, seconds
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league
from tests.worlds.draft_market import make_market

LATER = DRAFTED + timedelta(hours=1)
BY = By(1, "They asked me to.")  # the founder


def impose(kind: str, member_id: int) -> None:
    player = player_of(db.session.get_one(Member, member_id)).id
    until = LATER + timedelta(days=30) if kind == sanctions.SUSPENSION else None
    measure = sanctions.Measure(kind, until)
    done = sanctions.impose(player, measure, by=None, reason="cheating", now=LATER)
    assert not isinstance(done, Refusal), done


def lift(member_id: int) -> None:
    player = player_of(db.session.get_one(Member, member_id)).id
    done = sanctions.lift(player, by=None, reason="a mistake", now=LATER)
    assert not isinstance(done, Refusal), done


def erase(member_id: int) -> None:
    done = privacy.erase(member_id, by=member_id, reason="asked", now=LATER)
    assert not isinstance(done, Refusal), done


# Each takes the league and the member, whose team is number 2.
WAYS: dict[str, Callable[[int, int], object]] = {
    "left": lambda league_id, bob: leagues.leave(bob, league_id, LATER),
    "removed": lambda league_id, bob: leagues.remove(league_id, bob, LATER),
    "replaced": lambda league_id, _: commissioner.open_franchise(league_id, 2, BY, LATER) or None,
    "banned": lambda _, bob: impose(sanctions.BAN, bob),
    "suspended": lambda _, bob: impose(sanctions.SUSPENSION, bob),
    "erased": lambda _, bob: erase(bob),
}
AFTER_THE_DRAFT = ("replaced", "banned", "suspended", "erased")  # nobody leaves a drafted team
KEPT_OUT = ("banned", "suspended")


class Season:
    """A league in its season whose member Bob runs it too, and wants all that one can want.

    `offer`: of Bob to Ann. `claimed`: whom he claims.
    """

    def __init__(self, world: DraftWorld) -> None:
        self.world = world
        self.league_id, (self.ann, self.bob, *_) = world.league.id, world.members
        assert commissioner.set_co_commissioners(self.league_id, [self.bob], BY, LATER) == []
        self.claimed = [*rosters_of(self.league_id).of(4)][-1]
        assert roster_acts.drop(self.league_id, world.members[3], self.claimed, DRAFTED) == []
        wish = Wish(self.claimed, bid=7)
        assert waivers.claim(self.league_id, self.bob, wish, DRAFTED) == []
        self.mine, *_ = rosters_of(self.league_id).of(2)
        self.others, *_ = rosters_of(self.league_id).of(1)
        terms = Terms((FootballerGift(self.mine, 2, 1), FootballerGift(self.others, 1, 2)))
        actor = Actor(self.bob)
        offered = trades.offer(self.league_id, actor, NewOffer(terms, "once", "Fair?"), DRAFTED)
        assert offered.trade_id is not None, offered.refusals
        self.offer = offered.trade_id
        assert block.put(self.league_id, actor, self.mine, "Make me an offer", DRAFTED) == []

    def accept(self) -> list[Refusal]:
        return trades.accept(self.league_id, self.offer, Actor(self.ann), (), LATER)

    def run_waivers(self) -> None:
        zone = self.world.settings.time_zone
        at = first_run_from(self.world.settings.waivers, zone, LATER + timedelta(days=1))
        assert runs.run(self.league_id, at, at) is not None

    @property
    def owner_of_claimed(self) -> int | None:
        place = rosters_of(self.league_id).places.get(self.claimed)
        return place.franchise if place is not None else None

    @property
    def notices_of_ann(self) -> list[str]:
        rows = db.session.scalars(
            select(Notice.title).where(Notice.member_id == self.ann, Notice.key.contains(":owner-"))
        )
        return [title.replace("\u2068", "").replace("\u2069", "") for title in rows]


@pytest.fixture
def season(app: Flask, member: Callable[..., Member]) -> Season:
    settings = replace(SETTINGS, waivers=WaiverSettings("blind_bids"))
    return Season(make_drafted_league(member, settings))


def test_the_list_of_endings_is_in_force() -> None:
    assert connections
    assert set(wishes.ENDINGS) <= set(ENDS_WITH_OWNER)


@pytest.mark.parametrize("ending", AFTER_THE_DRAFT)
def test_nothing_that_only_the_owner_wanted_counts_without_them(
    season: Season, ending: str
) -> None:
    assert WAYS[ending](season.league_id, season.bob) is None
    assert not runs_league(season.league_id, season.bob)
    assert without_owner(season.league_id) == {2}
    [refused] = season.accept()
    assert refused.code == ("absent" if ending in KEPT_OUT else "closed")
    assert rosters_of(season.league_id).places[season.mine].franchise == 2
    if ending not in KEPT_OUT:
        assert open_claims(season.league_id) == []
    season.run_waivers()
    assert season.owner_of_claimed is None
    assert trade_block(season.league_id) == []
    notice_titles = {
        "replaced": [],
        "banned": ["Team 2 in The Row has no active owner"],
        "suspended": ["Team 2 in The Row has no active owner"],
        "erased": ["Team 2 in The Row needs an owner"],
    }
    assert season.notices_of_ann == notice_titles[ending]
    name = "Bob FC" if ending == "replaced" else "Team 2"
    assert teams(season.league_id)[1].name == name


@pytest.mark.parametrize("kind", [sanctions.BAN, sanctions.SUSPENSION])
def test_what_stood_counts_again_when_a_sanction_is_lifted(season: Season, kind: str) -> None:
    impose(kind, season.bob)
    lift(season.bob)
    assert runs_league(season.league_id, season.bob)
    assert teams(season.league_id)[1].name == "Bob FC"
    assert [entry.franchise for entry in trade_block(season.league_id)] == [2]
    assert season.accept() == []
    season.run_waivers()
    assert season.owner_of_claimed == 2


def test_a_shadow_ban_ends_nothing_and_shows_to_nobody_but_by_a_plain_name(season: Season) -> None:
    impose(sanctions.SHADOW, season.bob)
    assert season.notices_of_ann == []
    assert season.accept() == []
    season.run_waivers()
    assert season.owner_of_claimed == 2


def test_the_team_of_somebody_erased_waits_for_an_owner_under_its_number(
    season: Season, member: Callable[..., Member]
) -> None:
    erase(season.bob)
    assert owners.waiting_for_owners(season.league_id) == {2}
    names = db.session.scalars(
        select(LeagueMember.team_name).where(LeagueMember.league_id == season.league_id)
    )
    assert "Erased team" not in set(names)
    eve = member("eve").id
    assert leagues.join(eve, season.league_id, "Eve FC", LATER) is None
    assert teams(season.league_id)[1].member_id == eve
    assert season.notices_of_ann == ["Team 2 in The Row needs an owner"]


def test_an_agreed_trade_is_the_teams_and_goes_on(season: Season) -> None:
    """Everybody sees it under review, and the commissioner can stop it."""
    assert season.accept() == []
    trade = load_trade(season.league_id, season.offer)
    assert trade is not None
    assert trade.state.review_ends_at is not None
    assert commissioner.open_franchise(season.league_id, 2, BY, LATER) == []
    assert settling.settle(season.league_id, season.offer, trade.state.review_ends_at)
    assert rosters_of(season.league_id).places[season.mine].franchise == 1


def test_pages_of_the_league_do_not_name_the_team_of_somebody_kept_out(
    season: Season, sign_in: Callable[..., FlaskClient]
) -> None:
    impose(sanctions.BAN, season.bob)
    ann, slug = sign_in(username="ann"), season.world.league.slug
    for path in (
        "/roster/2",
        "/standings",
        "/transactions",
        "/trades",
        "/commissioner",
        "/schedule",
    ):
        page = ann.get(f"/leagues/{slug}{path}")
        assert (page.status_code, "Bob FC" in page.text) == (200, False), path
    page = ann.get(f"/leagues/{slug}/commissioner")
    assert "No active owner" in page.text


class Drafting:
    """Ann's league of three, whose member Bob picks first and has somebody in his queue."""

    def __init__(self, member: Callable[..., Member], *, has_begun: bool) -> None:
        season = make_market(is_simulated=True)
        settings = DraftLeagueSettings(
            franchises=3,
            scoring="half_ppr_idp",
            time_zone="UTC",
            roster=RosterSettings((StarterCount("RB", 1), StarterCount("WR", 1)), bench=1),
            draft=DraftSettings(seconds_per_pick=60),
        )
        ann, self.bob = member("ann").id, member("bob").id
        new = NewDraftLeague("The Yard", "Ann FC", season.id, settings)
        league = setup.found(ann, new, START)
        assert isinstance(league, League), league
        self.league_id = league.id
        assert leagues.join(self.bob, league.id, "Bob FC", START) is None
        assert commissioner.set_co_commissioners(league.id, [self.bob], BY, LATER) == []
        before = START - seconds(60)
        assert draft_planning.schedule(league.id, DraftDate(START, (2, 1, 3)), ann, before) == []
        row = draft_planning.draft_of(league.id)
        assert row is not None
        self.draft_id = row.id
        room = draft_queries.load_room(row.id, self.bob)
        assert room is not None
        if has_begun:
            drafts.advance(row.id, START)
        outcome = drafts.set_queue(room, ["RB16"], START if has_begun else before)
        assert isinstance(outcome, drafts.Done), outcome
        sign_in = member_sessions.SignIn("1.2.3.4", "Browser", "device", has_second_factor=False)
        account = db.session.get_one(Member, self.bob)
        member_sessions.begin("s1", account, sign_in, START, START + timedelta(days=1))

    @property
    def first_pick(self) -> str:
        drafts.advance(self.draft_id, START)
        for moment in (START, LATER):  # the draft is on, or began again after the loss of a team
            drafts.advance(self.draft_id, moment + seconds(61))
        return db.session.scalars(
            select(DraftPick.footballer_id).where(
                DraftPick.draft_id == self.draft_id, DraftPick.number == 1
            )
        ).one()


def test_a_queue_counts_and_a_stream_goes_on_as_long_as_its_owner_is_there(
    app: Flask, member: Callable[..., Member]
) -> None:
    drafting = Drafting(member, has_begun=False)
    watching = {(drafting.draft_id, "s1")}
    assert draft_queries.may_watch(watching) == watching
    assert drafting.first_pick == "RB16"


@pytest.mark.parametrize(
    ("ending", "has_begun"),
    # before the draft a member is removed, not replaced
    [
        *((ending, True) for ending in WAYS),
        *((ending, False) for ending in WAYS if ending != "replaced"),
    ],
)
def test_nobody_drafts_or_watches_who_lost_their_team(
    app: Flask, member: Callable[..., Member], ending: str, *, has_begun: bool
) -> None:
    drafting = Drafting(member, has_begun=has_begun)
    assert WAYS[ending](drafting.league_id, drafting.bob) is None
    assert draft_queries.load_room(drafting.draft_id, drafting.bob) is None
    assert not runs_league(drafting.league_id, drafting.bob)
    assert draft_queries.may_watch({(drafting.draft_id, "s1")}) == set()
    assert drafting.first_pick != "RB16"


def test_a_stream_ends_with_the_session(app: Flask, member: Callable[..., Member]) -> None:
    drafting = Drafting(member, has_begun=False)
    member_sessions.end("s1", START)
    assert draft_queries.may_watch({(drafting.draft_id, "s1")}) == set()


def test_the_download_of_ones_data_has_what_one_keeps_for_a_team(season: Season) -> None:
    """docs/security.md, "Members download their data"; issue 47, A13."""
    exported = privacy.export(season.bob)
    assert [row["bid"] for row in exported["waiver_claims"]] == [7]
    assert [row["message"] for row in exported["trades"]] == ["Fair?"]
    assert [row["note"] for row in exported["trade_block_entries"]] == ["Make me an offer"]
    assert {row["footballer_id"] for row in exported["roster_spots"]} == set(
        rosters_of(season.league_id).of(2)
    )
    assert (
        not {"waiver_claims", "trades", "trade_block_entries"} & privacy.export(season.ann).keys()
    )


def test_the_download_of_ones_data_has_ones_queues(
    app: Flask, member: Callable[..., Member]
) -> None:
    drafting = Drafting(member, has_begun=False)
    [queue] = privacy.export(drafting.bob)["draft_queues"]
    assert queue["footballer_ids"] == ["RB16"]
    assert commissioner.set_co_commissioners(drafting.league_id, [], BY, LATER) == []
    assert leagues.leave(drafting.bob, drafting.league_id, LATER) is None
    assert "draft_queues" not in privacy.export(drafting.bob)


def test_nothing_that_was_written_with_an_offer_outlives_its_writer(season: Season) -> None:
    erase(season.bob)
    trade = load_trade(season.league_id, season.offer)
    assert trade is not None
    assert trade.row.message == ""
