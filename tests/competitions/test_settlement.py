"""Windows of competitions are settled: ranks, who goes up and down, rewards.

Once, and again after corrections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from app.accounts.models import Member
from app.accounts.players import player_of
from app.competitions import declaring, queries, settlement
from app.competitions.models import Competition
from app.core.db import db
from app.moderation import privacy
from app.scores.feed import changes as feed
from app.scores.webhooks import services as webhooks
from tests.killing import Killed, die
from tests.worlds.competitions import WINDOWS, Arena

LADDER = [{"title": "Bronze", "promote": 1}, {"title": "Gold", "relegate": 1}]
MEDALS = [
    {"to_rank": 1, "grants": [{"reward": "crown"}, {"reward": "coins", "amount": 100}]},
    {"from_rank": 2, "to_rank": 2, "grants": [{"reward": "coins", "amount": 50}]},
]


def told(arena: Arena) -> list[tuple[str, str, str, int]]:
    """Event, name, reward and amount, as the feed has them."""
    changes = feed.read(arena.callers.integrator.id, None).changes
    return [
        (
            change.event,
            arena.names[UUID(change.player_id)],
            change.reward["reward"],
            change.reward["amount"],
        )
        for change in changes
        if change.reward is not None
    ]


@pytest.fixture
def cup(arena: Arena) -> Competition:
    return arena.live(cohort_size=3, tiers=LADDER, rewards=MEDALS)


def test_a_window_that_fails_stops_nobody_elses(
    arena: Arena, cup: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One integrator's fault never stops another's, and is raised all the same."""
    other = arena.live("other", cohort_size=3, tiers=LADDER, rewards=MEDALS)
    (ann,) = arena.players("ann")
    for competition in (cup, other):
        arena.join(competition, ann, 1)
    arena.score(ann, 10, arena.at(1))
    first = settlement.due(arena.settled(1))[0]
    results = settlement._results

    def fail(competition: Competition, *arguments: Any) -> Any:
        if competition.id == first[0]:
            raise ValueError("a declaration that cannot be read")
        return results(competition, *arguments)

    monkeypatch.setattr(settlement, "_results", fail)
    with pytest.raises(ValueError, match="cannot be read"):
        settlement.settle_due(arena.settled(1))
    db.session.rollback()
    assert settlement.due(arena.settled(1)) == [first], "it stays due"


def test_a_window_is_settled_when_its_time_has_come_and_places_its_players_in_the_next(
    arena: Arena, cup: Competition
) -> None:
    ann, bob, cid, dan = arena.players("ann", "bob", "cid", "dan")
    for player, score in ((ann, 10), (bob, 30), (cid, 20), (dan, 5)):
        arena.join(cup, player, 1)
        arena.score(player, score, arena.at(1))
    assert settlement.settle_due(arena.settled(1) - (arena.at(1, 1) - arena.at(1, 0))) == []
    assert arena.settle(1) == [1]
    assert arena.entries(cup, 1) == [
        ("ann", 1, 1, 3, "stays"),
        ("bob", 1, 1, 1, "promoted"),
        ("cid", 1, 1, 2, "stays"),
        ("dan", 1, 2, 1, "promoted"),
    ]
    assert arena.entries(cup, 2) == [
        ("cid", 1, 1, None, None),
        ("ann", 1, 1, None, None),
        ("bob", 2, 1, None, None),
        ("dan", 2, 1, None, None),
    ]
    granted = [
        ("bob", "coins", 100),
        ("bob", "crown", 1),
        ("cid", "coins", 50),
        ("dan", "coins", 100),
    ]
    assert told(arena) == [("reward.granted", *grant) for grant in [*granted, ("dan", "crown", 1)]]


def test_settling_again_grants_nothing_twice(arena: Arena, cup: Competition) -> None:
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    arena.score(ann, 10, arena.at(1))
    assert arena.settle(1) == [1]
    before = arena.ledger(cup), told(arena)
    assert arena.settle(1) == []
    assert not settlement.settle(cup.id, 1, arena.settled(1))
    db.session.execute(text("UPDATE competition_windows SET stale_since = now() WHERE number = 1"))
    db.session.commit()
    assert arena.settle(1) == [1]  # looked at again, and found as it was
    assert (arena.ledger(cup), told(arena)) == before


