"""A disputed trade on phones: offered with a pick and waiver budget, countered, and voted down."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.settings import TradeSettings, WaiverSettings
from app.draft_leagues.trades import settling
from app.draft_leagues.trades.models import Trade
from app.fantasy.rosters.queries import names_of, rosters_of
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.draft_leagues import SETTINGS, Days, DraftWorld, make_drafted_league

pytestmark = pytest.mark.e2e


@pytest.fixture
def world(member: Callable[..., Member]) -> DraftWorld:
    """A league that bids for free agents, and in which two votes stop a trade."""
    return make_drafted_league(
        member,
        replace(
            SETTINGS,
            trades=TradeSettings("vote", votes_to_stop=2),
            waivers=WaiverSettings("blind_bids"),
        ),
        days=Days.before(clock.now() + timedelta(days=3)),
    )


@dataclass(frozen=True)
class Story:
    """The pages of four members, and the footballers that Ann and Bob have in mind."""

    world: DraftWorld
    ann: Page
    bob: Page
    cat: Page
    dan: Page
    give: str
    get: str

    def address(self, path: str) -> str:
        return f"/leagues/{self.world.league.slug}{path}"

    def statuses(self) -> list[str]:
        rows = db.session.scalars(select(Trade.status).order_by(Trade.id)).all()
        db.session.rollback()
        return list(rows)

    def last_trade(self) -> str:
        trade_id = db.session.scalars(select(Trade.id).order_by(Trade.id.desc())).first()
        db.session.rollback()
        return self.address(f"/trades/{trade_id}")

    def name(self, footballer: str) -> str:
        return names_of([footballer])[footballer]


def send(page: Page) -> None:
    page.get_by_role("button", name="Send the offer").click()
    expect(page.get_by_text("It stays private until every team accepts")).to_be_visible()


def put_on_the_block(story: Story) -> None:
    bob, name = story.bob, story.name(story.get)
    bob.goto(story.address("/trades/block"))
    bob.get_by_label("Player").select_option(label=name)
    bob.get_by_label("What you want").fill("An early pick")
    bob.get_by_role("button", name="Add to the block").click()
    expect(bob.get_by_role("button", name=f"Remove {name}")).to_be_visible()
    looks_right(bob, "trade-block-laptop")


def offer_with_a_pick_and_budget(story: Story) -> None:
    ann = story.ann
    ann.goto(story.address(""))
    pages = ann.get_by_role("navigation", name="League", exact=True)
    pages.get_by_role("link", name="Players").click()
    pages.get_by_role("link", name="Trades").click()
    ann.get_by_role("link", name="Trade block").click()
    looks_right(ann, "trade-block-phone")
    ann.get_by_role("link", name=f"Offer a trade for {story.name(story.get)}").click()
    mine = ann.get_by_role("group", name="You give")
    mine.get_by_label(story.name(story.give)).check()
    mine.get_by_text("Draft picks").click()
    mine.get_by_label("2027, round 1", exact=True).check()
    mine.get_by_label("Waiver budget to Bob FC").fill("30")
    looks_right(ann, "trade-form-phone")
    ann.get_by_role("button", name="Preview the trade").click()
    preview = ann.get_by_role("region", name="Preview")
    expect(preview.get_by_role("region", name="Bob FC gets")).to_contain_text("2027 pick, round 1")
    expect(preview.get_by_text("Best lineup")).to_have_count(2)
    looks_right(ann, "trade-preview-phone")
    assert story.statuses() == []
    send(ann)
    story.cat.goto(story.address("/trades"))
    expect(story.cat.get_by_text("No trades yet")).to_be_visible()


def counter_with_more_budget(story: Story) -> None:
    bob = story.bob
    bob.goto(story.last_trade())
    looks_right(bob, "trade-offer-laptop")
    bob.get_by_role("link", name="Counter").click()
    ann_gives = bob.get_by_role("group", name="Ann FC gives")
    expect(ann_gives.get_by_label(story.name(story.give))).to_be_checked()
    ann_gives.get_by_label("Waiver budget to you").fill("60")
    bob.get_by_role("button", name="Preview the trade").click()
    expect(bob.get_by_role("region", name="Preview")).to_be_visible()
    looks_right(bob, "trade-preview-laptop")
    send(bob)


def accept(story: Story) -> None:
    story.ann.goto(story.last_trade())
    story.ann.get_by_role("button", name="Accept").click()
    review = story.ann.get_by_role("region", name="Review")
    expect(review).to_contain_text("0 of 2 needed to stop it")


def vote_against(story: Story, page: Page) -> None:
    page.goto(story.last_trade())
    page.get_by_role("button", name="Vote against").click()
    expect(page.get_by_text("voted against the trade.").first).to_be_visible()


@pytest.mark.full  # tests/draft_leagues/trades has the rules and pages
def test_a_disputed_trade_is_voted_down_and_another_takes_effect(
    world: DraftWorld, open_page: Callable[..., Page]
) -> None:
    league_id = world.league.id
    before = rosters_of(league_id)
    schemes = {"ann": "light", "bob": "dark", "cat": "dark", "dan": "light"}
    pages = [
        open_page(name, viewport=PHONE, color_scheme=scheme) for name, scheme in schemes.items()
    ]
    story = Story(world, *pages, next(iter(before.of(1))), next(iter(before.of(2))))
    story.bob.set_viewport_size(LAPTOP)
    put_on_the_block(story)
    offer_with_a_pick_and_budget(story)
    counter_with_more_budget(story)
    accept(story)
    looks_right(story.ann, "trade-review-phone")
    for page in (story.cat, story.dan):
        vote_against(story, page)
    expect(story.dan.get_by_text("2 teams voted against the trade.").first).to_be_visible()
    looks_right(story.cat, "trade-vote-phone")
    assert story.statuses() == ["countered", "stopped"]
    assert rosters_of(league_id) == before
    db.session.rollback()

    # A plain exchange is let through.
    bob, dan = story.bob, story.dan
    bob.goto(story.address("/trades/new?team=1"))
    bob.get_by_role("group", name="You give").get_by_label(story.name(story.get)).check()
    bob.get_by_role("group", name="Ann FC gives").get_by_label(story.name(story.give)).check()
    bob.get_by_role("button", name="Preview the trade").click()
    send(bob)
    accept(story)
    assert settling.settle_due(clock.now() + timedelta(hours=25)) == 1
    dan.goto(story.last_trade())
    expect(dan.get_by_text("Completed", exact=True)).to_be_visible()
    looks_right(dan, "trade-done-phone")
    dan.get_by_role("link", name=re.compile("^transaction ")).click()
    expect(dan.get_by_text(f"Ann FC gets {story.name(story.get)} from Bob FC.")).to_be_visible()
    looks_right(dan, "transactions-phone")
    dan.set_viewport_size(LAPTOP)
    looks_right(dan, "transactions-laptop")
    places = rosters_of(league_id).places
    assert (places[story.give].franchise, places[story.get].franchise) == (2, 1)
