"""The film of a league's gameweek.

Made from the record, and kept for a while under the version that it shows.

A film is made in one pass, of a full gameweek in some seconds; so whoever asks again, and everybody
in the same small league, gets the one that was made. Redis away: it is made.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

import msgspec
import redis
import structlog

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

KEPT_SECONDS = 600
MOST_BYTES = 2_000_000  # packed; a larger one is made anew each time


def film(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], me: int, version: str
) -> Film:
    """For this viewer.

    `version`: of the league's table and the gameweek's games, read before the games.
    """
    key = _key(league, gameweek, me, version)
    if (kept := _kept(key)) is not None:
        return kept
    found = replay(league, gameweek, games, me)
    corrected = corrected_by(replay_page.corrections_in(found))
    names = record.names(replay_page.players_in(found, corrected))
    made = replay_page.film(found, games, names, corrected)
    _keep(key, made)
    return made


def _key(league: LeagueRow, gameweek: GameweekRow, me: int, version: str) -> str:
    """Everything that a film depends on: who is seen and how the teams are called, too."""
    members = queries.members_seen(league.id)
    viewer = me if len(members) > ALL_SHOWN else 0
    parts = msgspec.msgpack.encode(
        [league.id, league.rules, league.first_week, gameweek.id, version, viewer, members]
    )
    return key_of(f"evening:{hashlib.sha256(parts).hexdigest()}")


def _kept(key: str) -> Film | None:
    try:
        held = jobs_redis().get(key)
    except redis.RedisError as error:
        log.warning("evening_redis_away", reason=type(error).__name__)
        return None
    return (
        msgspec.msgpack.decode(zlib.decompress(held), type=Film)
        if isinstance(held, bytes)
        else None
    )


def _keep(key: str, made: Film) -> None:
    packed = zlib.compress(msgspec.msgpack.encode(made), 1)
    if len(packed) > MOST_BYTES:
        return
    try:
        jobs_redis().set(key, packed, ex=KEPT_SECONDS)
    except redis.RedisError as error:
        log.warning("evening_redis_away", reason=type(error).__name__)
