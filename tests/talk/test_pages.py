"""The pages of talk: who opens them, what is escaped, polled, counted and refused."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import clock
from app.core.blob_store import BlobStoreError
from app.core.db import db
from app.core.http.rate_limits import limiter
from app.core.picture_store import PictureStore
from app.fantasy.standings.models import League, Matchup
from app.talk import queries, rules, services
from app.talk.services import NewPost
from tests.polling import forget_pages
from tests.predictions.test_assets import encoded
from tests.talk.conftest import Talk

SignIn = Callable[..., FlaskClient]
BOARD = "/leagues/the-row/talk"


def test_a_board_does_not_exist_for_those_outside(talk: Talk, sign_in: SignIn) -> None:
    post = talk.say("ann", "Hello")
    talk.leagues.member("zoe")
    zoe = sign_in(username="zoe")
    for path in (BOARD, f"{BOARD}/{post.id}", f"{BOARD}/members?q=a", f"{BOARD}/{post.id}/report"):
        assert zoe.get(path).status_code == 404, path
    assert zoe.post(BOARD, data={"text": "Hi"}).status_code == 404
    assert zoe.post(f"{BOARD}/{post.id}/reactions", data={"kind": "like"}).status_code == 404


def test_a_public_league_is_read_by_its_members_only(talk: Talk, sign_in: SignIn) -> None:
    db.session.get_one(League, talk.league.id).is_public = True
    db.session.commit()
    talk.leagues.member("zoe")
    assert sign_in(username="zoe").get(BOARD).status_code == 404
    assert sign_in(username="bob").get(BOARD).status_code == 200


def test_the_empty_board_says_so(talk: Talk, sign_in: SignIn) -> None:
    assert "No messages yet" in sign_in(username="bob").get(BOARD).text


def test_text_is_escaped_and_links_are_safe(talk: Talk, sign_in: SignIn) -> None:
    talk.say("ann", "<script>alert(1)</script> see https://example.com/a?b=1&c=2, @Bob")
    page = sign_in(username="bob").get(BOARD).text
    assert "<script>alert" not in page
    link = '<a href="https://example.com/a?b=1&amp;c=2" rel="nofollow ugc noopener noreferrer">'
    assert link in page
    bob = talk.leagues.ids["bob"]
    assert f'<a class="mention mention-me" href="/gamers/{bob}">@<bdi>Bob</bdi></a>' in page


def test_two_tabs_that_poll_the_board_both_see_what_is_new(talk: Talk, sign_in: SignIn) -> None:
    """The first tab's page has tokens for its forms, which the poll cache cannot fill in."""
    talk.say("ann", "Hello")
    bob = sign_in(username="bob")

    def poll(etag: str) -> TestResponse:
        return bob.get(BOARD, headers={"HX-Request": "true", "If-None-Match": etag})

    etag_of_both = poll('"f0"').headers["ETag"]
    forget_pages(bob)  # as after half a minute
    assert poll(etag_of_both).status_code == 304
    talk.say("ann", "Again")
    for tab in (1, 2):
        answer = poll(etag_of_both)
        assert (answer.status_code, "Again" in answer.text) == (200, True), tab
        assert 'name="csrf_token"' in answer.text or "X-CSRFToken" in answer.text, tab


def test_a_member_posts_and_is_led_to_the_post(talk: Talk, sign_in: SignIn) -> None:
    answer = sign_in(username="bob").post(BOARD, data={"text": " Hello\r\nall "})
    (post,) = talk.posts("ann")
    assert (answer.status_code, answer.location) == (303, f"{BOARD}#post-{post.id}")
    assert post.text == "Hello\nall"


def test_too_long_a_text_stays_in_the_form_with_the_reason(talk: Talk, sign_in: SignIn) -> None:
    text = "a" * (rules.LONGEST_POST + 1)
    answer = sign_in(username="bob").post(BOARD, data={"text": text})
    assert answer.status_code == 422
    assert "Use up to 1,000 characters." in answer.text
    assert text in answer.text


def test_a_picture_is_for_members_only_and_never_kept(talk: Talk, sign_in: SignIn) -> None:
    bob = sign_in(username="bob")
    data = {"text": "", "picture": (io.BytesIO(encoded("PNG")), "../../me.png")}
    assert bob.post(BOARD, data=data, content_type="multipart/form-data").status_code == 303
    (post,) = talk.posts("ann")
    path = f"{BOARD}/{post.id}/picture"
    picture = sign_in(username="ann").get(path)
    assert (picture.status_code, picture.content_type) == (200, "image/webp")
    assert picture.cache_control.no_store
    talk.leagues.member("zoe")
    assert sign_in(username="zoe").get(path).status_code == 404


