"""Posts in leagues that were reported, for moderators."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation.models import Report
from app.talk import services
from app.talk.models import Post

OWN = Refusal(
    "own", "reason", "This is your own post. Delete it, or leave the decision to another moderator."
)


def find_reported(post_id: int) -> Post | None:
    """Load the post if somebody has reported it."""
    is_reported = select(Report.id).where(Report.post_id == Post.id).exists()
    return db.session.scalar(select(Post).where(Post.id == post_id, is_reported))


def remove(post: Post, *, by: int, reason: str, now: datetime) -> Refusal | None:
    """Remove the post, with an entry in the audit. Commits."""
    if post.member_id == by:
        return OWN
    if post.removed_at is not None:
        return None
    # committed together with the removal, or rolled back if that is refused
    audit.record(Act.POST_REMOVED, actor_id=by, subject=f"post:{post.id}", reason=reason.strip())
    refusal = services.remove(post, by=by, role="moderator", reason=reason, now=now)
    if refusal is not None:
        db.session.rollback()
    return refusal