def test_a_settlement_that_dies_before_its_end_leaves_nothing_and_the_next_does_it_all(
    arena: Arena, cup: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    arena.score(ann, 10, arena.at(1))
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "_end_after_last", die)
        with pytest.raises(Killed):
            arena.settle(1)
    assert (arena.ledger(cup), told(arena)) == ([], [])
    assert arena.entries(cup, 1) == [("ann", 1, 1, None, None)]
    assert arena.settle(1) == [1]
    assert arena.held(cup) == {("ann", "coins"): 100, ("ann", "crown"): 1}


def test_a_kill_between_settlement_and_sending_loses_and_doubles_nothing(
    arena: Arena, cup: Competition
) -> None:
    hook = webhooks.create(arena.callers.integrator.id, "https://example.com/hook", feed.EVENTS)
    assert not isinstance(hook, dict), hook
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    arena.score(ann, 10, arena.at(1))
    arena.settle(1)
    # Killed here: nothing was sent. What comes back runs both jobs again.
    arena.settle(1)
    webhooks.collect(arena.settled(1))
    webhooks.collect(arena.settled(1))
    bodies = [delivery.body for delivery in webhooks.deliveries(hook)]
    assert len(bodies) == 1
    assert bodies[0].count('"reward.granted"') == 2
    assert '"window":"competition:cup:1"' in bodies[0]


def test_a_score_taken_back_after_the_settlement_withdraws_its_rewards_and_grants_those_of_others(
    arena: Arena, cup: Competition
) -> None:
    ann, bob = arena.players("ann", "bob")
    for player in (ann, bob):
        arena.join(cup, player, 1)
    arena.score(ann, 10, arena.at(1))
    bad = arena.score(bob, 30, arena.at(1))
    arena.settle(1)
    placed = arena.entries(cup, 2)
    arena.take_back(bad)
    assert arena.settle(1) == [1]
    assert arena.ledger(cup)[3:] == [
        (1, 2, "ann", "coins", 50),
        (1, 2, "ann", "crown", 1),
        (1, 2, "bob", "coins", -100),
        (1, 2, "bob", "crown", -1),
    ]
    assert arena.held(cup) == {("ann", "coins"): 100, ("ann", "crown"): 1}
    assert told(arena)[3:] == [
        ("reward.granted", "ann", "coins", 50),
        ("reward.granted", "ann", "crown", 1),
        ("reward.withdrawn", "bob", "coins", 100),
        ("reward.withdrawn", "bob", "crown", 1),
    ]
    assert arena.entries(cup, 1) == [("ann", 1, 1, 1, "promoted"), ("bob", 1, 1, None, "stays")]
    assert arena.entries(cup, 2) == placed  # a cohort that plays stays as it is


def test_a_banned_players_rewards_go_and_come_back_with_them(
    arena: Arena, cup: Competition
) -> None:
    ann, bob = arena.players("ann", "bob")
    for player, score in ((ann, 10), (bob, 30)):
        arena.join(cup, player, 1)
        arena.score(player, score, arena.at(1))
    arena.settle(1)
    before = arena.held(cup)
    for hidden, balances in (
        ("now()", {("ann", "coins"): 100, ("ann", "crown"): 1}),
        ("NULL", before),
    ):
        db.session.execute(
            text(f"UPDATE players SET hidden_at = {hidden} WHERE id = :bob"),
            {"bob": bob},
        )
        db.session.commit()
        assert arena.settle(1) == [1]
        assert arena.held(cup) == balances


@pytest.mark.fault(18)
def test_a_score_that_comes_late_counts_in_the_window_in_which_it_was_achieved(
    arena: Arena, cup: Competition
) -> None:
    ann, bob = arena.players("ann", "bob")
    for player in (ann, bob):
        arena.join(cup, player, 1)
    arena.score(ann, 10, arena.at(1))
    arena.settle(1)
    arena.score(bob, 40, arena.at(1))
    assert arena.settle(1) == [1]
    assert arena.held(cup) == {("ann", "coins"): 50, ("bob", "coins"): 100, ("bob", "crown"): 1}


