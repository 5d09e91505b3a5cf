"""Team sheets: reading, saving, carrying over (PRODUCT B2, G6).

One save is one transaction on PostgreSQL and nothing else: a dead broker or Redis costs nobody
their team. Lives here: the services that views and the API call. Not here: what a sheet must keep
(rules.py), the editor's page (pages/team_sheet), what happens to all sheets after a deadline
(gameweeks/after_deadline.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.fantasy.market.models import Gameweek, TeamRules
from app.fantasy.sheets.context import (
    NoSuchSheetError,
    context_of,
    limits_of,
    previous_sheet,
    sheets_until,
    with_players,
)
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.rules import refusals
from app.fantasy.sheets.transfers import (
    Costs,
    CurrentSheet,
    Wanted,
    costs_of,
    free_transfers,
)


@dataclass(frozen=True)
class Sheet:
    """A team sheet, or (`saved_at` None) the one that will be carried over unless another is saved.

    `version`: what the next save should name; 0 while nobody has saved this one.
    """

    member_id: int
    team_rules_id: int
    gameweek_id: int
    picks: tuple[str, ...]
    captain: int
    vice_captain: int
    purchase_prices: tuple[int, ...]
    bank: int
    free_transfers: int | None
    transfers: int
    transfer_cost: int
    version: int
    is_carried: bool
    saved_at: datetime | None


@dataclass(frozen=True)
class Saved:
    """`costs`: what the sheet costs. `version`: what the next save should name."""

    sheet_id: int
    version: int
    costs: Costs


@dataclass(frozen=True)
class Refused:
    """Nothing was written; every reason at once."""

    refusals: tuple[Refusal, ...]


def save(
    member_id: int, team_rules_id: int, gameweek_id: int, wanted: Wanted, now: datetime
) -> Saved | Refused:
    """Saves the whole team sheet, or none of it.

    `now`: when the server received it; that decides about the deadline.

    The same save sent twice is one save: a browser repeats it if the answer to the first was lost.
    Saves of one member follow each other. Joins the season's overall league if that plays by these
    team rules. Raises NoSuchSheetError.
    """
    with transaction():
        name = db.session.scalar(
            text("SELECT display_name FROM members WHERE id = :id FOR NO KEY UPDATE"),
            {"id": member_id},
        )
        if name is None:
            raise NoSuchSheetError(f"no member {member_id}")
        context = with_players(
            context_of(member_id, team_rules_id, gameweek_id, now), wanted.picks, now
        )
        costs = costs_of(wanted.picks, context)
        if context.current is not None and _is_repeat(wanted, context.current):
            return Saved(
                _sheet_id(member_id, team_rules_id, gameweek_id), context.current.version, costs
            )
        found = refusals(wanted, context, costs)
        if found:
            return Refused(tuple(found))
        if context.locks_each and context.previous:
            # So that the trigger sees who was moved: without a row everybody would count as new,
            # those who play too.
            carry_over(gameweek_id, team_rules_id, now, member_id=member_id)
        sheet_id, version = _write(member_id, team_rules_id, gameweek_id, wanted, costs, now)
        db.session.execute(
            _JOIN_OVERALL, {"member_id": member_id, "team_rules_id": team_rules_id, "name": name}
        )
    return Saved(sheet_id, version, costs)


def _is_repeat(wanted: Wanted, current: CurrentSheet) -> bool:
    """Whether the last save was this one."""
    return (
        wanted.version is not None
        and current.version == wanted.version + 1
        and (wanted.picks, wanted.captain, wanted.vice_captain)
        == (current.picks, current.captain, current.vice_captain)
    )


def _sheet_id(member_id: int, team_rules_id: int, gameweek_id: int) -> int:
    return db.session.scalars(
        select(TeamSheet.id).where(
            TeamSheet.member_id == member_id,
            TeamSheet.team_rules_id == team_rules_id,
            TeamSheet.gameweek_id == gameweek_id,
        )
    ).one()


_JOIN_OVERALL = text("""
    INSERT INTO league_members (league_id, member_id, team_name)
    SELECT l.id, :member_id, :name FROM leagues l
    WHERE l.team_rules_id = :team_rules_id AND l.is_overall
      AND NOT EXISTS (SELECT FROM league_bans b WHERE b.league_id = l.id
        AND b.member_id = :member_id)
    ON CONFLICT DO NOTHING
