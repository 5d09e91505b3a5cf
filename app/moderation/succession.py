"""Whoever is erased or kept out hands on what they run: leagues and pools always have somebody
active to run them.

Each of erasing, banning, suspending and lifting calls `lock` before it changes the member, and
`hand_on` after, in its own transaction. The rule of succession is that of the subjects:
fantasy/leagues/commissioners.py, predictions/pools.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.fantasy.leagues import commissioners, services
from app.fantasy.standings import schedules
from app.fantasy.standings.models import League
from app.predictions import pools
from app.predictions.models import Pool


@dataclass(frozen=True)
class Memberships:
    """The leagues and pools that somebody is in, locked."""

    leagues: Sequence[League]
    pools: Sequence[Pool]


def lock(member_id: int | None, player_id: UUID | None) -> Memberships:
    """Locks them until the transaction ends, so that two heirs who are banned at once wait for each
    other.
    """
    return Memberships(
        commissioners.lock_leagues_of(member_id) if member_id is not None else (),
        pools.lock_pools_of(player_id) if player_id is not None else (),
    )


def hand_on(memberships: Memberships, now: datetime) -> None:
    """Gives every league and pool that has nobody active to run it to its heir, and lets
    head-to-head leagues go on without whoever plays no more. The caller commits.
    """
    commissioners.appoint(memberships.leagues, now)
    pools.appoint(memberships.pools)
    schedules.plan([league for league in memberships.leagues if not services.is_history(league)])
