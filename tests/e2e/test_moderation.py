"""Moderation in a browser: a cheat from the flag to the restored score, and a ban.

Every board after each step.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from app.accounts import tokens
from app.accounts.models import Member
from app.audit.verification import verify
from app.boards.models import BoardScore
from app.core import clock
from app.core.db import db
from app.predictions.projections import store as projections
from tests.conftest import PASSWORD
from tests.e2e.looking import PHONE
from tests.worlds.contest import ApiError, Contest, table_of
from tests.worlds.played_league import Played, played_league
from tests.worlds.tournament import BEFORE, World

pytestmark = [pytest.mark.e2e, pytest.mark.smoke]

HONEST = [(1, "Ann", "500"), (2, "Dee", "400"), (3, "Bob", "300"), (4, "Cat", "200")]
CHEATED = [(1, "Bob", "9,000"), (2, "Ann", "500"), (3, "Dee", "400"), (4, "Cat", "200")]


@pytest.fixture
def contest(processes: None, site: str, member: Callable[..., Member]) -> Contest:
    """Everybody has sent a score."""
    contest = Contest(site, member)
    for name, score in (("Ann", 500), ("Bob", 300), ("Cat", 200), ("Dee", 400)):
        assert contest.send(name, contest.attempt(name, score))["status"] == "committed"
    return contest


@pytest.fixture
def league(contest: Contest) -> Played:
    """A league of the three members over a gameweek; Bob is first."""
    numbers = {name: _member_id(name) for name in ("bob", "ann", "cat")}
    return played_league(numbers, [{"bob": 90, "ann": 60, "cat": 30}])


def _member_id(name: str) -> int:
    return int(db.session.scalars(db.select(Member.id).where(Member.username == name)).one())


def preview_on(page: Page) -> list[str]:
    """Player, rank and score of each move on the board of all time."""
    table = page.get_by_role("table", name="Rank changes on nova-run:solo:all-time")
    expect(table).to_be_visible()
    return [" ".join(text.split()) for text in table.locator("tbody tr").all_inner_texts()]


def accept(page: Page, score: str, why: str) -> None:
    """Finds the score among those that wait, and lets it through."""
    page.goto("/")
    page.get_by_role("link", name="Moderation").click()
    page.get_by_role("link", name="Scores to review").click()
    page.get_by_role("link", name=score).click()
    expect(page.get_by_role("region", name="Why it was held")).to_contain_text(
        "in a short time than a person can play"
    )
    page.get_by_label("Reason", exact=True).fill(why)
    page.get_by_role("button", name="Accept: it counts").click()
    expect(page.get_by_role("region", name="Decision")).to_contain_text(why)


def ban(page: Page, name: str, why: str) -> None:
    page.goto(f"/moderation/players?q={name}")
    page.get_by_role("link", name=name).click()
    form = page.get_by_role("region", name="Ban or suspend")
    form.get_by_label(re.compile("Ban: ")).check()
    form.get_by_label("Reason").fill(why)
    form.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("status").filter(has_text="off all boards")).to_be_visible()


def appeal(card: Locator, label: str, words: str) -> None:
    card.get_by_label(label).fill(words)
    card.get_by_role("button", name="Send appeal").click()
    expect(card.page.get_by_role("status").filter(has_text="Appeal sent")).to_be_visible()


def sign_in(page: Page, username: str) -> None:
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def standings_in(pages: dict[str, list[str]]) -> dict[str, list[list[str]]]:
    """The rows of tables without buttons, and without the arrows.

    Those compare with the ranks of the last gameweek, which a worker writes anew.
    """
    others = re.compile(r"⋯|Report \w+|[▲▼]\d+ (up|down)|\s+")
    return {path: [others.sub(" ", row).split() for row in rows] for path, rows in pages.items()}


def grant(page: Page, appeal: str, answer: str) -> None:
    """Grants the appeal with these words on the page of moderators."""
    page.goto("/moderation")
    articles = page.get_by_role("article").filter(has_text=appeal)
    articles.get_by_label(re.compile("Grant")).check()
    articles.get_by_label("Answer to the player").fill(answer)
    articles.get_by_role("button", name="Send decision").click()


def test_a_cheat_is_flagged_reviewed_rolled_back_appeals_and_is_restored(
    contest: Contest, league: Played, member: Callable[..., Member], open_page: Callable[..., Page]
) -> None:
    for name in ("meg", "max"):
        member(name, role="moderator")
    ann, slug = open_page("ann"), league.league.slug
    contest.check(ann, slug, HONEST)

    # Bob's app sends scores faster than a person plays this game: the last is held.
    # Their first one counts in the hour, however long ago a busy machine took it.
    contest.server.set_limits(
        "nova-run", "solo", per_minute=6, per_hour=6, reach=6, reason="a game takes a while"
    )
    for number in range(5):
        assert contest.send("Bob", contest.attempt("Bob", 10 + number))["status"] == "committed"
    cheat = contest.attempt("Bob", 9_000)
    answer = contest.send("Bob", cheat)
    assert (answer["status"], answer["fraud_check"]) == ("held", "review")
    contest.check(ann, slug, HONEST)

    # Reviewed, and let through.
    meg = open_page("meg", expect_errors=["422"])
    accept(meg, "Bob: 9,000", "A good day, it seems.")
    assert contest.send("Bob", cheat)["rank"] == 1
    contest.check(ann, slug, CHEATED)

    # Rolled back: who moves is shown before, and nothing moves by looking.
    meg.get_by_role("link", name="Full details").click()
    meg.get_by_role("link", name="Roll back", exact=True).click()
    moves = ["Bob 1 → 3 9,000 → 300", "Ann 2 → 1 500 → 500", "Dee 3 → 2 400 → 400"]
    assert sorted(preview_on(meg)) == sorted(moves)
    contest.check(ann, slug, CHEATED)
    meg.get_by_label("Reason").fill("The build is a known bot.")
    meg.get_by_role("button", name="Roll back these scores").click()
    expect(meg.get_by_role("status").filter(has_text="Scores rolled back")).to_be_visible()
    contest.check(ann, slug, HONEST)
    with pytest.raises(ApiError, match="409"):
        contest.send("Bob", cheat)

    # Bob appeals, on a phone.
    bob = open_page("bob", viewport=PHONE)
    bob.goto("/notices")
    bob.get_by_role("button", name="One of your scores was removed").click()
    card = bob.get_by_role("region", name="9,000 in Nova Run, Solo")
    expect(card).to_contain_text("The build is a known bot.")
    appeal(card, "Why should it count?", "It was me: see my stream of that evening.")
    expect(bob.get_by_role("region", name="Your appeals")).to_contain_text("Waiting for a mod")
    contest.check(ann, slug, HONEST)

    # Who took it back does not decide about the appeal; somebody else does.
    grant(meg, "see my stream", "The stream shows it.")
    expect(meg.get_by_role("alert")).to_contain_text("another moderator")
    contest.check(ann, slug, HONEST)
    max_ = open_page("max")
    grant(max_, "see my stream", "The stream shows it.")
    expect(max_.get_by_role("status").filter(has_text="granted")).to_be_visible()
    expect(max_.get_by_role("heading", name="No open appeals")).to_be_visible()
    contest.check(ann, slug, CHEATED)
    assert contest.send("Bob", cheat)["rank"] == 1
    bob.reload()
    expect(bob.get_by_role("region", name="Your appeals")).to_contain_text(
        "Granted: The stream shows it."
    )
    assert verify().faults == []


def texts(page: Page, path: str) -> list[str]:
    """The rows of the first table on that page."""
    return [" ".join(row) for row in table_of(page, path)]


def held() -> list[tuple[object, ...]]:
    """Every row of every board, as PostgreSQL has it."""
    db.session.rollback()
    columns = (
        BoardScore.board_id,
        BoardScore.player_id,
        BoardScore.score,
        BoardScore.at,
        BoardScore.event_id,
    )
    return [tuple(row) for row in db.session.execute(db.select(*columns).order_by(*columns))]


@pytest.fixture
def cup(contest: Contest) -> World:
    """A tournament after three matches: Bob, who guessed them all, is before Ann."""
    cup = World(name="Harvest Cup")
    cup.players = {"Ann": contest.ids["Ann"], "Bob": contest.ids["Bob"]}
    for match, right in (("m1", True), ("m2", False), ("m3", False)):
        cup.match(match)
        cup.poll(BEFORE)
        assert cup.guess("Bob", match, 2, 1) == []
        assert cup.guess("Ann", match, *((2, 1) if right else (0, 3))) == []
    for match in ("m1", "m2", "m3"):
        cup.ended(match, 2, 1)
    cup.poll()
    cup.settle()
    projections.reconcile()
    return cup


def test_a_ban_holds_at_the_next_request_and_lifted_puts_back_exactly_what_stood(
    contest: Contest,
    league: Played,
    cup: World,
    member: Callable[..., Member],
    open_page: Callable[..., Page],
) -> None:
    for name in ("meg", "max"):
        member(name, role="moderator")
    ann, bob, meg = open_page("ann"), open_page("bob", viewport=PHONE), open_page("meg")
    slug = league.league.slug
    tables = [f"/leagues/{slug}", f"/leagues/{slug}/members", f"/tournaments/{cup.id}/leaderboard"]
    before, rows = {path: texts(ann, path) for path in tables}, held()
    assert all("Bob" in lines[0] for lines in before.values()), before
    contest.check(ann, slug, HONEST)
    ready = contest.attempt("Bob", 9_000)

    ban(meg, "Bob", "Sells places on boards.")

    without = [(1, "Ann", "500"), (2, "Dee", "400"), (3, "Cat", "200")]
    contest.check(ann, slug, without)
    for path in tables:
        lines = texts(ann, path)
        assert not any("Bob" in line for line in lines), path
        assert len(lines) == len(before[path]) - 1, path
        assert lines[0].startswith("1 "), path
    with pytest.raises(ApiError, match="403"):
        contest.send("Bob", ready)
    bob.goto("/friends")
    expect(bob).to_have_url(re.compile("/sign-in"))

    # Who is banned reads why when they sign in, and appeals there.
    sign_in(bob, "bob")
    card = bob.get_by_role("region", name="You are banned")
    expect(card).to_contain_text("Sells places on boards.")
    appeal(card, "Why is it wrong?", "That was my brother.")
    bob.goto("/account")
    expect(bob).to_have_url(re.compile("/sign-in"))

    max_ = open_page("max")
    grant(max_, "That was my brother.", "It was the brother.")
    expect(max_.get_by_role("status").filter(has_text="granted")).to_be_visible()
    assert held() == rows
    after = {path: texts(ann, path) for path in tables}
    assert standings_in(after) == standings_in(before)
    contest.check(ann, slug, HONEST)
    sign_in(bob, "bob")
    expect(bob.get_by_role("heading", name="Account")).to_be_visible()
    contest.tokens["Bob"] = tokens.issue(contest.ids["Bob"], clock.now()).access
    assert contest.send("Bob", contest.attempt("Bob", 350))["rank"] == 3
    assert verify().faults == []
