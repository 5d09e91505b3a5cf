"""Scheduled job: post what happened in leagues on their boards."""

from __future__ import annotations

from app.core import clock
from app.talk import news
from workers.context import in_app


@in_app
def run() -> None:
    """Running twice changes nothing: a note is deleted in the transaction that posts it."""
    news.post_news(clock.now())
