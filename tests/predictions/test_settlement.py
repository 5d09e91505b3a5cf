"""Points are earned exactly once.

Whatever comes twice, at once, in another order, or is taken back.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from flask import Flask
from sqlalchemy import Connection, func, select, text, update

from app.core.db import db
from app.predictions.models import Match, RoundSlam, Settlement, SettlementAudit, Tournament
from app.predictions.points import PRESETS, PointRule
from app.predictions.settlement import services as settlement
from tests.predictions.plain import audited, payloads, plain_points
from tests.sizes import size
from tests.waiting import patience, until
from tests.worlds.tournament import BEFORE, END, World
from workers.jobs import settle_matches

Make = Callable[..., World]
MARGIN = PRESETS["margin"]
WALKS = size("PRESSBOX_SETTLEMENT_WALKS", 2, 40)


def states(world: World) -> dict[str, str]:
    """By the provider's id of the match and the moment."""
    rows = db.session.execute(
        select(Match.external_id, Settlement.finished_at, Settlement.state)
        .join(Match, Match.id == Settlement.match_id)
        .where(Match.tournament_id == world.id)
    )
    return {f"{name}@{(moment - END).total_seconds():g}": state for name, moment, state in rows}


def audits() -> list[SettlementAudit]:
    return list(db.session.scalars(select(SettlementAudit).order_by(SettlementAudit.id)))


def test_points_move_once_however_often_the_job_runs(cup: World) -> None:
    cup.ended("m1", 3, 1)
    cup.poll()
    (payload,) = payloads(cup)
    for _ in range(3):
        settle_matches.run(payload)
    assert cup.points() == {"Ann": 100, "Bob": 100}
    assert [(row.players, row.points, row.before) for row in audits()] == [(2, 200, None)]


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_matches_of_exactly_the_same_moment_are_settled_together_and_no_others(cup: World) -> None:
    cup.ended("m1", 3, 1)
    cup.ended("m2", 3, 1)
    cup.ended("m3", 3, 1, at=END + timedelta(microseconds=1))
    cup.poll()
    first = next(payload for payload in payloads(cup) if payload["matchId"] == str(cup.id_of("m1")))
    settle_matches.run(first)
    assert states(cup) == {"m1@0": "applied", "m2@0": "applied", "m3@1e-06": "pending"}
    assert cup.points() == {"Ann": 200, "Bob": 100}


def test_a_changed_score_moves_the_difference_under_the_same_key(cup: World) -> None:
    cup.ended("m1", 3, 1)
    cup.poll()
    cup.settle()
    cup.ended("m1", 1, 3)
    cup.poll()
    assert states(cup) == {"m1@0": "pending"}
    cup.settle()
    assert cup.points() == {"Ann": 0, "Bob": 0}
    assert [row.points for row in audits()] == [200, -200]
    assert audits()[1].before["home"] == audits()[1].after["away"] == 3


def test_a_reopened_match_takes_its_points_back_and_earns_again_at_its_new_end(cup: World) -> None:
    cup.ended("m1", 3, 1)
    cup.poll()
    cup.settle()
    cup.match("m1", status="live", finished_at=None)
    cup.poll()
    cup.settle()
    assert cup.points() == {"Ann": 0, "Bob": 0}
    assert audits()[1].after is None
    assert states(cup) == {"m1@0": "withdrawn"}
    cup.ended("m1", 3, 1, at=END + timedelta(hours=1))
    cup.poll()
    cup.settle()
    assert cup.points() == {"Ann": 100, "Bob": 100}
    assert states(cup) == {"m1@0": "withdrawn", "m1@3600": "applied"}


@pytest.mark.parametrize("is_settled", [True, False])
def test_another_moment_of_the_same_end_earns_nothing_more(cup: World, is_settled: bool) -> None:
    cup.ended("m1", 3, 1)
    cup.poll()
    if is_settled:
        cup.settle()
    cup.ended("m1", 3, 1, at=END + timedelta(minutes=5))
    cup.poll()
    cup.settle()
    assert cup.points() == {"Ann": 100, "Bob": 100}
    assert states(cup) == {"m1@0": "withdrawn", "m1@300": "applied"}
    assert [(row.points, row.key[-20:]) for row in audits()] == [
        (200, "2026-09-13T20:00:00Z" if is_settled else "2026-09-13T20:05:00Z")
    ]
    match = db.session.get(Match, cup.id_of("m1"))
    assert match.settled_at == END + timedelta(minutes=5)


