"""Friendships between players: ask, accept, decline, withdraw, unfriend, block, unblock.

Promise: players never learn that they are blocked. To the blocked player a block looks like a
declined request or an ended friendship, and later requests look as if they were sent. Players of
different namespaces (Pressbox, each integrator) never meet. Lives here: the acts, one transaction
each, and what a player sees of them. Not here: boards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from flask import current_app
from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Friendship, Member, Player
from app.accounts.sanctions import seen_player
from app.core.db import db
from app.core.refusals import Refusal

NONE, ASKED, FRIENDS = "none", "asked", "friends"
# of app.extensions: called with the new state, who acted, the other, and when
NOTIFY = "accounts.notify_friend"


@dataclass(frozen=True)
class Limits:
    """`friends`: with the requests out, each of which may become one at any time.

    So nobody's answer ever depends on how many friends the other has.
    """

    friends: int = 5_000
    blocks: int = 5_000


LIMITS = Limits()


@dataclass(frozen=True)
class Person:
    """A player as a friends' page shows them.

    `username` None: of an integrator. `since`: friends, or asked.
    """

    player_id: UUID
    name: str
    username: str | None
    since: datetime | None


@dataclass(frozen=True)
class Circle:
    """All that a player sees, each list by name, then id. `asked_me` leaves out blocked players."""

    friends: Sequence[Person]
    asked_me: Sequence[Person]
    asked_by_me: Sequence[Person]
    blocked: Sequence[Person]


NOBODY = Refusal("nobody", "", "There is no such player: check the name.")
YOURSELF = Refusal("yourself", "", "That is you: name somebody else.")
BLOCKED_BY_YOU = Refusal("blocked_by_you", "", "You block this player: unblock first.")
NO_REQUEST = Refusal(
    "no_request", "", "There is no request from this player (any more): ask yourself."
)
TOO_MANY = Refusal(
    "too_many",
    "",
    f"You have {LIMITS.friends:,} friends and requests, the most there can be: end or withdraw one "
    "first.",
)
TOO_MANY_BLOCKS = Refusal(
    "too_many_blocks", "", f"You block {LIMITS.blocks:,} players, the most there can be."
)

Rule = Callable[[Friendship, UUID, datetime], Refusal | None]


def ask(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Asks for friendship; accepts where the other has asked already.

    Asking again changes nothing. None: done.
    """
    if _is_minor_among(me, other):
        return NOBODY
    return _act(me, other, now, _ask)


