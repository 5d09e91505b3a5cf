"""Locks a gameweek once its deadline has passed: sheets, prices, pairings and notices.

All of it is done once per gameweek, in one transaction, by the job workers/jobs/lock_gameweeks.py.
That nobody saves a sheet after the deadline needs no job: sheets/services.py and a trigger see to
it.
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
from app.fantasy.sheets import roster_services
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.schedules import pair_gameweek


@dataclass(frozen=True)
class Locked:
    """What locking a gameweek did.

    `carried`: team sheets that were carried over. `repriced`: footballers whose price or select %
    changed. `paired`: head-to-head games. `notified`: notices.
    """

    gameweek_id: int
    carried: int
    repriced: int
    paired: int
    notified: int


def lock_due(now: datetime) -> list[Locked]:
    """Lock and refresh every gameweek whose deadline has passed, the earliest first.

    Simulated seasons are left out: they lock by their own clock, with `lock_gameweek`.
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
        if (result := lock_gameweek(gameweek_id, now)) is not None:
            locked.append(result)
            live.refresh_gameweek(gameweek_id, now)
    return locked


def lock_gameweek(gameweek_id: int, now: datetime) -> Locked | None:
    """Carry sheets over, update prices, pair head-to-head leagues and notify members. Commits once.

    Earlier gameweeks should be locked first, because the sheets that are carried over are those of
    the gameweek before. With lock 'game' sheets are carried over too, and may still be changed.

    Returns:
        None if the gameweek was locked before; then nothing is done.
    """
    gameweek = db.session.scalars(
        # key_share: a member who joins a league meanwhile has locked the league, and may write
        # scores of the gameweek.
        select(Gameweek).where(Gameweek.id == gameweek_id).with_for_update(key_share=True),
        execution_options={"populate_existing": True},
    ).one()
    if gameweek.locked_at is not None:
        db.session.rollback()
        return None
    carried = sheets.carry_over(gameweek_id, None, now)
    roster_services.fit_carried(gameweek_id, now)
    repriced = market.recompute(gameweek_id)
    paired = pair_gameweek(gameweek_id)
    notified = notify_locked(gameweek_id, now)
    gameweek.locked_at = now
    db.session.commit()
    return Locked(gameweek_id, carried, repriced, paired, notified)
