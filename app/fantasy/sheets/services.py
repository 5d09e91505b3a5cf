"""Reads, saves and carries over team sheets (PRODUCT B2, G6).

A save is one transaction on PostgreSQL and nothing else, so that no member loses a team if the
broker or Redis is down. rules.py decides what may be saved; gameweeks/after_deadline.py handles all
sheets after a deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from app.fantasy.sheets.rules import Conflict, conflict_refusals, merged, refusals
from app.fantasy.sheets.transfers import (
    NO_CAPTAINS,
    Costs,
    CurrentSheet,
    Draft,
    costs_of,
    free_transfers,
)


@dataclass(frozen=True)
class Sheet:
    """A team sheet, or (`saved_at` None) the one that will be carried over unless another is saved.

    `version`: what the next save should name; 0 until somebody saves this one.
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
    """A saved sheet.

    `version`: what the next save should name. `earlier_sheet`: what would have played without this
    save; None for a first sheet, and if it was saved already. `is_merged`: it has changes that were
    saved elsewhere meanwhile.
    """

    sheet_id: int
    version: int
    costs: Costs
    earlier_sheet: CurrentSheet | None = None
    is_merged: bool = False


@dataclass(frozen=True)
class Refused:
    """Nothing was written; every reason at once.

    `draft`: what was refused, merged with what was saved meanwhile if the draft had a base.
    """

    refusals: tuple[Refusal, ...]
    draft: Draft


def save(
    member_id: int, team_rules_id: int, gameweek_id: int, draft: Draft, now: datetime
) -> Saved | Refused:
    """Save the whole team sheet, or nothing of it.

    A draft with a base is merged with what is saved now, so that two tabs can change different
    slots. A save that is sent twice counts once, because a browser repeats a save whose answer was
    lost. With a base, a save that changes nothing writes nothing.
    Saves of one member wait for each other. The member joins the season's overall league if that
    plays by these team rules.

    Args:
        member_id: The member.
        team_rules_id: The team rules.
        gameweek_id: The gameweek.
        draft: The sheet to save.
        now: When the server received it, which decides whether it is in time.

    Raises:
        NoSuchSheetError: There are no such team rules, or they have no such gameweek.
    """
    key = {"member_id": member_id, "team_rules_id": team_rules_id, "gameweek_id": gameweek_id}
    with transaction():
        name = db.session.scalar(
            text("SELECT display_name FROM members WHERE id = :id FOR NO KEY UPDATE"),
            {"id": member_id},
        )
        if name is None:
            raise NoSuchSheetError(f"no member {member_id}")
        context = with_players(
            context_of(member_id, team_rules_id, gameweek_id, now), draft.picks, now
        )
        conflicts: list[Conflict] = []
        edited = draft
        if draft.base is not None and context.current is not None:
            draft, conflicts = merged(draft.base, edited, context.current.draft)
        is_merged = replace(draft, version=None, base=None) != replace(
            edited, version=None, base=None
        )
        if context.format.is_draft:
            captain, vice_captain = NO_CAPTAINS
            draft = replace(draft, captain=captain, vice_captain=vice_captain)
        costs = costs_of(draft.picks, context)
        if context.current is not None and _is_saved(draft, context.current):
            return Saved(_sheet_id(key), context.current.version, costs)
        faults = refusals(draft, context, costs)
        if not context.closed:
            faults = [*conflict_refusals(conflicts, context), *faults]
        if faults:
            return Refused(tuple(faults), draft)
        if context.locks_each and context.previous:
            # The trigger compares the sheet with a row. Without one everybody would count as new,
            # those who play too.
            carry_over(gameweek_id, team_rules_id, now, member_ids=[member_id])
        sheet_id, version = _write(key, draft, costs, now)
        db.session.execute(
            _JOIN_OVERALL, {"member_id": member_id, "team_rules_id": team_rules_id, "name": name}
        )
    return Saved(sheet_id, version, costs, context.current, is_merged)


def _is_saved(draft: Draft, current: CurrentSheet) -> bool:
    """Whether the last save was this one, or a merge that changes nothing."""
    if draft.version is None or not current.version:
        return False
    version = draft.version if draft.base else draft.version + 1
    return version == current.version and (
        (draft.picks, draft.captain, draft.vice_captain)
        == (current.picks, current.captain, current.vice_captain)
    )


def _sheet_id(key: dict[str, int]) -> int:
    return db.session.scalars(select(TeamSheet.id).filter_by(**key)).one()


_JOIN_OVERALL = text("""
    INSERT INTO league_members (league_id, member_id, team_name)
    SELECT l.id, :member_id, :name FROM leagues l
    WHERE l.team_rules_id = :team_rules_id AND l.is_overall
      AND NOT EXISTS (SELECT FROM league_bans b WHERE b.league_id = l.id
        AND b.member_id = :member_id)
    ON CONFLICT DO NOTHING
""")


def _write(key: dict[str, int], draft: Draft, costs: Costs, now: datetime) -> tuple[int, int]:
    """Write the sheet, and return its id and version."""
    values = {
        "picks": list(draft.picks),
        "captain": draft.captain,
        "vice_captain": draft.vice_captain,
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
        .filter_by(**key)
        .values(**values, version=TeamSheet.version + 1)
        .returning(TeamSheet.id, TeamSheet.version)
        .execution_options(synchronize_session=False)
    ).first()
    if changed is None:
        # Nobody else saves for this member now, but the carry-over may. This sheet then replaces
        # the one that was carried over.
        statement = insert(TeamSheet).values(**key, **values)
        changed = db.session.execute(
            statement.on_conflict_do_update(
                constraint="uq_team_sheets_gamer", set_=values | {"version": TeamSheet.version + 1}
            ).returning(TeamSheet.id, TeamSheet.version)
        ).one()
    return changed.id, changed.version


def sheet_for(member_id: int, team_rules_id: int, gameweek: Gameweek) -> Sheet | None:
    """The team sheet of this gameweek, or the last one as it will be carried over."""
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
    gameweek_id: int,
    team_rules_id: int | None,
    now: datetime,
    *,
    member_ids: Sequence[int] | None = None,
) -> int:
    """Give each member without a team sheet for the gameweek their last one, and return how many.

    It does not commit. Free transfers are computed as in transfers.free_transfers, gameweek by
    gameweek, because a sheet that is carried over has made none.

    Args:
        gameweek_id: The gameweek.
        team_rules_id: Only sheets of these team rules; None for all.
        now: When the sheets are carried over.
        member_ids: Only the sheets of these members; None for all.
    """
    values = {
        "gameweek_id": gameweek_id,
        "team_rules_id": team_rules_id,
        "member_ids": member_ids,
        "now": now,
    }
    return len(db.session.execute(_CARRY, values).all())


# Free transfers after n gameweeks without a transfer: the first step subtracts the transfers that
# were made, the others only add. Those of a first sheet are null, which greatest() ignores, so that
# nothing is left of them.
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
        AND (CAST(:member_ids AS bigint[]) IS NULL OR t.member_id = ANY(:member_ids))
      ORDER BY t.member_id, e.week DESC
    ) s ON true
    WHERE w.id = :gameweek_id AND (CAST(:team_rules_id AS bigint) IS NULL OR r.id = :team_rules_id)
    ON CONFLICT DO NOTHING
    RETURNING id
""")
