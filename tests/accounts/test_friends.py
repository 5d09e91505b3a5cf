"""Friendships: what each side sees, whatever is done in whatever order, and both sides at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.accounts import friends
from app.accounts.friends import Limits
from app.accounts.models import Integrator, Member, Player
from app.accounts.players import player_of
from app.core.db import db
from app.core.refusals import Refusal
from tests.sizes import size
from tests.waiting import join, patience, until

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)
MakeMember = Callable[..., Member]


@pytest.fixture
def player(member: MakeMember) -> Callable[[str], UUID]:
    def make(username: str) -> UUID:
        player_id: UUID = player_of(member(username)).id
        return player_id

    return make


def code(refused: Refusal | None) -> str | None:
    return refused and refused.code


@dataclass(frozen=True)
class Seen:
    friends: frozenset[UUID]
    asked_me: frozenset[UUID]
    asked_by_me: frozenset[UUID]
    blocked: frozenset[UUID]


def seen(me: UUID) -> Seen:
    circle = friends.circle(me)
    lists = (circle.friends, circle.asked_me, circle.asked_by_me, circle.blocked)
    return Seen(*(frozenset(person.player_id for person in people) for people in lists))


def test_a_request_accepted_makes_two_friends(player: Callable[[str], UUID]) -> None:
    ann, bob = player("ann"), player("bob")
    assert friends.ask(ann, bob, NOW) is None
    assert friends.friends_of(ann) == []
    assert [(person.name, person.username) for person in friends.circle(bob).asked_me] == [
        ("Ann", "ann")
    ]
    assert friends.accept(bob, ann, NOW) is None
    assert (friends.friends_of(ann), friends.friends_of(bob)) == ([bob], [ann])
    assert friends.unfriend(ann, bob, NOW) is None
    assert friends.friends_of(bob) == []


def test_nobody_accepts_for_the_other(player: Callable[[str], UUID]) -> None:
    ann, bob = player("ann"), player("bob")
    friends.ask(ann, bob, NOW)
    assert code(friends.accept(ann, bob, NOW)) == "no_request"
    assert code(friends.ask(ann, ann, NOW)) == "yourself"
    assert code(friends.ask(ann, UUID(int=1), NOW)) == "nobody"


def test_players_of_different_namespaces_never_meet(
    player: Callable[[str], UUID], member: MakeMember
) -> None:
    owner = member("owner")
    studio = Integrator(name="Studio", owner_id=owner.id)
    db.session.add(studio)
    db.session.flush()
    stranger = Player(display_name="Stranger", integrator_id=studio.id, external_id="7")
    db.session.add(stranger)
    db.session.commit()
    assert code(friends.ask(player("ann"), stranger.id, NOW)) == "nobody"


def test_the_blocked_one_sees_what_they_would_see_of_somebody_who_does_not_answer(
    player: Callable[[str], UUID],
) -> None:
    ann, bob, cal = player("ann"), player("bob"), player("cal")
    friends.block(ann, bob, NOW)
    assert friends.ask(bob, ann, NOW) is friends.ask(bob, cal, NOW) is None
    asked = {person.player_id: person.since for person in friends.circle(bob).asked_by_me}
    assert asked == {ann: NOW, cal: NOW}
    assert friends.circle(ann).asked_me == []
    assert (
        code(friends.accept(ann, bob, NOW)) == code(friends.ask(ann, bob, NOW)) == "blocked_by_you"
    )
    assert friends.withdraw(bob, ann, NOW) is None
    assert friends.circle(bob).asked_by_me == [
        p for p in friends.circle(bob).asked_by_me if p.player_id == cal
    ]


def test_limits_count_friends_and_requests_out_of_the_one_who_acts_alone(
    player: Callable[[str], UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friends, "LIMITS", Limits(friends=2, blocks=1))
    ann, bob, cal, dan = (player(name) for name in ("ann", "bob", "cal", "dan"))
    friends.ask(ann, bob, NOW)
    friends.ask(ann, cal, NOW)
    assert code(friends.ask(ann, dan, NOW)) == "too_many"
    assert friends.ask(dan, ann, NOW) is None  # tells nothing about Ann's friends
    assert code(friends.accept(ann, dan, NOW)) == "too_many"
    friends.withdraw(ann, bob, NOW)
    assert friends.accept(ann, dan, NOW) is None
    assert friends.block(ann, bob, NOW) is None
    assert code(friends.block(ann, cal, NOW)) == "too_many_blocks"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ck_friendships_order", "low_id = high_id, high_id = low_id"),
        ("ck_friendships_state", "state = 'foes'"),
        ("ck_friendships_asked_by", "state = 'asked', asked_by = gen_random_uuid()"),
        ("ck_friendships_since", "since = NULL"),
        ("ck_friendships_no_blocked_friends", "low_blocks = true"),
        ("ck_friendships_no_blocker_asks", "state = 'asked', asked_by = low_id, low_blocks = true"),
    ],
)
def test_the_database_holds_the_pair_together(
    player: Callable[[str], UUID], name: str, change: str
) -> None:
    ann, bob = player("ann"), player("bob")
    friends.ask(ann, bob, NOW)
    friends.accept(bob, ann, NOW)
    with pytest.raises(IntegrityError, match=name):
        db.session.execute(text(f"UPDATE friendships SET {change}"))
    db.session.rollback()


def test_requests_of_both_sides_at_once_end_as_friends(
    app: Flask, player: Callable[[str], UUID]
) -> None:
    """Bob's request waits on a second connection for Ann's to be committed."""
    ann, bob = player("ann"), player("bob")
    answers: list[Refusal | None] = []

    def ask_too() -> None:
        with app.app_context():
            answers.append(friends.ask(bob, ann, NOW))

    low, high = sorted((ann, bob))
    request = text(
        "INSERT INTO friendships VALUES (:low, :high, 'asked', :ann, now(), false, false)"
    )
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with db.engine.connect() as first, db.engine.connect() as watch:
        first.execute(request, {"low": low, "high": high, "ann": ann})
        other = threading.Thread(target=ask_too)
        other.start()
        until(
            lambda: bool(watch.execute(waiting).scalar()), "the second request waits for the first"
        )
        assert answers == []
        first.commit()
    join(other)
    assert answers == [None]
    assert (friends.friends_of(ann), friends.friends_of(bob)) == ([bob], [ann])


def test_many_requests_of_both_sides_at_once_end_as_friends(
    app: Flask, player: Callable[[str], UUID]
) -> None:
    players = [player(name) for name in ("ann", "bob", "cal", "dan")]
    gate = threading.Barrier(len(players))
    failures: list[BaseException] = []

    def ask_all(me: UUID) -> None:
        with app.app_context():
            gate.wait(patience(60))
            try:
                for other in players:
                    if other != me:
                        assert friends.ask(me, other, NOW) is None
            except BaseException as error:
                failures.append(error)
                raise

    threads = [threading.Thread(target=ask_all, args=(me,)) for me in players]
    for thread in threads:
        thread.start()
    join(*threads)
    assert failures == []
    for me in players:
        assert set(friends.friends_of(me)) == set(players) - {me}


def test_a_members_player_is_made_once(app: Flask, member: MakeMember) -> None:
    ann = member("ann")
    assert player_of(ann).id == player_of(ann).id
    assert db.session.query(Player).count() == 1


@dataclass
class Plain:
    """The promise in plain sets: directed requests, directed blocks, friends."""

    limits: Limits
    requests: set[tuple[int, int]] = field(default_factory=set)
    blocks: set[tuple[int, int]] = field(default_factory=set)
    friends: set[frozenset[int]] = field(default_factory=set)

    def full(self, me: int) -> bool:
        return (
            sum(me in pair for pair in self.friends) + sum(a == me for a, _ in self.requests)
            >= self.limits.friends
        )

    def ask(self, me: int, other: int) -> str | None:
        if (me, other) in self.blocks:
            return "blocked_by_you"
        if {me, other} in self.friends or (me, other) in self.requests:
            return None
        if self.full(me):
            return "too_many"
        if (other, me) in self.requests:
            self.requests.remove((other, me))
            self.friends.add(frozenset({me, other}))
        else:
            self.requests.add((me, other))
        return None

    def accept(self, me: int, other: int) -> str | None:
        if (me, other) in self.blocks:
            return "blocked_by_you"
        if {me, other} in self.friends:
            return None
        return self.ask(me, other) if (other, me) in self.requests else "no_request"

    def decline(self, me: int, other: int) -> None:
        if (me, other) not in self.blocks:
            self.requests.discard((other, me))

    def withdraw(self, me: int, other: int) -> None:
        self.requests.discard((me, other))

    def unfriend(self, me: int, other: int) -> None:
        self.friends.discard(frozenset({me, other}))

    def block(self, me: int, other: int) -> str | None:
        if (me, other) in self.blocks:
            return None
        if sum(a == me for a, _ in self.blocks) >= self.limits.blocks:
            return "too_many_blocks"
        self.unfriend(me, other)
        self.withdraw(me, other)
        self.blocks.add((me, other))
        return None

    def unblock(self, me: int, other: int) -> None:
        self.blocks.discard((me, other))

    def seen(self, me: int, ids: list[UUID]) -> Seen:
        return Seen(
            frozenset(ids[other] for pair in self.friends if me in pair for other in pair - {me}),
            frozenset(ids[a] for a, b in self.requests if b == me and (me, a) not in self.blocks),
            frozenset(ids[b] for a, b in self.requests if a == me),
            frozenset(ids[b] for a, b in self.blocks if a == me),
        )


ACTS = ("ask", "ask", "accept", "accept", "decline", "withdraw", "unfriend", "block", "unblock")
SOMEBODY = st.integers(0, 3)


class Acts(RuleBasedStateMachine):
    """Four players, any acts in any order.

    The same answers and the same lists as the plain model, and no answer or list of a player
    changes by a block only as it changes by a declined request or an ended friendship.
    """

    ids: list[UUID]

    def __init__(self) -> None:
        super().__init__()
        db.session.execute(text("TRUNCATE friendships"))
        db.session.commit()
        self.plain = Plain(friends.LIMITS)

    @rule(act=st.sampled_from(ACTS), me=SOMEBODY, other=SOMEBODY)
    def act(self, act: str, me: int, other: int) -> None:
        if me == other:
            assert code(getattr(friends, act)(self.ids[me], self.ids[me], NOW)) == "yourself"
            return
        before = seen(self.ids[other])
        refused = getattr(friends, act)(self.ids[me], self.ids[other], NOW)
        assert code(refused) == getattr(self.plain, act)(me, other)
        if act == "unblock" or refused is not None:
            assert seen(self.ids[other]) == before
        elif act == "block":
            after, mine = seen(self.ids[other]), frozenset({self.ids[me]})
            assert after.asked_by_me == before.asked_by_me
            assert after.friends == before.friends - mine
            assert after.asked_me == before.asked_me - mine
            assert after.blocked == before.blocked

    @invariant()
    def all_lists_are_as_in_the_plain_model(self) -> None:
        for number, player_id in enumerate(self.ids):
            assert seen(player_id) == self.plain.seen(number, self.ids)
            assert frozenset(friends.friends_of(player_id)) == seen(player_id).friends


@pytest.mark.sized
def test_any_acts_in_any_order_agree_with_the_plain_model(
    player: Callable[[str], UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friends, "LIMITS", Limits(friends=2, blocks=2))
    Acts.ids = [player(name) for name in ("ann", "bob", "cal", "dan")]
    run_state_machine_as_test(
        Acts,
        settings=settings(
            max_examples=size("PRESSBOX_PROPERTY_CASES", 5, 40),
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
