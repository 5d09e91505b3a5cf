"""Posts that Pressbox writes: who joined, new rules, results, and corrections that change a result.

What is told of a result is in results.py. The fantasy game notes what happened in its own
transaction (fantasy/notices/news.py). A note and its post are exchanged in one transaction here, so
each is posted once however often the job runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.core import clock
from app.core.db import db
from app.fantasy.leagues.models import RuleChange
from app.fantasy.notices import news as league_news
from app.fantasy.notices.models import LeagueNews
from app.fantasy.pages.recap import making
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import LeagueMember
from app.talk import connections, results, words
from app.talk.models import CORRECTED, RESULT, Post

TURN_SECONDS = 10.0
LATEST = (RESULT, CORRECTED)


class _Note(NamedTuple):
    """A row of league_news."""

    league_id: int
    kind: str
    ref: int
    created_at: datetime


class _Content(NamedTuple):
    key: str
    member_id: int | None
    data: Mapping[str, Any]


def post_news(now: datetime) -> int:
    """Post what is noted, the oldest first; return how many notes there were. Commits each.

    More than fit into TURN_SECONDS wait for the next run, so that other upkeep is not held up when
    the week of very many leagues ends.
    """
    ends, count = time.monotonic() + TURN_SECONDS, 0
    while time.monotonic() < ends and _post_next(now):
        count += 1
    return count


def _post_next(now: datetime) -> bool:
    """Post the oldest note; False without one.

    The note is deleted first: a correction that comes meanwhile waits, and notes it again.
    """
    note = _take()
    if note is None:
        db.session.rollback()
        return False
    content = _CONTENTS[note.kind](note)
    if content is not None:
        _post(note, content, now)
    db.session.commit()
    if note.kind in LATEST:
        making.ask(note.league_id, note.ref)
    return True


def _take() -> _Note | None:
    """Delete the oldest note that nobody is writing, and return it."""
    oldest = (
        select(LeagueNews.id)
        .where(LeagueNews.kind.in_(_CONTENTS))
        .order_by(LeagueNews.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    taking = (
        delete(LeagueNews)
        .where(LeagueNews.id == oldest)
        .returning(LeagueNews.league_id, LeagueNews.kind, LeagueNews.ref, LeagueNews.created_at)
    )
    row = db.session.execute(taking).one_or_none()
    return None if row is None else _Note(*row)


def _post(note: _Note, content: _Content, now: datetime) -> None:
    adding = insert(Post).values(
        league_id=note.league_id,
        kind=note.kind,
        key=content.key,
        member_id=content.member_id,
        data=content.data,
        created_at=note.created_at,
    )
    post_id = db.session.scalar(adding.on_conflict_do_nothing().returning(Post.id))
    if post_id is not None:
        connections.enqueue(note.league_id, post_id, now)


def _joined(note: _Note) -> _Content | None:
    member_id = note.ref
    if db.session.get(LeagueMember, (note.league_id, member_id)) is None:
        return None
    return _Content(f"joined:{member_id}:{clock.to_ms(note.created_at)}", member_id, {})


def _rules(note: _Note) -> _Content | None:
    change = db.session.get(RuleChange, note.ref)
    if change is None:
        return None
    old, new = (rules_named(name).title for name in (change.old_rules, change.new_rules))
    return _Content(f"rules:{change.id}", None, {"old": old, "new": new, "reason": change.reason})


def _result(note: _Note) -> _Content | None:
    data = results.result_data(note.league_id, note.ref)
    return None if data is None else _Content(f"{RESULT}:{note.ref}", None, data)


def _corrected(note: _Note) -> _Content | None:
    """Correct the post of the week. It is news again if somebody else won, or leads."""
    query = (
        select(Post)
        .where(Post.league_id == note.league_id, Post.kind.in_(LATEST))
        .where(Post.data["gameweek"].as_integer() == note.ref)
        .order_by(Post.id)
    )
    posts = db.session.scalars(query).all()
    data = results.result_data(note.league_id, note.ref)
    if not posts or data is None:
        return None
    latest = posts[-1]
    is_news = words.outcome(latest.data) != words.outcome(data)
    for post in posts:
        post.data = data
    results.correct_later_records(note.league_id, data["week"])
    return _Content(f"{CORRECTED}:{note.ref}:{latest.id}", None, data) if is_news else None


_CONTENTS: Mapping[str, Callable[[_Note], _Content | None]] = {
    league_news.JOINED: _joined,
    league_news.RULES: _rules,
    league_news.RESULT: _result,
    league_news.CORRECTED: _corrected,
}
