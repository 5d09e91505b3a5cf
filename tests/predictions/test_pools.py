"""Private pools: joined by code, ranked among their members, with the closest guess of the pool.

Recomputed plainly.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from uuid import UUID

import msgspec
import pytest

from app.core.db import db
from app.predictions import points, pools
from app.predictions.models import Pool, PoolMember, Tournament
from app.predictions.points import PRESETS, PointRule, Terms
from tests.worlds.tournament import World

Make = Callable[..., World]
NAMES = ("Ann", "Bob", "Cyd", "Dee", "Eve")


def made(world: World, owner: str, name: str = "The Row") -> Pool:
    pool = pools.create(world.id, world.player(owner), name)
    assert isinstance(pool, Pool), pool
    return pool


def code(pool: Pool) -> str:
    return db.session.scalars(db.select(Pool.code).where(Pool.id == pool.id)).one()


def in_it(pool: Pool, world: World) -> set[str]:
    members = set(
        db.session.scalars(db.select(PoolMember.player_id).where(PoolMember.pool_id == pool.id))
    )
    return {name for name, player_id in world.players.items() if player_id in members}


def rule_of(world: World) -> PointRule:
    return pools.rule_of(db.session.get_one(Tournament, world.id))


def test_whoever_has_the_code_joins_however_they_type_it(world: Make) -> None:
    here = world()
    pool = made(here, "Ann")
    typed = f" {pool.code[:4].lower()}-{pool.code[4:].lower()} "
    invited = pools.invited(typed)
    assert invited is not None
    assert invited.id == pool.id
    assert pools.join(pool.id, typed, here.player("Bob")) is None
    assert pools.join(pool.id, typed, here.player("Bob")) is None  # again changes nothing
    assert pools.join(pool.id, "WRONGONE", here.player("Cyd")) == pools.NOT_THERE
    assert in_it(pool, here) == {"Ann", "Bob"}
    assert here.points() == {"Ann": 0, "Bob": 0}  # members of the tournament from now on
    assert [
        (pool.name, pool.members, pool.is_mine)
        for pool in pools.of_player(here.id, here.player("Bob"))
    ] == [("The Row", 2, False)]


def test_two_pools_differ_in_more_than_spaces_and_speak_for_no_office(world: Make) -> None:
    here = world()
    pool = made(here, "Ann", "Café Row")
    for same in ("Cafe\u0301 Row", "Café  Row", " Café\u00a0Row"):
        assert pools.create(here.id, here.player("Bob"), same) == [pools.TAKEN], same
    other = made(here, "Bob", "Another")
    assert pools.rename(other.id, "Café   Row") == [pools.TAKEN]
    assert [refusal.code for refusal in pools.rename(pool.id, "Pressbox Official")] == ["name"]


def test_a_pool_is_there_for_its_members_only(world: Make) -> None:
    here, other = world(), world(name="Other Cup")
    pool = made(here, "Ann")
    assert pools.for_member(here.id, pool.id, here.player("Ann")) is not None
    assert pools.for_member(here.id, pool.id, here.player("Bob")) is None
    assert pools.for_member(here.id, pool.id, None) is None
    assert pools.for_member(other.id, pool.id, here.player("Ann")) is None


def test_who_is_removed_cannot_come_back_by_the_code_they_know(world: Make) -> None:
    here = world()
    pool = made(here, "Ann")
    known = pool.code
    pools.join(pool.id, known, here.player("Bob"))
    assert pools.remove(pool.id, here.player("Ann")) == pools.YOURSELF
    assert pools.remove(pool.id, here.player("Bob")) is None
    assert pools.remove(pool.id, here.player("Bob")) == pools.NO_MEMBER
    assert pools.join(pool.id, known, here.player("Bob")) == pools.NOT_THERE
    assert pools.invited(known) is None
    assert pools.join(pool.id, code(pool), here.player("Bob")) is None


def test_an_owner_who_leaves_hands_the_pool_on_and_the_last_one_ends_it(world: Make) -> None:
    here = world()
    pool = made(here, "Ann")
    for name in ("Bob", "Cyd"):
        pools.join(pool.id, code(pool), here.player(name))
    pools.leave(pool.id, here.player("Ann"))
    db.session.expire_all()
    assert db.session.get_one(Pool, pool.id).owner_id == here.player("Bob")
    pools.leave(pool.id, here.player("Cyd"))
    pools.leave(pool.id, here.player("Bob"))
    db.session.expire_all()
    assert db.session.get(Pool, pool.id) is None


def test_names_are_a_pools_own_within_a_tournament(world: Make) -> None:
    here, other = world(), world(name="Other Cup")
    made(here, "Ann")
    second = made(here, "Bob", "The Desk")
    assert pools.create(here.id, here.player("Cyd"), " The Row ") == [pools.TAKEN]
    assert [refusal.code for refusal in pools.rename(second.id, " ")] == ["name"]
    assert pools.rename(second.id, "The Row") == [pools.TAKEN]
    assert pools.rename(second.id, "The Desk") == []
    assert isinstance(pools.create(other.id, other.player("Dan"), "The Row"), Pool)


def test_an_old_code_is_worth_nothing_after_a_new_one(world: Make) -> None:
    here = world()
    pool = made(here, "Ann")
    known = pool.code
    pools.renew_code(pool.id)
    assert pools.join(pool.id, known, here.player("Bob")) == pools.NOT_THERE
    assert pools.join(pool.id, code(pool), here.player("Bob")) is None


def plain_totals(
    guesses: dict[tuple[str, str], tuple[int, int]], members: list[str], here: World
) -> dict[str, int]:
    """What the members have in their pool, match by match with `points.earned`; no SQL."""
    rule, totals = rule_of(here), dict.fromkeys(members, 0)
    for match_id, match in here.matches.items():
        if match.status != "finished" or match.home_score is None or match.away_score is None:
            continue
        terms = Terms(match.home_score, match.away_score, rule, here.round(match.round).multiplier)
        mine = {name: guesses[name, match_id] for name in members if (name, match_id) in guesses}
        offs = [
            points.distance(*guess, terms)
            for guess in mine.values()
            if points.is_right(*guess, terms)
        ]
        if offs and rule.closest:
            share = points.share_of_closest(rule, offs.count(min(offs)))
            terms = Terms(terms.home, terms.away, rule, terms.multiplier, min(offs), share)
        for name, guess in mine.items():
            totals[name] += points.earned(*guess, terms).total
    return totals


@pytest.mark.parametrize("preset", ["winner", "margin", "exact"])
@pytest.mark.parametrize("seed", range(3))
def test_a_pools_table_equals_a_plain_recomputation(world: Make, preset: str, seed: int) -> None:
    here = world(
        msgspec.structs.replace(PRESETS[preset], grand_slam=0, multipliers={"week-2": 175})
    )
    rng, guesses = Random(seed), {}  # noqa: S311  (scores, not secrets)
    for number in range(6):
        here.match(f"m{number}", round=f"week-{1 + number % 2}")
    here.poll()
    for name in NAMES:
        for number in range(6):
            if rng.random() < 0.8:
                guesses[name, f"m{number}"] = guess = (rng.randrange(5), rng.randrange(5))
                assert here.guess(name, f"m{number}", *guess) == []
    pool = made(here, "Ann")
    for name in ("Bob", "Cyd"):
        pools.join(pool.id, code(pool), here.player(name))
    for number in range(5):
        here.ended(f"m{number}", rng.randrange(5), rng.randrange(5))
    here.poll()
    here.settle()
    members = ["Ann", "Bob", "Cyd"]
    expected = plain_totals(guesses, members, here)
    names: dict[UUID, str] = {here.player(name): name for name in members}
    table = pools.table(pool, rule_of(here))
    assert {names[row.player_id]: row.points for row in table} == expected
    distinct = sorted(set(expected.values()), reverse=True)
    assert [(row.rank, row.display_name) for row in table] == sorted(
        (distinct.index(expected[name]) + 1, name) for name in members
    )


def test_the_points_for_the_closest_guess_are_the_pools_own(world: Make) -> None:
    here = world(PRESETS["margin"])
    here.match("m1")
    here.match("m2")  # not played: no grand slam yet
    here.poll()
    here.guess("Ann", "m1", 30, 10)
    here.guess("Bob", "m1", 24, 20)
    here.guess("Zoe", "m1", 21, 20)  # the closest of all, and not in the pool
    pool = made(here, "Ann")
    pools.join(pool.id, code(pool), here.player("Bob"))
    here.ended("m1", 21, 20)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 100, "Bob": 150, "Zoe": 250}
    assert [
        (row.display_name, row.points, row.rank) for row in pools.table(pool, rule_of(here))
    ] == [
        ("Bob", 250, 1),
        ("Ann", 100, 2),
    ]
