"""The rosters and the log of a draft league in its exported document.

The log is the truth: rosters, budgets and picks are what its transactions add up to, and a document
in which they are not is refused. Whose phone or form sent an act (`source`) is not exported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec
from sqlalchemy import insert, select

from app.core.db import db
from app.fantasy.leagues.document import Document, ExportedTransaction, time_text
from app.fantasy.rosters.models import (
    Franchise,
    FranchiseBudget,
    PickOwner,
    RosterSpot,
    RosterTransaction,
)
from app.fantasy.rosters.queries import Recorded, rosters_of, transactions_of
from app.fantasy.rosters.rules import Rosters, Transaction, folded
from app.fantasy.standings.models import League

Row = dict[str, Any]


def tables(
    league: League, name: Mapping[int, str], hidden: Collection[int]
) -> dict[str, list[Row]]:
    """The tables of the document: franchises, rosters and transactions, each in a fixed order.

    Args:
        league: The league.
        name: Of people by the ids of members.
        hidden: Members whose teams are named by their numbers.
    """
    budgets = rosters_of(league.id).budgets
    franchises = db.session.scalars(
        select(Franchise).where(Franchise.league_id == league.id).order_by(Franchise.number)
    )
    spots = db.session.scalars(
        select(RosterSpot)
        .where(RosterSpot.league_id == league.id)
        .order_by(RosterSpot.franchise, RosterSpot.number, RosterSpot.footballer_id)
    )
    return {
        "franchises": [
            {
                "number": franchise.number,
                "member": name.get(franchise.member_id or 0),
                "name": franchise.name
                if franchise.member_id not in hidden
                else f"Team {franchise.number}",
                "division": franchise.division,
                "waiver_priority": franchise.waiver_priority,
                "is_locked": franchise.is_locked,
                "budget": budgets.get(franchise.number),
            }
            for franchise in franchises
        ],
        "rosters": [
            {
                "franchise": spot.franchise,
                "footballer": spot.footballer_id,
                "spot": spot.spot,
                "since": time_text(spot.since),
                "transaction": spot.number,
            }
            for spot in spots
        ],
        "transactions": [_transaction(each, name) for each in transactions_of(league.id)],
    }


def _transaction(recorded: Recorded, name: Mapping[int, str]) -> Row:
    transaction = recorded.transaction
    return {
        "number": recorded.number,
        "kind": transaction.kind,
        "made_at": time_text(recorded.made_at),
        "by": name.get(transaction.by_member_id or 0),
        "reason": transaction.reason,
        "depends_on": transaction.depends_on,
        "moves": [*msgspec.to_builtins(transaction.moves)],
        "budgets": [*msgspec.to_builtins(transaction.budgets)],
        "picks": [*msgspec.to_builtins(transaction.picks)],
    }


def footballers_of(rows: Mapping[str, list[Row]]) -> set[str]:
    """Everybody whom these tables name."""
    moves = [move for row in rows["transactions"] for move in row["moves"]]
    return {
        *(row["footballer"] for row in rows["rosters"]),
        *(move["footballer_id"] for move in moves),
    }


def people_named(document: Document) -> Iterator[tuple[str, str | None]]:
    """Everybody whom the tables name, with the table."""
    for franchise in document.franchises:
        yield "franchises", franchise.member
    for transaction in document.transactions:
        yield "transactions", transaction.by


def faults(document: Document) -> list[str]:
    """What is wrong with the tables: teams that do not exist, and rosters that do not add up."""
    numbers = {franchise.number for franchise in document.franchises}
    acts = [_act(each, None) for each in document.transactions]
    unknown = {number for act in acts for number in act.franchises} - numbers
    if unknown:
        return [f"transactions: there is no franchise {number}." for number in sorted(unknown)]
    log = [each.number for each in document.transactions]
    if log != [*range(1, len(log) + 1)]:
        return ["transactions: number them from 1, in their order."]
    sums = folded(acts)
    places = {who: (place.franchise, place.spot) for who, place in sums.places.items()}
    sum_faults = []
    if places != {row.footballer: (row.franchise, row.spot) for row in document.rosters}:
        sum_faults.append("rosters: they don't match the transactions.")
    budgets = {each.number: each.budget for each in document.franchises if each.budget is not None}
    if budgets != sums.budgets:
        sum_faults.append("franchises: the budgets don't match the transactions.")
    if any(not 1 <= row.transaction <= len(log) for row in document.rosters):
        sum_faults.append("rosters: name the transaction that added each player.")
    return sum_faults


def _act(exported: ExportedTransaction, by_member_id: int | None) -> Transaction:
    return Transaction(
        exported.kind,
        tuple(exported.moves),
        tuple(exported.budgets),
        tuple(exported.picks),
        by_member_id=by_member_id,
        reason=exported.reason,
        depends_on=exported.depends_on,
    )


def write(document: Document, league: League, people: Mapping[str, int]) -> None:
    """Write the tables of a league that has none. Only the caller commits."""
    here = {"league_id": league.id}
    _insert(
        Franchise,
        [
            {
                **here,
                "number": franchise.number,
                "member_id": people.get(franchise.member or ""),
                "name": franchise.name,
                "division": franchise.division,
                "waiver_priority": franchise.waiver_priority,
                "is_locked": franchise.is_locked,
            }
            for franchise in document.franchises
        ],
    )
    acts = {each.number: _act(each, people.get(each.by or "")) for each in document.transactions}
    _insert(
        RosterTransaction,
        [
            {
                **here,
                "number": each.number,
                "kind": each.kind,
                "content": {
                    "moves": msgspec.to_builtins(each.moves),
                    "budgets": msgspec.to_builtins(each.budgets),
                    "picks": msgspec.to_builtins(each.picks),
                },
                "franchises": list(acts[each.number].franchises),
                "by_member_id": acts[each.number].by_member_id,
                "reason": each.reason,
                "depends_on": each.depends_on,
                "made_at": each.made_at,
            }
            for each in document.transactions
        ],
    )
    _insert(
        RosterSpot,
        [
            {
                **here,
                "footballer_id": row.footballer,
                "franchise": row.franchise,
                "spot": row.spot,
                "since": row.since,
                "number": row.transaction,
            }
            for row in document.rosters
        ],
    )
    _write_sums(league, folded(acts.values()))


def _write_sums(league: League, rosters: Rosters) -> None:
    _insert(
        FranchiseBudget,
        [
            {"league_id": league.id, "franchise": franchise, "amount": amount}
            for franchise, amount in rosters.budgets.items()
        ],
    )
    _insert(
        PickOwner,
        [
            {
                "league_id": league.id,
                "season": season,
                "round": round_number,
                "original_franchise": original,
                "franchise": franchise,
            }
            for (season, round_number, original), franchise in rosters.picks.items()
        ],
    )


def _insert(table: Any, rows: list[Row]) -> None:
    if rows:
        db.session.execute(insert(table), rows)
