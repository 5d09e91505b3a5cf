"""Pictures beside names: the one that a member uploaded, or else a crest (decision 0107).

An uploaded picture is encoded anew and stored as `members/<name>`, before it is committed. Minors
and banned members have their crest only. Whatever nobody has any more is deleted by `sweep`.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, and_, case, or_, select

from app.accounts.crests import crest
from app.accounts.models import Member, Player
from app.core import clock
from app.core.blob_store import BlobNotFoundError, BlobStoreError, blob_store
from app.core.db import db
from app.core.errors import one_line
from app.core.input_limits import PICTURE_BYTES
from app.core.pictures import TYPE, BadPictureError, re_encoded
from app.core.refusals import Refusal

log = structlog.get_logger(__name__)

FOLDER = "members"
SIDE = 96  # pixels of the stored picture, four times as many as on a board
ORPHANED_AFTER = timedelta(hours=1)
NOT_STORED = Refusal(
    "picture", "picture", "The picture could not be saved. Try again in a few minutes."
)


@dataclass(frozen=True)
class ShownPicture:
    """What is shown beside a name. `version` changes with it."""

    data: bytes
    content_type: str
    version: str


def choose(member: Member, data: bytes, now: datetime) -> Refusal | None:
    """Store the member's new picture in place of the last one. Commits."""
    try:
        encoded = re_encoded(data, side=SIDE, most_bytes=PICTURE_BYTES, is_square=True)
    except BadPictureError as fault:
        return Refusal("picture", "picture", str(fault))
    name = f"{clock.to_ms(now)}-{secrets.token_hex(16)}"
    try:
        blob_store().put(f"{FOLDER}/{name}", encoded)
    except BlobStoreError as error:
        log.warning("picture_not_stored", reason=one_line(error))
        return NOT_STORED
    last, member.picture = member.picture, name
    db.session.commit()
    delete(last)
    return None


def remove(member: Member) -> None:
    """Show the member's crest again. Commits."""
    last, member.picture = member.picture, None
    db.session.commit()
    delete(last)


def of_member(member_id: int, now: datetime) -> ShownPicture:
    """Return the picture beside the member's name; the crest of the number for nobody's."""
    name = db.session.scalar(select(_shown_name(now)).where(Member.id == member_id))
    return _load(name, f"member:{member_id}")


def of_player(player_id: UUID, now: datetime) -> ShownPicture:
    """Return the picture beside the player's name, for members the same as `of_member`."""
    query = (
        select(Player.member_id, _shown_name(now))
        .outerjoin(Member, Member.id == Player.member_id)
        .where(Player.id == player_id)
    )
    row = db.session.execute(query).one_or_none()
    if row is None or row[0] is None:
        return _load(None, f"player:{player_id}")
    member_id, name = row
    return _load(name, f"member:{member_id}")


def delete(name: str | None) -> None:
    """Delete the picture; if the store does not answer, `sweep` does it later."""
    if name is None:
        return
    try:
        blob_store().delete(f"{FOLDER}/{name}")
    except BlobStoreError as error:
        log.warning("picture_not_deleted", reason=one_line(error))


def sweep(now: datetime) -> int:
    """Delete old pictures that no member has; return how many. Raises BlobStoreError."""
    stored = [name.removeprefix(f"{FOLDER}/") for name in blob_store().names(FOLDER)]
    latest = clock.to_ms(now - ORPHANED_AFTER)
    old = [name for name in stored if int(name.partition("-")[0]) < latest]
    used = set(db.session.scalars(select(Member.picture).where(Member.picture.in_(old))))
    db.session.rollback()
    orphans = [name for name in old if name not in used]
    for name in orphans:
        delete(name)
    return len(orphans)


def _shown_name(now: datetime) -> ColumnElement[str | None]:
    """The name of the member's picture, if others may see it.

    A shadow ban does not count, because the member would see it by their own picture.
    """
    is_suspended = and_(Member.suspended_until.is_not(None), Member.suspended_until > now)
    has_crest_only = or_(Member.is_minor, Member.banned_at.is_not(None), is_suspended)
    return case((has_crest_only, None), else_=Member.picture)


def _load(name: str | None, seed: str) -> ShownPicture:
    if name is not None:
        try:
            return ShownPicture(blob_store().get(f"{FOLDER}/{name}"), TYPE, name)
        except BlobNotFoundError:  # it was removed a moment ago
            pass
        except BlobStoreError as error:
            log.warning("picture_not_loaded", reason=one_line(error))
    return ShownPicture(crest(seed).encode(), "image/svg+xml", f"crest-{seed}")
