"""Projections of tournaments in Redis (PRODUCT C6): a read-through cache of PostgreSQL.

Redis also holds the tournament's version that the projections show, stamped with the database's
restore epoch (app/core/restore_epoch.py). An older version never replaces a newer one, data that
was read before a change is not written after it, and projections from before a restore are not read
after it. If Redis is down, PostgreSQL answers. `reconcile` compares versions and makes up for any
missed projection.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import msgspec
import redis
import structlog
from sqlalchemy import select

from app.accounts.sanctions import shadowed_viewer
from app.core.batch_failures import Failures
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import epoch, stamp
from app.predictions import keys, members, tournaments
from app.predictions.models import Round, Tournament
from app.predictions.projections import bodies

log = structlog.get_logger(__name__)

KEPT_SECONDS = 24 * 3600
_entries = msgspec.msgpack.Decoder(list[bodies.Entry])


class TournamentNotFoundError(LookupError):
    """There is no such tournament, or no such round in it."""


def read_matches(tournament_id: UUID, slug: str) -> bytes:
    """Return the body of a round's matches. Raises TournamentNotFoundError."""

    def make() -> bytes:
        if not tournaments.has_round(tournament_id, slug):
            raise TournamentNotFoundError
        return bodies.matches(tournament_id, slug)

    return _through(keys.matches_key(tournament_id, slug), make)


def read_standings(tournament_id: UUID) -> bytes:
    """Return the body of the table of teams. Raises TournamentNotFoundError."""
    return _through(keys.standings_key(tournament_id), lambda: _of(tournament_id, bodies.standings))


def read_entries(tournament_id: UUID) -> list[bodies.Entry]:
    """Return the members by points, without ranks. Raises TournamentNotFoundError."""
    return _entries.decode(
        _through(keys.leaderboard_key(tournament_id), lambda: _of(tournament_id, _encoded))
    )


def _of(tournament_id: UUID, make: Callable[[UUID], bytes]) -> bytes:
    if tournaments.find(tournament_id) is None:
        raise TournamentNotFoundError
    return make(tournament_id)


def _encoded(tournament_id: UUID) -> bytes:
    return msgspec.msgpack.encode(bodies.entries(tournament_id))


def _through(key: str, make: Callable[[], bytes]) -> bytes:
    """Return the value from Redis, or make it from PostgreSQL and store it.

    It is not stored if the key was invalidated or written meanwhile. Values for shadow-banned
    viewers, who see themselves, are never stored.
    """
    if shadowed_viewer() is not None:
        return make()
    try:
        store = jobs_redis()
        with store.pipeline() as pipeline:
            pipeline.watch(key, _mark(key))
            cached: bytes | None = pipeline.get(key)  # type: ignore[assignment]
            if cached is not None and (cached_body := _body_of(cached)) is not None:
                return cached_body
            fresh = make()
            pipeline.multi()
            pipeline.set(key, _kept(fresh), ex=KEPT_SECONDS)
            pipeline.execute()
            return fresh
    except redis.WatchError:
        return make()  # our data may be from before the change: the next reader stores it
    except redis.RedisError as error:  # unavailable, or read-only because its memory is full
        log.warning("predictions_redis_away", reason=type(error).__name__)
        return make()


def _kept(body: bytes) -> bytes:
    """Return the body as Redis stores it: after a restore it is prefixed with the epoch."""
    return body if epoch() == 0 else b"%d\n%b" % (epoch(), body)


def _body_of(cached: bytes) -> bytes | None:
    """Return the body, or None if it was stored in another epoch."""
    if epoch() == 0:
        return cached
    number, _, body = cached.partition(b"\n")
    return body if number == b"%d" % epoch() else None


def _mark(key: str) -> str:
    """Return the key that changes with every invalidation, so that concurrent readers notice it."""
    return f"{key}:changed"


def invalidate(tournament_id: UUID, slugs: Collection[str]) -> None:
    """Delete the matches of these rounds and the standings, so that the next read rebuilds them.

    Raises RedisAway.
    """
    outdated = [keys.matches_key(tournament_id, slug) for slug in slugs] + [
        keys.standings_key(tournament_id)
    ]
    with jobs_redis().pipeline() as pipeline:
        for key in outdated:
            pipeline.incr(_mark(key))
            pipeline.expire(_mark(key), KEPT_SECONDS)
            pipeline.delete(key)
        pipeline.execute()


def note_invalidated(tournament_id: UUID, new_version: int) -> None:
    """Note that Redis shows the version that a poll made, so that `reconcile` leaves it alone.

    Call it after `invalidate`. If an earlier change has not been projected yet, it does nothing.
    Raises RedisAway.
    """
    version_key = keys.version_key(tournament_id)
    with jobs_redis().pipeline() as pipeline:
        pipeline.watch(version_key)
        shown_version = pipeline.get(version_key)
        if shown_version is None or int(shown_version) != stamp(new_version - 1):
            return
        pipeline.multi()
        pipeline.set(version_key, stamp(new_version))
        with contextlib.suppress(redis.WatchError):  # a concurrent projection has newer data
            pipeline.execute()