def test_a_poll_gets_304_until_something_changes(talk: Talk, sign_in: SignIn) -> None:
    post, bob = talk.say("ann", "Hello"), sign_in(username="bob")
    page = bob.get(BOARD, headers={"HX-Request": "true"})
    etag = {"HX-Request": "true", "If-None-Match": page.headers["ETag"]}
    assert bob.get(BOARD, headers=etag).status_code == 304
    assert bob.get(BOARD, headers=etag).status_code == 304
    services.react(talk.room("cat"), post, "fire", clock.now())
    changed = bob.get(BOARD, headers=etag)
    assert changed.status_code == 200
    assert '<span class="reaction-count">1</span>' in changed.text


def test_a_block_shows_at_the_next_poll(talk: Talk, sign_in: SignIn) -> None:
    talk.say("cat", "Hello")
    bob, headers = sign_in(username="bob"), {"HX-Request": "true"}
    page = bob.get(BOARD, headers=headers)
    assert "Hello" in page.text
    cat = talk.room("cat").viewer.player_id
    assert bob.post(f"/friends/{cat}/block").status_code == 303
    headers["If-None-Match"] = page.headers["ETag"]
    assert "Hello" not in bob.get(BOARD, headers=headers).text


def test_the_tab_counts_what_is_new_until_the_board_is_opened(talk: Talk, sign_in: SignIn) -> None:
    bob = sign_in(username="bob")
    new = '2<span class="visually-hidden"> new posts'
    talk.say("ann", "one", clock.now())
    talk.say("cat", "two", clock.now())
    assert new in bob.get("/leagues/the-row/members").text
    assert new in bob.get("/leagues/the-row").text
    bob.get(BOARD)
    assert "new posts" not in bob.get("/leagues/the-row").text


def test_the_newest_stands_at_the_foot_and_what_is_new_below_a_line(
    talk: Talk, sign_in: SignIn
) -> None:
    bob = sign_in(username="bob")
    talk.say("ann", "Read", clock.now())
    assert 'id="unread"' not in bob.get(BOARD).text, "the first time, all is as new"
    talk.say("bob", "Mine", clock.now())
    talk.say("cat", "Newer", clock.now())
    page = bob.get(BOARD).text
    places = [page.index(words) for words in (">Read<", ">Mine<", 'id="unread"', ">Newer<")]
    assert places == sorted(places)
    poll = re.search(r'hx-get="([^"]+talk\?read=[0-9]+)"', page)
    assert poll is not None
    assert 'id="unread"' in bob.get(poll[1], headers={"HX-Request": "true"}).text, "it stays"
    assert 'id="unread"' not in bob.get(BOARD).text, "it has been read"


def test_members_are_found_by_the_beginning_of_name_or_team(talk: Talk, sign_in: SignIn) -> None:
    page = sign_in(username="bob").get(f"{BOARD}/members?q=ca", headers={"HX-Request": "true"})
    assert re.findall(r'data-mention="([^"]+)"', page.text) == ["Cat"]


def test_a_name_that_two_members_have_is_mentioned_by_the_team(talk: Talk, sign_in: SignIn) -> None:
    talk.member("cat").display_name = "Bob"
    db.session.commit()
    page = sign_in(username="ann").get(f"{BOARD}/members?q=bob", headers={"HX-Request": "true"})
    assert re.findall(r'data-mention="([^"]+)"', page.text) == ["Bob FC", "Cat FC"]


def test_only_the_author_edits_and_deletes_and_only_the_commissioner_removes_and_pins(
    talk: Talk, sign_in: SignIn
) -> None:
    post = talk.say("bob", "Rude", clock.now())
    path = f"{BOARD}/{post.id}"
    cat, bob, ann = (sign_in(username=name) for name in ("cat", "bob", "ann"))
    for act in ("edit", "delete", "remove", "pin", "unpin"):
        assert cat.post(f"{path}/{act}", data={"text": "x", "reason": "x"}).status_code == 404, act
    for act in ("remove", "pin", "unpin"):
        assert bob.post(f"{path}/{act}", data={"reason": "x"}).status_code == 404, act
    assert ann.post(f"{path}/edit", data={"text": "x"}).status_code == 404
    assert "Rude" in bob.get(f"{path}/edit").text
    assert bob.post(f"{path}/edit", data={"text": "Kind"}).status_code == 303
    assert ann.post(f"{path}/pin").status_code == 303
    assert "Pinned" in cat.get(BOARD).text
    assert ann.post(f"{path}/remove", data={"reason": ""}).status_code == 422
    assert ann.post(f"{path}/remove", data={"reason": "Enough"}).status_code == 303
    page = cat.get(BOARD).text
    assert "Removed by the commissioner" in page
    assert "Kind" not in page
    assert bob.post(f"{path}/delete").status_code == 404, "what was removed stays for moderators"


