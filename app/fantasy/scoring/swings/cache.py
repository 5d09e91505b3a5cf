"""A cache in Redis of the latest swings of a league: one entry per version, for all viewers.

What is personal (the viewer's own team comes first) has a field for each member who moved. Without
Redis the swings are computed for each viewer.
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

    Args:
        league_id: The league.
        version: Of the league's table and its games, read before.
        me: The viewer.
        read_gameweek: Reads the league's gameweek.
    """
    key = key_of(f"swings:2:{league_id}:{version}")
    try:
        of_all, of_me = jobs_redis().hmget(key, [ALL, str(me)])
    except RedisAway:
        return swings.latest(read_gameweek(), me)
    if of_all is not None:
        return _with_mine(_swings.decode(of_all), _mine.decode(of_me) if of_me is not None else ())

    def compute(_: bool) -> tuple[list[Swing], dict[int, list[Mover | None]]]:
        latest_swings, movers_of = swings.latest_of_all(read_gameweek())
        _store(key, latest_swings, movers_of)
        return latest_swings, movers_of

    # If versions come faster than the swings are computed, nobody would hit the cache: one viewer
    # computes the latest ones for all who wait.
    latest_swings, movers_of = single_flight(f"swings:{league_id}", compute)
    return _with_mine(latest_swings, movers_of.get(me, ()))


def _store(
    key: str, latest_swings: Sequence[Swing], movers_of: dict[int, list[Mover | None]]
) -> None:
    fields = {ALL: msgspec.json.encode(latest_swings)} | {
        str(member): msgspec.json.encode(movers) for member, movers in movers_of.items()
    }
    try:
        with jobs_redis().pipeline(transaction=True) as pipeline:
            pipeline.hset(key, mapping=fields)  # type: ignore[arg-type]
            pipeline.expire(key, KEPT_SECONDS)
            pipeline.execute()
    except RedisAway:
        return


def _with_mine(latest_swings: Sequence[Swing], mine: Sequence[Mover | None]) -> list[Swing]:
    """The swings with the viewer's own team first in each swing that moved it."""
    personal = []
    movers = mine or [None] * len(latest_swings)
    for swing, mover in zip(latest_swings, movers, strict=True):
        if mover is None:
            personal.append(swing)
            continue
        others = [other for other in swing.movers if other.member_id != mover.member_id]
        personal.append(replace(swing, movers=(mover, *others)[:MOVERS]))
    return personal
