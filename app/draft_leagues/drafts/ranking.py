"""The footballers of a draft: a season's market in the order of the ranking for its plan."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import msgspec

from app.core import clock
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.drafts.plan import DraftPlan
from app.draft_leagues.drafts.ranked import Draftable, Pool
from app.draft_leagues.rankings import queries, services
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.rankings.rules import Shape
from app.draft_leagues.settings import DraftLeagueSettings, RosterSettings
from app.fantasy.market.statuses import LEFT

POOL_SECONDS = 60.0  # how long a process uses a pool before it looks at the market again
MOST_POOLS = 50
RANKING_AGE = timedelta(days=1)  # the worker keeps the rankings of leagues younger


def ensure_ranking(season_id: int, plan: DraftPlan, now: datetime) -> None:
    """Store a ranking of this season for the plan unless there is one. Only the caller commits."""
    settings = _settings(plan)
    stored = queries.stored_ranking(season_id, plan.scoring, Shape.of(settings).name)
    if stored is None or now - stored[0] > RANKING_AGE:
        services.make_ranking(season_id, settings, now)


def own_order(league_id: int, member_id: int, pool: Pool) -> Sequence[str]:
    """The ids of everybody in the order in which the member of this league wants them."""
    ranking = [footballer.id for footballer in pool.footballers]
    return queries.order_for(ListOwner(league_id, member_id), ranking)


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
    key = (
        season_id,
        msgspec.json.encode((plan.scoring, plan.starters, len(plan.order), plan.eligible)),
    )
    now = time.monotonic()
    with _pools.lock:
        loaded_at, pool = _pools.loaded.get(key, (0.0, None))
    if pool is not None and now - loaded_at < POOL_SECONDS:
        return pool
    ranking = services.ranking_of(season_id, _settings(plan), clock.now())
    listed = queries.listed(season_id, ranking).values()
    market = [_draftable(footballer) for footballer in listed if footballer.status != LEFT]
    pool = _rookie_pool(season_id, plan, market) if plan.is_rookie_draft else Pool(market)
    with _pools.lock:
        if len(_pools.loaded) >= MOST_POOLS:
            _pools.loaded.clear()
        _pools.loaded[key] = now, pool
    return pool


def _rookie_pool(season_id: int, plan: DraftPlan, market: Sequence[Draftable]) -> Pool:
    """The pool of a rookie draft: rookies, then the others unless only rookies are drafted."""
    veterans = queries.veterans(season_id)
    rookies = [replace(player, is_rookie=True) for player in market if player.id not in veterans]
    experienced = [player for player in market if player.id in veterans]
    if plan.eligible == "rookies":
        return Pool(rookies, experienced)
    return Pool([*rookies, *experienced])


def forget_pools() -> None:
    """Load every pool anew when it is next used."""
    with _pools.lock:
        _pools.loaded.clear()


def _draftable(footballer: queries.ListedFootballer) -> Draftable:
    ranked = footballer.ranked
    return Draftable(
        id=footballer.id,
        name=footballer.name,
        position=footballer.position,
        club=footballer.club_id,
        points=ranked.points,
        value=ranked.value,
        rank=ranked.rank,
        tier=ranked.tier,
        status=footballer.status,
        bye=ranked.bye_week,
    )


def _settings(plan: DraftPlan) -> DraftLeagueSettings:
    """What a ranking needs to know of the league."""
    return DraftLeagueSettings(
        franchises=len(plan.order),
        scoring=plan.scoring,
        time_zone=plan.time_zone,
        roster=RosterSettings(plan.starters),
    )
