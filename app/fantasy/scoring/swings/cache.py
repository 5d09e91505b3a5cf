"""A cache in Redis of what just happened in a league: one hash per version, for all viewers.

What is personal (the viewer's own team comes first) has a field for each member who moved. Without
Redis it is computed for each viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec

from app.core.page_cache.single_flight import single_flight
from app.core.redis.clients import RedisAway, jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.scoring.league_gameweek import LeagueGameweek
from app.fantasy.scoring.swings import swings
from app.fantasy.scoring.swings.balance import Balance, Row, balance_of_all, is_reviewed
from app.fantasy.scoring.swings.swings import MOVERS, Mover, Swing

KEPT_SECONDS = 60
EVERYBODY = "all"  # the field of the hash with what all viewers see


class Place(NamedTuple):
    """Where it happened: a gameweek of a league."""

    league_id: int
    gameweek_id: int


@dataclass(frozen=True)
class Own:
    """What a member sees of their own team.

    Attributes:
        movers: For each of the swings the team, or None if it did not move it; empty if none did.
        row: The team's row in the balance, if it depends on the ruling.
    """

    movers: list[Mover | None]
    row: Row | None


NOTHING_OWN = Own([], None)


@dataclass(frozen=True)
class Latest:
    """What just happened in a league.

    Attributes:
        swings: The latest, newest first.
        balance: Both tables while a play is under review.
    """

    swings: list[Swing]
    balance: Balance | None

    def seen_by(self, viewer: Own) -> Latest:
        """The same with the viewer's own team first."""
        balance = None if self.balance is None else self.balance.seen_by(viewer.row)
        movers = viewer.movers or [None] * len(self.swings)
        own_swings = [
            _with_own(swing, mover) for swing, mover in zip(self.swings, movers, strict=True)
        ]
        return Latest(own_swings, balance)


class _Computed(NamedTuple):
    """What just happened: as somebody without a team sees it, and what members see of their own.

    `own`: the encoded `Own` of each member who has some, by their id as a text.
    """

    latest: Latest
    own: Mapping[str, bytes]


decode_latest = msgspec.json.Decoder(Latest).decode
decode_own = msgspec.json.Decoder(Own).decode


def latest(
    place: Place, version: str, me: int, read_gameweek: Callable[[], LeagueGameweek]
) -> Latest:
    """Return what just happened, as the viewer `me` sees it.

    Args:
        place: The league and the gameweek.
        version: Of the league's table and its games, read before.
        me: The viewer.
        read_gameweek: Reads the league's gameweek with its games as they are then. Others who
            have seen a newer version may share the result.
    """
    key = _key(place, version)
    try:
        of_all, data = jobs_redis().hmget(key, [EVERYBODY, str(me)])
    except RedisAway:
        of_all = None
    if of_all is not None:
        return decode_latest(of_all).seen_by(NOTHING_OWN if data is None else decode_own(data))
    computed = _compute(place, key, read_gameweek)
    data = computed.own.get(str(me))
    return computed.latest.seen_by(NOTHING_OWN if data is None else decode_own(data))


def _key(place: Place, version: str) -> str:
    return key_of(f"swings:3:{place.league_id}:{place.gameweek_id}:{version}")


def _compute(place: Place, key: str, read_gameweek: Callable[[], LeagueGameweek]) -> _Computed:
    # If versions come faster than the swings are computed, nobody would hit the cache: one viewer
    # computes the latest ones for all who wait.
    def compute(_: bool) -> _Computed:
        gameweek = read_gameweek()
        latest_swings, movers_of = swings.latest_of_all(gameweek)
        balance, row_of = balance_of_all(gameweek) if is_reviewed(gameweek.games) else (None, {})
        own_data = {
            str(member): msgspec.json.encode(Own(movers_of.get(member, []), row_of.get(member)))
            for member in movers_of.keys() | row_of.keys()
        }
        computed = _Computed(Latest(latest_swings, balance), own_data)
        _store(key, computed)
        return computed

    return single_flight(f"swings:{place.league_id}:{place.gameweek_id}", compute)


def _store(key: str, computed: _Computed) -> None:
    fields = {EVERYBODY: msgspec.json.encode(computed.latest), **computed.own}
    try:
        with jobs_redis().pipeline(transaction=True) as pipeline:
            pipeline.hset(key, mapping=fields)  # type: ignore[arg-type]
            pipeline.expire(key, KEPT_SECONDS)
            pipeline.execute()
    except RedisAway:
        return


def _with_own(swing: Swing, own_mover: Mover | None) -> Swing:
    """The swing with the viewer's own team first."""
    if own_mover is None:
        return swing
    others = [other for other in swing.movers if other.member_id != own_mover.member_id]
    return replace(swing, movers=(own_mover, *others)[:MOVERS])