def test_a_moderator_opens_a_report_and_removes_the_post(talk: Talk, sign_in: SignIn) -> None:
    post = talk.say("bob", "Rude")
    path = f"{BOARD}/{post.id}/report"
    cat, meg = sign_in(username="cat"), sign_in("moderator")
    assert meg.get(f"/moderation/posts/{post.id}").status_code == 404
    assert cat.post(path, data={"text": "An insult"}).status_code == 200
    assert f"/moderation/posts/{post.id}" in meg.get("/moderation").text
    assert "Rude" in meg.get(f"/moderation/posts/{post.id}").text
    answer = meg.post(f"/moderation/posts/{post.id}/remove", data={"reason": "An insult"})
    assert answer.status_code == 303
    assert "Removed by a moderator" in cat.get(BOARD).text


@pytest.fixture
def duel(talk: Talk) -> str:
    """The path of the thread of Ann's and Bob's matchup in the first gameweek."""
    db.session.get_one(League, talk.league.id).mode = "head_to_head"
    db.session.query(Matchup).filter_by(league_id=talk.league.id).delete()
    home, away = talk.leagues.ids["ann"], talk.leagues.ids["bob"]
    week = talk.leagues.gameweeks[0]
    db.session.add(
        Matchup(league_id=talk.league.id, gameweek_id=week.id, home_id=home, away_id=away)
    )
    db.session.commit()
    return f"{BOARD}/matchups/{week.week}"


def test_both_sides_of_a_matchup_and_the_league_share_its_thread(
    talk: Talk, duel: str, sign_in: SignIn
) -> None:
    ids = talk.leagues.ids
    ann, bob, cat = (sign_in(username=name) for name in ("ann", "bob", "cat"))
    assert ann.post(f"{duel}/{ids['ann']}", data={"text": "You lose"}).status_code == 303
    for client, side in ((bob, "bob"), (cat, "ann")):
        page = client.get(f"{duel}/{ids[side]}").text
        assert "Bob FC vs Ann FC" in page
        assert "You lose" in page
    assert "You lose" not in cat.get(BOARD).text
    path = f"{duel}/{ids['ann']}"
    assert path in cat.get(path.replace("/talk", "")).text, "the matchup leads to its thread"
    assert cat.get(f"{duel}/{ids['cat']}").status_code == 404, "meets nobody"
    assert cat.get(f"{BOARD}/matchups/{2**31}/{ids['ann']}").status_code == 404


def test_an_answer_stays_in_its_thread(talk: Talk, duel: str, sign_in: SignIn) -> None:
    on_board = talk.say("ann", "On the board")
    sign_in(username="bob").post(
        f"{duel}/{talk.leagues.ids['bob']}", data={"text": "Hm", "reply_to": on_board.id}
    )
    gameweek = talk.leagues.gameweeks[0].id
    thread = rules.thread_of_matchup(gameweek, [talk.leagues.ids[name] for name in ("ann", "bob")])
    (post,) = queries.load_page(talk.room("ann"), thread).posts
    assert post.answers is None


@pytest.fixture
def limits() -> Iterator[None]:
    """Requests are limited, as they are outside of tests."""
    limiter.enabled = True
    yield
    limiter.enabled = False


def test_posting_is_limited(talk: Talk, sign_in: SignIn, limits: None) -> None:
    bob = sign_in(username="bob")
    answers = [bob.post(BOARD, data={"text": str(number)}).status_code for number in range(11)]
    assert answers == [303] * 10 + [429]


def test_there_is_no_talk_in_an_overall_league(talk: Talk, sign_in: SignIn) -> None:
    db.session.get_one(League, talk.league.id).is_overall = True
    db.session.commit()
    bob = sign_in(username="bob")
    assert bob.get(BOARD).status_code == 404
    assert BOARD not in bob.get("/leagues/the-row").text


def test_the_form_of_a_late_edit_keeps_the_text(talk: Talk, sign_in: SignIn) -> None:
    post = talk.say("bob", "Old", clock.now() - timedelta(hours=1))
    answer = sign_in(username="bob").post(f"{BOARD}/{post.id}/edit", data={"text": "New"})
    assert answer.status_code == 422
    assert "can be edited for 10 minutes" in answer.text
    assert talk.texts("ann") == ["Old"]


def test_writing_does_not_wait_for_the_picture_store(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> str:
        raise BlobStoreError("away")

    monkeypatch.setattr(PictureStore, "store", broken)
    refusal = services.write(
        talk.room("ann"), NewPost(rules.BOARD, "Look", picture=b"x"), clock.now()
    )
    assert refusal is services.NOT_STORED
