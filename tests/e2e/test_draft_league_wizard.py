"""A group moves from elsewhere: a draft league by one tap, its settings, its rankings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.record.models import Footballer
from tests.e2e.looking import LAPTOP, PHONE, looks_right
from tests.worlds.draft_season import make_draft_season
from tests.worlds.sleeper_league import ROSTERS, sleeper_league

pytestmark = pytest.mark.e2e


def test_a_draft_league_is_founded_by_one_tap_and_changed_step_by_step(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    make_draft_season(clock.now() + timedelta(days=30), 2099)
    for name in ("ann", "bob"):
        member(name)
    ann, bob = open_page("ann", viewport=PHONE), open_page("bob", viewport=PHONE)

    ann.goto("/leagues")
    ann.get_by_role("link", name="Create a league").click()
    ann.get_by_role("link", name="Create a draft league").click()
    ann.get_by_label("League name").fill("The Yard")
    looks_right(ann, "wizard-new-phone")
    ann.get_by_role("button", name="Create the league").click()
    expect(ann.get_by_role("status").filter(has_text="The Yard is ready")).to_be_visible()
    expect(ann.get_by_role("region", name="Teams")).to_contain_text("1 of 10 taken")
    looks_right(ann, "wizard-front-phone")

    code = ann.locator("#invite-code").inner_text()
    bob.goto(f"/join/{code}")
    bob.get_by_role("button", name="Join").click()
    expect(bob.get_by_role("region", name="Teams")).to_contain_text("2 of 10 taken")

    ann.get_by_role("link", name="Settings", exact=True).click()
    looks_right(ann, "settings-draft-phone")
    ann.get_by_role("link", name="Season", exact=True).click()
    ann.get_by_label("Playoff teams").fill("4")
    ann.get_by_label("Playoff teams").press("Tab")
    changes = ann.get_by_role("region", name="What changes")
    expect(changes).to_contain_text("4 teams")
    ann.get_by_label("Divisions").fill("2")
    looks_right(ann, "wizard-step-phone")
    ann.get_by_role("button", name="Save").click()
    expect(ann.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    ann.get_by_role("link", name="All settings").click()
    ann.get_by_role("link", name="Rosters").click()
    looks_right(ann, "wizard-roster-phone")
    ann.set_viewport_size(LAPTOP)
    looks_right(ann, "wizard-roster-laptop")
    ann.get_by_role("link", name="Draft", exact=True).first.click()
    looks_right(ann, "wizard-front-laptop")
    ann.get_by_role("link", name="League", exact=True).click()
    ann.get_by_role("link", name="Rules", exact=True).click()
    expect(ann.get_by_role("group", name="Season")).to_contain_text("4 teams")


def test_a_member_orders_players_with_keyboard_mouse_and_a_file(
    member: Callable[..., Member], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    make_draft_season(clock.now() + timedelta(days=30), 2099)
    member("ann")
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/leagues/draft/new")
    ann.get_by_label("League name").fill("The Yard")
    ann.get_by_role("button", name="Create the league").click()
    ann.get_by_role("link", name="Rankings", exact=True).click()
    rows = ann.locator(".ranking-row")
    expect(rows).to_have_count(50)
    looks_right(ann, "rankings-phone")
    first, second = (rows.nth(place).locator(".ranking-who a").inner_text() for place in (0, 1))
    ann.get_by_role("button", name=f"Move {second} up").press("Enter")
    expect(rows.first).to_contain_text(second)
    expect(ann.get_by_text("Your own order")).to_be_visible()
    expect(ann.get_by_role("button", name=f"Move {second} down")).to_be_visible()
    ann.get_by_label(f"Rank of {first}").fill("5")
    ann.get_by_label(f"Rank of {first}").press("Enter")
    expect(rows.nth(4)).to_contain_text(first)

    file = tmp_path / "cheat-sheet.csv"
    file.write_text(f"RK,PLAYER NAME,TEAM,POS\n1,{first},,\n2,Nobody Atall,KC,QB1\n3,{second},,\n")
    ann.get_by_role("link", name="Import a file").click()
    ann.get_by_label("File").set_input_files(file)
    ann.get_by_role("button", name="Preview").click()
    expect(ann.get_by_text("2 of 3 players found.")).to_be_visible()
    looks_right(ann, "rankings-import-phone")
    ann.get_by_role("button", name="Use these rankings").click()
    expect(rows.first).to_contain_text(first)
    expect(rows.nth(1)).to_contain_text(second)
    ann.set_viewport_size(LAPTOP)
    third = rows.nth(2).locator(".ranking-who a").inner_text()
    rows.nth(2).locator(".drag").drag_to(rows.first)
    expect(rows.first).to_contain_text(third)
    ann.get_by_role("link", name="QB", exact=True).click()
    looks_right(ann, "rankings-laptop")


@pytest.mark.full  # tests/draft_leagues/test_mid_season.py has the rules
def test_a_league_moves_here_in_mid_season(
    member: Callable[..., Member], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    season = make_draft_season(clock.now() - timedelta(days=13), 2099)
    member("bob")
    played = (Gameweek.season_id == season.id, Gameweek.week <= 2)
    db.session.execute(db.update(Gameweek).where(*played).values(settled_at=clock.now()))
    db.session.commit()
    member("ann")
    rows = db.session.execute(
        db.select(Footballer.id, Footballer.name, Footballer.position, Footballer.club_id)
    )
    names = {row.id: (row.name, row.position, row.club_id) for row in rows}
    passer = names["HAR-QB1"][0]
    names["HAR-QB1"] = ("Xavi Yllom", "QB", "HAR")  # as nobody is called here
    files = []
    for name, document in sleeper_league(names).items():
        files.append(tmp_path / name)
        files[-1].write_bytes(msgspec.json.encode(document))

    ann = open_page("ann", viewport=PHONE)
    ann.goto("/leagues/draft/new")
    ann.get_by_role("link", name="Import your league").click()
    ann.get_by_label("Files").set_input_files(files)
    looks_right(ann, "import-upload-phone")
    ann.get_by_role("button", name="Preview").click()
    expect(ann.get_by_text("23 of 24 players found")).to_be_visible()
    looks_right(ann, "import-preview-phone")
    ann.get_by_label("Search for Xavi Yllom as").fill(passer)
    ann.get_by_role("button", name="Check again").click()
    expect(ann.get_by_text("24 of 24 players found")).to_be_visible()
    ann.get_by_role("radio", name="Team of catfish").check()
    ann.set_viewport_size(LAPTOP)
    looks_right(ann, "import-ready-laptop")
    ann.get_by_role("button", name="Import the league").click()
    expect(
        ann.get_by_role("status").filter(has_text="The Old League has been imported")
    ).to_be_visible()
    expect(ann.get_by_role("region", name="Teams")).to_contain_text("1 of 4 taken")
    looks_right(ann, "import-front-laptop")
    ann.goto("/leagues/the-old-league/standings")
    # Bobby lost 88.24 to 101.50 and won 99.90 to 0.
    expect(ann.get_by_role("row").filter(has_text="Team of bobby")).to_contain_text("188.14")
    looks_right(ann, "import-done-laptop")
    ann.goto("/leagues/the-old-league/schedule")
    next_week = ann.locator("section").filter(has=ann.locator("#week-3"))
    expect(next_week.locator(".is-mine")).to_contain_text("Team of bobby")
    ann.goto("/leagues/the-old-league/roster")
    for footballer in ROSTERS[3]:
        expect(ann.locator("main")).to_contain_text(names[footballer][0])

    ann.goto("/leagues/the-old-league/members")
    ann.get_by_role("link", name="Settings", exact=True).click()
    find_an_owner = ann.get_by_role("region", name="Find an owner")
    bob = open_page("bob", viewport=PHONE)
    take_over(bob, find_an_owner.get_by_role("textbox").input_value(), "Team of ann77")
    bob.goto("/leagues/the-old-league/roster")
    for footballer in ROSTERS[1]:
        name = passer if footballer == "HAR-QB1" else names[footballer][0]
        expect(bob.locator("main")).to_contain_text(name)
    ann.reload()
    teams = ann.get_by_role("region", name="Teams and owners").locator(".team-list > li")
    expect(teams.filter(has_text="Needs an owner")).to_have_count(2)


def take_over(page: Page, invitation: str, team: str) -> None:
    """Join by an invitation: whoever joins takes over the first team that nobody runs."""
    page.goto(invitation)
    expect(page.locator("main")).to_contain_text(team)
    page.get_by_role("button", name="Join the league").click()
    expect(page.get_by_role("table", name="The Old League")).to_be_visible()
    page.get_by_role("link", name="League", exact=True).click()
    page.get_by_role("link", name="Draft", exact=True).click()
    teams = page.get_by_role("region", name="Teams")
    expect(teams).to_contain_text("2 of 4 taken")
    expect(teams.locator(".team-list > li").nth(1)).to_have_text("2 Bob's team You")
