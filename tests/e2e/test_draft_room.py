"""Drafts in real browsers: a mock draft, ten members at once, an auction, a television."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.draft_leagues.drafts import founding, queries, services
from app.draft_leagues.drafts.founding import DraftToPlan
from app.draft_leagues.drafts.models import DraftPick
from app.draft_leagues.drafts.queries import Seat
from app.draft_leagues.drafts.services import Done, Submission
from app.draft_leagues.settings import PRESETS, RosterSettings, StarterCount
from app.fantasy.pages.short_names import short_name
from tests.e2e.looking import PHONE, looks_right
from tests.e2e.running import RunningPressbox
from tests.sizes import FULL
from tests.waiting import factor
from tests.worlds.draft_market import make_market, name_of

pytestmark = pytest.mark.e2e
TELEVISION = {"width": 1920, "height": 1080}
NAMES = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ivy", "joe")


def make_draft(member: Callable[..., Member], *names: str, bench: int = 0, **rules: object) -> int:
    """A draft of these members, who need a running back and a receiver. The first one runs it."""
    season = make_market(24)
    ids = [member(name).id for name in names]
    preset = PRESETS["redraft"]
    starters = (StarterCount("RB", 1), StarterCount("WR", 1))
    settings = msgspec.structs.replace(
        preset,
        franchises=len(names),
        roster=RosterSettings(starters, bench=bench),
        draft=msgspec.structs.replace(preset.draft, **rules),
    )
    seats = [
        Seat(number, f"{name.title()} FC", member_id)
        for number, (name, member_id) in enumerate(zip(names, ids, strict=True), start=1)
    ]
    order = [seat.franchise for seat in seats]
    row = founding.plan_draft(
        DraftToPlan("The draft", season.id, settings, seats, order, created_by=ids[0]), clock.now()
    )
    db.session.commit()
    return row.id


def start(draft_id: int, member_id: int) -> None:
    room = queries.load_room(draft_id, member_id)
    assert room
    assert isinstance(services.start(room, Submission(clock.now())), Done)


def note(page: Page) -> Locator:
    """What the bar says about the member's own next turn."""
    return page.locator("#my-turn-note")


def draft_first(page: Page) -> None:
    """Take the best of the list as soon as it is the member's turn."""
    expect(note(page)).to_have_text("Your pick")
    before = place_on_turn(page)
    page.get_by_role("button", name=re.compile("^Draft ")).first.click()
    expect(page.locator("#room")).not_to_have_attribute("data-slot", before)


def place_on_turn(page: Page) -> str:
    """The place on the board that is filled next, as the page knows it."""
    return page.locator("#room").get_attribute("data-slot") or ""


