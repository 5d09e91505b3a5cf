"""The one post about a week that has ended: written once, corrected in place."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text

from app.accounts.member_pictures import team_colours
from app.accounts.models import Member
from app.core import jobs
from app.core.db import db
from app.fantasy.gameweeks.settlement import settle
from app.fantasy.jobs import MAKE_RECAP
from app.fantasy.notices import news as league_news
from app.fantasy.pages.recap import queries as recaps
from app.fantasy.standings.models import League, LeagueScore
from app.record import events as ev
from app.talk import news, queries, rules, words
from app.talk.models import CORRECTED, RESULT, Post
from app.talk.queries import PostRow
from tests.worlds.games import DRIVE, NOW, ingest_and_refresh, make_game, messages
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.played_league import Played, played_league


def told(league: League, member_id: int) -> list[PostRow]:
    """The posts of results on the board, the newest first."""
    db.session.rollback()
    room = queries.room(league.slug, member_id)
    assert room is not None
    posts = queries.load_page(room, rules.BOARD).posts
    return [post for post in posts if post.kind in (RESULT, CORRECTED)]


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


def test_a_week_has_one_post_which_leads_to_its_recap(played: Played) -> None:
    news.post_news(NOW)
    posts = told(played.league, played.members["ann"])
    assert [post.news and post.news.headline for post in posts] == [
        "Week 2: Bob FC won with 12.00",
        "Week 1: Ann FC won with 10.00",
    ]
    assert str(posts[0].news).split("\n")[1:3] == [
        "Ann FC came second, 10.00 behind.",
        "That is the season high (previous: Ann FC, 10.00 in Week 1).",
    ]
    assert words.page_of(posts[0].data) == "/recap/2"
    assert news.post_news(NOW) == 0
    assert db.session.query(Post).filter(Post.kind == RESULT).count() == 2


def test_a_weeks_post_draws_what_every_team_scored(
    played: Played, sign_in: Callable[..., FlaskClient]
) -> None:
    news.post_news(NOW)
    page = sign_in("member", "ann").get(f"/leagues/{played.league.slug}/talk").text
    second, first = (
        re.findall(r'<rect data-team="(\d+)".*?height="([\d.]+)"', chart, re.DOTALL)
        for chart in reversed(re.findall(r"week-chart.*?</svg>", page, re.DOTALL))
    )
    colours = team_colours(played.members.values())
    ann, bob = (str(colours[played.members[name]]) for name in ("ann", "bob"))
    assert first == [(ann, "24.0"), (bob, "19.2")]
    assert second == [(bob, "24.0"), (ann, "4.0")]


def test_the_recap_is_made_when_the_week_is_posted(played: Played) -> None:
    news.post_news(NOW)
    asked = [job.args for job in jobs.queue(MAKE_RECAP.queue).jobs]
    assert asked == [[played.league.id, gameweek.id] for gameweek in played.gameweeks[:2]]


def correct(played: Played, gameweek: int, name: str, points: int) -> None:
    """Correct the points of a member's gameweek, as a correction of a settled week does."""
    gameweek_id = played.gameweeks[gameweek].id
    key = (played.league.id, played.members[name], gameweek_id)
    db.session.get_one(LeagueScore, key).points = points
    league_news.note(league_news.CORRECTED, [played.league.id], gameweek_id, NOW)
    db.session.commit()


def test_a_correction_changes_the_post_in_place(played: Played) -> None:
    news.post_news(NOW)
    before = told(played.league, played.members["ann"])[0]
    correct(played, 1, "bob", 9_000)
    news.post_news(NOW)
    after = told(played.league, played.members["ann"])[0]
    assert after.news is not None
    assert after.news.headline == "Week 2: Bob FC won with 9.00"
    assert after.id == before.id
    assert "record" not in after.data


def test_a_correction_of_an_earlier_week_ends_a_later_season_high(played: Played) -> None:
    news.post_news(NOW)
    correct(played, 0, "ann", 13_000)
    news.post_news(NOW)
    latest = told(played.league, played.members["ann"])[0]
    assert (latest.data["week"], "record" in latest.data) == (2, False)


def test_the_post_leads_to_the_largest_swing(finished: League) -> None:
    news.post_news(NOW)
    (post,) = told(finished, 1)
    assert "Biggest play: worth 13.20 to Ann FC." in str(post.news)
    assert (post.data["game_id"], post.data["play_number"]) == ("g1", 3)


def test_a_league_too_large_for_a_recap_has_its_result_alone(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recaps, "MOST_TEAMS", 1)
    news.post_news(NOW)
    stored = db.session.scalars(select(Post.data).where(Post.kind == RESULT)).all()
    assert len(stored) == 2
    assert not any({"recap_week", "record", "game_id"} & data.keys() for data in stored)


def test_several_winners_are_named_together() -> None:
    data = {"name": "Week 1", "best": [[1, 9_000], [2, 9_000]], "games": [], "leaders": []}
    sentence = str(words.news("result", None, data, {1: "Ann FC", 2: "Bob FC"}))
    assert sentence == "Week 1: Ann FC and Bob FC tied at 9.00"
