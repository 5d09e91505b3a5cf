"""Pictures beside names: the one that a member uploaded, or else a crest (decision 0107).

Minors and banned members have their crest only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, and_, case, or_, select

from app.accounts.crests import crest
from app.accounts.models import Member, Player
from app.core.blob_store import BlobNotFoundError, BlobStoreError
from app.core.db import db
from app.core.errors import one_line
from app.core.picture_store import PictureStore
from app.core.pictures import TYPE, BadPictureError
from app.core.refusals import Refusal

log = structlog.get_logger(__name__)

# four times as many pixels as on a board
MEMBER_PICTURES = PictureStore("members", Member.picture, side=96, is_square=True)
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
        name = MEMBER_PICTURES.store(data, now)
    except BadPictureError as fault:
        return Refusal("picture", "picture", str(fault))
    except BlobStoreError as error:
        log.warning("picture_not_stored", reason=one_line(error))
        return NOT_STORED
    last, member.picture = member.picture, name
    db.session.commit()
    MEMBER_PICTURES.delete(last)
    return None


def remove(member: Member) -> None:
    """Show the member's crest again. Commits."""
    last, member.picture = member.picture, None
    db.session.commit()
    MEMBER_PICTURES.delete(last)


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
            return ShownPicture(MEMBER_PICTURES.load(name), TYPE, name)
        except BlobNotFoundError:  # it was removed a moment ago
            pass
        except BlobStoreError as error:
            log.warning("picture_not_loaded", reason=one_line(error))
    return ShownPicture(crest(seed).encode(), "image/svg+xml", f"crest-{seed}")
