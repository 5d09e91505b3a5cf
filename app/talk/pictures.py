"""Pictures in posts, for members of the league only."""

from __future__ import annotations

from sqlalchemy import select

from app.core.db import db
from app.core.picture_store import PictureStore
from app.talk.models import Post

POST_PICTURES = PictureStore("talk", Post.picture, side=1280)


def names_of(member_id: int) -> list[str]:
    """Return the names of the pictures in the member's posts."""
    query = select(Post.picture).where(Post.member_id == member_id, Post.picture.is_not(None))
    return [name for name in db.session.scalars(query) if name is not None]
