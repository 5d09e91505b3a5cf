"""What the clock has decided for a league: waiver runs, ends of reviews and offers, keepers, cuts.

Whoever acts on a league settles this first, and whoever looks at it. So it does not matter who
comes first after such a moment: a member, or the worker. Drafts have a clock of their own
(drafts/desk.py).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.keepers import services as keepers
from app.draft_leagues.models import SEASON, DraftLeague
from app.draft_leagues.roster_acts import cuts
from app.draft_leagues.trades import settling
from app.draft_leagues.trades.queries import due_trades
from app.draft_leagues.transactions.services import settings_of
from app.draft_leagues.waivers import runs
from app.draft_leagues.waivers.queries import due_runs
from app.fantasy.market.models import Season
from app.fantasy.standings.models import DRAFT, League

RUN = 0  # in place of the id of a trade; at the same moment it comes first


def settle(league_id: int, now: datetime) -> int:
    """Settle what the clock has decided by now, in the order of its moments; again changes nothing.

    Each run and each trade is a transaction of its own: a process that is killed between two of
    them leaves the rest to whoever comes next. The caller has not begun a transaction.

    Returns:
        How many moments were settled.
    """
    draft_league = db.session.get(DraftLeague, league_id, populate_existing=True)
    if draft_league is None:
        return 0
    due = [(trade.due_at, trade.id) for trade in due_trades(now, league_id)]
    if draft_league.phase == SEASON:
        due += [(run_at, RUN) for run_at in due_runs(league_id, settings_of(draft_league), now)]
    for moment, trade_id in sorted(due):
        if trade_id == RUN:
            runs.run(league_id, moment, now)
        else:
            settling.settle(league_id, trade_id, now)
    return len(due) + keepers.close_due(now, league_id) + _cut_rosters(draft_league, now)


def _cut_rosters(draft_league: DraftLeague, now: datetime) -> int:
    is_dynasty = settings_of(draft_league).drafts_rookies
    return cuts.cut_due(draft_league.league_id, now) if is_dynasty else 0


def simulated_leagues() -> frozenset[int]:
    """The ids of leagues of simulated seasons, whose simulation has a clock of its own."""
    query = select(League.id).join(Season, Season.id == League.season_id)
    return frozenset(db.session.scalars(query.where(Season.is_simulated, League.game == DRAFT)))


def settle_all(now: datetime, but: Collection[int] = ()) -> int:
    """Settle what the clock has decided for all leagues but these; returns how many moments."""
    leagues = db.session.scalars(
        select(DraftLeague.league_id)
        .where(DraftLeague.phase == SEASON)
        .order_by(DraftLeague.league_id)
    ).all()
    db.session.rollback()
    return sum(settle(league_id, now) for league_id in leagues if league_id not in but)