def test_a_mock_draft_from_one_tap(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    make_market(24)
    member("ann")
    ann = open_page("ann", viewport=PHONE)
    ann.goto("/drafts/mock")
    looks_right(ann, "draft-mock")
    ann.get_by_label("Draft position").fill("2")
    ann.get_by_role("button", name="Start mock draft").click()
    expect(note(ann)).to_have_text("Your pick")
    expect(ann).to_have_title(re.compile("^Your pick · "))
    in_view(ann, ann.get_by_role("button", name=re.compile("^Draft ")).first)
    ann.get_by_role("radio", name="WR").check()
    expect(ann.locator("#left .pos-RB")).to_have_count(0)
    receivers = ann.locator("#left [data-footballer]").evaluate_all(
        "rows => rows.slice(0, 2).map(row => row.dataset.footballer)"
    )
    first, second = map(name_of, receivers)  # the bot took anybody
    ann.get_by_role("button", name=f"Queue {first}", exact=True).press("Enter")
    ann.get_by_role("button", name=f"Queue {second}", exact=True).press("Enter")
    looks_right(ann, "draft-players")
    ann.get_by_role("radio", name="Queue").check()
    ann.get_by_role("button", name=f"Move {second} up").press("Enter")
    expect(ann.get_by_role("button", name=f"Move {second} up")).to_be_focused()
    expect(ann.locator(".queue-list li").first).to_contain_text(second)
    ann.get_by_role("radio", name="Players").check()
    ann.get_by_role("button", name=f"Draft {second}", exact=True).press("Enter")
    expect(note(ann)).not_to_have_text("Your pick")
    expect(ann.get_by_role("log", name="Picks")).to_contain_text("take")
    ann.get_by_role("radio", name="Team").check()
    expect(ann.locator(".team-list")).to_contain_text(short_name(second))
    looks_right(ann, "draft-mine")
    ann.get_by_role("radio", name="Board").check()
    looks_right(ann, "draft-board")


def in_view(page: Page, part: Locator) -> None:
    """It is on the screen without scrolling, in front of everything else."""
    box, size = part.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    assert box["y"] + box["height"] <= size["height"]
    part.click(trial=True)


def test_players_queue_and_board_are_in_view_on_a_laptop_without_a_script(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    start(draft_id, _id("ann"))
    ann = open_page("ann", java_script_enabled=False)
    ann.goto(f"/drafts/{draft_id}")
    in_view(ann, ann.get_by_role("button", name="Draft Robin Bell 1", exact=True))
    in_view(ann, ann.get_by_role("button", name="Pause"))
    for heading in ("Queue", "Ann FC"):
        in_view(ann, ann.get_by_role("heading", name=heading, exact=True))
    in_view(ann, ann.locator(".is-on"))
    ann.set_viewport_size(PHONE)
    expect(ann.locator(".draft-board")).to_be_hidden()
    ann.get_by_role("radio", name="Board").check()
    in_view(ann, ann.locator(".is-on"))
    ann.get_by_role("radio", name="Players").check()
    ann.get_by_role("button", name="Draft Robin Bell 1", exact=True).click()
    expect(ann.locator("#strip")).to_contain_text("R. Bell 1")


COUNT_TONES = """
    window.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        window.tones += 1;
        return start.apply(this, when);
    };
"""


def test_a_turn_is_heard_once_the_sound_is_on(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    draft_id = make_draft(member, "ann", "bob", bench=1, seconds_per_pick=600)
    start(draft_id, _id("ann"))
    ann, bob = open_page("ann"), open_page("bob")
    bob.add_init_script(COUNT_TONES)
    for page in (ann, bob):
        page.goto(f"/drafts/{draft_id}")
    draft_first(ann)
    expect(note(bob)).to_have_text("Your pick")
    assert bob.evaluate("tones") == 0  # off until it is switched on
    draft_first(bob)
    bob.get_by_role("button", name="More").click()
    bob.get_by_role("button", name="Turn sound on").click()
    assert bob.evaluate("tones") == 2  # as a sample
    bob.reload()
    draft_first(bob)
    draft_first(ann)
    assert bob.evaluate("tones") == 0
    draft_first(ann)
    bob.wait_for_function("tones === 2")


def test_a_double_click_is_one_act(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    start(draft_id, _id("ann"))
    ann, bob = open_page("ann"), open_page("bob")
    for page in (ann, bob):
        page.goto(f"/drafts/{draft_id}")
        page.get_by_role("button", name=re.compile("^Draft ")).first.dblclick()
    expect(bob.locator(".cell-pick")).to_have_count(2)
    expect(ann.get_by_text("The draft has moved on")).to_have_count(0)
    ann.get_by_role("button", name="More").click()
    with ann.expect_response("**/commissioner"):
        ann.get_by_role("button", name="Undo the latest pick").dblclick()
    expect(ann.locator(".cell-pick")).to_have_count(1)
    ann.reload()
    expect(ann.locator(".cell-pick")).to_have_count(1)


def test_a_queue_that_others_have_emptied_says_what_it_is_for(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    start(draft_id, _id("ann"))
    ann, bob = open_page("ann"), open_page("bob")
    for page in (ann, bob):
        page.goto(f"/drafts/{draft_id}")
    bob.get_by_role("button", name="Queue Robin Bell 1", exact=True).click()
    expect(bob.locator(".queue-list li")).to_have_count(1)
    ann.get_by_role("button", name="Draft Robin Bell 1", exact=True).click()
    expect(bob.locator("#mine")).to_contain_text("If your clock runs out")


def test_whoever_may_not_see_the_draft_any_more_is_told_so(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """Signed out, or no longer of the league: the room doesn't stay as if the draft went on."""
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    start(draft_id, _id("ann"))
    ann, bob = open_page("ann"), open_page("bob", expect_errors=["404"])
    for page in (ann, bob):
        page.goto(f"/drafts/{draft_id}")
    ann.context.clear_cookies()
    bob.route("**/updates?*", lambda route: route.fulfill(status=404))
    bob.evaluate("window.isOld = true")
    for page in (ann, bob):
        page.evaluate("window.dispatchEvent(new Event('online'))")  # it asks for updates
    expect(ann).to_have_url(re.compile("/sign-in"))
    bob.wait_for_function("!window.isOld")  # loaded again


@pytest.mark.sized
def test_all_members_draft_at_once(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """Two are on phones, one loses the connection on turn, and Ann sleeps through the draft.

    Five in an ordinary run, ten in a full one.
    """
    names = NAMES if FULL else ("ann", "bob", "cat", "dan", "hal")
    seconds = round(8 * factor())
    draft_id = make_draft(member, *names, seconds_per_pick=seconds)
    phones = ("bob", "cat")
    pages = {}
    for name in names[1:]:
        lost = ["ERR_INTERNET_DISCONNECTED", "htmx:"] if name == "hal" else []
        viewport = {"viewport": PHONE} if name in phones else {}
        pages[name] = open_page(name, expect_errors=lost, **viewport)
        pages[name].goto(f"/drafts/{draft_id}")
    start(draft_id, _id("ann"))
    for name in names[1:]:  # Bob sees his turn when Ann's clock has run out
        if name == "hal":
            _draft_through_a_lost_connection(pages[name])
        else:
            draft_first(pages[name])
    for name in reversed(names[1:]):
        draft_first(pages[name])
    for page in pages.values():
        expect(page.get_by_text("Draft complete", exact=True)).to_be_visible()
    looks_right(pages["bob"], "draft-complete")
    expect(pages["bob"].get_by_role("heading", name="Bob FC")).to_be_visible()
    rows = db.session.execute(
        select(DraftPick.franchise, DraftPick.footballer_id).where(DraftPick.draft_id == draft_id)
    ).all()
    assert Counter(row.franchise for row in rows) == dict.fromkeys(range(1, len(names) + 1), 2)
    assert len({row.footballer_id for row in rows}) == 2 * len(names)
    board = pages["dan"]
    board.set_viewport_size(TELEVISION)
    board.goto(f"/drafts/{draft_id}/board")
    expect(board.locator(".cell-pick")).to_have_count(2 * len(names))
    looks_right(board, "draft-television")


def _draft_through_a_lost_connection(page: Page) -> None:
    """The pick that was pressed without a connection is sent when it is back, once."""
    expect(note(page)).to_have_text("Your pick")
    page.context.set_offline(True)
    page.get_by_role("button", name=re.compile("^Draft ")).first.click()
    expect(page.get_by_text("No connection to Pressbox. Not saved yet")).to_be_visible()
    before = place_on_turn(page)
    page.context.set_offline(False)
    expect(page.locator("#room")).not_to_have_attribute("data-slot", before)


def test_an_auction(member: Callable[..., Member], open_page: Callable[..., Page]) -> None:
    seconds = round(6 * factor())
    draft_id = make_draft(
        member,
        "ann",
        "bob",
        kind="auction",
        budget=20,
        seconds_per_pick=60,
        seconds_per_bid=seconds,
    )
    start(draft_id, _id("ann"))
    ann = open_page("ann", expect_errors=["409"])
    bob = open_page("bob", viewport=PHONE)
    for page in (ann, bob):
        page.goto(f"/drafts/{draft_id}")
    ann.get_by_role("button", name="Nominate Robin Bell 1", exact=True).click()
    bob.get_by_label("Your maximum bid").fill("6")
    bob.get_by_role("button", name="Raise my bid by 5").click()
    bob.get_by_role("button", name="Raise my bid by 1").click()
    expect(bob.get_by_label("Your maximum bid")).to_have_value("12")
    bob.get_by_role("button", name="Bid", exact=True).click()
    price = ann.locator(".lot-price")
    expect(ann.locator(".turn-lot")).to_contain_text("Bob FC")
    ann.get_by_label("Your maximum bid").fill("20")
    ann.get_by_role("button", name="Bid", exact=True).click()
    expect(
        ann.get_by_text("Bid at most 19. You need 1 for each of your other open spots")
    ).to_be_visible()
    ann.get_by_label("Your maximum bid").fill("9")
    ann.get_by_role("button", name="Bid", exact=True).click()
    expect(price).to_have_text("10")
    expect(note(bob)).to_have_text("Your nomination")  # sold when nobody bids any more
    bob.get_by_role("radio", name="Team").check()
    expect(bob.locator(".team-money")).to_contain_text("10 left, at most 10")
    looks_right(bob, "draft-auction-team")
    bob.get_by_role("radio", name="Players").check()
    bob.get_by_role("button", name="Nominate Wes Bell 1", exact=True).click()
    expect(ann.locator(".turn-lot")).to_contain_text("Bob FC")
    expect(ann.get_by_label("Your maximum bid")).to_have_value("2")
    looks_right(ann, "draft-auction")


def test_the_commissioner_pauses_and_takes_back(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    ann, bob = open_page("ann"), open_page("bob", viewport=PHONE)
    for page in (ann, bob):
        page.goto(f"/drafts/{draft_id}")
    looks_right(ann, "draft-lobby")
    ann.get_by_role("button", name="Start the draft").click()
    draft_first(ann)
    expect(note(bob)).to_have_text("Your pick")
    ann.get_by_role("button", name="Pause").click()
    sentence = bob.get_by_text("Paused", exact=True)
    expect(sentence).to_be_visible()
    assert sentence.evaluate("text => text.scrollWidth <= text.clientWidth")  # not cut off
    ann.get_by_role("button", name="More").click()
    ann.get_by_role("button", name="Undo the latest pick").click()
    expect(bob.locator("#turn")).to_contain_text("Ann FC")
    ann.get_by_role("button", name="Resume").click()
    expect(note(ann)).to_have_text("Your pick")
    looks_right(ann, "draft-commissioner")


@pytest.mark.everyday("the draft's story")
def test_two_tabs_and_a_restarted_server(
    member: Callable[..., Member], open_page: Callable[..., Page], pressbox: RunningPressbox
) -> None:
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    start(draft_id, _id("ann"))
    lost = ["ERR_", "htmx:"]
    ann, bob = open_page("ann", expect_errors=lost), open_page("bob", expect_errors=lost)
    tab = ann.context.new_page()
    for page in (ann, tab, bob):
        page.goto(f"/drafts/{draft_id}")
    draft_first(ann)
    expect(note(tab)).not_to_have_text("Your pick")
    expect(note(bob)).to_have_text("Your pick")
    pressbox.kill_web()
    pressbox.start_web()
    draft_first(bob)
    for page in (ann, tab):
        expect(page.locator(".cell-pick")).to_have_count(2)
    assert db.session.query(DraftPick).filter_by(draft_id=draft_id).count() == 2


def test_a_part_that_was_lost_is_asked_for_again_and_leaves_the_room(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    draft_id = make_draft(member, "ann", "bob", seconds_per_pick=600)
    start(draft_id, _id("ann"))
    ann = open_page("ann", expect_errors=["ERR_", "htmx:"])
    ann.goto(f"/drafts/{draft_id}")
    ann.route("**/mine", lambda route: route.abort(), times=1)
    draft_first(ann)
    expect(ann.locator("#mine .team-list")).to_contain_text("R. Bell 1")
    expect(ann.locator(".cell-pick")).to_have_count(1)


def _id(name: str) -> int:
    return db.session.scalars(select(Member.id).where(Member.username == name)).one()
