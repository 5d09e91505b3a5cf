"""The latest swings of a league, worked out once a version for all who look on: Redis keeps them
for a minute.

What is personal (a viewer's own team comes first) is kept beside them, a field for each member who
moved. Redis only saves work: when it is away each viewer's are worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from app.core.page_cache.single_flight import single_flight
from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.scoring.engine.league_gameweek import LeagueGameweek
from app.fantasy.scoring.swings import swings
from app.fantasy.scoring.swings.swings import MOVERS, Mover, Swing

KEPT_SECONDS = 60
ALL = "all"

_swings = msgspec.json.Decoder(list[Swing])
_mine = msgspec.json.Decoder(list[Mover | None])


def latest(
    league_id: int, version: str, me: int, read_gameweek: Callable[[], LeagueGameweek]
) -> list[Swing]:
    """As swings.latest.

    `version`: of the league's table and its games, read before; `read_gameweek`: reads the
    league.
    """
    key = key_of(f"swings:1:{league_id}:{version}")
    try:
        kept = jobs_redis().hmget(key, [ALL, str(me)])
    except RedisAway:
        return swings.latest(read_gameweek(), me)
    if kept[0] is not None:
        return _with_mine(
            _swings.decode(kept[0]), _mine.decode(kept[1]) if kept[1] is not None else ()
        )

    def make(_: bool) -> tuple[list[Swing], dict[int, list[Mover | None]]]:
        made = swings.latest_of_all(read_gameweek())
        _keep(key, *made)
        return made

    # Where versions come faster than this takes, nobody would find theirs: one works the latest out
    # for all who wait.
    found, movers = single_flight(f"swings:{league_id}", make)
    return _with_mine(found, movers.get(me, ()))


def _keep(key: str, found: Sequence[Swing], movers: dict[int, list[Mover | None]]) -> None:
    fields = {ALL: msgspec.json.encode(found)} | {
        str(one): msgspec.json.encode(its) for one, its in movers.items()
    }
    try:
        with jobs_redis().pipeline(transaction=True) as pipeline:
            pipeline.hset(key, mapping=fields)  # type: ignore[arg-type]
            pipeline.expire(key, KEPT_SECONDS)
            pipeline.execute()
    except RedisAway:
        return


def _with_mine(found: Sequence[Swing], mine: Sequence[Mover | None]) -> list[Swing]:
    """My own team first in each swing that moved it."""
    shown = []
    for swing, mover in zip(found, mine or [None] * len(found), strict=True):
        if mover is not None:
            others = [one for one in swing.movers if one.member_id != mover.member_id]
            swing = replace(swing, movers=(mover, *others)[:MOVERS])
        shown.append(swing)
    return shown
