"""Pictures in posts: encoded anew and stored as `talk/<name>`, for members of the league only.

A picture is stored before its post is committed. Whatever is left without a post, because a process
was killed or a member was erased, is deleted by `sweep`.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

import structlog
from sqlalchemy import select

from app.core import clock
from app.core.blob_store import BlobStoreError, blob_store
from app.core.db import db
from app.core.errors import one_line
from app.core.input_limits import PICTURE_BYTES
from app.core.pictures import re_encoded
from app.talk.models import Post

log = structlog.get_logger(__name__)

FOLDER = "talk"
SIDE = 1280  # pixels of the stored picture
ORPHANED_AFTER = timedelta(hours=1)


def store(data: bytes, now: datetime) -> str:
    """Store the picture and return its name. Raises BadPictureError, BlobStoreError."""
    encoded = re_encoded(data, side=SIDE, most_bytes=PICTURE_BYTES)
    name = f"{clock.to_ms(now)}-{secrets.token_hex(16)}"
    blob_store().put(f"{FOLDER}/{name}", encoded)
    return name


def load(name: str) -> bytes:
    """Return the picture. Raises BlobNotFoundError, BlobStoreError."""
    return blob_store().get(f"{FOLDER}/{name}")


def names_of(member_id: int) -> list[str]:
    """Return the names of the pictures in the member's posts."""
    query = select(Post.picture).where(Post.member_id == member_id, Post.picture.is_not(None))
    return [name for name in db.session.scalars(query) if name is not None]


def delete(*names: str | None) -> None:
    """Delete the pictures; if the store does not answer, `sweep` does it later."""
    for name in names:
        if name is None:
            continue
        try:
            blob_store().delete(f"{FOLDER}/{name}")
        except BlobStoreError as error:
            log.warning("picture_not_deleted", reason=one_line(error))


def sweep(now: datetime) -> int:
    """Delete old pictures without a post; return how many. Raises BlobStoreError."""
    stored = [name.removeprefix(f"{FOLDER}/") for name in blob_store().names(FOLDER)]
    latest = clock.to_ms(now - ORPHANED_AFTER)
    old = [name for name in stored if int(name.partition("-")[0]) < latest]
    used = set(db.session.scalars(select(Post.picture).where(Post.picture.in_(old))))
    db.session.rollback()
    orphans = [name for name in old if name not in used]
    delete(*orphans)
    return len(orphans)
