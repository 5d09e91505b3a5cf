"""The cached set of a player's friends.

Read without SQL, and never older than a commit that changed it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import delete

from app.accounts import friends
from app.accounts.friend_sets import friends_of
from app.accounts.models import Friendship, Member
from app.accounts.players import player_of
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.valkey import Valkey
from tests.statements import count_statements

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)


@pytest.fixture
def pair(member: Callable[..., Member]) -> tuple[UUID, UUID]:
    """Ann and Bob, friends."""
    ann, bob = player_of(member("ann")).id, player_of(member("bob")).id
    friends.ask(ann, bob, NOW)
    friends.accept(bob, ann, NOW)
    return ann, bob


def test_the_second_read_asks_no_statement(pair: tuple[UUID, UUID]) -> None:
    """Section 4.8 of the platform's design: cache adjacency in Redis."""
    ann, bob = pair
    assert friends_of(ann) == [bob]
    with count_statements() as counted:
        assert friends_of(ann) == [bob]
    assert counted() == 0


def test_the_set_is_kept_for_a_while_under_the_designs_key(pair: tuple[UUID, UUID]) -> None:
    ann, _ = pair
    friends_of(ann)
    (key,) = jobs_redis().scan_iter(f"*friend:{ann}*")
    assert 0 < jobs_redis().ttl(key) <= 24 * 60 * 60


@pytest.mark.parametrize("end", [friends.unfriend, friends.block])
def test_who_is_no_friend_any_more_is_gone_for_both_at_once(
    pair: tuple[UUID, UUID], end: Callable[[UUID, UUID, datetime], object]
) -> None:
    ann, bob = pair
    assert (friends_of(ann), friends_of(bob)) == ([bob], [ann])
    end(ann, bob, NOW)
    assert (friends_of(ann), friends_of(bob)) == ([], [])


def test_a_new_friend_is_there_at_once(
    pair: tuple[UUID, UUID], member: Callable[..., Member]
) -> None:
    ann, bob = pair
    cem = player_of(member("cem")).id
    assert (friends_of(ann), friends_of(cem)) == ([bob], [])
    friends.ask(cem, ann, NOW)
    assert friends_of(cem) == [], "asked, not accepted"
    friends.accept(ann, cem, NOW)
    assert (friends_of(ann), friends_of(cem)) == (sorted([bob, cem]), [ann])


def test_a_deleted_friendship_is_gone_at_once(pair: tuple[UUID, UUID]) -> None:
    ann, bob = pair
    assert friends_of(ann) == [bob]
    db.session.execute(delete(Friendship))
    db.session.commit()
    assert friends_of(ann) == []


def test_without_redis_the_friends_come_from_postgresql(
    pair: tuple[UUID, UUID], own_valkey: Valkey
) -> None:
    ann, bob = pair
    own_valkey.stop()
    assert friends_of(ann) == [bob]
