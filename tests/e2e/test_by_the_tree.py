"""A member who sees no pixel plays a gameweek: by the keyboard and the accessibility tree alone.

Everything is found by its role and its accessible name, reached with Tab, and read as a screen
reader reads it: what moves is heard from a live region.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.gameweeks.settlement import settle
from app.fantasy.market.models import Gameweek, SheetDeadline
from app.fantasy.pages.recap import making
from app.fantasy.standings.models import League, LeagueMember
from app.record import events as ev
from app.record.models import Game
from scorer_console.record.numbering import Entry
from tests.conftest import PASSWORD
from tests.e2e.looking import LAPTOP, PHONE
from tests.e2e.road import bring_in
from tests.worlds.leagues import make_sheet
from tests.worlds.scorer import submit
from tests.worlds.team_sheets import World, make_nfl

pytestmark = pytest.mark.e2e

Role = Literal["button", "link", "radio", "searchbox", "textbox"]
GAME = "nfl-1-HRB"  # Granite Vale at Port Harrow
PASSER, RUNNER, CATCHER = "demo-HRB-8", "demo-HRB-34", "demo-HRB-13"
MOST_TABS = 120
KICKOFF: list[ev.Body] = [
    ev.GameStarted(home="HRB", away="QRY"),
    ev.Period(period=1, phase="start"),
    ev.Snap(possession="QRY", spot=35, period=1, clock=900, situation="kickoff"),
    ev.Kick(team="QRY", kind="kickoff", result="touchback", start_yard=35, distance=65),
]
RUN_OF_10: list[ev.Body] = [
    ev.Snap(possession="HRB", spot=25, period=1, clock=900, down=1, distance=10),
    ev.Run(team="HRB", player=RUNNER, kind="rush", start_yard=25, end_yard=35),
]
TOUCHDOWN: list[ev.Body] = [
    ev.Snap(possession="HRB", spot=35, period=1, clock=870, down=1, distance=10),
    ev.Pass(
        team="HRB",
        passer=PASSER,
        receiver=CATCHER,
        result="complete",
        throw_yard=35,
        reception_yard=60,
    ),
    ev.Run(
        team="HRB",
        player=CATCHER,
        kind="after_catch",
        start_yard=60,
        end_yard=100,
        is_touchdown=True,
    ),
]
RUN_OF_20: list[ev.Body] = [
    ev.Snap(possession="HRB", spot=50, period=1, clock=800, down=1, distance=10),
    ev.Run(team="HRB", player=RUNNER, kind="rush", start_yard=50, end_yard=70),
]
THE_END: list[ev.Body] = [ev.GameEnded(), ev.Final(home_score=6, away_score=0)]


@dataclass
class Evening:
    """The only game of the first gameweek, and a head-to-head league of Ann and Bob."""

    world: World
    entries: int = 0

    def lock(self) -> None:
        """The deadline has come, and the game begins."""
        now = clock.now()
        gameweek = db.session.get_one(Gameweek, self.world.gameweeks[0].id)
        gameweek.deadline = now
        db.session.get_one(SheetDeadline, (self.world.team_rules.id, gameweek.id)).locks_at = now
        db.session.get_one(Game, GAME).kickoff = now
        db.session.commit()
        assert lock_gameweek(gameweek.id, now)

    def enter(self, bodies: Sequence[ev.Body]) -> None:
        entries = [Entry(body, f"d:{self.entries + n}") for n, body in enumerate(bodies)]
        self.entries += len(entries)
        submit(GAME, entries, clock.now())
        bring_in()

    def settle(self) -> None:
        gameweek_id = self.world.gameweeks[0].id
        assert settle(gameweek_id, clock.now())
        league_id = db.session.scalars(db.select(League.id).where(League.slug == "row")).one()
        assert making.make(league_id, gameweek_id, clock.now())


@pytest.fixture
def evening(member: Callable[..., Member], site: str) -> Evening:
    """Bob has a runner and a catcher of Port Harrow; Ann has no team yet."""
    ann, bob = member("ann"), member("bob")
    world = make_nfl(first=clock.now() + timedelta(days=2))
    db.session.execute(db.delete(Game).where(Game.week == 1, Game.id != GAME))
    league = League(
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        slug="row",
        name="The Row",
        invite_code="ROW",
        rules="half_ppr",
        mode="head_to_head",
        commissioner_id=ann.id,
    )
    db.session.add(league)
    db.session.flush()
    for who in (ann, bob):
        name = f"{who.display_name}'s Team"
        db.session.add(LeagueMember(league_id=league.id, member_id=who.id, team_name=name))
    make_sheet(bob.id, league, ["", RUNNER, "", CATCHER], saved_at=clock.now())
    db.session.commit()
    return Evening(world)


class Reader:
    """A member with a keyboard and a screen reader: nothing is clicked, nothing is looked at."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def tab_to(self, role: Role, name: str, *, exact: bool = False) -> None:
        """Press Tab until the element has the focus; fail after a whole page of them."""
        matches = self.page.get_by_role(role, name=name, exact=exact)
        expect(matches.first).to_be_visible()
        for _ in range(MOST_TABS):
            if matches.evaluate_all("elements => elements.includes(document.activeElement)"):
                return
            self.page.keyboard.press("Tab")
        pytest.fail(f"Tab does not reach the {role} “{name}” of {self.page.url}")

    def press(self, role: Role, name: str, key: str = "Enter", *, exact: bool = False) -> None:
        self.tab_to(role, name, exact=exact)
        self.page.keyboard.press(key)

    def type_into(self, role: Role, name: str, words: str) -> None:
        self.tab_to(role, name)
        self.page.keyboard.type(words)

    def hears(self, words: str) -> None:
        """A region says so that speaks when its words change."""
        region = self.page.get_by_role("status").or_(self.page.get_by_role("log"))
        expect(region.filter(has_text=words)).to_be_attached()

    def is_on(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", name=heading).first).to_be_attached()

    def row(self, table: str, name: str) -> Locator:
        """The row with this header."""
        header = self.page.get_by_role("rowheader", name=re.compile(f"^{name}"))
        return self.page.get_by_role("table", name=table).get_by_role("row").filter(has=header)

    def columns(self, table: str) -> list[str]:
        return (
            self.page.get_by_role("table", name=table).get_by_role("columnheader").all_inner_texts()
        )


def save_a_team(reader: Reader) -> None:
    """From signing in to a saved team with a captain of one's own."""
    reader.page.goto("/")
    reader.press("link", "Sign in")
    reader.is_on("Sign in")
    reader.type_into("textbox", "Username", "ann")
    reader.type_into("textbox", "Password", PASSWORD)
    reader.page.keyboard.press("Enter")
    reader.is_on("Home")
    reader.press("link", "Auto-pick my team")
    reader.is_on("Your team · Week 1")
    reader.press("button", "QB")
    expect(reader.page.get_by_role("heading", name=re.compile("^QB · "))).to_be_focused()
    reader.type_into("searchbox", "Search by name", "crabtree")
    reader.hears("1 player")
    reader.press("button", "Pick Ephraim Crabtree-Moss")
    reader.press("button", "QB Ephraim Crabtree-Moss")
    expect(reader.page.get_by_role("heading", name="QB · Ephraim Crabtree-Moss")).to_be_focused()
    reader.press("button", "Captain")
    reader.press("button", "Save team")
    saved = reader.page.get_by_role("status").filter(has_text="Saved.")
    expect(saved).to_be_focused()


@pytest.mark.parametrize(
    ("viewport", "columns"),
    [
        pytest.param(PHONE, ["Team", "Swing", "Rank"], id="phone"),
        pytest.param(LAPTOP, ["Team", "Swing", "Now", "Rank"], id="laptop", marks=pytest.mark.full),
    ],
)
def test_a_gameweek_is_played_from_the_team_to_the_recap(
    evening: Evening, open_page: Callable[..., Page], viewport: ViewportSize, columns: list[str]
) -> None:
    page = open_page(viewport=viewport)
    reader = Reader(page)
    save_a_team(reader)

    evening.lock()
    evening.enter([*KICKOFF, *RUN_OF_10])
    reader.press("link", "Home")
    reader.is_on("Home")
    live = page.get_by_role("region", name="Your players live")
    expect(live.get_by_role("row").filter(has_text="E. Crabtree-Moss")).to_contain_text("×2")

    reader.press("link", "You trail by 1.00 in The Row")
    reader.is_on("Ann's Team vs Bob's Team")
    evening.enter(TOUCHDOWN)
    reader.hears("Bob's Team is ahead by 0.80. Ann's Team: 13.20 points. Bob's Team: 14.00 points.")
    assert reader.columns("Starters") == ["Ann's Team", "Slot", "Bob's Team"]
    expect(reader.row("Starters", "QB")).to_contain_text("Captain ×2")
    expect(reader.row("Starters", "QB")).to_contain_text("1/1, 65 yd, 1 TD passing")
    expect(reader.row("Starters", "WR").first).to_contain_text("1 rec, 65 yd, 1 TD receiving")

    reader.press("link", "Matchup", exact=True)
    reader.is_on("The Row")
    evening.enter(RUN_OF_20)
    reader.hears("Alderwick runs to the QRY 30 for 20. Bob's Team: +2.00, rank 1.")
    expect(reader.row("The Row, Week 1", "Bob's Team")).to_contain_text("16.00")
    reader.press("link", "Crabtree-Moss to Veracruz-Lee for 65 yards. Touchdown!")
    reader.is_on("Crabtree-Moss to Veracruz-Lee for 65 yards. Touchdown!")
    why = page.get_by_role("region", name="Original call")
    expect(why.get_by_role("listitem").filter(has_text="Crabtree-Moss")).to_contain_text(
        "+6.60 passing touchdown, 65 passing yards · in 1 lineup"
    )
    assert reader.columns("Teams affected") == columns
    expect(reader.row("Teams affected", "Ann's Team")).to_contain_text("+13.20")

    reader.press("link", "Back to The Row")
    reader.is_on("The Row")
    reader.press("link", "Your matchup")
    reader.is_on("Ann's Team vs Bob's Team")
    evening.enter(THE_END)
    reader.hears("Bob's Team won by 2.80.")
    evening.settle()

    reader.press("link", "Matchup", exact=True)
    reader.is_on("The Row")
    reader.press("link", "League", exact=True)
    reader.press("link", "Recap")
    recap = page.get_by_role("main")
    expect(recap.get_by_role("heading", name="Week 1 recap")).to_be_visible()
    winner = recap.get_by_role("listitem").filter(has_text="Winner")
    for words in ("16.00", "Bob's Team", "2.80 ahead of Ann's Team"):
        expect(winner).to_contain_text(words)
    expect(reader.row("Power rankings after Week 1", "Bob's Team")).to_contain_text("1")
    reader.press("link", "See the play (Winner)")
    reader.is_on("Granite Vale Stonecutters at Port Harrow Lamplighters")
    expect(page.get_by_role("main")).to_contain_text("Alderwick runs to the HRB 35 for 10")
