"""A draft league's season in real browsers.

A waiver night, a mistake that is undone, and a final that a correction turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues import league_clock
from app.draft_leagues.roster_acts import services as roster_acts
from app.draft_leagues.settings import WaiverSettings
from app.draft_leagues.waivers.queries import availability
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.standings.models import LeagueMember
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.draft_games import correct_run, play_gameweek
from tests.worlds.draft_leagues import SETTINGS, Days, DraftWorld, make_drafted_league

pytestmark = pytest.mark.e2e

FINGER = 44  # px, the target size of WCAG 2.5.5
BIDS = WaiverSettings("blind_bids", days=("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"))


@pytest.fixture
def world(member: Callable[..., Member]) -> DraftWorld:
    """Four drafted teams three days before their first game, with waivers by blind bids."""
    days = Days.before(clock.now() + timedelta(days=3))
    return make_drafted_league(member, replace(SETTINGS, waivers=BIDS), days=days)


def claim(page: Page, slug: str, footballer: str, *, bid: int, marked: bool = False) -> None:
    """Place a claim by its form."""
    page.goto(f"/leagues/{slug}/waivers/claim/{footballer}")
    page.get_by_label("Bid").fill(str(bid))
    if marked:
        page.get_by_label("Skip if another claim in this group succeeds").check()
    page.get_by_role("button", name="Place claim").click()
    expect(page.get_by_role("status").filter(has_text="Claim placed.")).to_be_visible()


def outcomes(page: Page) -> set[tuple[str, str, str]]:
    """Footballer, team and reason of each claim on a report or a dry run."""
    rows = page.locator(".outcome-list li").all()
    return {
        (
            row.locator("strong").inner_text(),
            row.locator(".muted").inner_text().partition(",")[0],
            row.locator("> span").last.inner_text(),
        )
        for row in rows
    }


def test_a_waiver_night_is_secret_until_its_run_which_says_why(
    world: DraftWorld, open_page: Callable[..., Page]
) -> None:
    league_id, slug, now = world.league.id, world.league.slug, clock.now()
    first, second = [*rosters_of(league_id).of(4)][-2:]
    for footballer in (first, second):
        assert roster_acts.drop(league_id, world.members[3], footballer, now) == []
    run_at = availability(world.league, world.settings, [first], now)[first].clears_at
    assert run_at is not None
    names = names_of([first, second])

    ann, bob, cat = (open_page(name, viewport=PHONE) for name in ("ann", "bob", "cat"))
    claim(bob, slug, second, bid=5, marked=True)
    claim(bob, slug, first, bid=5, marked=True)
    move_up = bob.get_by_role("button", name=f"Move {names[first]} up")
    box = move_up.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= FINGER
    move_up.click()
    expect(bob.locator(".claim-list a.tap")).to_have_text([names[first], names[second]])
    looks_right(bob, "waiver-claims-phone")
    claim(ann, slug, first, bid=3)
    claim(ann, slug, second, bid=4)
    claim(cat, slug, second, bid=4)
    expect(cat.locator("main")).not_to_contain_text("Bid 5")

    ann.get_by_role("link", name="Preview the next run").click()
    expect(ann.locator(".outcome-list li")).to_have_count(2)
    expect(ann.locator("main")).not_to_contain_text("Bob FC")
    expected = {
        (names[first], "Bob FC", "Won with a bid of 5."),
        (names[second], "Bob FC", f"Skipped: you got {names[first]}."),
        (names[second], "Ann FC", "Won with a bid of 4."),
        (names[second], "Cat FC", "Lost to Ann FC, who also bid 4 and had better priority."),
        (names[first], "Ann FC", "Lost to Bob FC, who bid 5; you bid 3."),
    }
    db.session.rollback()
    league_clock.settle_all(run_at)

    won = ((ann, f"you got {names[second]}"), (bob, f"you got {names[first]}"))
    for page, result in (*won, (cat, "no claims won")):
        page.goto("/notices")
        page.get_by_role("button", name=f"Waivers, The Row: {result}").click()
        expect(page.locator(".outcome-list li")).to_have_count(5)
        assert outcomes(page) == expected
    looks_right(cat, "waiver-report-phone")
    rosters = rosters_of(league_id)
    assert [rosters.places[each].franchise for each in (first, second)] == [2, 1]
    assert rosters.budgets == {1: 96, 2: 95, 3: 100, 4: 100}


def test_a_commissioner_drops_the_wrong_player_for_somebody_and_takes_it_back(
    world: DraftWorld, open_page: Callable[..., Page]
) -> None:
    league_id, slug = world.league.id, world.league.slug
    lineup = world.lineup(2)
    wrong = lineup[1]
    name = names_of([wrong])[wrong]
    before = rosters_of(league_id)

    ann = open_page("ann", viewport=PHONE)
    ann.goto(f"/leagues/{slug}/commissioner")
    ann.get_by_role("link", name="Move players").click()
    move = ann.get_by_role("group", name="Move 1")
    move.get_by_label("Player").select_option(label=name)
    move.get_by_label("Move to").select_option(label="Free agents")
    ann.get_by_role("button", name="Preview").click()
    expect(ann.get_by_text(f"Bob FC drops {name}.")).to_be_visible()
    after = ann.get_by_role("region", name="Bob FC after these moves")
    expect(after.get_by_role("listitem")).to_have_count(5)
    assert rosters_of(league_id) == before
    ann.get_by_label("Reason").fill("Bob asked for it by telephone")
    ann.get_by_role("button", name="Make these moves").click()
    expect(ann.get_by_text("Bob asked for it by telephone")).to_be_visible()
    db.session.rollback()
    assert wrong not in rosters_of(league_id).places

    ann.goto(f"/leagues/{slug}/transactions")
    mistake = ann.locator(".plays > li").filter(
        has_text=re.compile(rf"Dropped:\s*{re.escape(name)}")
    )
    expect(mistake).to_contain_text("Bob FC")
    mistake.get_by_role("link", name="Reverse").click()
    expect(ann.get_by_text(f"Bob FC drops {name}.")).to_be_visible()
    looks_right(ann, "commissioner-reverse-phone")
    ann.get_by_label("Reason").fill("It was the other runner")
    ann.get_by_role("button", name="Reverse").click()
    expect(ann.get_by_text("It was the other runner")).to_be_visible()
    db.session.rollback()
    after = rosters_of(league_id)
    assert after.places == before.places
    assert sorted(world.lineup(2)) == sorted(lineup)

    bob = open_page("bob", viewport=PHONE)
    bob.goto(f"/leagues/{slug}/transactions")
    entries = bob.locator(".plays > li")  # after 24 picks and the waiver budgets
    expect(entries.nth(0)).to_contain_text("Reversal")
    expect(entries.nth(0)).to_contain_text("Bob FC")
    expect(entries.nth(0)).to_contain_text(re.compile(rf"Added:\s*{re.escape(name)}"))
    expect(entries.nth(0)).to_contain_text("“It was the other runner”")
    expect(entries.nth(0)).to_contain_text("Reverses transaction 26.")
    expect(entries.nth(1)).to_contain_text(re.compile(rf"Dropped:\s*{re.escape(name)}"))
    expect(entries.nth(1)).to_contain_text("“Bob asked for it by telephone”")
    expect(entries.nth(1)).to_contain_text("Reversed by transaction 27.")
    bob.goto(f"/leagues/{slug}/roster")
    expect(bob.get_by_text(name).first).to_be_visible()


def tops(parts: Locator) -> set[int]:
    """The distances of these parts from the top of the page, in pixels."""
    assert parts.count() > 1
    return {
        part.evaluate("part => Math.round(part.getBoundingClientRect().top)")
        for part in parts.all()
    }


@pytest.mark.parametrize("path", ["players", "transactions"])
def test_the_pages_of_players_and_their_filter_are_a_row_each_on_a_phone(
    path: str, world: DraftWorld, open_page: Callable[..., Page]
) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto(f"/leagues/{world.league.slug}/{path}")
    tabs = page.get_by_role("navigation", name="League").locator(".tabs")
    assert len(tops(tabs.get_by_role("link"))) == 1
    assert tabs.locator("ul").evaluate("row => row.scrollWidth <= row.clientWidth"), "all are seen"
    form = page.locator("main form[method=get]")
    assert len(tops(form.locator("input:visible, select, button"))) == 1


def winner_of_final(page: Page) -> Locator:
    return page.get_by_role("region", name="Championship").locator(".side.is-winner")


def test_a_correction_turns_the_final_and_both_finalists_hear_of_it(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    season = replace(SETTINGS.season, regular_weeks=1, playoff_teams=2, weeks_per_round=(1,))
    days = Days.before(clock.now() - timedelta(days=14))
    world = make_drafted_league(member, replace(SETTINGS, season=season), weeks=2, days=days)
    play_gameweek(world, 1, {1: 40, 2: 30, 3: 20, 4: 10})  # Ann beats Bob, and Cat beats Dan
    carries = play_gameweek(world, 2, {1: 41, 3: 40})

    ann, cat = (open_page(name, viewport=PHONE) for name in ("ann", "cat"))
    for page in (ann, cat):
        page.goto(f"/leagues/{world.league.slug}/bracket")
        expect(page.get_by_text("Ann FC won The Row.")).to_be_visible()
        expect(winner_of_final(page)).to_contain_text("4.10")

    correct_run(carries[3], 42, world.gameweek(2).deadline + timedelta(days=4))
    results = {
        ann: "You lost to Cat FC, 4.10 to 4.20. Previously 4.10 to 4.00.",
        cat: "You beat Ann FC, 4.20 to 4.10. Previously 4.00 to 4.10.",
    }
    for page, result in results.items():
        page.reload()
        expect(page.get_by_text("Cat FC won The Row.")).to_be_visible()
        expect(winner_of_final(page)).to_contain_text("Cat FC")
        expect(winner_of_final(page)).to_contain_text("4.20")
        page.goto("/notices")
        notices = page.locator("main")
        expect(notices).to_contain_text("Cat FC won The Row")
        expect(notices).to_contain_text(
            "A stat correction changed the result. Ann FC had won originally."
        )
        expect(notices).to_contain_text(f"{result} Why: Overturned (Spot of the ball):")
        expect(notices).to_contain_text("runs for 42 yards, not 40.")
    looks_right(cat, "corrected-champion-phone")


def test_the_schedule_shows_whole_names_on_a_laptop(
    world: DraftWorld, open_page: Callable[..., Page]
) -> None:
    for number, member_id in enumerate(world.members):
        membership = db.session.get_one(LeagueMember, (world.league.id, member_id))
        membership.team_name = f"Inkwell Irregulars {number}"
    db.session.commit()
    page = open_page("ann", viewport=LAPTOP)
    page.goto(f"/leagues/{world.league.slug}/schedule")
    names = page.locator(".game-list .team-name bdi")
    expect(names.first).to_contain_text("Inkwell Irregulars")
    cut = "all => all.filter((name) => name.scrollWidth > name.clientWidth).length"
    assert names.evaluate_all(cut) == 0
