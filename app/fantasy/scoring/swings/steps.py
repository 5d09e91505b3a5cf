"""The steps of a gameweek's games, each as of the game's newest version, with a cache in Redis.

Pages of one play or one game need all steps. A change recomputes one game then. What just happened
needs only the last steps of each game, and is asked for after every event: those of a live game are
continued (rules/steps.py). Without Redis, or for a version that it does not have, the steps come
from the record. A rebuilt record may differ, so nothing that was cached before is continued.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar, cast

import msgspec
from sqlalchemy import select

from app.core.db import db
from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of
from app.record.models import GameState
from app.record.queries import EventRow, GameRow, events_of, events_of_plays_after
from app.record.rules.state import Status
from app.record.rules.steps import (
    BEFORE_THE_GAME,
    Checkpoint,
    Continuation,
    Step,
    continue_game,
    may_continue,
    steps_of,
)

KEPT_SECONDS = 3600
KEPT_STEPS = 120  # the last of each game
FORM = 2  # of the cached values; entries with another form are not read

Cached = TypeVar("Cached")


@dataclass(frozen=True)
class LatestState:
    """A game as it is now, and what happened last.

    Attributes:
        checkpoint: From which the game can be continued.
        status: The game's status.
        lines: The stat line of every player who has one.
        encoded: The last KEPT_STEPS steps in order, as JSON.
    """

    checkpoint: Checkpoint
    status: Status
    lines: dict[str, dict[str, int]]
    encoded: list[msgspec.Raw]

    def last(self, count: int) -> list[Step]:
        """The last steps in order, at most `count`."""
        return [_decode_step(encoded) for encoded in self.encoded[-count:]]


class _Version(NamedTuple):
    """The version of a game's record, and when the record was last rebuilt."""

    number: int
    updated_at: datetime
    rebuilt_at: datetime | None


_decode_step = msgspec.json.Decoder(Step).decode
_decode_all = msgspec.json.Decoder(tuple[_Version, list[Step]]).decode
_decode_latest = msgspec.json.Decoder(tuple[_Version, LatestState]).decode


def steps_of_games(games: Sequence[GameRow]) -> list[list[Step]]:
    """All steps of each game that has begun, in the order of the games.

    They may be newer than the games given.
    """
    versions = _versions([game.id for game in games])
    cached = _cached("steps", versions, _decode_all)
    steps = {game: value for game, (version, value) in cached.items() if version == versions[game]}
    missing = [game for game in games if game.id in versions and game.id not in steps]
    events = events_of({game.id: None for game in missing})
    fresh = {
        game.id: steps_of(game.id, events.get(game.id, []), clubs_of(game)) for game in missing
    }
    _store("steps", fresh, versions)
    steps |= fresh
    return [steps[game.id] for game in games if game.id in steps]


def latest_states(games: Sequence[GameRow]) -> dict[str, LatestState]:
    """The latest state of each game that has begun, by the game's id.

    They may be newer than the games given.
    """
    versions = _versions([game.id for game in games])
    cached = _cached("latest-state", versions, _decode_latest)
    known = {game: value for game, (version, value) in cached.items() if version == versions[game]}
    older = {
        game: value
        for game, (version, value) in cached.items()
        if version.number < versions[game].number
        and version.rebuilt_at == versions[game].rebuilt_at
    }
    fresh = _read_latest([game for game in games if game.id in versions.keys() - known], older)
    _store("latest-state", fresh, versions)
    return known | fresh


def in_order(steps: Iterable[Sequence[Step]]) -> list[Step]:
    """The steps of several games in the order in which they happened; ties by game, then number."""
    return sorted(
        (step for game in steps for step in game),
        key=lambda step: (step.at, step.game_id, step.number),
    )


def clubs_of(game: GameRow) -> tuple[str, str]:
    """The ids of the game's clubs: home, then away."""
    return game.home.id, game.away.id


def _read_latest(
    games: Sequence[GameRow], older: Mapping[str, LatestState]
) -> dict[str, LatestState]:
    """Read the latest state of these games. `older` has an earlier one of some of them."""
    checkpoints = {game: state.checkpoint for game, state in older.items()}
    new_events = events_of_plays_after(
        {game: checkpoint.number for game, checkpoint in checkpoints.items()}
    )
    continued = {
        game
        for game, checkpoint in checkpoints.items()
        if may_continue(checkpoint, new_events.get(game, []))
    }
    all_events = events_of({game.id: None for game in games if game.id not in continued})

    def read(game: GameRow) -> LatestState:
        if game.id in continued:
            return _continue(game, older[game.id], new_events.get(game.id, []))
        whole = continue_game(game.id, BEFORE_THE_GAME, all_events.get(game.id, []), clubs_of(game))
        return _latest_state([], whole)

    return {game.id: read(game) for game in games}


def _continue(game: GameRow, older: LatestState, events: Sequence[EventRow]) -> LatestState:
    # The last play may have gone on: then it is still one step.
    earlier = older.encoded
    if earlier and _decode_step(earlier[-1]).number > older.checkpoint.number:
        earlier = earlier[:-1]
    return _latest_state(earlier, continue_game(game.id, older.checkpoint, events, clubs_of(game)))


def _latest_state(earlier: list[msgspec.Raw], continuation: Continuation) -> LatestState:
    new = [msgspec.Raw(msgspec.json.encode(step)) for step in continuation.steps[-KEPT_STEPS:]]
    lines = {player: dict(line) for player, line in continuation.lines.items()}
    return LatestState(
        continuation.checkpoint, continuation.status, lines, [*earlier, *new][-KEPT_STEPS:]
    )


def _versions(ids: Collection[str]) -> dict[str, _Version]:
    """The newest version of each game that has begun."""
    rows = db.session.execute(
        select(
            GameState.game_id, GameState.version, GameState.updated_at, GameState.rebuilt_at
        ).where(GameState.game_id.in_(ids))
    )
    return {
        game: _Version(number, updated_at, rebuilt_at)
        for game, number, updated_at, rebuilt_at in rows
    }


def _key(kind: str, game_id: str) -> str:
    return key_of(f"{kind}:{FORM}:{game_id}")


def _cached(
    kind: str,
    games: Collection[str],
    decode: Callable[[bytes], tuple[_Version, Cached]],
) -> dict[str, tuple[_Version, Cached]]:
    """What Redis has of these games, with its version."""
    if not games:
        return {}
    try:
        values = cast("list[bytes | None]", jobs_redis().mget([_key(kind, game) for game in games]))
    except RedisAway:
        return {}
    return {game: decode(value) for game, value in zip(games, values, strict=True) if value}


def _store(kind: str, fresh: Mapping[str, object], versions: Mapping[str, _Version]) -> None:
    if not fresh:
        return
    try:
        with jobs_redis().pipeline(transaction=False) as pipeline:
            for game, value in fresh.items():
                encoded = msgspec.json.encode((versions[game], value))
                pipeline.set(_key(kind, game), encoded, ex=KEPT_SECONDS)
            pipeline.execute()
    except RedisAway:
        return