def accept(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Accept a request."""
    return _act(me, other, now, _accept)


def decline(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Ends the other's request; done also when there is none."""
    return _act(me, other, now, _decline)


def withdraw(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Ends my own request; done also when there is none."""
    return _act(me, other, now, _withdraw)


def unfriend(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Ends the friendship; done also when there is none."""
    return _act(me, other, now, _unfriend)


def block(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Ends friendship and my request, and hides the other's requests from now on."""
    return _act(me, other, now, _block)


def unblock(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """A request that the other has out is shown again."""
    return _act(me, other, now, _unblock)


def friends_of(me: UUID) -> list[UUID]:
    """The accepted friends alone, by id."""
    return sorted(
        db.session.scalars(select(_other(me)).where(_mine(me), Friendship.state == FRIENDS))
    )


def circle(me: UUID) -> Circle:
    """All lists in one query, without those who stand on no board (sanctions.py)."""
    other = _other(me)
    query = (
        select(Friendship, Player.id, Player.display_name, Member.username)
        .join(Player, Player.id == other)
        .outerjoin(Member, Member.id == Player.member_id)
        .where(_mine(me), seen_player(Player.id))
        .order_by(func.lower(Player.display_name), Player.id)
    )
    friends, asked_me, asked_by_me, blocked = [], [], [], []
    for pair, player_id, name, username in db.session.execute(query):
        person = Person(player_id, name, username, pair.since)
        if pair.state == FRIENDS:
            friends.append(person)
        if pair.asked_by == me:
            asked_by_me.append(person)
        if pair.asked_by == player_id and not _blocks(pair, me):
            asked_me.append(person)
        if _blocks(pair, me):
            blocked.append(person)
    return Circle(friends, asked_me, asked_by_me, blocked)


def _act(me: UUID, other: UUID, now: datetime, rule: Rule) -> Refusal | None:
    if me == other:
        return YOURSELF
    try:
        if (refused := _lock_me(me, other)) is None:
            pair = _lock_pair(me, other)
            state = pair.state
            refused = rule(pair, me, now)
            if refused is None and pair.state not in (state, NONE) and not _blocks(pair, other):
                _notify(pair.state, me, other, now)
        if refused is None:
            db.session.commit()
            return None
    finally:
        db.session.rollback()  # after the commit: nothing to undo
    return refused


def _notify(state: str, me: UUID, other: UUID, now: datetime) -> None:
    """The other player reads of a request and of its acceptance, in the same transaction.

    Never of a block.
    """
    if notify := current_app.extensions.get(NOTIFY):
        notify(state, me, other, now)


def _lock_me(me: UUID, other: UUID) -> Refusal | None:
    """My acts wait for each other, so that limits hold.

    Only then the pair is locked: no two wait in a ring.
    """
    mine = db.session.scalar(
        select(Player)
        .where(Player.id == me)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    theirs = db.session.get(Player, other)
    if mine is None or theirs is None or mine.integrator_id != theirs.integrator_id:
        return NOBODY
    return None


def _is_minor_among(*players: UUID) -> bool:
    """Minors have no open social features: nobody asks them, and they ask nobody."""
    query = select(Member.id).join(Player, Player.member_id == Member.id)
    return (
        db.session.scalar(query.where(Player.id.in_(players), Member.is_minor).limit(1)) is not None
    )


def _lock_pair(me: UUID, other: UUID) -> Friendship:
    low, high = sorted((me, other))
    made = insert(Friendship).values(low_id=low, high_id=high)
    db.session.execute(made.on_conflict_do_nothing(constraint="pk_friendships"))
    query = select(Friendship).where(Friendship.low_id == low, Friendship.high_id == high)
    return db.session.scalars(
        query.with_for_update().execution_options(populate_existing=True)
    ).one()


def _ask(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    if _blocks(pair, me):
        return BLOCKED_BY_YOU
    if pair.state == FRIENDS or pair.asked_by == me:
        return None
    if _reserved(me) >= LIMITS.friends:
        return TOO_MANY
    if pair.state == ASKED:
        _become(pair, FRIENDS, now)
    else:
        _become(pair, ASKED, now, asked_by=me)
    return None


def _accept(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    if _blocks(pair, me):
        return BLOCKED_BY_YOU
    if pair.state == FRIENDS:
        return None
    if pair.state != ASKED or pair.asked_by == me:
        return NO_REQUEST
    if _reserved(me) >= LIMITS.friends:
        return TOO_MANY
    _become(pair, FRIENDS, now)
    return None


def _decline(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    if pair.state == ASKED and pair.asked_by != me and not _blocks(pair, me):
        _become(pair, NONE, None)
    return None


def _withdraw(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    if pair.asked_by == me:
        _become(pair, NONE, None)
    return None


def _unfriend(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    if pair.state == FRIENDS:
        _become(pair, NONE, None)
    return None


def _block(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    if _blocks(pair, me):
        return None
    if (
        db.session.scalar(select(func.count()).select_from(Friendship).where(_i_block(me))) or 0
    ) >= LIMITS.blocks:
        return TOO_MANY_BLOCKS
    if pair.state == FRIENDS or pair.asked_by == me:
        _become(pair, NONE, None)
    _set_block(pair, me, True)
    return None


def _unblock(pair: Friendship, me: UUID, now: datetime) -> Refusal | None:
    _set_block(pair, me, False)
    return None


def _become(
    pair: Friendship, state: str, since: datetime | None, *, asked_by: UUID | None = None
) -> None:
    pair.state, pair.asked_by, pair.since = state, asked_by, since


def _blocks(pair: Friendship, me: UUID) -> bool:
    return pair.low_blocks if pair.low_id == me else pair.high_blocks


def _set_block(pair: Friendship, me: UUID, blocks: bool) -> None:
    if pair.low_id == me:
        pair.low_blocks = blocks
    else:
        pair.high_blocks = blocks


def _i_block(me: UUID) -> ColumnElement[bool]:
    return or_(
        and_(Friendship.low_id == me, Friendship.low_blocks),
        and_(Friendship.high_id == me, Friendship.high_blocks),
    )


def _other(me: UUID) -> ColumnElement[UUID]:
    return func.coalesce(func.nullif(Friendship.low_id, me), Friendship.high_id)


def _mine(me: UUID) -> ColumnElement[bool]:
    return or_(Friendship.low_id == me, Friendship.high_id == me)


def _reserved(me: UUID) -> int:
    """Friends and requests out."""
    counted = or_(Friendship.state == FRIENDS, Friendship.asked_by == me)
    return (
        db.session.scalar(select(func.count()).select_from(Friendship).where(_mine(me), counted))
        or 0
    )
