"""Succession: leagues and pools always have somebody active to run them.

Erasing, banning, suspending and lifting call `lock` before they change the member and `hand_on`
afterwards, in the same transaction. The rules of succession are in
fantasy/leagues/commissioners.py and predictions/pools.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.fantasy.leagues import commissioners, services
from app.fantasy.standings import schedules
from app.fantasy.standings.models import DRAFT, League
from app.predictions import pools
from app.predictions.models import Pool


@dataclass(frozen=True)
class Memberships:
    """The leagues and pools that somebody is in, locked."""

    leagues: Sequence[League]
    pools: Sequence[Pool]


def lock(member_id: int | None, player_id: UUID | None) -> Memberships:
    """Lock the memberships until the transaction ends, so that heirs banned at once wait."""
    return Memberships(
        commissioners.lock_leagues_of(member_id) if member_id is not None else (),
        pools.lock_pools_of(player_id) if player_id is not None else (),
    )


def draft_leagues(memberships: Memberships) -> list[int]:
    """The draft leagues of these, whose drafts follow a change of owners once it is committed."""
    return [league.id for league in memberships.leagues if league.game == DRAFT]


def give_back(
    memberships: Memberships, member_id: int | None, player_id: UUID, now: datetime
) -> None:
    """Give somebody whose sanction is lifted what heirs run in their place. The caller commits."""
    if member_id is not None:
        commissioners.give_back(memberships.leagues, member_id, now)
    pools.give_back(memberships.pools, player_id)


def hand_on(memberships: Memberships, now: datetime) -> None:
    """Give each league and pool without an active head to its heir. The caller commits.

    Head-to-head leagues go on without members who no longer play.
    """
    commissioners.appoint(memberships.leagues, now)
    pools.appoint(memberships.pools, now)
    schedules.plan([league for league in memberships.leagues if not services.is_history(league)])
