"""Loads the film of a league's gameweek, from the record or from a cache in Redis.

Making the film of a full gameweek takes some seconds. It is cached under its version for everybody
who sees the same teams; without Redis it is made for each request.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

import msgspec
import redis
import structlog

from app.core.db.repeatable_read import end_reading
from app.core.jobs import jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.replay import page as replay_page
from app.fantasy.pages.replay.page import Film
from app.fantasy.scoring.replay.replay import ALL_SHOWN, replay
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.correction_words import corrected_by
from app.record.queries import GameRow

log = structlog.get_logger(__name__)

CACHE_SECONDS = 600
MOST_BYTES = 2_000_000  # compressed; larger films are not cached


def film(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], me: int, version: str
) -> Film:
    """The film for this viewer.

    `version`: the version of the league's table and the gameweek's games, read before the games.
    """
    key = _key(league, gameweek, me, version)
    if (cached := _load(key)) is not None:
        return cached
    replayed = replay(league, gameweek, games, me)
    corrected = corrected_by(replay_page.corrections_in(replayed))
    names = record.names(replay_page.players_in(replayed, corrected))
    end_reading()
    new_film = replay_page.film(replayed, games, names, corrected)
    _store(key, new_film)
    return new_film


def _key(league: LeagueRow, gameweek: GameweekRow, me: int, version: str) -> str:
    """A hash of everything that the film depends on, visible members and team names included."""
    members = queries.members_seen(league.id)
    viewer = me if len(members) > ALL_SHOWN else 0
    parts = msgspec.msgpack.encode(
        [league.id, league.rules, league.first_week, gameweek.id, version, viewer, members]
    )
    return key_of(f"evening:3:{hashlib.sha256(parts).hexdigest()}")


def _load(key: str) -> Film | None:
    try:
        packed = jobs_redis().get(key)
    except redis.RedisError as error:
        log.warning("evening_redis_away", reason=type(error).__name__)
        return None
    return (
        msgspec.msgpack.decode(zlib.decompress(packed), type=Film)
        if isinstance(packed, bytes)
        else None
    )


def _store(key: str, new_film: Film) -> None:
    packed = zlib.compress(msgspec.msgpack.encode(new_film), 1)
    if len(packed) > MOST_BYTES:
        return
    try:
        jobs_redis().set(key, packed, ex=CACHE_SECONDS)
    except redis.RedisError as error:
        log.warning("evening_redis_away", reason=type(error).__name__)
