"""What the crowd expects of open matches, if the tournament's rule shows it before the kickoff.

The shares of a round are counted once a minute for everybody. They are shown from TELLING guesses
on, so that nobody's guess can be told from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import msgspec
import structlog

from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of
from app.predictions.pages import queries
from app.predictions.pages.queries import Shares

log = structlog.get_logger(__name__)

TELLING = 10
SECONDS = 60
_decoder = msgspec.msgpack.Decoder(dict[UUID, Shares])


def of_round(round_id: int, match_ids: Sequence[UUID]) -> dict[UUID, Shares]:
    """Return the shares of the round's matches that enough members guessed, by match.

    Without Redis they are counted for this answer alone.
    """
    key, store = key_of(f"pressbox:crowd:{round_id}"), jobs_redis()
    try:
        if (cached := store.get(key)) is not None:
            return _decoder.decode(cached)  # type: ignore[arg-type]  # bytes: no text is decoded
        counted = _counted(match_ids)
        store.set(key, msgspec.msgpack.encode(counted), ex=SECONDS)
    except RedisAway as error:
        log.warning("crowd_not_cached", reason=type(error).__name__)
        return _counted(match_ids)
    return counted


def _counted(match_ids: Sequence[UUID]) -> dict[UUID, Shares]:
    shares = queries.shares_of(match_ids)
    return {match_id: share for match_id, share in shares.items() if share.count >= TELLING}
