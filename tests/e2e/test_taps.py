"""What a member does in a week, with the number of taps from the front page (docs/taps.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.gameweeks.settlement import settle
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import Gameweek, SheetDeadline
from app.fantasy.pages.recap import making
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.transfers import Draft
from app.fantasy.standings.models import League
from app.predictions.points import PRESETS
from app.record import events as ev
from app.record.models import Game
from app.talk import queries as talk_queries
from app.talk import services as talk
from scorer_console.record.numbering import Entry
from tests.e2e.looking import PHONE
from tests.e2e.road import bring_in
from tests.worlds.draft_leagues import SETTINGS, Days, make_drafted_league
from tests.worlds.scorer import submit
from tests.worlds.team_sheets import World, make_nfl
from tests.worlds.tournament import World as Cup

pytestmark = pytest.mark.e2e

TABLE = Path(__file__).parent.parent.parent / "docs/taps.md"
ROW = re.compile(r"^\| (?P<task>[^|]+) \| (?P<taps>\d+) \| (?P<rival>[^|]+) \|", re.MULTILINE)
TEAM = (
    *("demo-HRB-8", "demo-COP-22", "demo-MES-38", "demo-COP-86", "demo-COP-80", "demo-MES-84"),
    *("demo-ASH-89", "demo-MES-8", "demo-PRX-25"),
    *("demo-PRX-30", "demo-PRX-85", "demo-PRX-42", "demo-MES-1"),
)
RUNNER, CATCHER = "demo-HRB-34", "demo-HRB-13"
EVENING: list[ev.Body] = [
    ev.GameStarted(home="HRB", away="QRY"),
    ev.Period(period=1, phase="start"),
    ev.Snap(possession="HRB", spot=35, period=1, clock=870, down=1, distance=10),
    ev.Pass(
        team="HRB",
        passer=TEAM[0],
        receiver=CATCHER,
        result="complete",
        throw_yard=35,
        reception_yard=60,
    ),
]
THE_END: list[ev.Body] = [ev.GameEnded(), ev.Final(home_score=0, away_score=0)]


@dataclass(frozen=True)
class Week:
    """Ann founded The Row and plays Bob there: one gameweek is over, one is on, one is open."""

    other: League  # Bob's, which Ann may join


def game_of(week: int) -> str:
    return f"nfl-{week}-HRB"


def play(world: World, week: int, bodies: Sequence[ev.Body]) -> None:
    """The deadline of the gameweek has come, and so much of its only game is played."""
    now = clock.now()
    gameweek = db.session.get_one(Gameweek, world.gameweeks[week - 1].id)
    gameweek.deadline = now
    db.session.get_one(SheetDeadline, (world.team_rules.id, gameweek.id)).locks_at = now
    db.session.get_one(Game, game_of(week)).kickoff = now
    db.session.commit()
    assert lock_gameweek(gameweek.id, now)
    entries = [Entry(body, f"{week}:{number}") for number, body in enumerate(bodies)]
    submit(game_of(week), entries, now)
    bring_in()


@pytest.fixture
def week(member: Callable[..., Member], site: str) -> Week:
    bob = member("bob")
    world = make_nfl(first=clock.now() + timedelta(days=2), weeks=3)
    played = [game_of(number) for number in (1, 2)]
    db.session.execute(db.delete(Game).where(Game.week < 3, Game.id.not_in(played)))
    db.session.commit()
    cup = Cup(PRESETS["margin"], "Harvest Cup")
    cup.match("m1", kickoff=clock.now() + timedelta(hours=2))
    cup.poll(clock.now())
    cup.player("Ann")
    ann = db.session.scalars(db.select(Member).where(Member.username == "ann")).one()
    choice = TeamRulesChoice.of("nfl-classic", "America/New_York")
    row, other = (
        leagues.create(
            founder.id,
            NewLeague(name, f"{founder.display_name}'s Team", world.season_id, choice, rules, mode),
            clock.now(),
        )
        for founder, name, rules, mode in (
            (ann, "The Row", "half_ppr_idp", "head_to_head"),
            (bob, "The Other Row", "half_ppr_idp", "total"),
        )
    )
    assert isinstance(row, League)
    assert isinstance(other, League)
    assert leagues.join(bob.id, row.id, "Bob's Team", clock.now()) is None
    with_runner = (TEAM[0], RUNNER, TEAM[2], CATCHER, *TEAM[4:])
    for who, picks in ((ann, TEAM), (bob, with_runner)):
        draft = Draft(picks, 1, 2, 0)
        saved = sheets.save(who.id, world.team_rules.id, world.gameweeks[0].id, draft, clock.now())
        assert isinstance(saved, sheets.Saved), saved
    play(world, 1, [*EVENING, *THE_END])
    assert settle(world.gameweeks[0].id, clock.now())
    assert making.make(row.id, world.gameweeks[0].id, clock.now())
    play(world, 2, EVENING)
    room = talk_queries.room(row.slug, bob.id)
    assert room is not None
    talk.write(room, talk.NewPost("", "Good luck"), clock.now())
    return Week(other)


class Thumb:
    """A member's thumb on a phone: it counts. Typing and the phone's own keys are free."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    @property
    def places(self) -> Locator:
        """The places of the open league, and the pages of the open place."""
        return self.page.get_by_role("navigation", name="League", exact=True)

    def tap(self, role: str, name: str, within: Locator | None = None) -> None:
        place = within or self.page
        place.get_by_role(role, name=name).first.tap()  # type: ignore[arg-type]
        self.taps += 1

    def type_into(self, label: str, words: str, key: str | None = None) -> None:
        field = self.page.get_by_label(label, exact=True)
        field.tap()
        self.taps += 1
        field.fill(words)
        if key:
            self.page.keyboard.press(key)

    def drag(self, player: str, onto: str) -> None:
        """Dragging a row counts as a tap."""
        self.page.wait_for_url("**/team/*")
        self.page.wait_for_load_state()
        rows = self.page.get_by_role("listitem")
        grip = rows.filter(has_text=player).locator(".slot")
        grip.evaluate("slot => slot.scrollIntoView({ block: 'center', behavior: 'instant' })")
        start, end = grip.bounding_box(), rows.filter(has_text=onto).bounding_box()
        assert start
        assert end
        mouse = self.page.mouse
        mouse.move(start["x"] + 5, start["y"] + 5)
        mouse.down()
        mouse.move(start["x"] + 5, start["y"] + 25, steps=3)
        mouse.move(end["x"] + 40, end["y"] + 20, steps=5)
        mouse.up()
        self.taps += 1

    def sees(self, words: str) -> None:
        expect(self.page.get_by_text(words).locator("visible=true").first).to_be_visible()

    def reads(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", name=heading).first).to_be_visible()


def open_the_row(ann: Thumb) -> None:
    leagues_of_ann = ann.page.get_by_role("region", name="Your leagues")
    ann.tap("link", "The Row", leagues_of_ann)
    ann.reads("The Row")


def see_live_score(ann: Thumb) -> None:
    week = ann.page.get_by_role("region", name="This week")
    expect(week.get_by_text("2.00")).to_be_in_viewport()


def see_both_lineups(ann: Thumb) -> None:
    ann.tap("link", "You trail by 3.00")
    ann.reads("Ann's Team vs Bob's Team")
    expect(ann.page.get_by_role("table", name="Starters")).to_contain_text("1/1, 25 yd passing")


def see_who_is_playing(ann: Thumb) -> None:
    players = ann.page.get_by_role("table", name="Your players live")
    expect(players).to_contain_text("E. Crabtree-Moss")


def see_why_points_moved(ann: Thumb) -> None:
    changed = ann.page.get_by_role("region", name="Latest")
    expect(changed).to_contain_text("+1.00 E. Crabtree-Moss · 25 passing yards")


def see_everybody_a_play_moved(ann: Thumb) -> None:
    ann.tap("link", "25 passing yards")
    expect(ann.page.get_by_role("table", name="Teams affected")).to_contain_text("Bob's Team")


def see_table(ann: Thumb) -> None:
    open_the_row(ann)
    expect(ann.page.get_by_role("table", name="The Row, Week 2")).to_be_visible()


def see_next_opponent(ann: Thumb) -> None:
    open_the_row(ann)
    ann.sees("Next: Bob's Team (Week 3).")


def see_the_seasons_fixtures(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "Schedule & results")
    ann.reads("Your schedule")


def swap_a_starter(ann: Thumb) -> None:
    ann.tap("link", "Team")
    ann.drag("Efrain Dragomir", "Jasper Foxworthy")
    ann.sees("Swapped")
    ann.tap("button", "Save team")
    ann.sees("Saved.")


def undo_the_save(ann: Thumb) -> None:
    change_the_captain(ann)
    ann.taps = 0
    ann.tap("button", "Undo this save")
    expect(ann.page.get_by_role("button", name="Undo this save")).to_have_count(0)


def change_the_captain(ann: Thumb) -> None:
    ann.tap("link", "Team")
    ann.tap("button", "Idris Tiquana")
    ann.tap("button", "Captain", ann.page.get_by_role("dialog"))
    ann.tap("button", "Save team")
    ann.sees("Saved.")


def find_a_misspelt_player(ann: Thumb) -> None:
    ann.type_into("Find a player", "farowdale", "Enter")
    expect(ann.page.get_by_role("link", name="Roscoe Farrowdale")).to_be_visible()


def compare_two_players(ann: Thumb) -> None:
    ann.tap("button", "Find")
    for name in ("Florian Greenhalgh", "Kofi Ibekwe-James"):
        ann.tap("checkbox", f"Compare {name}")
    ann.tap("button", "Compare")
    ann.reads("2 players")


def read_the_recap(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "League", ann.places)
    ann.tap("link", "Recap", ann.places)
    ann.reads("Week 1 recap")


def share_the_recap(ann: Thumb) -> None:
    read_the_recap(ann)
    ann.tap("button", "Create link")
    ann.tap("button", "Copy link")
    ann.sees("Link copied.")


def replay_the_week(ann: Thumb) -> None:
    ann.tap("link", "You trail by 3.00")
    ann.tap("link", "Replay this week")
    ann.tap("button", "Play")
    expect(ann.page.get_by_role("button", name="Pause")).to_be_visible()


def invite_a_friend(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("button", "Copy invite link")
    ann.sees("Link copied.")


def create_a_league(ann: Thumb) -> None:
    ann.tap("link", "Create a league")
    ann.tap("link", "Create a salary-cap league")
    ann.type_into("League name", "Sunday Best")
    ann.tap("button", "Create the league")
    ann.sees("Sunday Best is ready.")


def post_in_talk(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "Talk", ann.places)
    ann.type_into("Message", "You too")
    ann.tap("button", "Send")
    ann.sees("You too")


def react_to_a_post(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "Talk", ann.places)
    ann.tap("button", "Menu for the post by Bob")
    ann.tap("button", "Like", ann.page.get_by_role("article", name="Bob"))
    expect(ann.page.get_by_role("button", name="Like 1")).to_be_visible()


def choose_what_is_pushed(ann: Thumb) -> None:
    ann.tap("link", "Notifications")
    ann.tap("link", "Notification settings")
    ann.tap("checkbox", "Push: Result")
    ann.sees("Saved.")


def guess_a_score(ann: Thumb) -> None:
    ann.tap("link", "Harvest Cup")
    ann.type_into("Ars", "24")
    ann.type_into("Che", "17")
    ann.sees("Saved: 24–17")


def switch_the_theme(ann: Thumb) -> None:
    ann.tap("button", "Account of Ann")
    ann.tap("link", "Account")
    ann.tap("radio", "Dark")
    ann.tap("button", "Save appearance")
    ann.sees("Saved for all your devices.")


def get_a_calendar(ann: Thumb) -> None:
    ann.tap("link", "Notifications")
    ann.tap("button", "Get a calendar address")
    expect(ann.page.get_by_label("Calendar address (iCal)")).to_be_visible()


def see_my_roster(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "Team", ann.places)
    ann.reads("Starters")


def see_the_bracket(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "League", ann.places)
    ann.tap("link", "Playoffs", ann.places)
    ann.reads("Championship")


def add_a_free_agent(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "Players", ann.places)
    ann.tap("link", "Add ")
    mine = ann.page.get_by_label("Drop", exact=True)
    mine.select_option(index=1)
    ann.taps += 1
    ann.tap("button", "Add to my team")
    ann.page.wait_for_url("**/players?added=*")


def propose_a_trade(ann: Thumb) -> None:
    open_the_row(ann)
    ann.tap("link", "Players", ann.places)
    ann.tap("link", "Trades", ann.places)
    ann.tap("link", "Bob FC")
    for side in ("You give", "Bob FC gives"):
        ann.tap("checkbox", "RB", ann.page.get_by_role("group", name=side))
    ann.tap("button", "Preview the trade")
    ann.tap("button", "Send the offer")
    ann.sees("It stays private until every team accepts")


def see_the_draft_board(ann: Thumb) -> None:
    ann.tap("link", "The Yard", ann.page.get_by_role("region", name="Your leagues"))
    ann.tap("link", "Enter the draft room", ann.page.locator("main"))
    ann.tap("radio", "Board")
    expect(ann.page.get_by_role("region", name="Board").first).to_be_visible()


TASKS: dict[str, Callable[[Thumb], None]] = {
    "See my live score": see_live_score,
    "See which of my players are playing": see_who_is_playing,
    "See my matchup, both lineups": see_both_lineups,
    "See why my points moved": see_why_points_moved,
    "See everyone a play affected": see_everybody_a_play_moved,
    "See the league's table": see_table,
    "See my next opponent": see_next_opponent,
    "See my fixtures of the season": see_the_seasons_fixtures,
    "Swap a starter and save": swap_a_starter,
    "Undo a saved change": undo_the_save,
    "Change the captain and save": change_the_captain,
    "Find a player by a misspelt name": find_a_misspelt_player,
    "Compare two players": compare_two_players,
    "Read the recap": read_the_recap,
    "Copy a link to the recap": share_the_recap,
    "Replay this week": replay_the_week,
    "Copy an invitation to my league": invite_a_friend,
    "Create a league": create_a_league,
    "Post on the league's board": post_in_talk,
    "React to a post": react_to_a_post,
    "Switch a kind of notice on or off": choose_what_is_pushed,
    "Guess a score": guess_a_score,
    "Switch to the dark theme": switch_the_theme,
    "Make a calendar of my deadlines": get_a_calendar,
}
DRAFT_TASKS: dict[str, Callable[[Thumb], None]] = {
    "See my roster": see_my_roster,
    "Add a free agent and drop a player": add_a_free_agent,
    "Propose a trade": propose_a_trade,
    "See the playoff bracket": see_the_bracket,
    "See the board of a draft that is on": see_the_draft_board,
}
# From the link, not from the front page.
JOINING = "Join a league from its link"
# In the draft room, not from the front page.
PAUSING = "Pause the draft, in its room"


def taps_of_table(*tasks: str) -> dict[str, int]:
    """How many taps the table says that these tasks take."""
    rows = {row["task"]: int(row["taps"]) for row in ROW.finditer(TABLE.read_text())}
    return {task: rows[task] for task in tasks}


def counted_taps(page: Page, tasks: dict[str, Callable[[Thumb], None]]) -> dict[str, int]:
    counted = {}
    for task, perform in tasks.items():
        page.goto("/")
        thumb = Thumb(page)
        perform(thumb)
        counted[task] = thumb.taps
    return counted


@pytest.mark.full  # the table is read below
def test_each_task_takes_as_many_taps_as_the_table_says(
    week: Week, open_page: Callable[..., Page]
) -> None:
    context = {"permissions": ["clipboard-write"], "has_touch": True}
    page = open_page("ann", viewport=PHONE, **context)
    counted = counted_taps(page, TASKS)
    page.goto(f"/join/{week.other.invite_code}")
    thumb = Thumb(page)
    thumb.tap("button", "Join the league")
    page.wait_for_url("**/leagues/the-other-row*")
    counted[JOINING] = thumb.taps + 1  # the link
    assert counted == taps_of_table(*TASKS, JOINING)


@pytest.mark.full
def test_each_task_of_a_draft_league_takes_as_many_taps_as_the_table_says(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """Ann runs The Row, whose season begins in three days, and The Yard, which drafts now."""
    now = clock.now()
    world = make_drafted_league(member, days=Days.before(now + timedelta(days=3)))
    settings = replace(SETTINGS, franchises=2)
    new = NewDraftLeague("The Yard", "Ann FC", world.league.season_id, settings)
    yard = setup.found(world.members[0], new, now)
    assert isinstance(yard, League), yard
    assert leagues.join(world.members[1], yard.id, "Bob FC", now) is None
    page = open_page("ann", viewport=PHONE, has_touch=True)
    assert draft_planning.schedule(yard.id, DraftDate(None, (1, 2)), world.members[0], now) == []
    page.goto(f"/leagues/{yard.slug}/draft")
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    thumb = Thumb(page)
    thumb.tap("button", "Pause")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    counted = {PAUSING: thumb.taps} | counted_taps(page, DRAFT_TASKS)
    assert counted == taps_of_table(*DRAFT_TASKS, PAUSING)


def test_every_row_of_the_table_is_performed() -> None:
    rows = {row["task"] for row in ROW.finditer(TABLE.read_text())}
    assert rows == {*TASKS, *DRAFT_TASKS, JOINING, PAUSING}


def test_no_task_takes_more_taps_than_the_best_rival_documents() -> None:
    more = [
        row["task"]
        for row in ROW.finditer(TABLE.read_text())
        if (documented := re.match(r"\d+", row["rival"])) and int(row["taps"]) > int(documented[0])
    ]
    assert more == [JOINING], "a link that joins by itself would join whoever only looks"
