"""Writes the line-ups of draft leagues when their rosters change, and when a gameweek locks.

Only the caller commits. Members' saves are in services.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.fantasy.market.models import Gameweek, SheetDeadline
from app.fantasy.sheets.context import begun_among, context_of
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.services import carry_over
from app.fantasy.sheets.transfers import NO_CAPTAINS


def lock_members(member_ids: Iterable[int]) -> None:
    """Keep these members from saving a line-up until the transaction ends, in order of their ids.

    A roster is changed after this, so that no line-up is saved with somebody who has just left.
    """
    db.session.execute(
        text("SELECT id FROM members WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE"),
        {"ids": sorted(member_ids)},
    )


def open_gameweek(team_rules_id: int, now: datetime) -> Gameweek | None:
    """The gameweek whose line-ups are open; None after the last."""
    return db.session.scalar(
        select(Gameweek)
        .join(SheetDeadline, SheetDeadline.gameweek_id == Gameweek.id)
        .where(SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.locks_at > now)
        .order_by(Gameweek.week)
        .limit(1)
    )


def open_until(team_rules_id: int, now: datetime) -> datetime | None:
    """When the line-ups of the open gameweek lock; None after the last gameweek."""
    return db.session.scalar(
        select(func.min(SheetDeadline.locks_at)).where(
            SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.locks_at > now
        )
    )


def begun_now(team_rules_id: int, footballers: Iterable[str], now: datetime) -> set[str]:
    """Those of these footballers who have locked: their game of the open gameweek has begun."""
    gameweek = open_gameweek(team_rules_id, now)
    return begun_among(footballers, gameweek, now) if gameweek is not None else set()


def fit_open(team_rules_id: int, member_ids: Iterable[int], now: datetime) -> None:
    """Fit the line-ups of the open gameweek to these members' rosters, which have just changed."""
    gameweek = open_gameweek(team_rules_id, now)
    if gameweek is None:
        return
    for member_id in sorted(member_ids):
        carry_over(gameweek.id, team_rules_id, now, member_id=member_id)
        fit(member_id, team_rules_id, gameweek.id, now)


def fit_carried(gameweek_id: int, now: datetime) -> int:
    """Fit the line-ups of all draft leagues for a gameweek that is about to lock.

    Everybody who has a franchise has a line-up afterwards.

    Returns:
        How many line-ups changed.
    """
    members = db.session.execute(_WITH_ROSTERS, {"gameweek_id": gameweek_id}).all()
    return sum(fit(row.member_id, row.team_rules_id, gameweek_id, now) for row in members)


_WITH_ROSTERS = text("""
    SELECT l.team_rules_id, f.member_id
    FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id
    JOIN franchises f ON f.league_id = l.id
    WHERE w.id = :gameweek_id AND l.game = 'draft' AND l.first_week <= w.week
      AND f.member_id IS NOT NULL
      AND EXISTS (SELECT FROM roster_spots p WHERE p.league_id = l.id)
    ORDER BY l.team_rules_id, f.member_id
""")


def fit(member_id: int, team_rules_id: int, gameweek_id: int, now: datetime) -> bool:
    """Fit one line-up to the roster, unless it has locked. Returns whether it changed."""
    context = context_of(member_id, team_rules_id, gameweek_id, now)
    assert context.current is not None  # a draft league's line-up always has one
    assert context.locks_at is not None
    if now >= context.locks_at:
        return False
    picks = list(context.current.picks)
    key = {"member_id": member_id, "team_rules_id": team_rules_id, "gameweek_id": gameweek_id}
    stored = db.session.scalar(
        select(TeamSheet).filter_by(**key).execution_options(populate_existing=True)
    )
    if stored is not None:
        if stored.picks == picks:
            return False
        db.session.execute(
            update(TeamSheet)
            .filter_by(**key)
            .values(picks=picks, version=TeamSheet.version + 1, saved_at=now)
        )
        return True
    captain, vice_captain = NO_CAPTAINS
    db.session.execute(
        insert(TeamSheet).values(
            **key,
            picks=picks,
            captain=captain,
            vice_captain=vice_captain,
            purchase_prices=[0] * len(picks),
            bank=0,
            saved_at=now,
        )
    )
    return True
