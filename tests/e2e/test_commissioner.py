"""A commissioner's day (PRODUCT B5, G5).

Found a league, invite, remove, adjust points, change the scoring.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.played_league import played_league
from tests.worlds.seasons import make_open_season

pytestmark = pytest.mark.e2e

YARDS = ({"ann": 50, "bob": 40, "cat": 30, "dan": 20}, {"ann": 10, "bob": 40, "cat": 30, "dan": 90})


def choose_head_to_head_with_the_result_between(page: Page) -> None:
    """This tie rule can order equals only where teams meet.

    It is not offered to leagues of total points.
    """
    table, ties = page.get_by_label("Standings"), page.get_by_label("Tiebreaker")
    between = ties.get_by_text("Head-to-head result")
    expect(between).to_be_disabled()
    expect(between).to_be_hidden()
    table.select_option("Head to head")
    ties.select_option("Head-to-head result")
    table.select_option("Total points")
    expect(ties).to_have_value("shared")
    table.select_option("Head to head")
    ties.select_option("Head-to-head result")


@pytest.mark.everyday("the commissioner's story")
def test_a_league_is_founded_and_friends_are_invited(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    make_open_season(clock.now() + timedelta(days=30), time_zone="America/New_York")
    for name in ("ann", "bob", "eve"):
        member(name)
    ann, bob = (
        open_page("ann", viewport=LAPTOP),
        open_page("bob", viewport=PHONE, expect_errors=["422"]),
    )

    ann.goto("/leagues")
    ann.get_by_role("link", name="Create a league").click()
    ann.get_by_role("link", name="Create a salary-cap league").click()
    ann.get_by_label("League name").fill("The Red Zone")
    ann.get_by_text("Rules: Season 2099").click()
    choose_head_to_head_with_the_result_between(ann)
    ann.get_by_role("button", name="Create the league").click()
    expect(ann.get_by_role("status").filter(has_text="The Red Zone is ready")).to_be_visible()
    expect(ann.get_by_label("Tiebreaker")).to_have_value("result_between")
    code = ann.locator("#invite-code").inner_text()
    looks_right(ann)

    bob.goto("/leagues")
    bob.get_by_label("Invite code").fill(code.lower())
    bob.get_by_role("button", name="Find the league").click()
    expect(bob.get_by_role("heading", name="Join The Red Zone")).to_be_visible()
    bob.get_by_label("Team name").fill("Bob's Eleven")
    bob.get_by_role("button", name="Join the league").click()
    expect(bob.get_by_role("heading", name="The Red Zone", exact=True)).to_be_visible()
    bob.goto("/leagues")  # the league's table would poll on, and be refused once Bob is removed

    ann.get_by_role("link", name="League", exact=True).click()
    ann.get_by_role("link", name="Members", exact=True).click()
    expect(ann.get_by_role("table")).to_contain_text("Bob's Eleven")
    ann.get_by_role("button", name="More about Bob").click()
    ann.get_by_role("link", name="Remove Bob").click()
    ann.get_by_role("button", name="Remove Bob").click()
    expect(ann.get_by_role("table")).not_to_contain_text("Bob's Eleven")
    expect(ann.get_by_role("region", name="Removed")).to_contain_text("Bob")
    bob.goto(f"/join/{code}")
    expect(bob.get_by_role("heading", name="You were removed from The Red Zone")).to_be_visible()
    expect(bob.get_by_role("button", name="Join the league")).to_have_count(0)
    ann.get_by_role("button", name="Allow Bob to rejoin").click()
    expect(ann.get_by_role("button", name="Allow Bob to rejoin")).to_have_count(0)
    bob.goto(f"/join/{code}")
    bob.get_by_role("button", name="Join the league").click()
    expect(bob.get_by_role("heading", name="The Red Zone", exact=True)).to_be_visible()

    ann.goto("/leagues/the-red-zone/hand-over")
    # Bob alone is offered before the search too: its answer would take a choice back that was made
    # meanwhile.
    ann.get_by_label("Find by team or name").press_sequentially("bobx")
    expect(ann.get_by_role("radio")).to_have_count(0)
    ann.get_by_label("Find by team or name").press("Backspace")
    expect(ann.get_by_role("radio")).to_have_count(1)
    ann.get_by_role("radio", name="(Bob)").check()
    ann.get_by_role("button", name="Transfer").click()
    expect(ann).to_have_url(re.compile("/members$"))  # it is done
    bob.goto("/leagues/the-red-zone/settings")
    expect(bob.get_by_role("heading", name="Invite")).to_be_visible()


def test_points_are_adjusted_and_the_scoring_changed_with_a_look_before(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    played_league({name: member(name).id for name in YARDS[0]}, YARDS)
    ann = open_page("ann", viewport=LAPTOP)
    dan = open_page("dan", viewport=PHONE, java_script_enabled=False)

    ann.goto("/leagues/the-row/settings")
    ann.get_by_role("link", name="Adjust points").click()
    ann.get_by_label("Find by team or name").press_sequentially("dan")
    expect(ann.get_by_role("radio")).to_have_count(1)
    ann.get_by_role("radio", name="Dan FC (Dan)").press("Space")
    ann.get_by_label("Week").select_option("Week 1")
    ann.get_by_role("textbox", name="Points").fill("-9.5")
    ann.get_by_role("button", name="Preview").click()
    row = ann.get_by_role("row", name="Dan FC")
    expect(row).to_contain_text("22.00")
    expect(row).to_contain_text("-9.50")
    expect(row).to_contain_text("12.50")
    looks_right(ann)
    ann.get_by_role("textbox", name="Reason").fill("Fielded a player who was sold")
    ann.get_by_role("button", name="Deduct 9.50 points").click()
    expect(ann.get_by_role("region", name="Commissioner changes")).to_contain_text(
        "Fielded a player"
    )
    looks_right(ann)

    dan.goto("/leagues/the-row/history/1")
    expect(dan.get_by_role("row", name="Dan FC")).to_contain_text(
        "-9.50: Fielded a player who was sold"
    )
    dan.get_by_role("link", name="Race").click()
    # the style sheet hides one of two
    expect(dan.get_by_role("img", name="Points behind the leader")).to_have_count(1)

    ann.goto("/leagues/the-row/scoring")
    ann.get_by_label("Rushing yard").fill("0.2")
    ann.get_by_role("button", name="Preview").click()
    expect(ann.get_by_text("Rushing yard: 0.10 → 0.20")).to_be_visible()
    expect(ann.get_by_text("4 teams affected")).to_be_visible()
    looks_right(ann)
    ann.get_by_label("Reason").fill("Runs were worth too little")
    ann.get_by_role("button", name="Change the whole season").click()
    expect(ann.get_by_role("region", name="Commissioner changes")).to_contain_text(
        "Runs were worth"
    )

    dan.goto("/leagues/the-row/rules")
    expect(dan.get_by_text("Runs were worth too little")).to_be_visible()
    phone = open_page("bob", viewport=PHONE)
    for page in ("history/1", "rules"):
        phone.goto(f"/leagues/the-row/{page}")
        looks_right(phone)


def test_only_scoring_that_counts_for_every_place_is_offered(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    make_open_season(clock.now() + timedelta(days=30), time_zone="America/New_York")
    member("ann")
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/leagues/new")
    ann.get_by_label("League name").fill("Four Quarters")
    ann.get_by_text("Rules: Season 2099").click()
    scoring, places = ann.get_by_label("Scoring"), ann.get_by_label("Roster format")
    expect(scoring.locator("option:not([disabled])")).to_have_text(
        [f"{catches}, kickers and defense" for catches in ("Standard", "Half PPR", "PPR")]
    )
    places.select_option("NFL with team defense")
    expect(scoring.locator("option[value=espn]")).to_be_enabled()
    scoring.select_option("ESPN standard")
    places.select_option("NFL classic")
    expect(scoring).to_have_value("standard_idp")
    expect(ann.locator("#pair-said")).to_contain_text(
        "with ESPN standard, a slot in this format would score nothing"
    )
    looks_right(ann, "pairs")
    places.select_option("NFL with team defense")
    scoring.select_option("Yahoo default")
    ann.get_by_role("button", name="Create the league").click()
    expect(ann.get_by_role("status").filter(has_text="Four Quarters is ready")).to_be_visible()
    ann.get_by_role("link", name="All settings").click()
    ann.get_by_role("link", name="Scoring", exact=True).click()
    expect(ann.get_by_label("D/ST: no points allowed")).to_have_value("10")
    expect(ann.get_by_role("group", name="Team defense (D/ST), points each")).to_be_visible()
    looks_right(ann, "scoring-numbers")
