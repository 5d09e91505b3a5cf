"""The log of transactions against a plain model, and what the database keeps of it."""

from __future__ import annotations

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.core.db import db, transaction
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.transactions import services as transactions
from app.fantasy.rosters.models import RosterSpot, RosterTransaction
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import BudgetMove, Move, PickMove, Place, Transaction
from tests.worlds.draft_leagues import DRAFTED, DraftWorld


def test_rosters_are_the_fold_of_the_log(drafted: DraftWorld) -> None:
    league_id = drafted.league.id
    quarterback = drafted.free("QB")[0]
    numbers = drafted.record(
        Transaction("added", (Move(quarterback, None, 2),), (BudgetMove(2, 100),)),
        Transaction("traded", picks=(PickMove(2027, 1, 2, 2, 3),), budgets=(BudgetMove(2, -40),)),
    )
    assert numbers == [25, 26]  # after 24 picks of the draft
    stored = rosters_of(league_id)
    assert stored.places[quarterback] == Place(2)
    assert (stored.budgets, stored.picks) == ({2: 60}, {(2027, 1, 2): 3})
    with transaction():
        rebuilt = transactions.rebuild(locked(league_id))
    assert rosters_of(league_id) == rebuilt == stored


def test_nobody_is_on_two_rosters(drafted: DraftWorld) -> None:
    league_id = drafted.league.id
    [owned] = list(rosters_of(league_id).of(1))[:1]
    with transaction():
        refused = transactions.record(
            locked(league_id), [Transaction("added", (Move(owned, None, 2),))], DRAFTED
        )
    assert isinstance(refused, transactions.Refused)
    assert [refusal.code for refusal in refused.refusals] == ["moved"]
    spot = RosterSpot(
        league_id=league_id,
        footballer_id=owned,
        franchise=2,
        spot="active",
        since=DRAFTED,
        number=1,
    )
    db.session.add(spot)
    with pytest.raises(IntegrityError, match="pk_roster_spots"):
        db.session.commit()
    db.session.rollback()


def test_a_full_roster_takes_nobody_until_somebody_is_dropped(drafted: DraftWorld) -> None:
    league_id = drafted.league.id
    free = drafted.free("RB")
    room = drafted.settings.roster.active - 6
    drafted.record(*(Transaction("added", (Move(each, None, 1),)) for each in free[:room]))
    one_more = Transaction("added", (Move(free[room], None, 1),))
    with transaction():
        refused = transactions.record(locked(league_id), [one_more], DRAFTED)
    assert isinstance(refused, transactions.Refused)
    assert refused.refusals[0].text == (
        "Ann FC would have 14 active players. The limit is 13: drop 1 first."
    )
    drafted.record(Transaction("added", (Move(free[0], 1, None), Move(free[room], None, 1))))
    assert free[room] in rosters_of(league_id).of(1)
    assert free[0] not in rosters_of(league_id).places


def test_an_act_with_the_same_source_is_recorded_once(drafted: DraftWorld) -> None:
    claim = Transaction("claimed", (Move(drafted.free("TE")[0], None, 4),), source="waivers:1:7")
    assert drafted.record(claim) == drafted.record(claim) == [25]
    assert len(transactions_of(drafted.league.id)) == 25


def test_a_reversal_puts_everything_back_and_later_acts_come_first(drafted: DraftWorld) -> None:
    league_id, footballer = drafted.league.id, drafted.free("TE")[0]
    drafted.record(Transaction("budget", budgets=(BudgetMove(4, 100),)))
    before = rosters_of(league_id)
    added, traded = drafted.record(
        Transaction("added", (Move(footballer, None, 4),), (BudgetMove(4, -5),)),
        Transaction("traded", (Move(footballer, 4, 1),)),
    )

    def reverse(number: int) -> int | transactions.Refused:
        with transaction():
            return transactions.reverse(
                locked(league_id), number, by_member_id=None, reason="A mistake", now=DRAFTED
            )

    refused = reverse(added)
    assert isinstance(refused, transactions.Refused)
    assert refused.refusals[0].text.endswith("now belongs to Ann FC. Choose another player.")
    assert (reverse(traded), reverse(added), reverse(added)) == (28, 29, 29)
    after = rosters_of(league_id)
    assert after == before


def test_the_log_is_never_changed(drafted: DraftWorld) -> None:
    for statement in (
        "UPDATE roster_transactions SET reason = 'other'",
        "DELETE FROM roster_transactions",
    ):
        with pytest.raises(DBAPIError, match="never changed"):
            db.session.execute(text(statement))
        db.session.rollback()
    db.session.execute(text("UPDATE roster_transactions SET by_member_id = NULL"))
    assert db.session.scalar(select(RosterTransaction.kind).limit(1)) == "drafted"
