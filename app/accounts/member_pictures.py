"""Pictures beside names, and the colors of members' teams (decision 0107).

A picture is the one that a member uploaded, or else a crest. Minors and banned members have their
crest only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2s
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, and_, case, or_, select

from app.accounts.crests import crest, team_colour
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


def team_colours(member_ids: Iterable[int | None]) -> dict[int, int]:
    """The colors of these members' teams, 1 to 16, by member."""
    ids = {member_id for member_id in member_ids if member_id is not None}
    query = select(Member.id, Member.colour).where(Member.id.in_(ids), Member.colour.is_not(None))
    chosen = dict(db.session.execute(query).all())
    return {member_id: team_colour(member_id, chosen.get(member_id)) for member_id in ids}


def of_member(member_id: int, letters: str, now: datetime) -> ShownPicture:
    """Return the picture beside the member's name; the crest of the number for nobody's.

    Args:
        member_id: The member.
        letters: The initials on a crest, if any.
        now: Decides about suspensions.
    """
    query = select(Member.colour, _shown_name(now)).where(Member.id == member_id)
    colour, name = db.session.execute(query).one_or_none() or (None, None)
    return _load(name, f"member:{member_id}", letters, team_colour(member_id, colour))


def of_player(player_id: UUID, letters: str, now: datetime) -> ShownPicture:
    """Return the picture beside the player's name, for members the same as `of_member`."""
    member_id = db.session.scalar(select(Player.member_id).where(Player.id == player_id))
    if member_id is None:
        return _load(None, f"player:{player_id}", letters)
    return of_member(member_id, letters, now)


def _shown_name(now: datetime) -> ColumnElement[str | None]:
    """The name of the member's picture, if others may see it.

    A shadow ban does not count, because the member would see it by their own picture.
    """
    is_suspended = and_(Member.suspended_until.is_not(None), Member.suspended_until > now)
    has_crest_only = or_(Member.is_minor, Member.banned_at.is_not(None), is_suspended)
    return case((has_crest_only, None), else_=Member.picture)


def _load(name: str | None, seed: str, letters: str, colour: int | None = None) -> ShownPicture:
    if name is not None:
        try:
            return ShownPicture(MEMBER_PICTURES.load(name), TYPE, name)
        except BlobNotFoundError:  # it was removed a moment ago
            pass
        except BlobStoreError as error:
            log.warning("picture_not_loaded", reason=one_line(error))
    drawn = crest(seed, letters, colour).encode()
    version = f"crest-{blake2s(drawn, digest_size=8).hexdigest()}"
    return ShownPicture(drawn, "image/svg+xml", version)
