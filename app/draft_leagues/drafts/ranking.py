"""The ranking of a season's footballers that drafts use, and the pool of each draft.

`ranking_of` is a stand-in: the points of this season or the one before, whichever are more. The
package `rankings` replaces it by projections.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from sqlalchemy import and_, func, select
from sqlalchemy.orm import aliased

from app.core.db import db
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.plan import DraftPlan
from app.draft_leagues.drafts.ranked import Pool, Ranked, pool_of, with_tiers
from app.fantasy.market.models import FootballerSeason, FootballerTotals, Season
from app.fantasy.market.statuses import LEFT
from app.record.models import Footballer

POOL_SECONDS = 60.0  # how long a process uses a pool before it looks at the market again
MOST_POOLS = 50


def ranking_of(season_id: int, scoring: str) -> Sequence[Ranked]:
    """Everybody on the season's market with projected points and tiers, in no order."""
    this, before = aliased(FootballerTotals), aliased(FootballerTotals)
    rows = db.session.execute(
        select(
            Footballer.id,
            Footballer.name,
            FootballerSeason.position,
            func.coalesce(Footballer.club_id, "").label("club"),
            func.greatest(
                func.coalesce(this.total_points, 0), func.coalesce(before.total_points, 0)
            ).label("points"),
            FootballerSeason.status,
            FootballerSeason.price,
        )
        .join(Footballer, Footballer.id == FootballerSeason.footballer_id)
        .outerjoin(
            this,
            and_(
                this.season_id == FootballerSeason.season_id,
                this.rules == scoring,
                this.footballer_id == Footballer.id,
            ),
        )
        .outerjoin(
            before,
            and_(
                before.season_id == _season_before(season_id),
                before.rules == scoring,
                before.footballer_id == Footballer.id,
            ),
        )
        .where(FootballerSeason.season_id == season_id, FootballerSeason.status != LEFT)
    )
    return with_tiers(
        Ranked(
            id=row.id,
            name=row.name,
            position=row.position,
            club=row.club,
            points=row.points,
            status=row.status,
            price=row.price,
        )
        for row in rows
    )


def plan_of(row: DraftRow) -> DraftPlan:
    """The plan of the draft."""
    return msgspec.convert(row.plan, DraftPlan)


@dataclass
class _Pools:
    """The pools that this process has loaded lately, by season and plan."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    loaded: dict[tuple[int, bytes], tuple[float, Pool]] = field(default_factory=dict)


_pools = _Pools()


def load_pool(season_id: int, plan: DraftPlan) -> Pool:
    """Everybody who can be drafted, ranked for this plan; up to POOL_SECONDS old."""
    key = season_id, msgspec.json.encode((plan.scoring, plan.starters, len(plan.order)))
    now = time.monotonic()
    with _pools.lock:
        loaded_at, pool = _pools.loaded.get(key, (0.0, None))
    if pool is not None and now - loaded_at < POOL_SECONDS:
        return pool
    pool = pool_of(ranking_of(season_id, plan.scoring), plan)
    with _pools.lock:
        if len(_pools.loaded) >= MOST_POOLS:
            _pools.loaded.clear()
        _pools.loaded[key] = now, pool
    return pool


def forget_pools() -> None:
    """Load every pool anew when it is next used."""
    with _pools.lock:
        _pools.loaded.clear()


def _season_before(season_id: int) -> int:
    """The id of the season before this one; 0 if there is none."""
    season = db.session.get_one(Season, season_id)
    return (
        db.session.scalar(
            select(Season.id).where(
                Season.competition == season.competition,
                Season.season == season.season - 1,
                Season.season_type == season.season_type,
            )
        )
        or 0
    )
