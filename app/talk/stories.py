"""Posts about a gameweek that has ended: its recap, a record, and the largest swing.

Each is written once per league and gameweek. A correction changes it, or takes it away if it is no
longer true; it is not sent out again. Leagues too large for a recap have none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ScalarSelect, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow, gameweek_row
from app.fantasy.market.models import Gameweek
from app.fantasy.notices import news as league_news
from app.fantasy.notices.models import LeagueNews
from app.fantasy.pages.recap.queries import MOST_TEAMS, past_scores
from app.fantasy.scoring.engine.league_gameweek import league_gameweek
from app.fantasy.scoring.swings.swings import largest
from app.fantasy.standings import queries as standings
from app.fantasy.standings.models import League
from app.fantasy.standings.queries import LeagueRow, Standing
from app.talk import connections
from app.talk.models import STORIES, Post

BATCH = 20
_SECOND = 2  # the rank


def post_stories(now: datetime) -> int:
    """Post what is noted, the oldest first, of up to BATCH gameweeks of leagues. Commits each.

    Returns:
        How many there were. More wait for the next run, so that other upkeep is not held up when
        the gameweek of very many leagues ends.
    """
    count = 0
    while count < BATCH and _post_next(now):
        count += 1
    return count


def _post_next(now: datetime) -> bool:
    """Post the stories of the oldest note; False without one.

    The note is deleted first: a correction that comes meanwhile waits, and notes it again.
    """
    taking = (
        delete(LeagueNews)
        .where(LeagueNews.id == _oldest())
        .returning(LeagueNews.league_id, LeagueNews.ref, LeagueNews.created_at)
    )
    note = db.session.execute(taking).one_or_none()
    if note is None:
        db.session.rollback()
        return False
    stories = _stories(note.league_id, note.ref, STORIES)
    for kind in STORIES:
        _write(note, kind, stories.get(kind), now)
    _correct_records(note.league_id, note.ref)
    db.session.commit()
    return True


def _oldest() -> ScalarSelect[int]:
    query = select(LeagueNews.id).where(LeagueNews.kind == league_news.RECAP)
    return (
        query.order_by(LeagueNews.id).limit(1).with_for_update(skip_locked=True).scalar_subquery()
    )


@dataclass(frozen=True)
class _Ended:
    """A gameweek of a league that has ended, with its table."""

    league: LeagueRow
    gameweek: GameweekRow
    table: list[Standing]


def _write(note: Any, kind: str, data: Mapping[str, Any] | None, now: datetime) -> None:
    """Write a post, or what it says now; remove it if there is nothing to tell."""
    key = f"{kind}:{note.ref}"
    if data is None:
        db.session.execute(delete(Post).where(Post.league_id == note.league_id, Post.key == key))
        return
    values = {"league_id": note.league_id, "kind": kind, "key": key, "data": data}
    adding = insert(Post).values(**values, created_at=note.created_at).on_conflict_do_nothing()
    post_id = db.session.scalar(adding.returning(Post.id))
    if post_id is not None:
        connections.enqueue(note.league_id, post_id, now)
        return
    db.session.execute(
        update(Post).where(Post.league_id == note.league_id, Post.key == key).values(data=data)
    )


def _correct_records(league_id: int, gameweek_id: int) -> None:
    """Correct the records of later gameweeks, which are compared with this one."""
    week = db.session.scalar(select(Gameweek.week).where(Gameweek.id == gameweek_id))
    later = select(Post).where(
        Post.league_id == league_id,
        Post.kind == "record",
        Post.data["recap_week"].as_integer() > week,
    )
    for post in db.session.scalars(later).all():
        record = _stories(league_id, post.data["gameweek"], ["record"]).get("record")
        if record is None:
            db.session.delete(post)
        else:
            post.data = record


def _stories(league_id: int, gameweek_id: int, kinds: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What is to be told of the gameweek, by kind, as ids and numbers."""
    ended = _ended(league_id, gameweek_id)
    if ended is None:
        return {}
    gameweek = ended.gameweek
    about = {"gameweek": gameweek.id, "recap_week": gameweek.week, "name": gameweek.name}
    stories = {kind: _MAKERS[kind](ended) for kind in kinds}
    return {kind: {**about, **story} for kind, story in stories.items() if story is not None}


def _ended(league_id: int, gameweek_id: int) -> _Ended | None:
    """The gameweek; None if it counts no more, or the league is too large for a recap."""
    members = standings.members_seen(league_id)
    gameweek = db.session.get_one(Gameweek, gameweek_id, populate_existing=True)
    if not 1 <= len(members) <= MOST_TEAMS or gameweek.settled_at is None:
        return None
    slug = db.session.scalar(select(League.slug).where(League.id == league_id))
    league = standings.league_for_viewer(str(slug), members[0][0])
    if league is None or gameweek.week < league.first_week:
        return None
    points = standings.table_points(league.id, gameweek.id)
    table = standings.table(members, points, standings.progress(league.id, gameweek.id))
    return _Ended(league, gameweek_row(gameweek), table)


def _recap(ended: _Ended) -> dict[str, Any] | None:
    """Who won the gameweek, and who came second if one team did; nobody if several won."""
    best = [[row.member_id, row.points] for row in ended.table if row.rank == 1]
    second = [[row.member_id, row.points] for row in ended.table if row.rank == _SECOND]
    return {
        "winner": best if len(best) == 1 else [],
        "second": second if len(best) == len(second) == 1 else [],
    }


def _record(ended: _Ended) -> dict[str, Any] | None:
    """The highest score of the season so far, if one team has it and there is an older one."""
    best = [row for row in ended.table if row.rank == 1]
    members = [row.member_id for row in ended.table]
    past = past_scores(ended.league, ended.gameweek.week, members)
    if len(best) != 1 or not past:
        return None
    before = max(past, key=lambda score: (score.points, -score.week, -score.member_id))
    if best[0].points <= before.points:
        return None
    return {
        "record": [[best[0].member_id, best[0].points]],
        "before": [[before.member_id, before.points]],
        "before_week": before.week,
    }


def _swing(ended: _Ended) -> dict[str, Any] | None:
    """The play that gained one team the most."""
    games = gameweeks.games_of(ended.gameweek)
    swing = largest(league_gameweek(ended.league, ended.gameweek, games))
    if swing is None:
        return None
    return {
        "game_id": swing.game_id,
        "play_number": swing.play_number,
        "gained": [[member_id, swing.points] for member_id in swing.member_ids],
    }


_MAKERS: Mapping[str, Callable[[_Ended], dict[str, Any] | None]] = {
    "recap": _recap,
    "record": _record,
    "swing": _swing,
}
