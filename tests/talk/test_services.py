"""Writing, answering, reacting and moderating; and who sees it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.accounts import friends
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.blob_store import BlobNotFoundError, blob_store
from app.core.db import db
from app.moderation import inbox, posts, privacy, sanctions
from app.moderation.models import Report
from app.talk import queries, rules, services
from app.talk.models import Post
from app.talk.pictures import POST_PICTURES
from app.talk.rules import BOARD
from app.talk.services import NewPost
from tests.predictions.test_assets import encoded
from tests.talk.conftest import NOW, TALKERS, Talk

LATER = NOW + timedelta(minutes=5)


def block(talk: Talk, name: str, other: str) -> None:
    me, them = (player_of(talk.member(who)).id for who in (name, other))
    assert friends.block(me, them, NOW) is None


def shadow(talk: Talk, name: str) -> None:
    measure = sanctions.Measure(sanctions.SHADOW)
    player_id = player_of(talk.member(name)).id
    sanctions.impose(player_id, measure, by=None, reason="a bot", now=NOW)


def test_everybody_in_the_league_reads_a_post_and_nobody_else(talk: Talk) -> None:
    talk.say("ann", "Hello")
    talk.leagues.member("zoe")
    assert [talk.texts(name) for name in TALKERS] == [["Hello"]] * 3
    assert queries.room(talk.league.slug, talk.leagues.ids["zoe"]) is None


def test_posts_are_paged_from_the_newest(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "PAGE_ROWS", 2)
    for text in ("first", "second", "third"):
        talk.say("ann", text)
    page = queries.load_page(talk.room("bob"), BOARD)
    older = queries.load_page(talk.room("bob"), BOARD, page.older)
    assert [post.text for post in page.posts] == ["third", "second"]
    assert ([post.text for post in older.posts], older.older) == (["first"], None)


def test_a_mention_is_a_notice_once_and_an_edit_notifies_only_who_is_new(talk: Talk) -> None:
    post = talk.say("ann", "Your turn, @Bob, @bob fc")
    assert services.edit(talk.room("ann"), post, "Your turn, @Bob and @Cat", LATER) is None
    assert talk.notices("bob") == talk.notices("cat") == ["Ann mentioned you in The Row"]
    assert talk.notices("ann") == []


def test_whoever_is_replied_to_hears_of_it_once(talk: Talk) -> None:
    post = talk.say("ann", "Who wins?")
    talk.say("ann", "I do", reply_to=post)
    talk.say("bob", "You, @Ann", reply_to=post)
    reply = talk.say("cat", "Not you", reply_to=post)
    assert sorted(talk.notices("ann")) == [
        "Bob mentioned you in The Row",
        "Cat replied to you in The Row",
    ]
    services.delete(reply)
    assert talk.notices("ann") == ["Bob mentioned you in The Row"]


def test_a_deleted_post_takes_its_notices_along_and_answers_stay(talk: Talk) -> None:
    post = talk.say("ann", "Hey @Bob")
    talk.say("cat", "What?", reply_to=post)
    services.delete(post)
    assert (talk.texts("bob"), talk.notices("bob")) == (["What?"], [])
    assert talk.posts("bob")[0].answers is None


def test_a_post_is_edited_for_some_minutes_only(talk: Talk) -> None:
    post = talk.say("ann", "Helo")
    assert services.edit(talk.room("ann"), post, "Hello", LATER) is None
    late = NOW + timedelta(minutes=11)
    assert services.edit(talk.room("ann"), post, "Goodbye", late) == rules.TOO_LATE
    assert [(row.text, row.is_edited) for row in talk.posts("bob")] == [("Hello", True)]


def test_a_block_hides_posts_answers_reactions_and_mentions_both_ways(talk: Talk) -> None:
    block(talk, "bob", "cat")
    by_cat = talk.say("cat", "Hi @Bob")
    by_bob = talk.say("bob", "Hi @Cat")
    by_ann = talk.say("ann", "Calm down", reply_to=by_cat)
    services.react(talk.room("cat"), by_ann, "like", NOW)
    assert talk.texts("bob") == ["Calm down", f"Hi <@{talk.leagues.ids['cat']}>"]
    assert talk.texts("cat")[-1] == f"Hi <@{talk.leagues.ids['bob']}>"
    assert by_bob.id not in [post.id for post in talk.posts("cat")]
    assert (talk.notices("bob"), talk.notices("cat")) == ([], ["Ann replied to you in The Row"])
    for_bob = talk.posts("bob")[0]
    assert (for_bob.answers, for_bob.reactions[0].count) == (None, 0)
    assert queries.find(talk.room("bob"), by_cat.id) is None


def test_nobody_escapes_the_commissioner_by_a_block(talk: Talk) -> None:
    block(talk, "bob", "ann")
    talk.say("bob", "Rude")
    assert [(post.text, post.is_blocked) for post in talk.posts("ann")] == [("Rude", True)]


def test_only_a_shadow_banned_member_sees_their_own_posts(
    talk: Talk, sign_in: Callable[..., object]
) -> None:
    talk.say("cat", "Before @Bob")
    shadow(talk, "cat")
    talk.say("cat", "After @Bob")
    assert (talk.texts("ann"), talk.texts("bob")) == ([], [])
    assert talk.notices("bob") == ["Cat mentioned you in The Row"], "only of the first"
    page = sign_in(username="cat").get("/leagues/the-row/talk").text  # type: ignore[attr-defined]
    assert "Before" in page
    assert "After" in page


def test_a_banned_members_posts_are_hidden_until_the_ban_is_lifted(talk: Talk) -> None:
    talk.say("cat", "Hello")
    player_id = player_of(talk.member("cat")).id
    sanctions.impose(player_id, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=NOW)
    assert talk.texts("bob") == []
    sanctions.lift(player_id, by=None, reason="not a bot", now=LATER)
    assert talk.texts("bob") == ["Hello"]


def test_a_reaction_is_added_and_taken_back(talk: Talk) -> None:
    post = talk.say("ann", "Touchdown!")
    for kind in ("fire", "fire", "like", "nonsense"):
        services.react(talk.room("bob"), post, kind, NOW)
    services.react(talk.room("cat"), post, "like", NOW)
    counts = {
        reaction.kind: (reaction.count, reaction.is_mine)
        for reaction in talk.posts("bob")[0].reactions
        if reaction.count
    }
    assert counts == {"like": (2, True)}


def test_a_removed_post_shows_the_reason_and_its_author_still_reads_it(talk: Talk) -> None:
    post = talk.say("bob", "Rude @Cat")
    ann = talk.leagues.ids["ann"]
    missing = services.remove(post, by=ann, role="commissioner", reason=" ", now=LATER)
    assert missing == rules.NO_REASON
    services.remove(post, by=ann, role="commissioner", reason="Be nice", now=LATER)
    assert [(row.text, row.removal_reason) for row in talk.posts("cat")] == [("", "Be nice")]
    assert talk.posts("bob")[0].text.startswith("Rude")
    assert talk.notices("cat") == []


def test_one_post_is_pinned_at_a_time(talk: Talk) -> None:
    first, second = talk.say("ann", "Draft at nine"), talk.say("ann", "Draft at ten")
    services.pin(first, NOW)
    services.pin(second, LATER)
    pinned = queries.load_page(talk.room("bob"), BOARD).pinned
    assert pinned is not None
    assert pinned.text == "Draft at ten"
    services.unpin(second)
    assert queries.load_page(talk.room("bob"), BOARD).pinned is None


def test_the_database_refuses_a_second_pin(talk: Talk) -> None:
    posts = [talk.say("ann", text) for text in ("one", "two")]
    for post in posts:
        post.pinned_at = NOW
    with pytest.raises(IntegrityError, match="uq_posts_pinned"):
        db.session.commit()
    db.session.rollback()


def test_unread_posts_are_counted_until_the_board_is_opened(talk: Talk) -> None:
    slug, bob = talk.league.slug, talk.leagues.ids["bob"]
    talk.say("ann", "one")
    talk.say("bob", "my own")
    talk.say("cat", "two")
    assert queries.unread(slug, bob) == (talk.league.id, 2)
    services.mark_read(talk.room("bob"))
    assert queries.unread(slug, bob) == (talk.league.id, 0)
    talk.say("cat", "three")
    assert queries.unread(slug, bob) == (talk.league.id, 1)


def test_a_picture_is_encoded_anew_and_deleted_with_its_post(talk: Talk) -> None:
    new = NewPost(BOARD, "", picture=encoded("JPEG", 2_000, 1_000))
    post = services.write(talk.room("ann"), new, NOW)
    assert isinstance(post, Post)
    assert post.picture is not None
    assert POST_PICTURES.load(post.picture)[8:12] == b"WEBP"
    services.delete(post)
    with pytest.raises(BlobNotFoundError):
        POST_PICTURES.load(post.picture)


def test_what_is_no_picture_is_refused_with_the_reason(talk: Talk) -> None:
    refusal = services.write(talk.room("ann"), NewPost(BOARD, "Look", picture=b"<svg>"), NOW)
    assert (refusal.field, refusal.text) == (  # type: ignore[union-attr]
        "picture",
        "The file is not a PNG, JPEG or WebP picture.",
    )
    assert talk.texts("ann") == []


def test_pictures_without_a_post_are_swept_after_an_hour(talk: Talk) -> None:
    post = services.write(talk.room("ann"), NewPost(BOARD, "", picture=encoded("PNG")), NOW)
    orphan = POST_PICTURES.store(encoded("PNG"), NOW)
    blob_store().put("talk/readme.txt", b"put there by somebody else")
    assert POST_PICTURES.sweep(NOW + timedelta(minutes=59)) == 0
    assert POST_PICTURES.sweep(NOW + timedelta(minutes=61)) == 1
    with pytest.raises(BlobNotFoundError):
        POST_PICTURES.load(orphan)
    assert isinstance(post, Post)
    assert POST_PICTURES.load(str(post.picture))


def test_a_moderator_reads_and_removes_a_reported_post_only(
    talk: Talk, member: Callable[..., Member]
) -> None:
    meg = member("meg", "moderator")
    post, other = talk.say("bob", "Rude @Cat"), talk.say("bob", "Fine")
    report = inbox.report_post(talk.leagues.ids["cat"], post, "Insults me", NOW)
    assert isinstance(report, Report)
    assert report.text == "Insults me\n\nThe post: Rude @Cat"
    again = inbox.report_post(talk.leagues.ids["cat"], post, "Again", NOW)
    assert not isinstance(again, Report)
    assert posts.find_reported(other.id) is None
    reported = posts.find_reported(post.id)
    assert reported is not None
    assert posts.remove(reported, by=meg.id, reason="An insult", now=LATER) is None
    row = next(row for row in talk.posts("ann") if row.id == post.id)
    assert (row.text, row.removed_as, row.removal_reason) == ("", "moderator", "An insult")


def test_an_erased_member_leaves_no_post_and_no_picture(talk: Talk) -> None:
    post = services.write(talk.room("cat"), NewPost(BOARD, "I am Cat", picture=encoded("PNG")), NOW)
    assert isinstance(post, Post)
    picture = str(post.picture)
    answer_id = talk.say("bob", "Hello @Cat", reply_to=post).id
    cat = talk.leagues.ids["cat"]
    exported = privacy.export(cat)
    assert [row["text"] for row in exported["posts"]] == ["I am Cat"]
    privacy.erase(cat, by=cat, reason="asked", now=LATER)
    assert db.session.scalars(select(Post.id)).all() == [answer_id]
    row = talk.posts("ann")[0]
    assert rules.as_typed(row.text, row.names) == f"Hello @{privacy.ERASED}"
    with pytest.raises(BlobNotFoundError):
        POST_PICTURES.load(picture)


def test_a_moderators_download_has_no_posts_that_they_removed(
    talk: Talk, member: Callable[..., Member]
) -> None:
    meg, post = member("meg", "moderator"), talk.say("bob", "Rude")
    services.remove(post, by=meg.id, role="moderator", reason="No", now=LATER)
    assert "posts" not in privacy.export(meg.id)
