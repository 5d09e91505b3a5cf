"""Knows which changes of games the league tables do not show yet, and asks for their refresh.

A refresh notes in its own transaction which version of each game it has seen; a game with another
version is behind. If a refresh dies at any point, its games are still behind, and a scheduled job
asks for it again. The refresh itself is in live.py.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from flask import current_app
from sqlalchemy import text

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.jobs import REFRESH_GAMEWEEK
from app.settings import Settings

PAUSES = [15, 60, 300, 900]  # seconds after the first, second ... failure in a row
FAILURES_KEPT_SECONDS = 24 * 3600
CATCHING_UP_SECONDS = 5  # between two refreshes while ingestion works off what has piled up
_CATCHING_UP = "pressbox:catching-up"
_NOT_ASKED = "pressbox:games-not-asked-for"


class Seen(NamedTuple):
    """The version of a game's state that a refresh has read.

    `updated_at` is part of it, because a rebuilt record may count its versions from the start.
    """

    game_id: str
    version: int
    updated_at: datetime
    is_behind: bool


_SEEN = text("""
    SELECT s.game_id, s.version, s.updated_at, (r.version, r.updated_at) IS DISTINCT
      FROM (s.version, s.updated_at)
    FROM gameweeks w JOIN games g USING (competition, season, season_type, week)
    JOIN game_states s ON s.game_id = g.id LEFT JOIN game_refreshes r ON r.game_id = g.id
    WHERE w.id = :gameweek ORDER BY s.game_id
""")

_NOTE = text("""
    INSERT INTO game_refreshes (game_id, version, updated_at)
    VALUES (:game_id, :version, :updated_at)
    ON CONFLICT (game_id) DO UPDATE
      SET version = excluded.version, updated_at = excluded.updated_at
""")

_BEHIND = text("""
    SELECT w.id
    FROM game_states s LEFT JOIN game_refreshes r USING (game_id)
    JOIN games g ON g.id = s.game_id JOIN gameweeks w USING (competition, season, season_type, week)
    WHERE (r.version, r.updated_at) IS DISTINCT FROM (s.version, s.updated_at)
    UNION SELECT gameweek_id FROM live_gameweeks WHERE shown_version < version ORDER BY 1
""")

_GAMEWEEKS_OF = text("""
    SELECT DISTINCT w.id FROM gameweeks w JOIN games g USING (competition, season, season_type,
      week)
    WHERE g.id = ANY(:games) ORDER BY w.id
""")


def seen(gameweek_id: int) -> list[Seen]:
    """The gameweek's games that have begun.

    Read this before the points, so that a change in between leaves its game behind.
    """
    return [Seen(*row) for row in db.session.execute(_SEEN, {"gameweek": gameweek_id})]


def note(games: Sequence[Seen]) -> None:
    """Note that the tables show these versions. Only the caller commits."""
    if games:
        db.session.execute(_NOTE, [game._asdict() for game in games])


def gameweeks_behind() -> list[int]:
    """Gameweeks with changes that their tables do not show yet, in order."""
    return list(db.session.scalars(_BEHIND))


def due(games: Collection[str], *, catching_up: bool) -> list[str]:
    """The games to ask for a refresh of now: these, and those that were put off before.

    While ingestion is catching up, games are put off and returned once per CATCHING_UP_SECONDS,
    because refreshes would take the processor from ingestion. A scheduled job finds games that are
    lost here.
    """
    redis = jobs_redis()
    if catching_up and not redis.set(_CATCHING_UP, 1, nx=True, ex=CATCHING_UP_SECONDS):
        if games:
            redis.sadd(_NOT_ASKED, *games)
        return []
    with redis.pipeline() as pipeline:
        pipeline.smembers(_NOT_ASKED)
        pipeline.delete(_NOT_ASKED)
        put_off: set[bytes] = pipeline.execute()[0]
    return sorted({*games, *(game_id.decode() for game_id in put_off)})


def ask_for_games(games: Collection[str]) -> None:
    """As `ask`, for the gameweeks of these games; call it after the commit that changed them."""
    for gameweek_id in db.session.scalars(_GAMEWEEKS_OF, {"games": sorted(games)}).all():
        ask(gameweek_id)


def ask(gameweek_id: int) -> bool:
    """Send a refresh of the gameweek. At most one waits, and it starts after this call.

    While refreshes of the gameweek fail, none is sent for a growing time, after which a scheduled
    job asks again.

    Returns:
        Whether a refresh was sent.
    """
    if jobs_redis().exists(_pause_key(gameweek_id)):
        return False
    settings: Settings = current_app.config["PRESSBOX"]
    return jobs.send_coalesced(
        REFRESH_GAMEWEEK,
        str(gameweek_id),
        gameweek_id,
        timeout=settings.refresh_seconds,
    )


def pause(gameweek_id: int) -> int:
    """Send no refresh for some time after one has failed; returns for how many seconds."""
    failures = _failures_key(gameweek_id)
    count = int(jobs_redis().incr(failures))
    jobs_redis().expire(failures, FAILURES_KEPT_SECONDS)
    seconds = PAUSES[min(count, len(PAUSES)) - 1]
    jobs_redis().set(_pause_key(gameweek_id), count, ex=seconds)
    return seconds


def resume(gameweek_id: int) -> None:
    """Send refreshes again after one has succeeded."""
    jobs_redis().delete(_failures_key(gameweek_id), _pause_key(gameweek_id))


def _pause_key(gameweek_id: int) -> str:
    return key_of(f"pressbox:refresh-pause:{gameweek_id}")


def _failures_key(gameweek_id: int) -> str:
    return key_of(f"pressbox:refresh-failures:{gameweek_id}")