""")


def _write(
    member_id: int,
    team_rules_id: int,
    gameweek_id: int,
    wanted: Wanted,
    costs: Costs,
    now: datetime,
) -> tuple[int, int]:
    values = {
        "picks": list(wanted.picks),
        "captain": wanted.captain,
        "vice_captain": wanted.vice_captain,
        "purchase_prices": list(costs.purchase_prices),
        "bank": costs.bank,
        "free_transfers": costs.free_transfers,
        "transfers": costs.transfers,
        "transfer_cost": costs.transfer_cost,
        "is_carried": False,
        "saved_at": now,
    }
    changed = db.session.execute(
        update(TeamSheet)
        .where(
            TeamSheet.member_id == member_id,
            TeamSheet.team_rules_id == team_rules_id,
            TeamSheet.gameweek_id == gameweek_id,
        )
        .values(**values, version=TeamSheet.version + 1)
        .returning(TeamSheet.id, TeamSheet.version)
        .execution_options(synchronize_session=False)
    ).first()
    if changed is None:
        key = {"member_id": member_id, "team_rules_id": team_rules_id, "gameweek_id": gameweek_id}
        # Nobody else saves for this member now; but the carry-over may, and then this one takes its
        # place.
        statement = insert(TeamSheet).values(**key, **values)
        changed = db.session.execute(
            statement.on_conflict_do_update(
                constraint="uq_team_sheets_gamer", set_=values | {"version": TeamSheet.version + 1}
            ).returning(TeamSheet.id, TeamSheet.version)
        ).one()
    return changed.id, changed.version


def sheet_for(member_id: int, team_rules_id: int, gameweek: Gameweek) -> Sheet | None:
    """The team sheet of this gameweek.

    While none is saved, the last one, as it will be carried over; None: neither.
    """
    rows = sheets_until(member_id, team_rules_id, gameweek.season_id, gameweek.week)
    if not rows:
        return None
    newest = rows[0]
    key = (member_id, team_rules_id, gameweek.id)
    if newest.week == gameweek.week:
        return Sheet(
            *key,
            tuple(newest.picks),
            newest.captain,
            newest.vice_captain,
            tuple(newest.purchase_prices),
            newest.bank,
            newest.free_transfers,
            newest.transfers,
            newest.transfer_cost,
            0 if newest.is_carried else newest.version,
            newest.is_carried,
            newest.saved_at,
        )
    rules = db.session.get_one(TeamRules, team_rules_id)
    free = free_transfers(previous_sheet(newest, gameweek.week), limits_of(rules))
    return Sheet(
        *key,
        tuple(newest.picks),
        newest.captain,
        newest.vice_captain,
        tuple(newest.purchase_prices),
        newest.bank,
        free,
        0,
        0,
        0,
        True,
        None,
    )


def carry_over(
    gameweek_id: int, team_rules_id: int | None, now: datetime, *, member_id: int | None = None
) -> int:
    """Gives each member without a team sheet for the gameweek their last one; returns how many.

    Does not commit.

    Of all team rules, or of one; of all members, or of one. Free transfers are computed as
    transfers.free_transfers does, gameweek by gameweek: whoever is carried over has made none.
    """
    return len(
        db.session.execute(
            _CARRY,
            {
                "gameweek_id": gameweek_id,
                "team_rules_id": team_rules_id,
                "member_id": member_id,
                "now": now,
            },
        ).all()
    )


# Free transfers after n gameweeks without a transfer: the first step takes off what was made, the
# others only add. A first sheet's are null, and greatest() passes over null: nothing was left of
# them.
_CARRY = text("""
    INSERT INTO team_sheets (member_id, team_rules_id, gameweek_id, picks, captain, vice_captain,
      purchase_prices, bank,
                             free_transfers, is_carried, saved_at)
    SELECT s.member_id, s.team_rules_id, w.id, s.picks, s.captain, s.vice_captain,
      s.purchase_prices, s.bank,
           CASE WHEN r.free_transfers IS NOT NULL THEN
             least(greatest(r.free_transfers, r.bank_limit),
                   greatest(s.free_transfers - s.transfers,
                     0) + r.free_transfers * (w.week - s.week))
           END,
           true, :now
    FROM gameweeks w
    JOIN team_rules r ON r.season_id = w.season_id
    JOIN LATERAL (
      SELECT DISTINCT ON (t.member_id) t.*, e.week
      FROM team_sheets t JOIN gameweeks e ON e.id = t.gameweek_id
      WHERE t.team_rules_id = r.id AND e.season_id = w.season_id AND e.week < w.week
        AND (CAST(:member_id AS bigint) IS NULL OR t.member_id = :member_id)
      ORDER BY t.member_id, e.week DESC
    ) s ON true
    WHERE w.id = :gameweek_id AND (CAST(:team_rules_id AS bigint) IS NULL OR r.id = :team_rules_id)
    ON CONFLICT DO NOTHING
    RETURNING id
""")
