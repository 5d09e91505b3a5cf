"""What members do on a board: write, answer, edit, delete, react; and what commissioners may do.

The caller loads the room and the post (queries.py), which is the permission check. Each function is
one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete as delete_rows
from sqlalchemy import select, update
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core.blob_store import BlobStoreError
from app.core.db import db
from app.core.pictures import BadPictureError
from app.core.postgres.advisory_locks import Lock
from app.core.refusals import Refusal
from app.fantasy.notices import words as notice_words
from app.fantasy.notices.models import Notice
from app.fantasy.notices.services import NewNotice, notify
from app.talk import queries, rules
from app.talk.models import POST, BoardRead, Post, Reaction
from app.talk.pictures import POST_PICTURES
from app.talk.queries import Room

NOT_STORED = Refusal(
    "not_stored",
    "picture",
    "The picture cannot be saved right now. Post without it, or try again later.",
)

_ALONE = sql("SELECT pg_advisory_xact_lock(:lock, :league)")


@dataclass(frozen=True)
class NewPost:
    """A post to be written. `text` as typed; `picture`: a file, or None."""

    thread: str
    text: str
    reply_to_id: int | None = None
    picture: bytes | None = None


def write(room: Room, new: NewPost, now: datetime) -> Post | Refusal:
    """Write a post; notify the members whom it mentions, and the one whom it answers."""
    text = rules.cleaned(new.text)
    if refusal := rules.text_refusal(text, has_picture=new.picture is not None):
        return refusal
    picture = None
    if new.picture is not None:
        try:
            picture = POST_PICTURES.store(new.picture, now)
        except BadPictureError as fault:
            return Refusal("picture", "picture", str(fault))
        except BlobStoreError:
            return NOT_STORED
    answered = _answered(room, new)
    post = Post(
        league_id=room.league.id,
        thread=new.thread,
        member_id=room.viewer.member_id,
        text=_with_mentions(room, text),
        reply_to_id=answered and answered.id,
        picture=picture,
        created_at=now,
    )
    db.session.add(post)
    db.session.flush()
    _notify_mentioned(room, post, now)
    if answered is not None:
        _notify_answered(room, post, answered, now)
    db.session.commit()
    return post


def edit(room: Room, post: Post, text: str, now: datetime) -> Refusal | None:
    """Replace the text of the viewer's own post, and notify members who are mentioned only now."""
    text = rules.cleaned(text)
    if not rules.is_editable(post.created_at, now):
        return rules.TOO_LATE
    if refusal := rules.text_refusal(text, has_picture=post.picture is not None):
        return refusal
    post.text, post.edited_at = _with_mentions(room, text), now
    _notify_mentioned(room, post, now)
    db.session.commit()
    return None


def delete(post: Post) -> None:
    """Delete the viewer's own post, with its picture and its notices. Answers to it stay."""
    picture = post.picture
    _withdraw_notices(post)
    db.session.execute(delete_rows(Post).where(Post.id == post.id))
    db.session.commit()
    POST_PICTURES.delete(picture)


def remove(post: Post, *, by: int, role: str, reason: str, now: datetime) -> Refusal | None:
    """Take a post away from everybody; in its place stands the reason.

    Moderators can still read it. Removing it again changes nothing. The caller has checked that the
    member may: `role` is `commissioner` or `moderator`.
    """
    reason = rules.cleaned(reason)
    if refusal := rules.reason_refusal(reason):
        return refusal
    _withdraw_notices(post)
    db.session.execute(
        update(Post)
        .where(Post.id == post.id, Post.removed_at.is_(None))
        .values(
            removed_at=now,
            removed_by=by,
            removed_as=role,
            removal_reason=reason,
            pinned_at=None,
        )
    )
    db.session.commit()
    return None


