"""Drops, and moves between the active roster, injured reserve and taxi squad.

Each act is one transaction. Sent again with the same token it counts once; without a token it is
refused, because nobody is where it takes them from. Adding somebody is in waivers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.act_tokens import named_act
from app.draft_leagues.franchises.refusals import NO_FRANCHISE, franchise_refusal
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.transactions import services as transactions
from app.fantasy.market.models import FootballerSeason
from app.fantasy.market.statuses import UNFIT
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Kind, Move, Spot, Transaction
from app.fantasy.standings.models import League

_KINDS: dict[Spot, Kind] = {"active": "activated", "reserve": "reserve", "taxi": "taxi"}


@dataclass(frozen=True)
class SpotMove:
    """A footballer goes to another kind of place of their roster, or away (None)."""

    footballer_id: str
    spot: Spot | None


def drop(
    league_id: int, member_id: int, footballer_id: str, now: datetime, token: str = ""
) -> list[Refusal]:
    """Drop a footballer of the member's team."""
    return act(league_id, member_id, SpotMove(footballer_id, None), now, token)


def move(
    league_id: int, member_id: int, footballer_id: str, spot: Spot, now: datetime
) -> list[Refusal]:
    """Move a footballer of the member's team to another kind of place.

    Injured reserve takes only footballers whose status says that they will not play.
    """
    return act(league_id, member_id, SpotMove(footballer_id, spot), now)


def act(
    league_id: int, member_id: int, spot_move: SpotMove, now: datetime, token: str = ""
) -> list[Refusal]:
    """Drop or move a footballer of the member's team. An act with a token counts once."""
    footballer_id, spot = spot_move.footballer_id, spot_move.spot
    league_clock.settle(league_id, now)
    with transaction():
        league = locked(league_id)
        named = named_act(member_id, token, "move", spot_move)
        first = transactions.first_number(league_id, named)
        if first is not None:
            return [first] if isinstance(first, Refusal) else []
        franchise = db.session.scalar(
            select(Franchise).filter_by(league_id=league_id, member_id=member_id)
        )
        refused = franchise_refusal(league, franchise)
        if refused is not None or franchise is None:
            return [refused or NO_FRANCHISE]
        place = rosters_of(league_id).of(franchise.number).get(footballer_id)
        if place is None or place.spot == spot:
            return [_not_there(footballer_id, spot)]
        if spot == "reserve" and (refused := _reserve_refusal(league_id, footballer_id)):
            return [refused]
        to_franchise = None if spot is None else franchise.number
        entry = Transaction(
            "dropped" if spot is None else _KINDS[spot],
            (
                Move(
                    footballer_id,
                    franchise.number,
                    to_franchise,
                    spot=spot or ACTIVE,
                    from_spot=place.spot,
                ),
            ),
            by_member_id=member_id,
            source=named.key if named is not None else None,
        )
        result = transactions.record(league, [entry], now)
    return list(result.refusals) if isinstance(result, transactions.Refused) else []


def _not_there(footballer_id: str, spot: Spot | None) -> Refusal:
    name = names_of([footballer_id]).get(footballer_id, footballer_id)
    where = "already there" if spot is not None else "no longer on your team"
    return Refusal("footballer", "footballer", f"{name} is {where}. Check your roster.")


def _reserve_refusal(league_id: int, footballer_id: str) -> Refusal | None:
    season_id = db.session.get_one(League, league_id).season_id
    on_market = db.session.get(FootballerSeason, (season_id, footballer_id))
    if on_market is None or on_market.status in UNFIT:
        return None
    name = names_of([footballer_id])[footballer_id]
    return Refusal(
        "status",
        "footballer",
        f"{name} is {on_market.status}. Injured reserve is only for players who are out, injured, "
        "suspended or without a club.",
    )
