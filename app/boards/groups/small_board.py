"""Small boards: a group (a player and their friends, members of a guild) ranked among themselves.

Short lists are read live, in one pipeline. Long ones are cached in Redis with the moment of reading
and the members they were read for: somebody who leaves the group disappears at once, scores are as
old as `as_of` says. Without Redis the same answer comes from PostgreSQL. Only members of the group
and their scores on this board are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

import structlog

from app.accounts import friend_sets, sanctions
from app.boards import ranking, services
from app.boards.catalogue import known
from app.boards.jobs import REFRESH_SMALL_BOARD
from app.boards.models import Mode, ScoreGame
from app.boards.ranking import Place
from app.boards.reads import Row, RowRange, Standing
from app.boards.rules import Ties
from app.boards.services import REDIS
from app.core import jobs
from app.core.redis.clients import RedisAway, boards_redis, jobs_redis
from app.core.restore_epoch import key_of

log = structlog.get_logger(__name__)

FRIENDS, GUILD = "friends", "guild"
LIVE_BELOW = 200  # lists with fewer members, the viewer included, are read live
CHUNK = 500  # members per read of a long list
# A job refreshes older cached lists; until then they are shown with their age.
FRESH = timedelta(seconds=60)
KEPT_SECONDS = 600  # since the last refresh


@dataclass(frozen=True)
class Group:
    """Who is ranked among themselves.

    The caller decides who may look.

    Attributes:
        kind: FRIENDS or GUILD.
        name: The player's id, or the guild's name (a league's slug).
        members: The players who are ranked.
        me: The viewer's player; None for somebody without one.
    """

    kind: str
    name: str
    members: Collection[UUID]
    me: UUID | None = None


@dataclass(frozen=True)
class ModeWindow:
    """The board on which a group is ranked: one window of a mode."""

    game: ScoreGame
    mode: Mode
    window_id: str


@dataclass(frozen=True)
class SmallBoard:
    """One page of a group's board.

    Attributes:
        rows: The rows of the page.
        me: The viewer's row; None without a score.
        count: How many members of the group have a score.
        as_of: When the scores were read.
        source: The store that answered, redis or postgresql.
        is_cached: Whether the rows came from the cached list.
    """

    rows: Sequence[Row]
    me: Row | None
    count: int
    as_of: datetime
    source: str
    is_cached: bool


def friends_of(me: UUID) -> Group:
    """Return the group of a player and their accepted friends."""
    return Group(FRIENDS, str(me), [me, *friend_sets.friends_of(me)], me)


def small_board(place: ModeWindow, group: Group, rows: RowRange, now: datetime) -> SmallBoard:
    """Rank the group among themselves and return one page.

    Hidden players are left out; a shadow banned viewer still sees themselves.

    Raises:
        InvalidWindowError: The mode has no such window.
    """
    if hidden := sanctions.hidden_among(group.members) - {sanctions.shadowed_viewer()}:
        group = replace(group, members=[member for member in group.members if member not in hidden])
    if len(group.members) < LIVE_BELOW:
        ranked, source = _read(place, group)
        return _page_of(ranked, rows, _Live(group.me, source, now))
    cached = _CachedList(place, group)
    try:
        board = cached.page(rows)
        if board is not None:
            if now - board.as_of > FRESH:
                cached.ask_for_refresh()
            return board
    except RedisAway as error:
        log.warning("boards_redis_away", reason=type(error).__name__)
    ranked, source = _read(place, group)
    if source == REDIS:
        try:
            cached.store(ranked, now)
        except RedisAway as error:
            log.warning("small_board_not_kept", reason=type(error).__name__)
    return _page_of(ranked, rows, _Live(group.me, source, now))


def refresh(place: ModeWindow, group: Group, now: datetime) -> None:
    """Read a long list again and cache it. The refresh job calls this."""
    ranked, source = _read(place, group)
    if source == REDIS:
        _CachedList(place, group).store(ranked, now)


class _Live(NamedTuple):
    """How a list was read: for whom, from which store, and when."""

    me: UUID | None
    source: str
    as_of: datetime


def _page_of(ranked: Sequence[Row], rows: RowRange, live: _Live) -> SmallBoard:
    mine = next((row for row in ranked if row.member == str(live.me)), None)
    page = ranked[rows.offset : rows.offset + rows.limit]
    return SmallBoard(page, mine, len(ranked), live.as_of, live.source, is_cached=False)


def _read(place: ModeWindow, group: Group) -> tuple[list[Row], str]:
    """Return the members who have a score, ranked among themselves, and the store that answered.

    Equal keys are ordered as on the whole board: earlier microsecond, then name. Every store gives
    the same order.
    """
    mode = place.mode
    reading = services.read(place.game, mode, place.window_id, find_board=known.find_board)
    names = iter(sorted({str(member) for member in group.members}))
    standings: list[Standing] = []
    while chunk := list(islice(names, CHUNK)):
        standings += reading.board.standings(chunk).values()
    order = mode.ordering
    keys = {standing.member: order.key(standing.score, standing.subscore) for standing in standings}
    # Keys before positions: the chunks were read at different moments.
    in_order = sorted(standings, key=lambda standing: (-keys[standing.member], standing.position))
    entries = [(standing.member, keys[standing.member]) for standing in in_order]
    return ranking.rows(Ties(mode.ties), order, entries, Place(0, 0, 0)), reading.source


class _CachedList:
    """A long list cached in Redis: its rows, each member's index, its time and its members."""

    def __init__(self, place: ModeWindow, group: Group) -> None:
        game, mode, window_id = place.game, place.mode, place.window_id
        self.me = group.me
        self.arguments = (group.kind, group.name, game.slug, mode.slug, window_id)
        self.key = key_of(f"lb:{group.kind}:{{{group.name}}}:{game.slug}:{mode.slug}:{window_id}")
        record = known.find_board(mode, window_id)
        shape = f"{mode.ties} {mode.ordering} {record.frozen_at if record else None}"
        self.made_for = sha256(
            f"{','.join(sorted(map(str, group.members)))} {shape}".encode()
        ).hexdigest()

    def store(self, rows: Sequence[Row], now: datetime) -> None:
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

    def page(self, rows: RowRange) -> SmallBoard | None:
        """Return the page in one or two round trips; None unless cached for these members."""
        fields = ["as_of", "made_for", "count", str(self.me)]
        pipeline = boards_redis().pipeline(transaction=True)
        pipeline.hmget(f"{self.key}:about", fields)
        pipeline.lrange(self.key, rows.offset, rows.offset + rows.limit - 1)
        (as_of, made_for, count, place), page = pipeline.execute()
        if made_for is None or made_for.decode() != self.made_for:
            return None
        mine = None
        if place is not None:
            is_on_page = rows.offset <= int(place) < rows.offset + len(page)
            packed = (
                page[int(place) - rows.offset]
                if is_on_page
                else boards_redis().lindex(self.key, int(place))
            )
            mine = _row(packed) if packed is not None else None
            # The list was refreshed between the two reads.
            if mine is None or mine.member != str(self.me):
                return None
        as_of = datetime.fromisoformat(as_of.decode())
        page_rows = [_row(text) for text in page]
        return SmallBoard(page_rows, mine, int(count), as_of, REDIS, is_cached=True)

    def ask_for_refresh(self) -> None:
        """Send a refresh job, unless one was sent within FRESH."""
        if jobs_redis().set(f"{self.key}:asked", 1, nx=True, ex=int(FRESH.total_seconds())):
            jobs.send_once(REFRESH_SMALL_BOARD, *self.arguments, timeout=60)


def _text(row: Row) -> str:
    second = "" if row.subscore is None else f" {row.subscore}"
    return f"{row.rank} {row.score} {row.member}{second}"


def _row(text: Any) -> Row:
    rank, score, member, *second = text.decode().split(" ")
    return Row(int(rank), member, int(score), subscore=int(second[0]) if second else None)