def react(room: Room, post: Post, kind: str, now: datetime) -> None:
    """Add the viewer's reaction, or take it back if it is there. Unknown kinds change nothing."""
    if kind not in rules.REACTIONS or post.removed_at is not None:
        return
    mine = {"post_id": post.id, "member_id": room.viewer.member_id, "kind": kind}
    taken_back = db.session.execute(
        delete_rows(Reaction).filter_by(**mine).returning(Reaction.post_id)
    ).first()
    if taken_back is None:
        adding = insert(Reaction).values(**mine, created_at=now)
        db.session.execute(adding.on_conflict_do_nothing())
    db.session.commit()


def pin(post: Post, now: datetime) -> None:
    """Pin the post in its thread, in place of the one that was pinned."""
    db.session.execute(_ALONE, {"lock": Lock.PINS, "league": post.league_id})
    db.session.execute(
        update(Post)
        .where(Post.league_id == post.league_id, Post.thread == post.thread)
        .where(Post.pinned_at.is_not(None), Post.id != post.id)
        .values(pinned_at=None)
    )
    db.session.execute(
        update(Post).where(Post.id == post.id, Post.removed_at.is_(None)).values(pinned_at=now)
    )
    db.session.commit()


def unpin(post: Post) -> None:
    """Unpin the post."""
    db.session.execute(update(Post).where(Post.id == post.id).values(pinned_at=None))
    db.session.commit()


def mark_read(room: Room) -> int | None:
    """Note that the viewer has read the board up to the newest post that they see.

    Returns:
        The last post that they had read before; None before the first time.
    """
    newest = queries.newest_id(room)
    last = db.session.scalar(
        select(BoardRead.post_id).where(
            BoardRead.league_id == room.league.id, BoardRead.member_id == room.viewer.member_id
        )
    )
    if newest is None or newest == last:
        return last
    adding = insert(BoardRead).values(
        league_id=room.league.id, member_id=room.viewer.member_id, post_id=newest
    )
    db.session.execute(
        adding.on_conflict_do_update(
            index_elements=["league_id", "member_id"],
            set_={"post_id": adding.excluded.post_id},
            where=BoardRead.post_id < adding.excluded.post_id,
        )
    )
    db.session.commit()
    return last


def _with_mentions(room: Room, text: str) -> str:
    members = queries.mentionable(room.league.id) if "@" in text else {}
    return rules.with_mentions(text, members)


def _answered(room: Room, new: NewPost) -> Post | None:
    """The post that the new one answers, if it is there and in the same thread."""
    if new.reply_to_id is None:
        return None
    post = queries.find(room, new.reply_to_id)
    return post if post is not None and post.thread == new.thread else None


def _notify_mentioned(room: Room, post: Post, now: datetime) -> None:
    mentioned = rules.mentioned(post.text or "")
    if not mentioned:
        return
    _notify(room, post, mentioned, "mention", now)


def _notify_answered(room: Room, post: Post, answered: Post, now: datetime) -> None:
    author = answered.member_id
    if author is None or answered.kind != POST or author in rules.mentioned(post.text or ""):
        return
    _notify(room, post, [author], "reply", now)


def _notify(room: Room, post: Post, members: Sequence[int], what: str, now: datetime) -> None:
    by = db.session.scalar(select(Member.display_name).where(Member.id == room.viewer.member_id))
    words = _WORDS[what](by or "Someone", room.league.name)
    path = f"/leagues/{room.league.slug}/talk/{post.id}"
    notify(
        [
            NewNotice.of(member_id, "mention", f"{what}:{post.id}", words, path)
            for member_id in queries.to_notify(room, members)
        ],
        now,
    )


_WORDS = {"mention": notice_words.mentioned, "reply": notice_words.replied}


def _withdraw_notices(post: Post) -> None:
    answered = select(Post.member_id).where(Post.id == post.reply_to_id)
    members = [*rules.mentioned(post.text or ""), db.session.scalar(answered)]
    db.session.execute(
        delete_rows(Notice).where(
            Notice.member_id.in_([member for member in members if member is not None]),
            Notice.key.in_([f"{what}:{post.id}" for what in _WORDS]),
        )
    )
