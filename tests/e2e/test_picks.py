"""Guesses made for football on a phone: the number pad, margins, winners, confidence, survivors."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Locator, Page, expect

from app.core import clock
from app.predictions.counted_score import CountedScore
from app.predictions.points import PRESETS
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.tournament import World

pytestmark = pytest.mark.e2e
TOUCH: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
HOUR = timedelta(hours=1)


def cup(rule: str, *, members: int = 0) -> World:
    """Three matches of American football in each of two weeks; `members` have guessed the first."""
    world = World(PRESETS[rule], "Harvest Cup", CountedScore.OVERTIME)
    now = clock.now()
    for week in (1, 2):
        kickoff = now + week * 24 * HOUR
        for number, (home, away) in enumerate([("ars", "che"), ("liv", "mun"), ("ars", "mun")], 1):
            world.match(
                f"m{week}{number}",
                home,
                away,
                round=f"week-{week}",
                kickoff=kickoff + number * HOUR,
            )
    world.poll(now)
    world.player("Ann")
    for number in range(members):
        world.guess(f"Fan{number}", "m11", 1 if number < 7 else 0, 0 if number < 7 else 1, now)
    return world


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name)


def said(page: Page, name: str) -> Locator:
    return card(page, name).get_by_role("status")


@pytest.fixture
def open_cup(app: Flask, open_page: Callable[..., Page]) -> Callable[..., Page]:
    def open_(world: World, **options: object) -> Page:
        page = open_page("ann", **(options or TOUCH))
        page.goto(f"/tournaments/{world.id}/rounds/week-1")
        return page

    return open_


def test_scores_are_typed_on_the_pad_or_taken_from_a_margin(
    app: Flask, open_cup: Callable[..., Page]
) -> None:
    world = cup("margin")
    phone = open_cup(world)
    first = card(phone, "Che at Ars")
    first.get_by_label("Che", exact=True).tap()
    pad = phone.get_by_role("group", name="Number pad")
    for key in ("Add 7: touchdown and extra point", "Add 7: touchdown and extra point"):
        pad.get_by_role("button", name=key).tap()
    pad.get_by_role("button", name="Add 3: field goal").tap()
    expect(first.get_by_label("Che", exact=True)).to_have_value("17")
    looks_right(phone, "score-pad")
    pad.get_by_role("button", name="Next").tap()
    expect(first.get_by_label("Ars", exact=True)).to_be_focused()
    for digit in "24":
        pad.get_by_role("button", name=digit, exact=True).tap()
    expect(said(phone, "Che at Ars")).to_have_text("Saved: 17–24")
    card(phone, "Mun at Liv").get_by_role("button", name="Mun by 7: 24 to 17").tap()
    expect(said(phone, "Mun at Liv")).to_have_text("Saved: 24–17")
    expect(pad).to_be_hidden()
    assert world.guesses("Ann") == {world.id_of("m11"): (24, 17), world.id_of("m12"): (17, 24)}


@pytest.mark.everyday("only a browser has keys and focus")
def test_a_keyboard_types_the_scores_without_the_pad(
    app: Flask, open_cup: Callable[..., Page]
) -> None:
    world = cup("margin")
    page = open_cup(world, viewport=LAPTOP)
    card(page, "Che at Ars").get_by_label("Che", exact=True).focus()
    page.keyboard.type("10")
    card(page, "Che at Ars").get_by_label("Ars", exact=True).focus()
    page.keyboard.type("13")
    page.keyboard.press("Tab")
    expect(said(page, "Che at Ars")).to_have_text("Saved: 10–13")
    expect(page.locator("#score-pad")).to_be_hidden()
    looks_right(page, "guess-scores")


def test_a_winner_is_one_tap_and_the_crowd_is_shown_before_the_kickoff(
    app: Flask, open_cup: Callable[..., Page]
) -> None:
    world = cup("pickem", members=10)
    phone = open_cup(world)
    first = card(phone, "Che at Ars")
    expect(first).to_contain_text("70% Ars")
    expect(first).to_contain_text("10 picks so far")
    expect(card(phone, "Mun at Liv")).not_to_contain_text("picks so far")
    first.get_by_role("radio", name="Che").tap()
    expect(said(phone, "Che at Ars")).to_have_text("Saved: Che")
    expect(phone.locator("#missing")).to_have_text("2 picks missing")
    looks_right(phone, "pickem")


def test_a_confidence_is_swapped_with_the_match_that_has_it(
    app: Flask, open_cup: Callable[..., Page]
) -> None:
    world = cup("confidence")
    phone = open_cup(world)
    for match, team in (("Che at Ars", "Ars"), ("Mun at Liv", "Mun"), ("Mun at Ars", "Ars")):
        card(phone, match).get_by_role("radio", name=team).tap()
        expect(said(phone, match)).to_contain_text(f"Saved: {team} for")
    last = card(phone, "Mun at Ars").get_by_label("Confidence")
    expect(last).to_have_value("1")
    last.select_option("3")
    expect(card(phone, "Che at Ars").get_by_label("Confidence")).to_have_value("1")
    expect(said(phone, "Mun at Ars")).to_have_text("Saved: Ars for 3")
    expect(said(phone, "Che at Ars")).to_have_text("Your pick: Ars for 1")
    looks_right(phone, "confidence")


def test_a_survivor_picks_one_team_of_a_round_and_none_twice(
    app: Flask, open_cup: Callable[..., Page]
) -> None:
    world = cup("survivor")
    phone = open_cup(world)
    expect(phone.locator("#missing")).to_have_text("Pick one team")
    card(phone, "Che at Ars").get_by_role("radio", name="Ars").tap()
    expect(said(phone, "Che at Ars")).to_have_text("Saved: Ars")
    card(phone, "Mun at Liv").get_by_role("radio", name="Liv").tap()
    expect(said(phone, "Mun at Liv")).to_have_text("Saved: Liv")
    expect(card(phone, "Che at Ars").get_by_role("radio", name="Ars")).not_to_be_checked()
    assert set(world.guesses("Ann")) == {world.id_of("m12")}
    phone.get_by_role("navigation", name="Rounds").get_by_role("link", name="Week 2").click()
    expect(card(phone, "Mun at Liv").get_by_role("radio", name="Liv")).to_be_disabled()
    expect(card(phone, "Mun at Liv")).to_contain_text("used in Week 1")
    looks_right(phone, "survivor")


def test_a_survivor_picks_with_the_keyboard_and_without_scripts(
    app: Flask, open_cup: Callable[..., Page]
) -> None:
    world = cup("survivor")
    page = open_cup(world, viewport=LAPTOP, java_script_enabled=False)
    card(page, "Mun at Liv").get_by_role("radio", name="Mun").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Save picks").focus()
    page.keyboard.press("Enter")
    expect(said(page, "Mun at Liv")).to_have_text("Your pick: Mun")
    assert world.guesses("Ann") == {world.id_of("m12"): (0, 1)}