def project(tournament_id: UUID, new_version: int | None = None) -> int:
    """Write the leaderboard from PostgreSQL, note the version that it shows, and return it.

    An older version never replaces a newer one.

    Args:
        tournament_id: The tournament.
        new_version: The version that the caller's settlement made. It changed only points, so the
            other projections need not be invalidated.

    Raises:
        RedisAway: Redis cannot be reached.
    """
    version_key, leaderboard_key = (
        keys.version_key(tournament_id),
        keys.leaderboard_key(tournament_id),
    )
    while True:
        with jobs_redis().pipeline() as pipeline:
            pipeline.watch(version_key)
            db.session.rollback()  # begin a new snapshot for version and rows
            db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            version = db.session.scalars(
                select(Tournament.version).where(Tournament.id == tournament_id)
            ).one()
            shown_version = pipeline.get(version_key)
            if shown_version is not None and int(shown_version) > stamp(version):
                return int(shown_version) - stamp(0)
            board = _encoded(tournament_id)
            is_next = (
                version == new_version
                and shown_version is not None
                and int(shown_version) == stamp(version - 1)
            )
            if not is_next and (shown_version is None or int(shown_version) != stamp(version)):
                # Another change was not projected, so the other keys may be out of date.
                invalidate(tournament_id, _slugs(tournament_id))
            db.session.rollback()
            pipeline.multi()
            pipeline.set(leaderboard_key, _kept(board), ex=KEPT_SECONDS)
            pipeline.incr(_mark(leaderboard_key))
            pipeline.expire(_mark(leaderboard_key), KEPT_SECONDS)
            pipeline.set(version_key, stamp(version))
            try:
                pipeline.execute()
            except redis.WatchError:
                continue  # a concurrent projection: check again which is newer
            return version


def reconcile() -> int:
    """Update projections that are behind PostgreSQL, and return the number of tournaments.

    It also recovers the projections after Redis was lost. Raises RedisAway.
    """
    members.count_anew()
    versions = dict(db.session.execute(select(Tournament.id, Tournament.version)).all())
    if not versions:
        return 0
    shown_versions = jobs_redis().mget([keys.version_key(key) for key in versions])
    behind = [
        key
        for key, shown_version in zip(versions, shown_versions, strict=True)
        if shown_version is None or int(shown_version) != stamp(versions[key])
    ]
    failures = Failures("tournament_not_projected", redis.RedisError)
    for tournament_id in behind:
        with failures.apart(tournament_id):
            hydrate(tournament_id)
    failures.raise_first()
    return len(behind)


def hydrate(tournament_id: UUID) -> int:
    """Rewrite every projection of the tournament, and return the version that they show.

    The version in Redis is ignored, because PostgreSQL may have been reset to a snapshot of its
    disk. Raises RedisAway.
    """
    invalidate(tournament_id, _slugs(tournament_id))
    jobs_redis().delete(keys.version_key(tournament_id))
    return project(tournament_id)


@dataclass(frozen=True)
class Kept:
    """A value that Redis holds, and the function that makes it from PostgreSQL."""

    body: bytes
    make: Callable[[], bytes]


def held_leaderboard(tournament_id: UUID) -> tuple[list[bodies.Entry] | None, int | None]:
    """Return the entries and the version in Redis; None if missing or of another epoch.

    Raises RedisAway.
    """
    stored: list[bytes | None] = jobs_redis().mget(  # type: ignore[assignment]
        [keys.leaderboard_key(tournament_id), keys.version_key(tournament_id)]
    )
    body = None if stored[0] is None else _body_of(stored[0])
    is_ours = stored[1] is not None and int(stored[1]) >= stamp(0)
    return None if body is None else _entries.decode(body), int(stored[1] or 0) - stamp(
        0
    ) if is_ours else None


def held_bodies(tournament_id: UUID) -> dict[str, Kept]:
    """Return the matches of rounds and standings that are in Redis, by name. Raises RedisAway."""
    sources: dict[str, tuple[str, Callable[[], bytes]]] = {
        f"matches of {slug}": (
            keys.matches_key(tournament_id, slug),
            partial(bodies.matches, tournament_id, slug),
        )
        for slug in _slugs(tournament_id)
    }
    sources["standings"] = (
        keys.standings_key(tournament_id),
        partial(bodies.standings, tournament_id),
    )
    cached: list[bytes | None] = jobs_redis().mget([key for key, _ in sources.values()])  # type: ignore[assignment]
    cached_bodies = {
        name: None if body is None else _body_of(body)
        for name, body in zip(sources, cached, strict=True)
    }
    return {
        name: Kept(body, sources[name][1])
        for name, body in cached_bodies.items()
        if body is not None
    }


def _slugs(tournament_id: UUID) -> list[str]:
    return list(db.session.scalars(select(Round.slug).where(Round.tournament_id == tournament_id)))
