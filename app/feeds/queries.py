"""Reads the runs of feeds."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from app.core.db import db
from app.feeds.models import RUNS_SHOWN, FeedRun


def runs(feed_id: int) -> Sequence[FeedRun]:
    """The last runs of a feed, the newest first."""
    return db.session.scalars(
        select(FeedRun)
        .where(FeedRun.feed_id == feed_id)
        .order_by(FeedRun.id.desc())
        .limit(RUNS_SHOWN)
    ).all()


def latest_runs() -> dict[int, FeedRun]:
    """The newest run of each feed that changed something, by the feed's id."""
    newest = (
        select(func.max(FeedRun.id)).where(FeedRun.outcome == "changed").group_by(FeedRun.feed_id)
    )
    changed = db.session.scalars(select(FeedRun).where(FeedRun.id.in_(newest)))
    return {run.feed_id: run for run in changed}
