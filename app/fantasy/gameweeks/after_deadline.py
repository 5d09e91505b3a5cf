"""What happens to all team sheets once a gameweek's deadline has passed.

Lives here: carrying over, prices, pairings and notices, once a gameweek, all in one transaction;
the job workers/jobs/lock_gameweeks.py calls it. Not here: the lock itself, which needs no job:
sheets/services.py and a trigger hold it to the microsecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from app.core.db import db
from app.fantasy.gameweeks import live
from app.fantasy.gameweeks.deadline_notices import notify_locked
from app.fantasy.market import prices as market
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.scoring.engine import footballers
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.schedules import pair_gameweek


@dataclass(frozen=True)
class Locked:
    """`carried`: team sheets that nobody saved.

    `repriced`: footballers whose price or select % changed; `paired`: head-to-head games;
    `notified`: notices.
    """

    gameweek_id: int
    carried: int
    repriced: int
    paired: int
    notified: int


def lock_due(now: datetime) -> list[Locked]:
    """Locks every gameweek whose deadline has passed, the earliest first, and brings its tables up
    to date.

    Simulated seasons are left out: they lock by their own clock, with lock_gameweek.
    """
    due = db.session.scalars(
        select(Gameweek.id)
        .join(Season, Season.id == Gameweek.season_id)
        .where(
            Gameweek.locked_at.is_(None), Gameweek.deadline <= now, Season.is_simulated.is_(False)
        )
        .order_by(Gameweek.deadline, Gameweek.week, Gameweek.id)
    ).all()
    db.session.rollback()
    locked = []
    for gameweek_id in due:
        if (done := lock_gameweek(gameweek_id, now)) is not None:
            locked.append(done)
            live.refresh_gameweek(gameweek_id, now)
    return locked


def lock_gameweek(gameweek_id: int, now: datetime) -> Locked | None:
    """Carries last gameweek's sheets over, moves prices, pairs head-to-head leagues and notifies
    members. Commits once.

    None: it was done before, and nothing is done again. The gameweeks before it come first: whoever
    locks one out of order carries over what there is. With lock 'game' sheets are carried over too,
    and may still be changed.
    """
    gameweek = db.session.scalars(
        # key_share: whoever joins a league meanwhile, and holds it, may write scores of the
        # gameweek.
        select(Gameweek).where(Gameweek.id == gameweek_id).with_for_update(key_share=True),
        execution_options={"populate_existing": True},
    ).one()
    if gameweek.locked_at is not None:
        db.session.rollback()
        return None
    carried = sheets.carry_over(gameweek_id, None, now)
    footballers.forget(gameweek_id)
    repriced = market.recompute(gameweek_id)
    paired = pair_gameweek(gameweek_id)
    notified = notify_locked(gameweek_id, now)
    gameweek.locked_at = now
    db.session.commit()
    return Locked(gameweek_id, carried, repriced, paired, notified)
