"""Posts that Pressbox writes: who joined, new rules, results, and corrections that change a result.

What is told of a gameweek that has ended is in stories.py. The fantasy game notes what happened in
its own transaction (fantasy/notices/news.py). A note and its post are exchanged in one transaction
here, so each is posted once however often the job runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from math import trunc
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.sanctions import seen_member
from app.core import clock
from app.core.db import db
from app.fantasy.leagues.models import RuleChange
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import news as league_news
from app.fantasy.notices.models import LeagueNews
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import League, LeagueMember, LeagueScore, Matchup
from app.fantasy.standings.results import averages
from app.talk import connections, words
from app.talk.models import Post

BATCH = 50  # notes in one transaction
LATEST = ("result", "corrected")


class _Note(NamedTuple):
    """A row of league_news."""

    id: int
    league_id: int
    kind: str
    ref: int
    created_at: datetime


class _Content(NamedTuple):
    key: str
    member_id: int | None
    data: Mapping[str, Any]


def post_news(now: datetime) -> int:
    """Post what is noted, the oldest first; return how many notes there were. Commits."""
    count = 0
    while posted := _post_next(now):
        count += posted
    return count


def _post_next(now: datetime) -> int:
    """Post the oldest notes in one transaction; return how many there were.

    They are deleted first: a correction that comes meanwhile waits, and notes it again.
    """
    notes = _take()
    for note in notes:
        content = _CONTENTS[note.kind](note)
        if content is not None:
            _post(note, content, now)
    db.session.commit()
    return len(notes)


def _take() -> list[_Note]:
    """Delete the oldest notes that nobody is writing, and return them."""
    oldest = (
        select(LeagueNews.id)
        .where(LeagueNews.kind.in_(_CONTENTS))
        .order_by(LeagueNews.id)
        .limit(BATCH)
        .with_for_update(skip_locked=True)
        .cte()  # runs once, where a plan may repeat a subquery, which then locks the next ones
    )
    taking = (
        delete(LeagueNews)
        .where(LeagueNews.id.in_(select(oldest.c.id)))
        .returning(
            LeagueNews.id,
            LeagueNews.league_id,
            LeagueNews.kind,
            LeagueNews.ref,
            LeagueNews.created_at,
        )
    )
    return sorted(_Note(*row) for row in db.session.execute(taking))


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
    data = _result_data(note)
    return None if data is None else _Content(f"result:{note.ref}", None, data)


def _corrected(note: _Note) -> _Content | None:
    query = (
        select(Post)
        .where(Post.league_id == note.league_id, Post.kind.in_(LATEST))
        .where(Post.data["gameweek"].as_integer() == note.ref)
        .order_by(Post.id.desc())
        .limit(1)
    )
    latest, data = db.session.scalar(query), _result_data(note)
    if latest is None or data is None or words.outcome(latest.data) == words.outcome(data):
        return None
    return _Content(f"corrected:{note.ref}:{latest.id}", None, data)


_CONTENTS: Mapping[str, Callable[[_Note], _Content | None]] = {
    league_news.JOINED: _joined,
    league_news.RULES: _rules,
    league_news.RESULT: _result,
    league_news.CORRECTED: _corrected,
}


def _result_data(note: _Note) -> dict[str, Any] | None:
    """The result of a gameweek as ids and numbers; None if the league has no scores in it."""
    gameweek = db.session.get_one(Gameweek, note.ref, populate_existing=True)
    league = db.session.get_one(League, note.league_id)
    scores = db.session.execute(
        select(
            LeagueScore.member_id,
            LeagueScore.points,
            LeagueScore.total,
            LeagueScore.rank,
            LeagueScore.match_points,
        )
        .where(LeagueScore.league_id == league.id, LeagueScore.gameweek_id == gameweek.id)
        .where(LeagueScore.rank.is_not(None), seen_member(LeagueScore.member_id))
        .order_by(LeagueScore.member_id)
    ).all()
    if not scores:
        return None
    most = max(score.points for score in scores)
    latest = db.session.scalar(
        select(func.max(Gameweek.week)).where(
            Gameweek.season_id == gameweek.season_id, Gameweek.settled_at.is_not(None)
        )
    )
    return {
        "gameweek": gameweek.id,
        "week": gameweek.week,
        "name": gameweek.name,
        "is_latest": gameweek.week == latest,
        "best": [[score.member_id, score.points] for score in scores if score.points == most],
        "leaders": [[score.member_id, score.total] for score in scores if score.rank == 1],
        "games": _games(league, gameweek, {score.member_id: score for score in scores}),
    }


def _games(league: League, gameweek: Gameweek, scores: Mapping[int, Any]) -> list[list[Any]]:
    """The matchups: home, its points, away, its points, match points of the home team."""
    if league.mode != "head_to_head":
        return []
    matchups = db.session.execute(
        select(Matchup.home_id, Matchup.away_id)
        .where(Matchup.league_id == league.id, Matchup.gameweek_id == gameweek.id)
        .order_by(Matchup.home_id)
    ).all()
    average = averages(gameweek.id, [league.id]).get(league.id, 0)
    games = []
    for home, away in matchups:
        if home not in scores or (away is not None and away not in scores):
            continue
        away_points = trunc(average) if away is None else scores[away].points
        games.append([home, scores[home].points, away, away_points, scores[home].match_points])
    return games
