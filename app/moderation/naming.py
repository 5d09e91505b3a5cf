"""Taking offensive names and pictures away, giving names back, and marking minors.

One act is one transaction.

A name that was taken away stays away until a moderator frees it, whatever a game server registers.
Every act can be taken back: the own name is kept beside the plain one.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select

from app.accounts import minors
from app.accounts.member_pictures import MEMBER_PICTURES
from app.accounts.models import Member, Player
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import sanctions
from app.moderation.rules import reason_fault


def take_name(player_id: UUID, *, by: int, reason: str) -> Player | Refusal:
    """Give the player a plain name, and keep their own until it is freed. Commits."""
    player = _own(player_id, by, reason)
    if isinstance(player, Refusal):
        return player
    player.is_name_taken = True
    minors.apply(player, _member_of(player), clock.now())
    return _done(player, Act.PLAYER_RENAMED, by, reason)


def free_name(player_id: UUID, *, by: int, reason: str) -> Player | Refusal:
    """Give the player back the name that they, or their game server, chose last. Commits.

    A minor keeps the plain name.
    """
    player = _own(player_id, by, reason)
    if isinstance(player, Refusal):
        return player
    if not player.is_name_taken:
        db.session.rollback()
        return Refusal(
            "not_taken",
            "player_id",
            "Their name was not removed, so there is nothing to restore.",
        )
    player.is_name_taken = False
    minors.apply(player, _member_of(player), clock.now())
    return _done(player, Act.NAME_FREED, by, reason)


def remove_picture(player_id: UUID, *, by: int, reason: str) -> Player | Refusal:
    """Remove the picture beside the member's name. Commits.

    They may choose another one; a member who keeps choosing bad ones is banned.
    """
    player = _own(player_id, by, reason)
    if isinstance(player, Refusal):
        return player
    member = _member_of(player)
    if member is None or member.picture is None:
        db.session.rollback()
        return Refusal("no_picture", "player_id", "They no longer have a picture.")
    picture, member.picture = member.picture, None
    _done(player, Act.PICTURE_REMOVED, by, reason)
    MEMBER_PICTURES.delete(picture)
    return player


def mark_minor(player_id: UUID, *, by: int, reason: str) -> Player | Refusal:
    """Treat the member as a minor from now on. Commits.

    They get a plain name, and no requests from strangers, until `unmark_minor`.
    """
    player = _own(player_id, by, reason)
    if isinstance(player, Refusal):
        return player
    member = _member_of(player)
    if member is None:
        db.session.rollback()
        return Refusal("no_member", "player_id", "Only a member of Pressbox can be marked.")
    member.is_marked_minor = True
    minors.apply(player, member, clock.now())
    return _done(player, Act.MARKED_MINOR, by, reason)


def unmark_minor(player_id: UUID, *, by: int, reason: str) -> Player | Refusal:
    """Take the mark of a minor back, with the name of before unless it was taken away. Commits.

    Members whose year of birth makes them minors stay minors.
    """
    player = _own(player_id, by, reason)
    if isinstance(player, Refusal):
        return player
    member = _member_of(player)
    if member is None or not member.is_marked_minor:
        db.session.rollback()
        return Refusal("not_marked", "player_id", "They are no longer marked as a minor.")
    member.is_marked_minor = False
    minors.apply(player, member, clock.now())
    return _done(player, Act.UNMARKED_MINOR, by, reason)


def _own(player_id: UUID, by: int, reason: str) -> Player | Refusal:
    """Lock the player, or say why this moderator may not act on them."""
    if (fault := reason_fault(reason)) is not None:
        return fault
    locked = (
        select(Player)
        .where(Player.id == player_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    player: Player | None = db.session.scalar(locked)
    if player is not None and player.member_id != by:
        return player
    db.session.rollback()
    if player is None:
        return Refusal("unknown", "player_id", "This player no longer exists. Search again.")
    return Refusal("own", "player_id", "That's you. Another moderator has to decide.")


def _member_of(player: Player) -> Member | None:
    if player.member_id is None:
        return None
    return db.session.get_one(Member, player.member_id, populate_existing=True)


def _done(player: Player, act: Act, by: int, reason: str) -> Player:
    player_id = player.id
    audit.record(act, actor_id=by, subject=f"player:{player_id}", reason=reason.strip())
    db.session.commit()
    sanctions.show_name(player_id)
    return player
