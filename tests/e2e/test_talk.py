"""Two members talk in their league: on a phone and a laptop, with and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.accounts import friends
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.talk import news, queries, services
from app.talk.models import Post
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.league_season import make_league_world

pytestmark = pytest.mark.e2e
BOARD = "/leagues/the-row/talk"


@pytest.fixture
def league(member: Callable[..., Member], site: str) -> None:
    world = make_league_world(member)
    row = world.league("The Row", by="ann")
    for name in ("bob", "cat"):
        world.join(row, name)


def test_a_mention_a_reaction_a_block_and_a_removal(
    league: None, open_page: Callable[..., Page]
) -> None:
    ann = open_page("ann", viewport=PHONE)
    bob = open_page("bob", java_script_enabled=False)
    ann.goto(BOARD)
    expect(ann.get_by_role("heading", name="No messages yet")).to_be_visible()
    looks_right(ann, "talk-empty")
    box = ann.get_by_role("textbox", name="Message")
    box.press_sequentially("Draft at nine, @bo")
    ann.get_by_role("button", name="Bob").click()
    expect(box).to_have_value("Draft at nine, @Bob ")
    ann.get_by_role("button", name="Send").click()
    posts = ann.get_by_role("region", name="Posts")
    expect(posts.get_by_role("article", name="Ann")).to_contain_text("Draft at nine, @Bob")

    bob.goto("/notices")
    bob.get_by_role("button", name="Ann mentioned you in The Row").click()
    bob.get_by_role("textbox", name="Your reply").fill("See https://example.com/draft")
    bob.get_by_role("button", name="Reply").click()
    expect(bob.get_by_role("link", name="https://example.com/draft")).to_be_visible()
    bob.get_by_role("button", name="Menu for the post by Ann").click()
    bob.get_by_role("article", name="Ann").get_by_role("button", name="On fire").click()
    expect(
        bob.get_by_role("article", name="Ann").get_by_role("button", name="On fire 1")
    ).to_have_attribute("aria-pressed", "true")

    answer = posts.get_by_role("article", name="Bob")
    expect(answer).to_contain_text("See https://example.com/draft")  # by its own poll
    expect(answer.get_by_role("blockquote")).to_contain_text("Draft at nine")
    menu = ann.get_by_role("button", name="Menu for the post by Bob")
    menu.click()
    looks_right(ann, "talk-menu")
    answer.get_by_role("button", name="Like").click()
    expect(answer.get_by_role("button", name="Like 1")).to_be_visible()
    expect(answer.get_by_role("link", name="Report")).to_be_hidden()
    looks_right(ann, "talk-board")

    menu.click()
    answer.get_by_role("link", name="Pin or remove").click()
    ann.get_by_label("Reason").fill("No links before the draft")
    looks_right(ann, "talk-post")
    ann.get_by_role("button", name="Remove this post").click()
    expect(answer).to_contain_text("Removed by the commissioner: No links before the draft")


def test_a_blocked_members_posts_disappear(league: None, open_page: Callable[..., Page]) -> None:
    bob, cat = open_page("bob"), open_page("cat")
    cat.goto(BOARD)
    cat.get_by_role("textbox", name="Message").fill("Bob is a fool")
    cat.get_by_role("textbox", name="Message").press("Enter")
    bob.goto(BOARD)
    expect(bob.get_by_text("Bob is a fool")).to_be_visible()
    looks_right(bob)
    block("bob", "cat")
    expect(bob.get_by_text("Bob is a fool")).to_have_count(0)  # by its own poll


def say(name: str, text: str) -> int:
    """Post on the board as this member; returns the post's id."""
    member_id = db.session.scalar(select(Member.id).where(Member.username == name))
    room = queries.room("the-row", int(member_id or 0))
    assert room is not None
    post = services.write(room, services.NewPost("", text), clock.now())
    assert isinstance(post, Post)
    return post.id


def test_a_thread_opens_at_what_is_new_and_keeps_the_readers_place(
    league: None, open_page: Callable[..., Page]
) -> None:
    ids = [say("cat", f"Message {number} of many") for number in range(24)]
    ann = open_page("ann", viewport=PHONE)
    ann.goto(BOARD)
    last = ann.locator(f"#post-{ids[-1]}")
    expect(last).to_be_in_viewport()
    box = ann.get_by_role("textbox", name="Message")
    expect(box).to_be_in_viewport()
    box.fill("Not sent yet")

    newer = say("bob", "At the foot")  # the reader is there: it is scrolled to
    expect(ann.locator(f"#post-{newer}")).to_be_in_viewport()
    expect(box).to_have_value("Not sent yet")
    expect(box).to_be_focused()

    ann.locator(f"#post-{ids[3]}").scroll_into_view_if_needed()
    place = "id => document.getElementById(id).getBoundingClientRect().top"
    before = ann.evaluate(place, f"post-{ids[3]}")
    unseen = say("bob", "Somebody reads above")
    expect(ann.locator(f"#post-{unseen}")).to_be_attached()
    assert ann.evaluate(place, f"post-{ids[3]}") == pytest.approx(before, abs=2)
    expect(ann.locator(f"#post-{unseen}")).not_to_be_in_viewport()

    ann.goto("/leagues/the-row")
    new = [say("bob", f"While you were away {number}") for number in range(3)]
    ann.goto(BOARD)
    expect(ann.get_by_text("New", exact=True)).to_be_in_viewport()
    expect(ann.locator(f"#post-{new[0]}")).to_be_in_viewport()
    looks_right(ann, "talk-unread")


def test_a_commissioner_connects_a_channel_and_a_member_subscribes_to_a_calendar(
    league: None, open_page: Callable[..., Page]
) -> None:
    ann = open_page("ann", viewport=PHONE, expect_errors=["422"])
    bob = open_page("bob")
    news.post_news(clock.now())
    ann.goto(BOARD)
    expect(ann.get_by_text("Cat FC joined the league.")).to_be_visible()
    looks_right(ann, "talk-news")
    ann.goto("/leagues/the-row/settings")
    ann.get_by_role("link", name="Discord, Slack and webhooks").click()
    ann.get_by_label("Service").select_option("Slack")
    ann.get_by_label("Webhook address").fill("https://example.com/hook")
    ann.get_by_role("button", name="Connect").click()
    expect(ann.get_by_text("A Slack webhook begins with")).to_be_visible()
    ann.get_by_label("Webhook address").fill("https://hooks.slack.com/services/T0/B0/x1y2z3")
    ann.get_by_role("button", name="Connect").click()
    ann.get_by_role("button", name="Send a test to Slack").click()
    expect(ann.get_by_role("region", name="Slack")).to_contain_text("1 waiting to be sent.")
    expect(ann.get_by_text("https://hooks.slack.com/…y2z3", exact=True)).to_be_visible()
    looks_right(ann, "talk-connections")

    bob.goto("/notices")
    bob.get_by_role("button", name="Get a calendar address").click()
    address = bob.get_by_label("Calendar address (iCal)").input_value()
    assert address.endswith(".ics")
    looks_right(bob, "talk-calendar")
    bob.get_by_role("button", name="Remove address").click()
    expect(bob.get_by_label("Calendar address (iCal)")).to_have_count(0)


def block(name: str, other: str) -> None:
    me, them = (
        player_of(db.session.scalars(select(Member).where(Member.username == username)).one()).id
        for username in (name, other)
    )
    assert friends.block(me, them, clock.now()) is None
