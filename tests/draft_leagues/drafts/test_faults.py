"""A draft under kills at every line, repeated submissions and clocks that run out.

Nothing that was accepted is lost, nothing is doubled, and no pick is made after its clock.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.drafts import desk, events, founding, queries, services
from app.draft_leagues.drafts.founding import DraftToPlan
from app.draft_leagues.drafts.models import DraftEvent, DraftPick
from app.draft_leagues.drafts.plan import DraftPlan
from app.draft_leagues.drafts.queries import Room, Seat
from app.draft_leagues.drafts.rules import Draft
from app.draft_leagues.drafts.services import Done, Submission
from app.draft_leagues.settings import DraftLeagueSettings, DraftSettings, RosterSettings
from tests.draft_leagues.drafts.plans import START, STARTERS, seconds
from tests.killing import kill_at_line
from tests.worlds.draft_market import make_market

FRANCHISES = 4
PLACES = 36


@pytest.fixture
def rooms(app: Flask, member: Callable[..., Member]) -> dict[int, Room]:
    """The room of each franchise in a long draft that has started."""
    season = make_market(40)
    settings = DraftLeagueSettings(
        franchises=FRANCHISES,
        scoring="half_ppr_idp",
        time_zone="America/New_York",
        roster=RosterSettings(STARTERS, bench=PLACES - 4),
        draft=DraftSettings(seconds_per_pick=60),
    )
    ids = {number: member(f"drafter{number}").id for number in range(1, FRANCHISES + 1)}
    seats = [Seat(number, f"Team {number}", member_id) for number, member_id in ids.items()]
    draft = DraftToPlan("Long", season.id, settings, seats, tuple(ids), created_by=ids[1])
    row = founding.plan_draft(draft, START)
    db.session.commit()
    rooms = {}
    for number, member_id in ids.items():
        room = queries.load_room(row.id, member_id)
        assert room
        rooms[number] = room
    services.start(rooms[1], Submission(START))
    return rooms


def state(room: Room) -> Draft:
    db.session.rollback()
    return queries.load_snapshot(room.draft_id).draft


def best_left(room: Room) -> str:
    snapshot = queries.load_snapshot(room.draft_id)
    taken = snapshot.draft.taken
    return next(each.id for each in snapshot.pool.footballers if each.id not in taken)


def test_a_pick_that_is_killed_at_any_line_and_sent_again_counts_once(
    rooms: dict[int, Room], measured: Callable[[str], None]
) -> None:
    room = rooms[1]
    sent = accepted = 0
    for line in count(1):
        draft = state(room)
        turn, number = draft.on_turn, draft.expected
        assert turn is not None
        footballer = best_left(room)
        submission = Submission(START + seconds(1), f"line {line}", number)
        with kill_at_line(line, services, desk) as tracer:
            services.pick(rooms[turn], footballer, submission)
        outcome = services.pick(rooms[turn], footballer, submission)
        sent += 2
        accepted += isinstance(outcome, Done)
        after = state(room)
        assert after.picks[number].footballer_id == footballer
        assert len(after.picks) == len(draft.picks) + 1
        if tracer.count < line:
            break  # no line is left at which it could be killed
    draft = state(room)
    assert len(draft.picks) == accepted
    assert _stored(room) == {pick.footballer_id: pick.number for pick in draft.picks.values()}
    measured(
        f"draft picks, killed at each line: {sent} sent, {accepted} accepted, 0 lost, 0 doubled"
    )


def test_any_history_of_a_draft_loses_and_doubles_nothing(
    rooms: dict[int, Room], measured: Callable[[str], None]
) -> None:
    luck = random.Random(31)  # noqa: S311 (an example, not a secret)
    accepted: dict[int, str] = {}
    sent = 0
    now = 1.0
    for step in range(120):
        draft = state(rooms[1])
        if draft.on_turn is None:
            break
        turn, number = draft.on_turn, draft.expected
        now += luck.choice([0.2, 0.5, 3, 3, 59.999, 62])
        act = luck.choice(["pick", "pick", "twice", "killed", "wrong turn", "worker"])
        if act == "worker":
            services.advance_due(START + seconds(now))
            continue
        who = turn % FRANCHISES + 1 if act == "wrong turn" else turn
        footballer = luck.choice(["QB", "RB", "WR"]) + str(luck.randint(1, 40))
        submission = Submission(START + seconds(now), f"step {step}", number)
        if act == "killed":
            sent += 1
            with kill_at_line(luck.randint(1, 90), services, desk):
                services.pick(rooms[who], footballer, submission)
        for _ in range(2 if act == "twice" else 1):
            sent += 1
            if isinstance(services.pick(rooms[who], footballer, submission), Done):
                accepted[number] = footballer
                assert who == turn
    draft = state(rooms[1])
    lost = [
        number
        for number, footballer in accepted.items()
        if draft.picks[number].footballer_id != footballer
    ]
    doubled = len(draft.picks) - len(draft.taken)
    assert (lost, doubled) == ([], 0)
    assert _stored(rooms[1]) == {pick.footballer_id: pick.number for pick in draft.picks.values()}
    assert _late(rooms[1], draft.plan) == []
    measured(
        f"draft histories: {sent} picks sent, {len(accepted)} accepted, {len(lost)} lost, "
        f"{doubled} doubled"
    )


def _stored(room: Room) -> dict[str, int]:
    rows = db.session.execute(
        select(DraftPick.footballer_id, DraftPick.number).where(DraftPick.draft_id == room.draft_id)
    )
    return {row.footballer_id: row.number for row in rows}


def _late(room: Room, plan: DraftPlan) -> list[int]:
    """The numbers of picks that members made after their clock had run out."""
    bodies = db.session.scalars(
        select(DraftEvent.body)
        .where(DraftEvent.draft_id == room.draft_id)
        .order_by(DraftEvent.number)
    )
    late, draft = [], Draft(plan)
    for event in map(events.event_of, bodies):
        if isinstance(event, events.Picked) and event.by == "member":
            assert draft.deadline is not None
            if event.at >= draft.deadline:
                late.append(event.number)
        draft.apply(event)
    return late
