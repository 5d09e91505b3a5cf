"""Records transactions in a league's log, with the rosters and line-ups that follow from them.

Only the caller commits, and has locked the league (`franchises.services.locked`). Who may do what
is decided before; here it is checked that the act is possible: everybody is where the act takes
them from, rosters do not become too large, and no budget falls below nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.act_tokens import NamedAct, first_outcome
from app.draft_leagues.franchises.services import teams
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.feed import tell_integrators
from app.fantasy.rosters import rules
from app.fantasy.rosters.models import (
    Franchise,
    FranchiseBudget,
    PickOwner,
    RosterSpot,
    RosterTransaction,
)
from app.fantasy.rosters.queries import Recorded, names_of, recorded, rosters_of
from app.fantasy.rosters.rules import Limits, Names, Rosters, Transaction
from app.fantasy.sheets import roster_services
from app.fantasy.standings.models import League

# Of acts that may make rosters too large, such as a rookie draft.
NO_LIMITS = Limits(1000, 1000, 1000)
_OWN_COLUMNS = ("kind", "by_member_id", "reason", "depends_on", "source")


@dataclass(frozen=True)
class Refused:
    """Nothing was recorded. `index`: which of the transactions was refused, from 0."""

    index: int
    refusals: tuple[Refusal, ...]


def settings_of(league: DraftLeague) -> DraftLeagueSettings:
    """The league's settings; its scoring is that of League, which has a page of its own."""
    scoring = db.session.get_one(League, league.league_id).rules
    return msgspec.convert(league.settings | {"scoring": scoring}, DraftLeagueSettings)


def record(
    league: DraftLeague,
    transactions: Sequence[Transaction],
    now: datetime,
    *,
    limits: Limits | None = None,
) -> list[int] | Refused:
    """Record these transactions one after the other, all of them or none.

    A transaction whose source is in the log already is not recorded again; its number is returned.

    Args:
        league: The league, locked.
        transactions: In the order in which they take effect.
        now: When they are made.
        limits: The sizes of rosters; None for those of the settings.

    Returns:
        Their numbers in the log.
    """
    limits = limits or limits_of(settings_of(league))
    before = rosters = rosters_of(league.league_id)
    footballers = names_of(move.footballer_id for each in transactions for move in each.moves)
    names = Names(footballers, {team.number: team.name for team in teams(league.league_id)})
    team_rules_id = db.session.get_one(League, league.league_id).team_rules_id
    begun = roster_services.begun_now(team_rules_id, footballers, now)
    known = _known_sources(league.league_id, transactions)
    number = _last_number(league.league_id)
    numbers, new = [], []
    for index, transaction in enumerate(transactions):
        if transaction.source is not None and transaction.source in known:
            numbers.append(known[transaction.source])
            continue
        refused = rules.lock_refusals(transaction, begun, names)
        if refused := refused or rules.refusals(rosters, transaction, limits, names):
            return Refused(index, tuple(refused))
        number += 1
        numbers.append(number)
        new.append(Recorded(number, now, transaction))
        rosters = rules.applied(rosters, transaction)
    if new:
        members = _members_of(league.league_id, new)
        roster_services.lock_members(members)
        _write_log(league.league_id, new)
        _write_rosters(league.league_id, before, rosters, new)
        roster_services.fit_open(team_rules_id, members, now)
        tell_integrators(db.session.get_one(League, league.league_id), new)
    return numbers


def reverse(
    league: DraftLeague, number: int, *, by_member_id: int | None, reason: str, now: datetime
) -> int | Refused:
    """Take a transaction back by recording its reversal; again changes nothing.

    The act is refused if somebody whom it moved has moved again since: the later act has to be
    reversed first.
    """
    back = reversal_of(league.league_id, number, by_member_id=by_member_id, reason=reason)
    if isinstance(back, Refusal):
        return Refused(0, (back,))
    result = record(league, [back], now)
    return result if isinstance(result, Refused) else result[0]


def reversal_of(
    league_id: int, number: int, *, by_member_id: int | None, reason: str
) -> Transaction | Refusal:
    """The entry that takes a transaction back, or why there is none. Nothing is recorded."""
    row = db.session.get(RosterTransaction, (league_id, number))
    if row is None:
        return Refusal("number", "number", f"Transaction {number} does not exist. Choose another.")
    return rules.reversal(
        recorded(row).transaction, number, by_member_id=by_member_id, reason=reason
    )


