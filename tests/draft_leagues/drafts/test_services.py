"""Drafts on PostgreSQL: every act once, in time, and in order."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime

import pytest
from flask import Flask
from sqlalchemy.exc import DBAPIError

from app.core import jobs
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.act_tokens import TOKEN_USED
from app.draft_leagues.drafts import acts, founding, queries, services
from app.draft_leagues.drafts.founding import MockWish
from app.draft_leagues.drafts.models import DraftEvent, DraftPick, DraftRow
from app.draft_leagues.drafts.queries import Room
from app.draft_leagues.drafts.services import Done, Submission
from app.draft_leagues.drafts.settling import GRACE
from app.draft_leagues.jobs import ADVANCE_DRAFTS
from app.moderation import privacy
from tests.draft_leagues.drafts.conftest import DraftWorld, MakeDraft
from tests.draft_leagues.drafts.plans import START, seconds
from tests.worlds.draft_market import make_market
from workers.jobs import advance_drafts


def test_a_pick_is_kept_and_the_turn_passes_on(world: DraftWorld) -> None:
    assert world.pick("ann", "RB1") == Done(2)
    assert world.draft().on_turn == 2
    assert world.stored_picks() == {"RB1": 1}
    assert world.pick("ann", "RB2") == acts.NOT_YOUR_TURN
    assert world.pick("bob", "RB1") == acts.TAKEN


def test_the_same_submission_counts_once(world: DraftWorld) -> None:
    first = world.pick("ann", "RB1", token="t1")
    assert first == Done(2)
    assert world.pick("ann", "RB1", token="t1") == Done(2)
    assert world.event_count() == 2


def test_a_token_belongs_to_its_member_and_to_one_act(world: DraftWorld) -> None:
    """docs/integrators.md: another act with a used token is refused."""
    ann, bob = world.room("ann"), world.room("bob")
    assert isinstance(world.pick("ann", "RB1", token="1"), Done)
    assert isinstance(world.pick("bob", "RB2", token="1"), Done)
    assert world.stored_picks() == {"RB1": 1, "RB2": 2}
    later = Submission(START + seconds(2), "1")
    assert services.set_autopilot(bob, 2, is_on=True, submission=later) == TOKEN_USED
    assert services.pause(ann, later) == TOKEN_USED
    assert isinstance(world.pick("cat", "RB3"), Done)
    assert world.pick("cat", "WR1", token="1") == Done(5)


@pytest.mark.parametrize("act", [services.start, services.pause])
def test_the_commissioners_act_sent_again_gets_the_first_answer(
    make_draft: MakeDraft, act: Callable[[Room, Submission], services.Outcome]
) -> None:
    world = make_draft()
    if act is not services.start:
        world.start()
    ann = world.room("ann")
    first = act(ann, Submission(START + seconds(1), "go"))
    assert isinstance(first, Done)
    services.resume(ann, Submission(START + seconds(2)))
    assert act(ann, Submission(START + seconds(3), "go")) == first


def test_a_start_without_the_lottery_holds_it_and_counts_once(make_draft: MakeDraft) -> None:
    world = make_draft()
    db.session.get_one(DraftRow, world.draft_id).lottery_seed = "00"
    db.session.commit()
    ann, press = world.room("ann"), Submission(START + seconds(1), "go")
    assert services.start(ann, press) == services.start(ann, press) == Done(2)
    assert world.draft().status == "running"
    assert world.event_count() == 2


def test_a_second_press_does_not_pick_for_the_next_turn(make_draft: MakeDraft) -> None:
    world = make_draft(kind="linear")
    world.start()
    for name, footballer in (("ann", "RB1"), ("bob", "RB2"), ("cat", "RB3")):
        assert isinstance(world.pick(name, footballer), Done)
    assert world.pick("ann", "WR1", expected=1) == acts.MOVED_ON
    assert isinstance(world.pick("ann", "WR1", expected=4), Done)


def test_a_pick_in_the_last_millisecond_counts_though_it_is_handled_later(
    world: DraftWorld,
) -> None:
    # Bob's request is handled first, though the server received it after Ann's.
    services.enqueue(world.room("bob"), "WR1", START + seconds(60.5))
    assert world.pick("ann", "RB9", 59.999) == Done(2)
    assert world.stored_picks() == {"RB9": 1}


def test_after_the_clock_the_queue_decides(world: DraftWorld) -> None:
    services.enqueue(world.room("ann"), "TE1", START + seconds(1))  # no place for a tight end
    services.enqueue(world.room("ann"), "WR7", START + seconds(2))
    assert world.pick("ann", "RB1", 60) == acts.TIME_OVER
    services.advance_due(START + seconds(60) + GRACE)
    assert world.stored_picks() == {"WR7": 1}


def test_a_queue_is_ordered_and_forgets_who_is_gone(world: DraftWorld) -> None:
    bob = world.room("bob")
    services.set_queue(bob, ["RB1", "RB2", "RB1", "nobody", "RB3"], START)
    assert queries.queue_of(world.draft_id, 2) == ["RB1", "RB2", "RB3"]
    services.move_in_queue(bob, "RB3", -1, START)
    assert queries.queue_of(world.draft_id, 2) == ["RB1", "RB3", "RB2"]
    world.pick("ann", "RB1")
    services.remove_from_queue(bob, "RB2", START)
    assert queries.queue_of(world.draft_id, 2) == ["RB3"]


def test_the_commissioner_pauses_undoes_replaces_and_picks_for_others(world: DraftWorld) -> None:
    ann, later = world.room("ann"), Submission(START + seconds(2))
    world.pick("ann", "RB1")
    assert services.pause(world.room("bob"), later) == services.NOT_ALLOWED
    assert isinstance(services.pause(ann, later), Done)
    assert world.pick("bob", "RB2") == acts.PAUSED
    assert isinstance(services.pick_for(ann, "RB2", later), Done)
    assert isinstance(services.replace(ann, 1, "QB1", later), Done)
    assert isinstance(services.undo(ann, later), Done)
    assert isinstance(services.resume(ann, later), Done)
    assert world.stored_picks() == {"QB1": 1}
    assert world.draft().on_turn == 2


def test_a_dead_worker_loses_nothing_and_doubles_nothing(make_draft: MakeDraft) -> None:
    world = make_draft(members=0)
    row = db.session.get_one(DraftRow, world.draft_id)
    row.starts_at = row.due_at = START
    db.session.commit()
    for second in range(40):
        services.advance_due(START + seconds(second))
        services.advance_due(START + seconds(second))
    draft = world.draft()
    assert draft.status == "completed"
    assert Counter(world.stored_picks().values()) == {1: 5, 2: 5, 3: 5}
    assert len(world.stored_picks()) == 15


def test_the_job_can_run_twice(world: DraftWorld) -> None:
    # By the real clock the turn of START is long over; it is started again, once.
    advance_drafts.run()
    version = world.draft().version
    advance_drafts.run()
    assert world.draft().version == version


def test_two_who_pick_at_the_same_time_get_one_pick(app: Flask, world: DraftWorld) -> None:
    rooms = [world.room("ann")] * 6
    together = threading.Barrier(len(rooms))
    outcomes: list[services.Outcome] = []

    def press(number: int) -> None:
        with app.app_context():
            together.wait(30)
            submission = Submission(START + seconds(1), f"t{number}", expected=1)
            outcomes.append(services.pick(rooms[number], f"RB{number + 1}", submission))

    threads = [threading.Thread(target=press, args=(number,)) for number in range(len(rooms))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    accepted = [outcome for outcome in outcomes if isinstance(outcome, Done)]
    assert len(accepted) == 1
    assert {each for each in outcomes if isinstance(each, Refusal)} == {acts.MOVED_ON}
    assert len(world.stored_picks()) == 1


def test_the_database_refuses_a_second_pick_of_a_footballer(world: DraftWorld) -> None:
    world.pick("ann", "RB1")
    db.session.add(DraftPick(draft_id=world.draft_id, footballer_id="RB1", number=2, franchise=2))
    with pytest.raises(DBAPIError, match="pk_draft_picks"):
        db.session.flush()
    db.session.rollback()


def test_the_database_refuses_to_change_what_happened(world: DraftWorld) -> None:
    event = db.session.get_one(DraftEvent, (world.draft_id, 1))
    event.token = "other"
    with pytest.raises(DBAPIError, match="never changed"):
        db.session.flush()
    db.session.rollback()


def test_an_auction_from_nomination_to_sale(make_draft: MakeDraft) -> None:
    world = make_draft(kind="auction", budget=50, seconds_per_bid=10)
    world.start()
    ann, bob = world.room("ann"), world.room("bob")
    assert isinstance(services.nominate(ann, "RB1", 10, Submission(START + seconds(1))), Done)
    too_low = services.bid(bob, 1, Submission(START + seconds(2)))
    assert isinstance(too_low, Refusal)
    assert too_low.text == "The price is 1. Bid at least 2."
    assert isinstance(services.bid(bob, 30, Submission(START + seconds(9))), Done)
    late = services.bid(ann, 40, Submission(START + seconds(19)))
    assert late == acts.BID_TOO_LATE
    services.advance_due(START + seconds(19) + GRACE)
    draft = world.draft()
    assert (draft.picks[1].franchise, draft.picks[1].price, draft.on_turn) == (2, 11, 2)
    assert world.stored_picks() == {"RB1": 2}


def test_the_lottery_reveals_the_seed_of_the_commitment(make_draft: MakeDraft) -> None:
    world = make_draft()
    row = db.session.get_one(DraftRow, world.draft_id)
    row.lottery_seed = "00"
    db.session.commit()
    assert isinstance(services.draw(world.room("ann"), Submission(START)), Done)
    assert world.draft().plan.order == (1, 3, 2)
    assert isinstance(services.draw(world.room("ann"), Submission(START)), Done)
    world.start()
    assert world.draft().on_turn == 1


def test_an_offline_draft_is_typed_in_and_finished_by_the_commissioner(
    make_draft: MakeDraft,
) -> None:
    world = make_draft(kind="offline", rounds=1)
    world.start()
    ann = world.room("ann")
    for number in (1, 2, 3):
        assert isinstance(services.pick_for(ann, f"RB{number}", Submission(START)), Done)
        assert world.draft().status == "running"
    assert services.advance_due(START + seconds(86_400)) == 0
    assert isinstance(services.finish(ann, Submission(START)), Done)
    assert world.draft().status == "completed"


def test_a_mock_draft_starts_at_once_and_the_bots_fill_whole_line_ups(world: DraftWorld) -> None:
    make_market(24, 2027)
    wish = MockWish("redraft", 3, "Ann FC")
    draft_id = founding.start_mock(world.ids["ann"], wish, START)
    assert isinstance(draft_id, int)
    room = queries.load_room(draft_id, world.ids["ann"])
    assert room
    assert (room.franchise, room.runs) == (3, True)
    services.advance(draft_id, START + seconds(10))
    draft = queries.load_snapshot(draft_id).draft
    assert (draft.on_turn, len(draft.picks)) == (3, 2)


def test_a_mock_draft_that_cannot_be_is_refused(world: DraftWorld) -> None:
    ann = world.ids["ann"]
    for wish, field in ((MockWish("chess", 1, "A"), "preset"), (MockWish("idp", 11, "A"), "seat")):
        refusal = founding.start_mock(ann, wish, START)
        assert isinstance(refusal, Refusal)
        assert refusal.field == field


def test_an_erased_members_team_keeps_its_picks_without_a_name(world: DraftWorld) -> None:
    world.pick("ann", "RB1")
    world.pick("bob", "RB2")
    bob = world.ids["bob"]
    erased = privacy.erase(bob, by=bob, reason="asked", now=START)
    assert not isinstance(erased, Refusal)
    assert [seat.name for seat in queries.load_snapshot(world.draft_id).seats] == [
        "Ann FC",
        "Erased team",
        "Cat FC",
    ]
    assert world.stored_picks() == {"RB1": 1, "RB2": 2}


def planned() -> list[datetime]:
    """When the worker is sent for, in order."""
    registry = jobs.queue(ADVANCE_DRAFTS.queue).scheduled_job_registry
    return sorted(registry.get_scheduled_time(job_id) for job_id in registry.get_job_ids())


def due(world: DraftWorld) -> datetime:
    row = db.session.get_one(DraftRow, world.draft_id, populate_existing=True)
    assert row.due_at is not None
    return row.due_at


def test_the_worker_is_sent_for_when_the_clock_runs_out(make_draft: MakeDraft) -> None:
    """Once for each moment, and it looks at no draft before."""
    world = make_draft()
    world.start()
    first = due(world)
    world.pick("ann", "RB1", after=10)
    second = due(world)
    assert first < second
    for at, moment in zip(planned(), (first, second), strict=True):
        assert moment <= at <= moment + seconds(1)
    registry = jobs.queue(ADVANCE_DRAFTS.queue).scheduled_job_registry
    for job_id in registry.get_job_ids():
        registry.remove(job_id)
    for _ in range(2):
        services.advance_due(START + seconds(11))
    assert [second <= at <= second + seconds(1) for at in planned()] == [True]
