"""Friendships between players: ask, accept, decline, withdraw, unfriend, block, unblock.

Players never learn that they are blocked: to them a block looks like a declined request or an ended
friendship, and later requests look as if they were sent. Players of different namespaces (Pressbox,
each integrator) never meet. Each act is one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from flask import current_app
from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from app.accounts.models import Friendship, Member, Player
from app.accounts.sanctions import seen_player
from app.core.db import db
from app.core.refusals import Refusal

NONE, ASKED, FRIENDS = "none", "asked", "friends"
# Key in app.extensions of a function that is called with the new state, who acted, the other, and
# when.
NOTIFY = "accounts.notify_friend"


@dataclass(frozen=True)
class Limits:
    """The most friends and blocks of a player.

    Open requests count as friends, because each may become one at any time. Therefore nobody's
    answer depends on how many friends the other player has.
    """

    friends: int = 5_000
    blocks: int = 5_000


LIMITS = Limits()


@dataclass(frozen=True)
class CirclePlayer:
    """A player as the friends page shows them.

    Players of integrators have no `username`. `since` is when they became friends or were asked.
    """

    player_id: UUID
    name: str
    username: str | None
    since: datetime | None


@dataclass(frozen=True)
class Circle:
    """What a player sees, each list by name, then id; `asked_me` leaves out blocked players."""

    friends: Sequence[CirclePlayer]
    asked_me: Sequence[CirclePlayer]
    asked_by_me: Sequence[CirclePlayer]
    blocked: Sequence[CirclePlayer]


NOBODY = Refusal("nobody", "", "There's no player with this name. Check the spelling.")
YOURSELF = Refusal("yourself", "", "That's you. Enter someone else's username.")
BLOCKED_BY_YOU = Refusal("blocked_by_you", "", "You have blocked this player. Unblock them first.")
NO_REQUEST = Refusal("no_request", "", "This player has no open request. Send one yourself.")
TOO_MANY = Refusal(
    "too_many",
    "",
    f"You have {LIMITS.friends:,} friends and requests, which is the limit. Remove one first.",
)
TOO_MANY_BLOCKS = Refusal(
    "too_many_blocks", "", f"You have blocked {LIMITS.blocks:,} players, which is the limit."
)

Rule = Callable[[Friendship, UUID, datetime], Refusal | None]


def ask(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Ask for friendship, or accept if the other player has asked already.

    Asking again changes nothing.

    Returns:
        Why not, or None if it is done; so do all acts.
    """
    if _is_minor_among(me, other):
        return NOBODY
    return _act(me, other, now, _ask)


def accept(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """Accept a request."""
    return _act(me, other, now, _accept)


def decline(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """End the other player's request, if there is one."""
    return _act(me, other, now, _decline)


def withdraw(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """End one's own request, if there is one."""
    return _act(me, other, now, _withdraw)


def unfriend(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """End the friendship, if there is one."""
    return _act(me, other, now, _unfriend)


def block(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """End the friendship and one's own request, and hide the other player's requests."""
    return _act(me, other, now, _block)


def unblock(me: UUID, other: UUID, now: datetime) -> Refusal | None:
    """End a block; an open request of the other player is shown again."""
    return _act(me, other, now, _unblock)


def friends_of(me: UUID) -> list[UUID]:
    """Return the accepted friends by id."""
    return sorted(
        db.session.scalars(select(_other(me)).where(_mine(me), Friendship.state == FRIENDS))
    )


def circle(me: UUID) -> Circle:
    """Load all lists in one query, without players who are hidden from boards (sanctions.py)."""
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
        person = CirclePlayer(player_id, name, username, pair.since)
        if pair.state == FRIENDS:
            friends.append(person)
        if pair.asked_by == me:
            asked_by_me.append(person)
        if pair.asked_by == player_id and not _blocks(pair, me):
            asked_me.append(person)
        if _blocks(pair, me):
            blocked.append(person)
    return Circle(friends, asked_me, asked_by_me, blocked)


def blocked_between(me: UUID, member_id: Any) -> ColumnElement[bool]:
    """Return a condition: the player and the member of this column block each other, either way."""
    other = aliased(Player)
    either_blocks = or_(Friendship.low_blocks, Friendship.high_blocks)
    is_pair = or_(
        and_(Friendship.low_id == me, Friendship.high_id == other.id),
        and_(Friendship.high_id == me, Friendship.low_id == other.id),
    )
    return exists().where(other.member_id == member_id, is_pair, either_blocks)


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
    """Notify the other player of a request or its acceptance, in the same transaction."""
    if notify := current_app.extensions.get(NOTIFY):
        notify(state, me, other, now)


def _lock_me(me: UUID, other: UUID) -> Refusal | None:
    """Serialise the acts of one player, so that limits hold.

    The pair is locked after the player, so that there is no deadlock.
    """
    player = db.session.scalar(
        select(Player)
        .where(Player.id == me)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    other_player = db.session.get(Player, other)
    if player is None or other_player is None or player.integrator_id != other_player.integrator_id:
        return NOBODY
    return None


def _is_minor_among(*players: UUID) -> bool:
    """Whether one of them is a minor, who can neither ask nor be asked."""
    query = select(Member.id).join(Player, Player.member_id == Member.id)
    return (
        db.session.scalar(query.where(Player.id.in_(players), Member.is_minor).limit(1)) is not None
    )


def _lock_pair(me: UUID, other: UUID) -> Friendship:
    low, high = sorted((me, other))
    new_pair = insert(Friendship).values(low_id=low, high_id=high)
    db.session.execute(new_pair.on_conflict_do_nothing(constraint="pk_friendships"))
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


def _decline(pair: Friendship, me: UUID, _now: datetime) -> Refusal | None:
    if pair.state == ASKED and pair.asked_by != me and not _blocks(pair, me):
        _become(pair, NONE, None)
    return None


def _withdraw(pair: Friendship, me: UUID, _now: datetime) -> Refusal | None:
    if pair.asked_by == me:
        _become(pair, NONE, None)
    return None


def _unfriend(pair: Friendship, _me: UUID, _now: datetime) -> Refusal | None:
    if pair.state == FRIENDS:
        _become(pair, NONE, None)
    return None


def _block(pair: Friendship, me: UUID, _now: datetime) -> Refusal | None:
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


def _unblock(pair: Friendship, me: UUID, _now: datetime) -> Refusal | None:
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
    """Count the friends and the open requests of the player."""
    counted = or_(Friendship.state == FRIENDS, Friendship.asked_by == me)
    return (
        db.session.scalar(select(func.count()).select_from(Friendship).where(_mine(me), counted))
        or 0
    )
