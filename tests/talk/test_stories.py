"""Posts about a gameweek that has ended: once each, corrected in place, and quiet."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks.settlement import settle
from app.fantasy.notices import news as league_news
from app.fantasy.standings.models import League, LeagueScore
from app.record import events as ev
from app.talk import news, queries, rules, stories, words
from app.talk.models import Post
from app.talk.queries import PostRow
from tests.worlds.games import DRIVE, NOW, ingest_and_refresh, make_game, messages
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.played_league import Played, played_league


def told(league: League, member_id: int) -> dict[str, PostRow]:
    """The stories on the board, by kind; of several the newest."""
    db.session.rollback()
    room = queries.room(league.slug, member_id)
    assert room is not None
    posts = queries.load_page(room, rules.BOARD).posts
    return {post.kind: post for post in reversed(posts) if post.kind in stories.STORIES}


@pytest.fixture
def played(app: Flask, member: Callable[..., Member]) -> Played:
    """Ann won the first gameweek by 10.00 to 8.00, Bob the second by 12.00 to 2.00."""
    ids = {name: member(name).id for name in ("ann", "bob")}
    return played_league(ids, ({"ann": 50, "bob": 40}, {"ann": 10, "bob": 60}))


@pytest.fixture
def finished(app: Flask, member: Callable[..., Member]) -> League:
    """The drive's touchdown pass was worth 13.20 to Ann with her captain, and 12.50 to Bob."""
    make_game()
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {ann.id: "Ann FC", bob.id: "Bob FC"})
    make_sheet(ann.id, league, ["H1", "H3"], captain="H1")
    make_sheet(bob.id, league, ["H2"])
    ingest_and_refresh(messages([*DRIVE, ev.GameEnded()]))
    db.session.execute(text("UPDATE gameweeks SET locked_at = :now WHERE week = 1"), {"now": NOW})
    db.session.commit()
    assert settle(1, NOW)
    return league


def test_the_recap_and_a_record_are_posted_once_and_lead_to_the_recap(played: Played) -> None:
    assert stories.post_stories(NOW) == 2
    posts = told(played.league, played.members["ann"])
    assert {kind: str(post.news) for kind, post in posts.items()} == {
        "recap": "Week 2 recap: Bob FC won with 12.00 points, 10.00 ahead of Ann FC.",
        "record": (
            "New season high: Bob FC scored 12.00 in Week 2 (previous: Ann FC, 10.00 in Week 1)."
        ),
    }
    assert words.page_of(posts["record"].data) == "/recap/2"
    assert stories.post_stories(NOW) == 0
    kinds = db.session.scalars(select(Post.kind).where(Post.kind.in_(stories.STORIES))).all()
    assert sorted(kinds) == ["recap", "recap", "record"]


def correct(played: Played, gameweek: int, name: str, points: int) -> None:
    """Correct the points of a member's gameweek, as settlement does."""
    gameweek_id = played.gameweeks[gameweek].id
    key = (played.league.id, played.members[name], gameweek_id)
    db.session.get_one(LeagueScore, key).points = points
    league_news.note(league_news.RECAP, [played.league.id], gameweek_id, NOW)
    db.session.commit()


def test_a_correction_changes_the_posts_in_place(played: Played) -> None:
    stories.post_stories(NOW)
    before = told(played.league, played.members["ann"])
    correct(played, 1, "bob", 9_000)
    stories.post_stories(NOW)
    after = told(played.league, played.members["ann"])
    assert str(after["recap"].news) == (
        "Week 2 recap: Bob FC won with 9.00 points, 7.00 ahead of Ann FC."
    )
    assert after["recap"].id == before["recap"].id
    assert "record" not in after


def test_a_correction_of_an_earlier_gameweek_ends_a_later_record(played: Played) -> None:
    stories.post_stories(NOW)
    correct(played, 0, "ann", 13_000)
    stories.post_stories(NOW)
    assert "record" not in told(played.league, played.members["ann"])


def test_the_largest_swing_leads_to_its_play(finished: League) -> None:
    stories.post_stories(NOW)
    post = told(finished, 1)["swing"]
    assert str(post.news) == ("Biggest play of Week 1: worth 13.20 to Ann FC.")
    assert words.page_of(post.data) == "/swings/g1/3"


def test_stories_are_quiet(finished: League) -> None:
    """The result of the gameweek is news; what is told of it raises no count of unread posts."""
    news.post_news(NOW)
    counted = queries.unread(finished.slug, 1)
    stories.post_stories(NOW)
    assert queries.unread(finished.slug, 1) == counted


def test_a_league_too_large_for_a_recap_has_no_stories(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stories, "MOST_TEAMS", 1)
    stories.post_stories(NOW)
    assert told(played.league, played.members["ann"]) == {}


def test_of_several_winners_none_is_named() -> None:
    data = {"name": "Week 1", "winner": [], "second": []}
    sentence = str(words.news("recap", None, data, {}))
    assert sentence == "Week 1 recap: no single winner."
