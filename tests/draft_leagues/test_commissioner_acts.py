"""Every act of a commissioner on somebody's behalf, in one list.

Each has a reason, an entry in the log that everybody reads, a notice to whom it concerns and nobody
else, and a way back, or its page says before that there is none (issue 47, D19 to D23; ADR 0088:
who, when and why).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.commissioner import lineups
from app.draft_leagues.commissioner import services as commissioner
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.commissioner.lineups import Correction
from app.fantasy.leagues import services as leagues
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.queries import rosters_of, transactions_of
from app.fantasy.rosters.rules import BudgetMove, Move, Transaction
from tests.worlds.draft_leagues import DRAFTED, DraftWorld

ANN, BOB = 0, 1
SOON = DRAFTED + timedelta(hours=1)


def moved(world: DraftWorld, reason: str) -> object:
    [owned, *_] = rosters_of(world.league.id).of(2)
    move = Move(owned, 2, None)
    ann = world.members[ANN]
    return commissioner.act(world.league.id, [move], by_member_id=ann, reason=reason, now=SOON)


def reversed_draft_pick(world: DraftWorld, reason: str) -> object:
    number = next(
        each.number
        for each in transactions_of(world.league.id)
        if each.transaction.franchises == (2,) and each.transaction.kind == "drafted"
    )
    ann = world.members[ANN]
    return commissioner.reverse(world.league.id, number, by_member_id=ann, reason=reason, now=SOON)


def locked(world: DraftWorld, reason: str) -> object:
    by = By(world.members[ANN], reason)
    return commissioner.set_locked(world.league.id, 2, by, SOON, is_locked=True)


def taken(world: DraftWorld, reason: str) -> object:
    by = By(world.members[ANN], reason)
    return commissioner.open_franchise(world.league.id, 2, by, SOON)


def named_co_commissioner(world: DraftWorld, reason: str) -> object:
    by = By(world.members[ANN], reason)
    return commissioner.set_co_commissioners(world.league.id, [world.members[BOB]], by, SOON)


def lineup_set(world: DraftWorld, reason: str) -> object:
    stored = lineups.stored_lineup(world.league, 2, 1, SOON)
    assert isinstance(stored, lineups.StoredLineup)
    starters = ("", *stored.stored[1 : len(stored.team_format.starters)])
    act = lineups.Act(world.members[ANN], reason, stored.version)
    return lineups.correct(world.league, Correction(2, 1, starters), act, SOON)


@dataclass(frozen=True)
class ActOnBehalf:
    """An act that concerns Bob alone. `words`: what its notice says."""

    do: Callable[[DraftWorld, str], object]
    words: str


ACTS: Mapping[str, ActOnBehalf] = {
    "draft_commissioner_acts.act": ActOnBehalf(moved, "the commissioner changed your roster"),
    "draft_commissioner.reverse": ActOnBehalf(
        reversed_draft_pick, "one of your transactions was reversed"
    ),
    "draft_commissioner.lock": ActOnBehalf(locked, "the commissioner locked your team"),
    "draft_commissioner.open_franchise": ActOnBehalf(
        taken, "the commissioner removed you as owner"
    ),
    "draft_commissioner.set_co_commissioners": ActOnBehalf(
        named_co_commissioner, "you are a co-commissioner"
    ),
    "draft_commissioner_acts.correct": ActOnBehalf(lineup_set, "the commissioner set a lineup"),
}


def test_the_list_names_every_act_of_the_commissioners_pages(app: Flask) -> None:
    posted = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("draft_commissioner") and "POST" in (rule.methods or ())
    }
    assert posted == {*ACTS}


@pytest.mark.parametrize("name", ACTS)
def test_an_act_has_a_reason_an_entry_and_a_notice(drafted: DraftWorld, name: str) -> None:
    act, log = ACTS[name], transactions_of(drafted.league.id)
    for bad in ("  ", "x" * 301, "They asked \u202eme to."):
        [refused] = act.do(drafted, bad)  # type: ignore[misc]
        assert refused.field == "reason"
    assert transactions_of(drafted.league.id) == log
    assert act.do(drafted, "They asked me to.") not in ([refused],)
    [entry] = transactions_of(drafted.league.id)[len(log) :]
    assert "They asked me to." in entry.transaction.reason
    assert entry.transaction.by_member_id == drafted.members[ANN]
    notices = db.session.scalars(
        select(Notice).where(Notice.created_at >= SOON, Notice.member_id.in_(drafted.members))
    ).all()
    notices_by_member = {notice.member_id: notice for notice in notices}
    others = drafted.members[2:] if name == "draft_commissioner.open_franchise" else ()
    assert set(notices_by_member) == {drafted.members[BOB], *others}
    assert notices_by_member[drafted.members[BOB]].title == f"The Row: {act.words}"
    assert all(
        notices_by_member[other].title == "The Row: Bob FC needs a new owner" for other in others
    )
    assert all("They asked me to." in notice.body for notice in notices)


def test_members_are_told_who_takes_over_a_team(
    drafted: DraftWorld, member: Callable[..., Member]
) -> None:
    taken(drafted, "He left us.")
    later = SOON + timedelta(hours=1)
    eve = member("eve").id
    assert leagues.join(eve, drafted.league.id, "Eve FC", later) is None
    rows = db.session.execute(
        select(Notice.member_id, Notice.title, Notice.body).where(Notice.created_at >= later)
    ).all()
    assert {row.member_id for row in rows} == {drafted.members[ANN], *drafted.members[2:]}
    assert {row.title for row in rows} == {"Eve FC joined The Row"}
    assert sum("They took over Bob FC" in row.body for row in rows) == 2


def test_members_are_told_who_runs_the_league_now(drafted: DraftWorld) -> None:
    league_id, cat = drafted.league.id, drafted.members[2]
    assert leagues.hand_over(league_id, cat, SOON) is None
    entry = transactions_of(league_id)[-1].transaction
    assert entry.reason == "Cat is now the commissioner."
    rows = db.session.execute(
        select(Notice.member_id, Notice.title).where(Notice.created_at >= SOON)
    ).all()
    informed = {row.member_id for row in rows if row.title.endswith("Cat is now the commissioner")}
    assert informed == {drafted.members[BOB], drafted.members[3]}


def test_an_act_that_changes_nothing_is_no_entry(drafted: DraftWorld) -> None:
    log = transactions_of(drafted.league.id)
    by = By(drafted.members[ANN], "Twice")
    assert commissioner.set_locked(drafted.league.id, 2, by, SOON, is_locked=False) == []
    assert commissioner.set_co_commissioners(drafted.league.id, [], by, SOON) == []
    assert transactions_of(drafted.league.id) == log


def test_a_reversal_can_be_taken_back(drafted: DraftWorld) -> None:
    """All waiver budgets, reversed by a slip, come back by reversing the reversal (D20b)."""
    league_id, ann = drafted.league.id, drafted.members[ANN]
    grant = Transaction("budget", budgets=tuple(BudgetMove(team, 100) for team in (1, 2, 3, 4)))
    [number] = drafted.record(grant)
    for expected in (0, 100, 0):
        result = commissioner.reverse(
            league_id, number, by_member_id=ann, reason="A slip.", now=SOON
        )
        assert isinstance(result, int)
        assert set(rosters_of(league_id).budgets.values()) == {expected}
        number = result


def test_what_cannot_be_taken_back_says_so_before(
    drafted: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    page = sign_in(username="ann").get(f"/leagues/{drafted.league.slug}/commissioner").text
    assert page.count("This can't be undone.") == 3  # the teams of Bob, Cat and Dan