def test_scores_of_others_before_joining_and_outside_of_the_window_count_for_nothing(
    arena: Arena, cup: Competition
) -> None:
    ann, bob = arena.players("ann", "bob")
    arena.join(cup, ann, 1, minutes=5)
    arena.score(ann, 90, arena.at(1, 4))
    arena.score(ann, 10, arena.at(1, 5))
    arena.score(ann, 80, arena.at(2, 0))
    arena.score(ann, 70, arena.at(1), fraud_state="flagged")
    arena.score(bob, 99, arena.at(1))
    arena.settle(1)
    (row,) = db.session.execute(
        text("SELECT player_id, score FROM competition_entries WHERE window_number = 1")
    ).all()
    assert row == (ann, 10)


def test_after_the_last_window_it_has_ended_and_is_still_corrected(arena: Arena) -> None:
    cup = arena.live(rewards=MEDALS, schedule=WINDOWS | {"windows": 1})
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    event = arena.score(ann, 10, arena.at(1))
    arena.settle(1)
    assert db.session.get_one(Competition, cup.id, populate_existing=True).state == "ended"
    arena.take_back(event)
    arena.settle(1)
    assert arena.held(cup) == {}


def test_after_the_days_of_correction_a_window_stays_as_it_is(arena: Arena) -> None:
    cup = arena.live(rewards=MEDALS, corrections_days=1)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    event = arena.score(ann, 10, arena.at(1))
    arena.settle(1)
    arena.take_back(event)
    assert arena.settle(1) == []
    assert arena.held(cup) == {("ann", "coins"): 100, ("ann", "crown"): 1}


def test_windows_are_settled_in_their_order(arena: Arena, cup: Competition) -> None:
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    arena.score(ann, 10, arena.at(1))
    assert arena.settle(3) == [1, 2, 3]
    assert arena.entries(cup, 2) == [("ann", 2, 1, None, "relegated")]
    assert arena.entries(cup, 3) == []  # without a score nobody is carried on


def test_it_ends_with_the_window_that_runs(arena: Arena, cup: Competition) -> None:
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    ended = declaring.end(cup.id, by=arena.owner.id, now=arena.at(1))
    assert isinstance(ended, Competition)
    assert [window.number for window in declaring.windows(cup.id)] == [1]
    arena.settle(1)
    assert db.session.get_one(Competition, cup.id, populate_existing=True).state == "ended"


def test_where_the_lowest_is_best_the_lowest_goes_up_and_is_rewarded(arena: Arena) -> None:
    arena.make_mode(order="lowest")
    cup = arena.live(cohort_size=3, tiers=LADDER, rewards=MEDALS)
    ann, bob = arena.players("ann", "bob")
    for player, score in ((ann, 70), (bob, 30)):
        arena.join(cup, player, 1)
        arena.score(player, score, arena.at(1))
    window = declaring.windows(cup.id)[0]
    table = [
        (arena.names[row.player_id], row.rank, row.score)
        for row in queries.table(cup, window, 1, 1)
    ]
    assert table == [("bob", 1, 30), ("ann", 2, 70)]
    arena.settle(1)
    assert arena.entries(cup, 1) == [("ann", 1, 1, 2, "stays"), ("bob", 1, 1, 1, "promoted")]
    assert arena.held(cup) == {("ann", "coins"): 50, ("bob", "coins"): 100, ("bob", "crown"): 1}


def test_an_erased_members_place_and_rewards_stay_under_no_name(
    arena: Arena, cup: Competition, member: Callable[..., Member]
) -> None:
    bobby = member("bobby")
    player = player_of(bobby).id
    db.session.commit()
    arena.names[player] = "them"
    arena.join(cup, player, 1)
    arena.score(player, 10, arena.at(1))
    assert arena.settle(1) == [1]
    before = arena.ledger(cup), arena.entries(cup, 1)
    erased = privacy.erase(bobby.id, by=bobby.id, reason="Their own wish.", now=arena.settled(1))
    assert isinstance(erased, Member), erased
    assert (arena.ledger(cup), arena.entries(cup, 1)) == before
    assert queries.held(cup.id, player) == {"crown": 1, "coins": 100}
    for table in db.metadata.sorted_tables:
        assert (
            "bobby"
            not in str(db.session.execute(text(f"SELECT * FROM {table.name}")).all()).lower()
        ), table.name
