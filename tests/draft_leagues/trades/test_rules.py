"""The life of a trade, by examples and beside a plain model in random histories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from app.draft_leagues.trades import rules
from app.draft_leagues.trades.rules import Event, Offer, State, folded

START = datetime(2026, 10, 1, 12, tzinfo=UTC)
EXPIRES = START + timedelta(hours=72)
REVIEWED = START + timedelta(hours=24)
OFFER = Offer(1, (1, 2, 3), EXPIRES)
ACTS: tuple[rules.EventKind, ...] = ("accepted", "declined", "withdrawn", "voted", "voted")
AGREED = Event("agreed", review="vote", review_ends_at=REVIEWED, votes_to_stop=2)


def state(*events: Event) -> State:
    return folded(OFFER, [Event("offered", 1, drops=("kupp",)), *events])


def test_everybody_accepts_before_the_review_begins() -> None:
    offered = state()
    assert (offered.status, offered.waiting_for, offered.due_at) == ("offered", (2, 3), EXPIRES)
    half = state(Event("accepted", 2, drops=("hill",)))
    assert half.waiting_for == (3,)
    both = state(Event("accepted", 2, drops=("hill",)), Event("accepted", 3), AGREED)
    assert (both.status, both.waiting_for, both.due_at) == ("in_review", (), REVIEWED)
    assert both.accepted == {1: ("kupp",), 2: ("hill",), 3: ()}


def test_an_offer_is_private_until_all_have_accepted() -> None:
    assert [rules.can_see(state(), franchise) for franchise in (1, 3, 4, None)] == [
        *(True, True, False, False)
    ]
    assert not rules.can_see(state(Event("declined", 2)), 4)
    assert rules.can_see(state(AGREED), None)
    assert rules.can_see(state(AGREED, Event("stopped", reason="Collusion")), 4)


def test_who_may_answer_and_until_when() -> None:
    before, at = EXPIRES - timedelta(microseconds=1), EXPIRES
    assert rules.answer_refusal(state(), 2, before) is None
    assert rules.answer_refusal(state(), 2, at) == rules.CLOSED
    assert rules.answer_refusal(state(), 4, before) == rules.NO_PARTY
    assert rules.decline_refusal(state(), 1, before) == rules.OWN_OFFER
    assert rules.decline_refusal(state(Event("accepted", 2)), 2, before) is None
    assert rules.withdraw_refusal(state(), 2, before) == rules.NOT_YOURS
    assert rules.withdraw_refusal(state(), 1, before) is None
    assert rules.withdraw_refusal(state(AGREED), 1, before) == rules.CLOSED


def test_others_vote_while_the_review_lasts() -> None:
    before, at = REVIEWED - timedelta(microseconds=1), REVIEWED
    assert rules.vote_refusal(state(), 4, before) == rules.NO_REVIEW
    assert rules.vote_refusal(state(AGREED), 4, before) is None
    assert rules.vote_refusal(state(AGREED), 4, at) == rules.OVER
    assert rules.vote_refusal(state(AGREED), 2, before) == rules.PARTY_VOTES
    by_commissioner = Event("agreed", review="commissioner", review_ends_at=REVIEWED)
    assert rules.vote_refusal(state(by_commissioner), 4, before) == rules.NO_VOTE
    voted = state(AGREED, Event("voted", 4, stops=True), Event("voted", 5, stops=True))
    assert voted.stop_votes == 2
    changed = state(AGREED, Event("voted", 4, stops=True), Event("voted", 4))
    assert changed.stop_votes == 0


@pytest.mark.parametrize("kind", ["executed", "failed", "stopped"])
def test_a_trade_that_ended_is_not_due(kind: rules.EventKind) -> None:
    ended = state(AGREED, Event(kind, transaction=9, reason="Because"))
    assert (ended.status, ended.due_at, ended.reason, ended.transaction) == (
        kind,
        None,
        "Because",
        9,
    )


def test_random_histories_end_as_a_plain_model_says() -> None:
    """The model keeps sets and a word, and asks no rule."""
    randomness = np.random.default_rng(31)
    ends = set[str]()
    for _ in range(400):
        events = [Event("offered", 1)]
        waiting, stops, word = {2, 3}, set[int](), "offered"
        reviewed = START
        for now in (START + timedelta(hours=hour) for hour in range(0, 100, 6)):
            franchise = int(randomness.integers(1, 6))
            current = folded(OFFER, events)
            act = ACTS[randomness.integers(len(ACTS))]
            is_open = word == "offered" and now < EXPIRES
            votes = word == "in_review" and now < reviewed and franchise > 3
            if act == "voted":
                assert (rules.vote_refusal(current, franchise, now) is None) == votes
                if votes:
                    stops ^= {franchise}
                    events.append(Event("voted", franchise, stops=franchise in stops))
                    if len(stops) == 2:
                        word = "stopped"
                        events.append(Event("stopped"))
            elif act == "accepted":
                can = is_open and franchise in waiting
                asked = rules.answer_refusal(current, franchise, now) is None
                assert (asked and franchise not in current.accepted) == can
                if can:
                    waiting.discard(franchise)
                    events.append(Event("accepted", franchise))
                    if not waiting:
                        word, reviewed = "in_review", now + timedelta(hours=24)
                        events.append(
                            Event("agreed", review="vote", review_ends_at=reviewed, votes_to_stop=2)
                        )
            elif randomness.random() < 0.15:
                check = rules.decline_refusal if act == "declined" else rules.withdraw_refusal
                can = is_open and franchise in ({2, 3} if act == "declined" else {1})
                assert (check(current, franchise, now) is None) == can
                if can:
                    word = act
                    events.append(Event(act))
            after = folded(OFFER, events)
            assert after.status == word
            assert set(after.waiting_for) == (waiting if word == "offered" else set())
            assert {number for number, is_stop in after.votes.items() if is_stop} == stops
        ends.add(word)
    assert ends == {"offered", "declined", "withdrawn", "in_review", "stopped"}
