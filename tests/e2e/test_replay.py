"""A member plays the evening again: by slider, by keys, by itself, and without JavaScript.

On a phone and a laptop.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core.db import db
from app.demo.seed import simulated_game
from app.fantasy.gameweeks.live import refresh_league
from app.fantasy.standings.models import Matchup
from app.record.models import Game, StatLine
from app.record.services import store_script
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.games import KICKOFF, NOW, RECORDED_AT, ingest, timed_messages
from tests.worlds.leagues import make_league, make_sheet

pytestmark = pytest.mark.e2e

NAMES = ("ann", "bob", "cat", "dan")
PAGE = "/leagues/row/replay/1"


@pytest.fixture
def evening(app: Flask, member: Callable[..., Member]) -> dict[str, int]:
    """A whole simulated game, four teams of its footballers, head to head."""
    ids = {name: member(name).id for name in NAMES}
    league = make_league(ids["ann"], {ids[name]: f"{name.title()} United" for name in NAMES})
    league.mode = "head_to_head"
    game = simulated_game(4, KICKOFF)
    store_script(game)
    db.session.execute(
        db.update(Game)
        .where(Game.id == game.game_id)
        .values(competition="nfl", week=1, kickoff=KICKOFF)
    )
    ingest(timed_messages([step.body for step in game.events], game.game_id, RECORDED_AT))
    scorers = [
        row
        for row in db.session.scalars(db.select(StatLine.player_id).order_by(StatLine.player_id))
        if not row.endswith("-DST")
    ]
    for place, name in enumerate(NAMES):
        mine = scorers[place::4][:9]
        make_sheet(ids[name], league, mine, captain=mine[place], vice=mine[place + 4])
    for home, away in (("ann", "bob"), ("cat", "dan")):
        db.session.add(
            Matchup(league_id=league.id, gameweek_id=1, home_id=ids[home], away_id=ids[away])
        )
    db.session.commit()
    refresh_league(league.id, NOW)
    return ids


@pytest.mark.usefixtures("evening")
def test_the_evening_is_played_again(open_page: Callable[..., Page]) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto("/leagues/row/history/1")
    page.get_by_role("link", name="Replay this week").click()
    slider = page.get_by_label("Play of the week")
    expect(slider).to_be_visible()
    last = slider.get_attribute("max")
    expect(page.locator("#play-count")).to_have_text(f"Play {last} of {last}")
    expect(page.get_by_role("heading", name="The deciding play")).to_be_visible()
    slider.focus()
    slider.press("Home")
    expect(page.locator("#play-count")).to_have_text(f"Play 0 of {last}")
    expect(page.locator("#film-rows .now").first).to_have_text("0.00")
    # no machine is too busy to pause it before its end
    page.get_by_label("Speed").select_option("20×")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#film-rows .now").first).not_to_have_text("0.00")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_role("link", name="Show this play").click()
    expect(page.locator(".turns [aria-current]").first).to_contain_text("for good")
    looks_right(page, "replay-decided")
    at = page.locator("#play-count").inner_text().split()[1]
    first_row = page.locator("#film-rows .now").first.inner_text()
    page.locator("#film-rows a").first.click()
    expect(page.locator("#total")).to_have_text(first_row)
    expect(page.get_by_text(f"after play {at} of {last}")).to_be_visible()
    looks_right(page, "replay-sheet")
    page.locator("#back-to-film").click()
    expect(page.locator("#play-count")).to_have_text(f"Play {at} of {last}")


@pytest.mark.usefixtures("evening")
def test_what_moves_is_in_view_on_a_phone_while_it_plays(open_page: Callable[..., Page]) -> None:
    page = open_page("ann", viewport=PHONE)
    page.goto(f"{PAGE}?at=0")
    page.get_by_label("Speed").select_option("Turning points only")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#play-count")).not_to_contain_text("Play 0 of")
    for part in ("#play-words", "#my-duel", "#film-rows tr:nth-child(4)", "#film-speed"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".turns [aria-current]").first).to_be_attached()
    page.get_by_role("button", name="Pause").click()
    looks_right(page, "replay-playing")


@pytest.mark.usefixtures("evening")
def test_it_is_played_by_the_keyboard_alone(open_page: Callable[..., Page]) -> None:
    page = open_page("ann", viewport=LAPTOP, reduced_motion="reduce")
    page.goto(f"{PAGE}?at=0")
    slider = page.get_by_label("Play of the week")
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator("#play-count")).to_contain_text("Play 1 of")
    slider.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#play-count")).not_to_contain_text("Play 1 of")
    slider.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_role("link", name="Next turning point").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".turns [aria-current]").first).to_be_visible()


@pytest.mark.usefixtures("evening")
def test_without_javascript_the_links_do_it(open_page: Callable[..., Page]) -> None:
    page = open_page("ann", viewport=PHONE, java_script_enabled=False)
    page.goto(PAGE)
    expect(page.get_by_label("Play of the week")).to_be_hidden()
    page.get_by_role("link", name="Start", exact=True).click()
    expect(page.locator("#play-count")).to_contain_text("Play 0 of")
    page.get_by_role("link", name="Next turning point").click()
    expect(page.locator("#play-count")).not_to_contain_text("Play 0 of")
    page.get_by_role("link", name="Show this play").click()
    expect(page.locator(".turns [aria-current]").first).to_contain_text("for good")
