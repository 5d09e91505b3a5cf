"""Small boards: a group (a player and their friends, members of a guild) ranked among themselves.

Short lists are read live, in one pipeline. Long ones are kept ready in Redis with the moment they
were read at and the members they were made for: who leaves the group is gone at once, scores are as
old as `as_of` says. With Redis away the same answer comes from PostgreSQL. Only members of the
group and their scores on this board are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any
from uuid import UUID

import structlog

from app.accounts import friend_sets, sanctions
from app.boards import ranking, services
from app.boards.catalogue import queries as catalogue
from app.boards.jobs import REFRESH_SMALL_BOARD
from app.boards.models import Mode, ScoreGame
from app.boards.ranking import Place
from app.boards.reads import Row, Standing
from app.boards.rules import Ties
from app.boards.services import REDIS
from app.core import jobs
from app.core.redis.clients import RedisAway, boards_redis, jobs_redis
from app.core.restore_epoch import key_of

log = structlog.get_logger(__name__)

FRIENDS, GUILD = "friends", "guild"
LIVE_BELOW = 200  # members of a list, me included, that is read live
CHUNK = 500  # members of one look into a long list
# a kept list that is older is read anew by a job; until then it is shown with its age
FRESH = timedelta(seconds=60)
KEPT_SECONDS = 600  # after the last time that it was read anew


@dataclass(frozen=True)
class Group:
    """Who is ranked among themselves.

    `kind`: FRIENDS or GUILD; `name`: the player's id or the guild's own name (a league's slug).
    `me`: the viewer, None for somebody without a place. The caller says who may look.
    """

    kind: str
    name: str
    members: Collection[UUID]
    me: UUID | None = None


@dataclass(frozen=True)
class SmallBoard:
    """`rows`: the page; `count`: how many of the group have a score.

    `me`: the viewer's row, None without a score. `kept`: whether it was read before; `as_of` says
    when; `source`: redis or postgresql.
    """

    rows: Sequence[Row]
    me: Row | None
    count: int
    as_of: datetime
    source: str
    kept: bool


def friends_of(me: UUID) -> Group:
    """A player and their accepted friends."""
    return Group(FRIENDS, str(me), [me, *friend_sets.friends_of(me)], me)


def small_board(
    game: ScoreGame,
    mode: Mode,
    window_id: str,
    group: Group,
    offset: int,
    limit: int,
    now: datetime,
) -> SmallBoard:
    """The group among themselves, without the hidden, but for a viewer who is shadow banned.

    Raises InvalidWindowError where the mode has no such window.
    """
    if hidden := sanctions.hidden_among(group.members) - {sanctions.shadowed_viewer()}:
        group = replace(group, members=[member for member in group.members if member not in hidden])
    if len(group.members) < LIVE_BELOW:
        return _whole(*_read(game, mode, window_id, group), group, offset, limit, now)
    kept = _Kept(game, mode, window_id, group)
    try:
        found = kept.page(offset, limit)
        if found is not None:
            if now - found.as_of > FRESH:
                kept.ask_for_refresh()
            return found
    except RedisAway as error:
        log.warning("boards_redis_away", reason=type(error).__name__)
    rows, source = _read(game, mode, window_id, group)
    if source == REDIS:
        try:
            kept.keep(rows, now)
        except RedisAway as error:
            log.warning("small_board_not_kept", reason=type(error).__name__)
    return _whole(rows, source, group, offset, limit, now)


def refresh(game: ScoreGame, mode: Mode, window_id: str, group: Group, now: datetime) -> None:
    """Reads a long list anew and keeps it; for the job."""
    rows, source = _read(game, mode, window_id, group)
    if source == REDIS:
        _Kept(game, mode, window_id, group).keep(rows, now)


def _whole(
    rows: Sequence[Row], source: str, group: Group, offset: int, limit: int, now: datetime
) -> SmallBoard:
    mine = next((row for row in rows if row.member == str(group.me)), None)
    return SmallBoard(rows[offset : offset + limit], mine, len(rows), now, source, kept=False)


def _read(game: ScoreGame, mode: Mode, window_id: str, group: Group) -> tuple[list[Row], str]:
    """All of the group who have a score, ranked among themselves; and which store answered.

    Their order is the whole board's (better key, earlier microsecond, name), so it is the same from
    every store.
    """
    reading = services.read(game, mode, window_id)
    names = iter(sorted({str(member) for member in group.members}))
    found: list[Standing] = []
    while chunk := list(islice(names, CHUNK)):
        found += reading.board.standings(chunk).values()
    order = mode.ordering
    keys = {one.member: order.key(one.score, one.subscore) for one in found}
    in_order = sorted(
        found, key=lambda one: (-keys[one.member], one.position)
    )  # keys first: looks are not of one moment
    entries = [(one.member, keys[one.member]) for one in in_order]
    return ranking.rows(Ties(mode.ties), order, entries, Place(0, 0, 0)), reading.source


class _Kept:
    """A long list cached in Redis: its rows, each member's index, its time and its members."""

    def __init__(self, game: ScoreGame, mode: Mode, window_id: str, group: Group) -> None:
        self.me = group.me
        self.arguments = (group.kind, group.name, game.slug, mode.slug, window_id)
        self.key = key_of(f"lb:{group.kind}:{{{group.name}}}:{game.slug}:{mode.slug}:{window_id}")
        record = catalogue.find_board(mode, window_id)
        shown = f"{mode.ties} {mode.ordering} {record.frozen_at if record else None}"
        self.made_for = sha256(
            f"{','.join(sorted(map(str, group.members)))} {shown}".encode()
        ).hexdigest()

    def keep(self, rows: Sequence[Row], now: datetime) -> None:
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.delete(self.key, f"{self.key}:about")
        if rows:
            pipeline.rpush(self.key, *(_text(row) for row in rows))
            pipeline.expire(self.key, KEPT_SECONDS)
        places = {row.member: number for number, row in enumerate(rows)}
        about: dict[Any, Any] = {
            "as_of": now.isoformat(),
            "made_for": self.made_for,
            "count": len(rows),
        }
        pipeline.hset(f"{self.key}:about", mapping=about | places)
        pipeline.expire(f"{self.key}:about", KEPT_SECONDS)
        pipeline.execute()

    def page(self, offset: int, limit: int) -> SmallBoard | None:
        """None when it is not kept, or was made for another list. One or two round trips."""
        fields = ["as_of", "made_for", "count", str(self.me)]
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.hmget(f"{self.key}:about", fields)
        pipeline.lrange(self.key, offset, offset + limit - 1)
        (as_of, made_for, count, place), rows = pipeline.execute()
        if made_for is None or made_for.decode() != self.made_for:
            return None
        mine = None
        if place is not None:
            inside = offset <= int(place) < offset + len(rows)
            found = (
                rows[int(place) - offset] if inside else boards_redis().lindex(self.key, int(place))
            )
            mine = _row(found) if found is not None else None
            # it was read anew between the two looks
            if mine is None or mine.member != str(self.me):
                return None
        as_of = datetime.fromisoformat(as_of.decode())
        return SmallBoard([_row(row) for row in rows], mine, int(count), as_of, REDIS, kept=True)

    def ask_for_refresh(self) -> None:
        """One job at a time for a list."""
        if jobs_redis().set(f"{self.key}:asked", 1, nx=True, ex=int(FRESH.total_seconds())):
            jobs.send_once(REFRESH_SMALL_BOARD, *self.arguments, timeout=60)


def _text(row: Row) -> str:
    second = "" if row.subscore is None else f" {row.subscore}"
    return f"{row.rank} {row.score} {row.member}{second}"


def _row(text: Any) -> Row:
    rank, score, member, *second = text.decode().split(" ")
    return Row(int(rank), member, int(score), subscore=int(second[0]) if second else None)
