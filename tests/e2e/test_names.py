"""Public names: refused on entry, shown in the right order, moderated, removed and restored."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.services import NewNotice, notify
from app.scores.models import ScoreAttempt
from tests.e2e.looking import PHONE, looks_right
from tests.worlds.callers import Callers, make_callers
from tests.worlds.score_log import Log, later, score_event

pytestmark = pytest.mark.e2e

HEBREW, ARABIC = "דנה לוי", "سمير"
# Where these texts stand on the page: the x of the left edge of each, in the order in which they
# are given.
LEFT_EDGES = """(element, texts) => texts.map((text) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
        const start = node.data.indexOf(text);
        if (start < 0) continue;
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + text.length);
        return range.getBoundingClientRect().left;
    }
    throw new Error(`${text} is not in ${element.textContent}`);
})"""


@pytest.fixture
def callers(app: Flask, member: Callable[..., Member]) -> Callers:
    """Nova, a Hebrew and an Arabic name stand on the board of a studio's game."""
    callers = make_callers(app, member("owner"))
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 900))
    for number, name in enumerate((HEBREW, ARABIC), start=1):
        player = callers.register(f"u-{number}", name)
        log.put(score_event(callers.mode, player, 900 - 100 * number, later(number)))
    log.consume()
    return callers


def register(callers: Callers, display_name: str) -> str:
    """As a game server does at each log-in of Nova."""
    sent = {"external_id": "p-1", "display_name": display_name}
    answer = callers.game_server.post(f"/v1/games/{callers.game.slug}/players", json=sent)
    assert answer.status_code == 200, answer.text
    return str(answer.json["display_name"])


def search(page: Page, words: str) -> None:
    page.goto("/moderation/players")
    page.get_by_label("Name, username, ID or address").fill(words)
    page.get_by_role("button", name="Search").click()


def test_a_name_that_turns_text_around_or_looks_like_staff_is_refused_where_it_is_typed(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport=PHONE, expect_errors=["422"])
    page.goto("/register")
    page.get_by_label("Username").fill("dana")
    page.get_by_label("Password").fill("seventeen quiet herons")
    name, button = (
        page.get_by_label("Display name"),
        page.get_by_role("button", name="Register"),
    )
    for typed, sentence in (
        (
            "Dana \u202e Levi",
            "Remove invisible or text-reversing characters (U+202E).",
        ),
        ("0perat\u043er", "This name could be mistaken for a staff member's. Choose another one."),
    ):
        name.fill(typed)
        page.get_by_label("Password").fill("seventeen quiet herons")
        button.click()
        expect(name).to_have_accessible_description(sentence)
        expect(name).to_have_value(typed)
    looks_right(page)
    name.fill(HEBREW)
    page.get_by_label("Password").fill("seventeen quiet herons")
    button.click()
    expect(page.get_by_role("button", name="Account of")).to_be_visible()


def test_a_board_keeps_its_columns_in_order_beside_hebrew_and_arabic_names(
    callers: Callers, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("meg", role="moderator")
    page = open_page("meg", viewport=PHONE)
    page.goto("/boards/dice/ranked/all-time")
    for rank, name, score in (("2", HEBREW, "800"), ("3", ARABIC, "700")):
        edges = page.get_by_role("row", name=name).evaluate(LEFT_EDGES, [rank, name, score])
        assert edges == sorted(edges), f"{name}: rank, name and score from left to right"
    attempt = db.session.scalars(select(ScoreAttempt).where(ScoreAttempt.score == 800)).one()
    page.goto(f"/moderation/attempts/{attempt.event_id}")
    edges = page.get_by_role("heading", level=1).evaluate(LEFT_EDGES, [HEBREW, "800"])
    assert edges == sorted(edges), "the heading: name, then score"


def test_a_sentence_keeps_its_order_around_a_hebrew_name(
    member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    """A number after a right-to-left name would stand left of it without isolation (UAX 9)."""
    words = notice_words.adjusted(HEBREW, "Week 1", 3_000, "A prize", notice_words.Moved(0, 3_000))
    notify(
        [NewNotice.of(member("ann").id, "adjustment", "adjustment:1", words, "/leagues")],
        clock.now(),
    )
    db.session.commit()
    page = open_page("ann", viewport=PHONE)
    page.goto("/notices")
    edges = page.get_by_role("button", name=HEBREW).evaluate(LEFT_EDGES, [HEBREW, "+3.00"])
    assert edges == sorted(edges)


def test_a_moderated_name_stays_whatever_the_game_server_sends_until_it_is_given_back(
    callers: Callers, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("meg", role="moderator")
    meg, board = open_page("meg"), open_page(viewport=PHONE)
    plain = f"Player {callers.player_id.hex[:6]}"
    search(meg, "p-1")
    meg.get_by_role("link", name="Nova").click()
    taken = meg.get_by_role("region", name="Remove name")
    taken.get_by_label("Reason").fill("A slur.")
    taken.get_by_role("button", name="Remove name").click()
    expect(meg.get_by_role("heading", name=plain)).to_be_visible()
    assert register(callers, "Nova Two") == plain
    board.goto("/boards/dice/ranked/all-time")
    expect(board.get_by_role("row", name=plain)).to_contain_text("900")
    expect(board.get_by_text("Nova")).to_have_count(0)

    search(meg, "Nova Two")  # by the name that is not shown, too
    meg.get_by_role("link", name=plain).click()
    section = meg.get_by_role("region", name="Restore name")
    expect(section).to_contain_text("They chose Nova Two.")
    section.get_by_label("Reason").fill("It was no slur.")
    section.get_by_role("button", name="Restore name").click()
    expect(meg.get_by_role("heading", name="Nova Two")).to_be_visible()
    board.reload()
    expect(board.get_by_role("row", name="Nova Two")).to_contain_text("900")


@pytest.mark.everyday("the moderator's story")
def test_an_account_that_never_used_a_board_is_found_by_name_number_and_address_and_banned(
    callers: Callers, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    member("meg", role="moderator")
    eve = member("eve-11187")
    meg, phone = open_page("meg"), open_page("eve-11187", viewport=PHONE)
    phone.goto("/leagues")
    for words in ("eve-111", "Eve-11187", str(eve.id), "127.0.0.1"):
        search(meg, words)
        expect(
            meg.get_by_role("listitem").filter(has_text=f"Member {eve.id}, eve-11187")
        ).to_have_count(1)
    meg.get_by_role("link", name="Eve-11187").click()
    meg.get_by_text("Seen at these addresses").get_by_role("link").first.click()
    # everybody behind that address
    expect(meg.get_by_role("link", name="Eve-11187")).to_be_visible()
    looks_right(meg)
    meg.get_by_role("link", name="Eve-11187").click()
    form = meg.get_by_role("region", name="Ban or suspend")
    form.get_by_label("Ban: no access").check()
    form.get_by_label("Reason").fill("A bot.")
    form.get_by_role("button", name="Apply").click()
    expect(meg.get_by_role("status").filter(has_text="off all boards")).to_be_visible()
    phone.goto("/leagues")
    expect(phone).to_have_url(re.compile("/sign-in"))
