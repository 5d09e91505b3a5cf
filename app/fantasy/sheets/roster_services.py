"""Writes the line-ups of draft leagues when their rosters change, and when a gameweek locks.

Only the caller commits. Members' saves are in services.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from sqlalchemy import BigInteger, case, column, func, select, text, update, values
from sqlalchemy.dialects.postgresql import ARRAY, TEXT, insert

from app.core.db import db
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Gameweek, SheetDeadline, TeamRules
from app.fantasy.rosters.queries import active_rosters
from app.fantasy.sheets.context import begun_among
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.roster_fitting import fitted
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
    """The gameweek whose line-ups are open; None after the last.

    A postponed game may keep an older gameweek from locking. Then it is the latest that has begun,
    for which everybody has a line-up already.
    """
    has_begun = Gameweek.deadline <= now
    return db.session.scalar(
        select(Gameweek)
        .join(SheetDeadline, SheetDeadline.gameweek_id == Gameweek.id)
        .where(SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.locks_at > now)
        .order_by(has_begun.desc(), case((has_begun, -Gameweek.week), else_=Gameweek.week))
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


def fit_open(team_rules_id: int, member_ids: Collection[int], now: datetime) -> None:
    """Fit the line-ups of the open gameweek to these members' rosters, which have just changed."""
    gameweek = open_gameweek(team_rules_id, now)
    if gameweek is None:
        return
    carry_over(gameweek.id, team_rules_id, now, member_ids=[*member_ids])
    _fit(team_rules_id, member_ids, gameweek, now)


def fit_carried(gameweek_id: int, now: datetime) -> int:
    """Fit the line-ups of all draft leagues for a gameweek that is about to lock.

    Everybody who has a franchise has a line-up afterwards.

    Returns:
        How many line-ups changed.
    """
    gameweek = db.session.get_one(Gameweek, gameweek_id)
    leagues = db.session.execute(_WITH_ROSTERS, {"gameweek_id": gameweek_id, "now": now}).all()
    return sum(_fit(row.team_rules_id, row.member_ids, gameweek, now) for row in leagues)


# Leagues whose line-ups have locked already, because the gameweek locks late, are left out.
_WITH_ROSTERS = text("""
    SELECT l.team_rules_id, array_agg(f.member_id) AS member_ids
    FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id
    JOIN sheet_deadlines d ON d.team_rules_id = l.team_rules_id AND d.gameweek_id = w.id
    JOIN franchises f ON f.league_id = l.id
    WHERE w.id = :gameweek_id AND l.game = 'draft' AND l.first_week <= w.week
      AND d.locks_at > :now AND f.member_id IS NOT NULL
      AND EXISTS (SELECT FROM roster_spots p WHERE p.league_id = l.id)
    GROUP BY l.team_rules_id ORDER BY l.team_rules_id
""")


def _fit(team_rules_id: int, member_ids: Collection[int], gameweek: Gameweek, now: datetime) -> int:
    """Fit the open line-ups of these members of a league, and return how many changed.

    What they had the gameweek before is carried over already. The number of statements does not
    depend on the number of members.
    """
    team_format = format_named(
        db.session.scalars(select(TeamRules.format).where(TeamRules.id == team_rules_id)).one()
    )
    stored = _locked_picks(team_rules_id, member_ids, gameweek)
    rosters = active_rosters(team_rules_id, member_ids)
    footballers = set[str]().union(*stored.values(), *rosters.values())
    begun = begun_among(footballers, gameweek, now)
    nobody = ("",) * len(team_format.places)
    changed: dict[int, list[str]] = {}
    added: dict[int, list[str]] = {}
    for member_id, roster in rosters.items():
        picks = [*fitted(team_format, stored.get(member_id, nobody), roster, begun)]
        if member_id not in stored:
            added[member_id] = picks
        elif picks != stored[member_id]:
            changed[member_id] = picks
    key = {"team_rules_id": team_rules_id, "gameweek_id": gameweek.id}
    _change(changed, key, now)
    _add(added, key, now)
    return len(changed) + len(added)


def _locked_picks(
    team_rules_id: int, member_ids: Collection[int], gameweek: Gameweek
) -> dict[int, list[str]]:
    """The picks of the members' stored line-ups, locked in order of the members' ids."""
    rows = db.session.execute(
        select(TeamSheet.member_id, TeamSheet.picks)
        .where(
            TeamSheet.team_rules_id == team_rules_id,
            TeamSheet.gameweek_id == gameweek.id,
            TeamSheet.member_id.in_(member_ids),
        )
        .order_by(TeamSheet.member_id)
        .with_for_update(key_share=True)
    )
    return {row.member_id: row.picks for row in rows}


def _change(lineups: Mapping[int, list[str]], key: Mapping[str, int], now: datetime) -> None:
    """Replace the picks of stored line-ups, by member, in one statement."""
    if not lineups:
        return
    columns = (column("member_id", BigInteger), column("picks", ARRAY(TEXT)))
    fitted_lineups = values(*columns, name="fitted_lineups").data([*lineups.items()])
    db.session.execute(
        update(TeamSheet)
        .filter_by(**key)
        .where(TeamSheet.member_id == fitted_lineups.c.member_id)
        .values(picks=fitted_lineups.c.picks, version=TeamSheet.version + 1, saved_at=now),
        execution_options={"synchronize_session": False},
    )


def _add(lineups: Mapping[int, list[str]], key: Mapping[str, int], now: datetime) -> None:
    """Store the first line-ups of members, in one statement."""
    if not lineups:
        return
    captain, vice_captain = NO_CAPTAINS
    rows = [
        {
            **key,
            "member_id": member_id,
            "picks": picks,
            "captain": captain,
            "vice_captain": vice_captain,
            "purchase_prices": [0] * len(picks),
            "bank": 0,
            "saved_at": now,
        }
        for member_id, picks in lineups.items()
    ]
    db.session.execute(insert(TeamSheet), rows)