def rebuild(league: DraftLeague) -> Rosters:
    """Write rosters, budgets and owners of picks anew from the log, and return them."""
    from_log = db.session.scalars(
        select(RosterTransaction)
        .where(RosterTransaction.league_id == league.league_id)
        .order_by(RosterTransaction.number)
    )
    log = [recorded(row) for row in from_log]
    rosters = rules.folded(each.transaction for each in log)
    for table in (RosterSpot, FranchiseBudget, PickOwner):
        db.session.execute(delete(table).where(table.league_id == league.league_id))
    _write_rosters(league.league_id, Rosters(), rosters, log)
    return rosters


def first_number(league_id: int, act: NamedAct | None) -> int | Refusal | None:
    """The entry of the log that the act made when it was sent first; None for a new act.

    A refusal if its token names another act.
    """
    entries = select(RosterTransaction.number).where(RosterTransaction.league_id == league_id)
    number: int | Refusal | None = first_outcome(act, entries, RosterTransaction.source)
    return number


def limits_of(settings: DraftLeagueSettings) -> Limits:
    """The sizes of a roster."""
    roster = settings.roster
    return Limits(roster.active, roster.reserve, roster.taxi)


def _last_number(league_id: int) -> int:
    return (
        db.session.scalar(
            select(func.max(RosterTransaction.number)).where(
                RosterTransaction.league_id == league_id
            )
        )
        or 0
    )


def _known_sources(league_id: int, transactions: Sequence[Transaction]) -> dict[str, int]:
    """The numbers of these transactions that are in the log already, by their sources."""
    sources = [each.source for each in transactions if each.source is not None]
    rows = db.session.execute(
        select(RosterTransaction.source, RosterTransaction.number).where(
            RosterTransaction.league_id == league_id, RosterTransaction.source.in_(sources)
        )
    )
    return {row.source: row.number for row in rows}


def _members_of(league_id: int, new: Sequence[Recorded]) -> list[int]:
    """The members of all franchises that the transactions concern."""
    numbers = {number for each in new for number in each.transaction.franchises}
    return [
        *db.session.scalars(
            select(Franchise.member_id)
            .where(
                Franchise.league_id == league_id,
                Franchise.number.in_(numbers),
                Franchise.member_id.is_not(None),
            )
            .order_by(Franchise.member_id)
        )
    ]


def _write_log(league_id: int, new: Sequence[Recorded]) -> None:
    rows = []
    for each in new:
        content = msgspec.to_builtins(each.transaction)
        columns = {name: content.pop(name) for name in _OWN_COLUMNS}
        rows.append(
            {
                "league_id": league_id,
                "number": each.number,
                "content": content,
                "franchises": list(each.transaction.franchises),
                "made_at": each.made_at,
                **columns,
            }
        )
    db.session.execute(insert(RosterTransaction), rows)


def _write_rosters(
    league_id: int, before: Rosters, after: Rosters, new: Sequence[Recorded]
) -> None:
    """Write what is different after these transactions."""
    moved = {
        move.footballer_id: each for each in new for move in each.transaction.moves
    }  # the latest transaction of each footballer
    db.session.execute(
        delete(RosterSpot).where(
            RosterSpot.league_id == league_id, RosterSpot.footballer_id.in_(moved)
        )
    )
    spots = [
        {
            "league_id": league_id,
            "footballer_id": footballer,
            "franchise": after.places[footballer].franchise,
            "spot": after.places[footballer].spot,
            "since": each.made_at,
            "number": each.number,
        }
        for footballer, each in moved.items()
        if footballer in after.places
    ]
    if spots:
        db.session.execute(insert(RosterSpot), spots)
    budgets = [
        {"league_id": league_id, "franchise": franchise, "amount": amount}
        for franchise, amount in after.budgets.items()
        if amount != before.budgets.get(franchise)
    ]
    if budgets:
        upsert = insert(FranchiseBudget).values(budgets)
        db.session.execute(
            upsert.on_conflict_do_update(
                index_elements=["league_id", "franchise"],
                set_={"amount": upsert.excluded.amount},
            )
        )
    for key, franchise in after.picks.items():
        if franchise != before.picks.get(key):
            season, round_number, original = key
            values = {
                "league_id": league_id,
                "season": season,
                "round": round_number,
                "original_franchise": original,
                "franchise": franchise,
            }
            db.session.execute(
                insert(PickOwner)
                .values(values)
                .on_conflict_do_update(
                    index_elements=["league_id", "season", "round", "original_franchise"],
                    set_={"franchise": franchise},
                )
            )