def test_a_guess_that_has_earned_points_stays_closed_until_they_are_taken_back(cup: World) -> None:
    cup.ended("m1", 3, 1)
    cup.poll()
    cup.settle()
    cup.match("m1", status="scheduled", home_score=None, away_score=None, finished_at=None)
    cup.poll()
    assert cup.guess("Ann", "m1", 0, 1) == ["guess_locked"]
    cup.settle()
    assert cup.guess("Ann", "m1", 0, 1) == []
    assert cup.points() == {"Ann": 0, "Bob": 0}


def waits_for_a_lock(watching: Connection) -> bool:
    return bool(watching.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


def test_an_end_waits_for_a_guess_that_is_being_saved(cup: World, app: Flask) -> None:
    cup.ended("m1", 3, 1)
    change = text(
        "UPDATE guesses SET home = 0, away = 1 WHERE match_id = :match AND player_id = :player"
    )
    with db.engine.connect() as saving, ThreadPoolExecutor(1) as threads:
        saving.execute(change, {"match": cup.id_of("m1"), "player": cup.player("Ann")})
        db.session.rollback()

        def end() -> None:
            with app.app_context():
                cup.poll()
                cup.settle()

        ended = threads.submit(end)
        until(lambda: waits_for_a_lock(saving), "the end waits for the guess")
        assert not ended.done()
        saving.commit()
        ended.result(timeout=patience(120))
    assert cup.points() == {"Ann": 0, "Bob": 100}


@pytest.mark.parametrize(
    ("sharers", "each"),
    [(1, 100), (2, 50), (3, 33), (4, 25), (5, 25)],
)
def test_the_points_for_the_closest_guess_are_shared_down_to_the_least(
    world: Make, sharers: int, each: int
) -> None:
    cup = world(PointRule(winner=0, closest=100, closest_least=25))
    cup.match("m1")
    cup.poll(BEFORE)
    for number in range(sharers):
        cup.guess(f"Fan{number}", "m1", 10 + number, number)
    cup.guess("Far", "m1", 30, 0)
    cup.guess("Wrong", "m1", 0, 10)
    cup.ended("m1", 12, 0)
    cup.poll()
    cup.settle()
    assert cup.points() == {f"Fan{number}": each for number in range(sharers)} | {
        "Far": 0,
        "Wrong": 0,
    }


def slams(world: World) -> dict[str, int]:
    """Points for whole rounds by name, of all rounds together."""
    total = select(RoundSlam.player_id, func.sum(RoundSlam.points)).group_by(RoundSlam.player_id)
    points_by_player = dict(db.session.execute(total).all())
    return {
        name: points_by_player[player]
        for name, player in world.players.items()
        if player in points_by_player
    }


@pytest.fixture
def slam(world: Make) -> World:
    """Two matches of a round with 100 for all right; Ann is right in both, Bob in the first."""
    slam_world = world(PointRule(winner=100, grand_slam=100))
    slam_world.match("m1")
    slam_world.match("m2")
    slam_world.poll(BEFORE)
    for number in (1, 2):
        slam_world.guess("Ann", f"m{number}", 2, 1)
        slam_world.guess("Bob", f"m{number}", 2, 1 if number == 1 else 3)
    slam_world.ended("m1", 1, 0)
    slam_world.poll()
    slam_world.settle()
    return slam_world


def test_a_grand_slam_is_given_when_the_round_is_complete_and_taken_back_with_a_result(
    slam: World,
) -> None:
    assert slam.points() == {"Ann": 100, "Bob": 100}
    slam.ended("m2", 1, 0, at=END + timedelta(hours=1))
    slam.poll()
    slam.settle()
    assert (slam.points(), slams(slam)) == ({"Ann": 300, "Bob": 100}, {"Ann": 100})
    slam.ended("m2", 0, 1, at=END + timedelta(hours=1))
    slam.poll()
    slam.settle()
    assert (slam.points(), slams(slam)) == ({"Ann": 100, "Bob": 300}, {"Bob": 100})
    slam.match("m2", status="live", finished_at=None)
    slam.poll()
    slam.settle()
    assert (slam.points(), slams(slam)) == ({"Ann": 100, "Bob": 100}, {})


def test_a_void_match_completes_the_round_and_its_return_opens_it_again(slam: World) -> None:
    slam.match("m2", status="cancelled")
    slam.poll()
    slam.settle()
    assert slam.points() == {"Ann": 200, "Bob": 200}
    slam.match("m2", status="scheduled")
    slam.poll()
    slam.settle()
    assert slam.points() == {"Ann": 100, "Bob": 100}


def test_a_match_that_moves_to_another_round_completes_the_one_it_leaves(slam: World) -> None:
    slam.match("m2", round="week-2")
    slam.poll()
    slam.settle()
    assert slam.points() == {"Ann": 200, "Bob": 200}


def test_a_round_that_its_only_settled_match_leaves_takes_its_grand_slams_back(slam: World) -> None:
    slam.match("m2", status="cancelled")
    slam.poll()
    slam.settle()
    assert slams(slam) == {"Ann": 100, "Bob": 100}
    slam.match("m1", round="week-2")
    slam.poll()
    slam.settle()
    rounds_by_player = dict(
        db.session.execute(select(RoundSlam.player_id, RoundSlam.round_id)).all()
    )
    assert set(rounds_by_player.values()) == {slam.round("week-2").id}
    assert slam.points() == {"Ann": 200, "Bob": 200}


def test_a_grand_slam_that_is_worth_something_else_now_is_corrected(slam: World) -> None:
    slam.match("m2", status="cancelled")
    slam.poll()
    slam.settle()
    rule = msgspec.to_builtins(PointRule(winner=100, grand_slam=250))
    db.session.execute(update(Tournament).values(rule=rule))
    db.session.commit()
    slam.ended("m1", 2, 0)
    slam.poll()
    slam.settle()
    assert (slam.points(), slams(slam)) == ({"Ann": 350, "Bob": 350}, {"Ann": 250, "Bob": 250})


def test_two_workers_on_one_tournament_settle_everything_once(world: Make, app: Flask) -> None:
    cup = world(MARGIN)
    for number in range(6):
        cup.match(f"m{number}")
    cup.poll(BEFORE)
    for player in range(8):
        for number in range(6):
            cup.guess(
                f"Fan{player}", f"m{number}", (player * 3 + number) % 5, (player + number * 2) % 4
            )
    for number in range(6):
        cup.ended(f"m{number}", number % 3, number % 2, at=END + timedelta(hours=number % 3))
    cup.poll()
    waiting = payloads(cup) * 3

    def settle(payload: dict[str, Any]) -> None:
        with app.app_context():
            settle_matches.run(payload)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(settle, waiting))
    assert cup.points() == plain_points(cup, MARGIN)
    assert len(audits()) == 6


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(WALKS))
@pytest.mark.fault(14)
def test_whatever_a_provider_says_the_points_are_those_of_its_last_word(
    world: Make, seed: int, measured: Callable[[str], None]
) -> None:
    chance = random.Random(seed)  # noqa: S311
    cup = world(msgspec.structs.replace(MARGIN, multipliers={"week-2": 175}))
    for number in range(5):
        cup.match(f"m{number}", round=f"week-{1 + number % 2}")
    cup.poll(BEFORE)
    for player in range(6):
        for number in range(5):
            cup.guess(f"Fan{player}", f"m{number}", chance.randrange(5), chance.randrange(5))
    jobs: list[dict[str, Any]] = []
    for _ in range(25):
        name = f"m{chance.randrange(5)}"
        what = chance.choice(("ended", "ended", "ended", "live", "cancelled", "abandoned", "moved"))
        if what == "ended":
            at = END + timedelta(hours=chance.randrange(2))
            cup.ended(name, chance.randrange(4), chance.randrange(4), at=at)
        elif what == "moved":
            cup.match(name, round=f"week-{chance.randrange(1, 3)}")
        else:
            cup.match(name, status=what, finished_at=None)
        cup.poll()
        jobs += payloads(cup)
        for payload in chance.sample(jobs, min(len(jobs), chance.randrange(3))):
            settle_matches.run(payload)  # late, early, and again
    for payload in payloads(cup):
        settle_matches.run(payload)
    expected = plain_points(cup, MARGIN)
    points = cup.points()
    assert points == expected
    assert payloads(cup) == []
    for_slams = sum(slams(cup).values())
    assert audited(cup) == sum(points.values()) - for_slams
    measured(f"settlement walk {seed}: {len(audits())} changes of points, 0 lost, 0 doubled")


def test_nothing_waits_and_nothing_is_done(cup: World) -> None:
    assert settlement.settle(cup.id, END, END) == settlement.Settled(0, 0)
