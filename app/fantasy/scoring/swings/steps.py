"""A cache in Redis of the steps of a gameweek's games, each as of the game's newest version.

A change recomputes one game. Without Redis, or for a version that it does not have, the steps come
from the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import msgspec
from sqlalchemy import select

from app.core.db import db
from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of
from app.record.models import GameState
from app.record.queries import GameRow, events_of
from app.record.rules.steps import Step, steps_of

KEPT_SECONDS = 3600
FORM = 1  # of the cached values; entries with another form are not read

_steps = msgspec.json.Decoder(list[Step])


def steps_of_games(games: Sequence[GameRow]) -> list[list[Step]]:
    """The steps of each game that has begun, in the order of the games.

    They may be newer than the games given.
    """
    tags = _tags([game.id for game in games])
    steps = _cached(tags)
    missing = [game for game in games if game.id in tags and game.id not in steps]
    events = events_of({game.id: None for game in missing})
    fresh = {
        game.id: steps_of(game.id, events.get(game.id, []), (game.home.id, game.away.id))
        for game in missing
    }
    _store(fresh, tags)
    steps |= fresh
    return [steps[game.id] for game in games if game.id in steps]


def in_order(steps: Iterable[Sequence[Step]]) -> list[Step]:
    """The steps of several games in the order in which they happened; ties by game, then number."""
    return sorted(
        (step for game in steps for step in game),
        key=lambda step: (step.at, step.game_id, step.number),
    )


def _tags(ids: Sequence[str]) -> dict[str, bytes]:
    """The tag of the newest version of each game that has begun.

    It has the time in it, because a rebuilt record counts its versions from the start.
    """
    rows = db.session.execute(
        select(GameState.game_id, GameState.version, GameState.updated_at).where(
            GameState.game_id.in_(ids)
        )
    )
    return {game: f"{FORM} {version} {at.isoformat()}\n".encode() for game, version, at in rows}


def _key(game_id: str) -> str:
    return key_of(f"steps:{game_id}")


def _cached(tags: Mapping[str, bytes]) -> dict[str, list[Step]]:
    if not tags:
        return {}
    try:
        values = cast("list[bytes | None]", jobs_redis().mget([_key(game) for game in tags]))
    except RedisAway:
        return {}
    return {
        game: _steps.decode(value[len(tag) :])
        for (game, tag), value in zip(tags.items(), values, strict=True)
        if value and value.startswith(tag)
    }


def _store(steps: Mapping[str, list[Step]], tags: Mapping[str, bytes]) -> None:
    if not steps:
        return
    try:
        with jobs_redis().pipeline(transaction=False) as pipeline:
            for game, steps_of_game in steps.items():
                value = tags[game] + msgspec.json.encode(steps_of_game)
                pipeline.set(_key(game), value, ex=KEPT_SECONDS)
            pipeline.execute()
    except RedisAway:
        return
