"""What the layers read: sightings (Redis), cohorts (PostgreSQL), replays and models (blobs)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import text

from app.core.blob_store import BlobNotFoundError, blob_store
from app.core.clock import to_us
from app.core.db import db
from app.core.redis.clients import RedisAway, jobs_redis
from app.scores.anticheat.distribution import Cohort, cohort_of
from app.scores.anticheat.features import HISTORY, SECOND, Past
from app.scores.anticheat.forest import Forest, read
from app.scores.anticheat.submission import Submission
from app.scores.anticheat.travel import MICROSECONDS_PER_HOUR, REMEMBERED_HOURS, Stop
from app.scores.anticheat.velocity import LONGEST, Place, Sighting, SightingsUnavailableError

# per place: more than any promised limit counts; a mode's wider limit is never reached
MOST_SIGHTINGS = 3000
COHORT = 5000  # newest clean scores per mode
COHORT_SECONDS = 60.0
_HEIGHT = "CASE m.\"order\" WHEN 'lowest' THEN -sent.score ELSE sent.score END"
_COUNTS = text(f"""
    SELECT height, count(*) AS players FROM (
      SELECT {_HEIGHT} AS height FROM score_attempts sent JOIN score_modes m ON m.id = sent.mode_id
      WHERE sent.mode_id = :mode AND fraud_state = 'clean' AND rolled_back_at IS NULL
      ORDER BY achieved_at DESC LIMIT :most) AS newest
    GROUP BY height
""")  # noqa: S608
_HISTORIES = text(f"""
    SELECT asked.n, sent.achieved_at, {_HEIGHT} AS height
    FROM unnest(CAST(:events AS uuid[])) WITH ORDINALITY AS asked(event, n)
    JOIN score_attempts AS own ON own.event_id = asked.event
    CROSS JOIN LATERAL (
      SELECT achieved_at, score, mode_id FROM score_attempts AS other
      WHERE other.mode_id = own.mode_id AND other.player_id = own.player_id
        AND other.achieved_at < own.achieved_at
      ORDER BY achieved_at DESC LIMIT :most) AS sent
    JOIN score_modes m ON m.id = sent.mode_id
    ORDER BY asked.n, sent.achieved_at
""")  # noqa: S608


class RedisSightings:
    """A sorted set of events by time for each place, kept twice as long as any limit looks back."""

    def note(
        self, sightings: Mapping[Place, Sequence[Sighting]]
    ) -> Mapping[Place, Sequence[Sighting]]:
        """Record sightings and return those of these places by time.

        Raises:
            SightingsUnavailableError: Redis is away.
        """
        pipeline = jobs_redis().pipeline(transaction=False)
        for place, new in sightings.items():
            key = "anticheat:" + ":".join(place)
            pipeline.zadd(
                key, {f"{sighting.event}/{sighting.player}": sighting.at for sighting in new}
            )
            pipeline.zremrangebyrank(key, 0, -MOST_SIGHTINGS - 1)
            pipeline.expire(key, 2 * LONGEST)
            oldest = min(sighting.at for sighting in new) - LONGEST * SECOND
            pipeline.zrange(
                key, oldest, max(sighting.at for sighting in new), byscore=True, withscores=True
            )
        try:
            answers = pipeline.execute()
        except RedisAway as error:
            raise SightingsUnavailableError(type(error).__name__) from error
        return {
            place: [_sighting(*answer) for answer in answers[4 * n + 3]]
            for n, place in enumerate(sightings)
        }


class RedisStops:
    """A sorted set of events by time for each player."""

    def note(self, stops: Mapping[str, Sequence[Stop]]) -> Mapping[str, Sequence[Stop]]:
        """Record stops and return those of these players by time.

        Raises:
            SightingsUnavailableError: Redis is away.
        """
        pipeline = jobs_redis().pipeline(transaction=False)
        for player, new in stops.items():
            key = f"anticheat:travel:{player}"
            pipeline.zadd(
                key,
                {f"{stop.event}/{stop.location[0]}/{stop.location[1]}": stop.at for stop in new},
            )
            pipeline.zremrangebyrank(key, 0, -MOST_SIGHTINGS - 1)
            pipeline.expire(key, REMEMBERED_HOURS * 3600)
            oldest = min(stop.at for stop in new) - REMEMBERED_HOURS * MICROSECONDS_PER_HOUR
            pipeline.zrange(
                key, oldest, max(stop.at for stop in new), byscore=True, withscores=True
            )
        try:
            answers = pipeline.execute()
        except RedisAway as error:
            raise SightingsUnavailableError(type(error).__name__) from error
        return {
            player: sorted(_stop(*row) for row in answers[4 * n + 3])
            for n, player in enumerate(stops)
        }


def _stop(member: bytes, at: float) -> Stop:
    event, latitude, longitude = member.decode().split("/")
    return Stop(int(at), event, (float(latitude), float(longitude)))


def _sighting(member: bytes, at: float) -> Sighting:
    event, player = member.decode().split("/")
    return Sighting(int(at), event, player)


class SqlCohorts:
    """The cohorts of modes, each read again after COHORT_SECONDS."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[UUID, tuple[float, Cohort]] = {}

    def __call__(self, mode: UUID) -> Cohort:
        """Return the mode's cohort, cached for a while."""
        cached = self._held.get(mode)
        if cached is None or self._clock() >= cached[0] + COHORT_SECONDS:
            cached = self._held[mode] = (self._clock(), cohort_of(counts(mode)))
        return cached[1]


def counts(mode: UUID) -> dict[int, int]:
    """Count each height (submission.py) among the COHORT newest clean scores of a mode."""
    rows = db.session.execute(_COUNTS, {"mode": mode, "most": COHORT})
    return {row.height: row.players for row in rows}


def replay_name(mode: UUID, event: UUID) -> str:
    """Return the name under which a game server's replay of an attempt is stored."""
    return f"replays/{mode}/{event}"


def fetch_replay(submission: Submission) -> bytes | None:
    """Load the replay of the attempt; None if it was not uploaded.

    Raises:
        BlobStoreError: The blob store did not answer.
    """
    try:
        return blob_store().get(replay_name(submission.mode_id, submission.event_id))
    except BlobNotFoundError:
        return None


def model_folder(mode: UUID) -> str:
    """Return the folder of the mode's models in the blob store."""
    return f"anticheat/models/{mode}"


def newest_model(mode: UUID) -> Forest | None:
    """Load the mode's latest model; None if none was trained.

    Raises:
        UnfitModelError: The stored model cannot be used.
        BlobStoreError: The blob store did not answer.
    """
    names = blob_store().names(model_folder(mode))
    return read(blob_store().get(names[-1])) if names else None


def histories(batch: Sequence[Submission]) -> list[list[Past]]:
    """Return the player's last HISTORY heights in the mode before each score, oldest first.

    Rejected scores are included.
    """
    rows = db.session.execute(
        _HISTORIES, {"events": [submission.event_id for submission in batch], "most": HISTORY}
    )
    heights: list[list[Past]] = [[] for _ in batch]
    for number, at, score in rows:
        heights[number - 1].append(Past(to_us(at), score))
    return heights
