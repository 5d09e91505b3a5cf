"""Simulated time, down, distance and possession follow from play to play, over forty seeds."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from app.record.events import (
    Challenge,
    Conversion,
    Final,
    Fumble,
    GameEnded,
    Interception,
    Kick,
    Nullify,
    Overturn,
    Pass,
    Penalty,
    Period,
    Recovery,
    Run,
    Sack,
    Safety,
    Snap,
    Timeout,
)
from app.record.script import GameScript
from tests.worlds.simulated_games import Play, play, plays_of, standing_facts


@pytest.mark.parametrize("seed", [57, 64, 87])
def test_after_a_safety_the_side_that_gave_it_up_kicks_free(seed: int) -> None:
    plays = plays_of(play(seed))
    safeties = [
        (fact, following.snap)
        for p, following in pairwise(plays)
        for fact in p.facts.values()
        if isinstance(fact, Safety)
    ]
    assert safeties
    for safety, snap in safeties:
        assert snap.situation == "free_kick"
        assert snap.possession != safety.team
        assert snap.spot == 20


def test_a_try_can_come_back_for_two_points_of_the_defence() -> None:
    tries = [fact for fact in standing_facts(play(58)).values() if isinstance(fact, Conversion)]
    assert [(t.side, t.kind, t.good) for t in tries if t.side == "defence"] == [
        ("defence", "return", True)
    ]


def test_time_never_runs_backwards(games: list[GameScript]) -> None:
    for game in games:
        times = [step.at_ms for step in game.events]
        assert times[0] == 0
        assert times == sorted(times)


def test_snaps_follow_each_other_at_the_pace_of_life(games: list[GameScript]) -> None:
    gaps = []
    for game in games:
        snapped = [step.at_ms for step in game.events if isinstance(step.body, Snap)]
        gaps += [(b - a) / 1000 for a, b in pairwise(snapped)]
    assert 25 <= median(gaps) <= 42
    assert min(gaps) >= 5


def test_the_clock_never_rises_in_a_period(games: list[GameScript]) -> None:
    for game in games:
        clocks = defaultdict(list)
        for p in plays_of(game):
            clocks[p.snap.period].append(p.snap.clock)
        assert list(clocks) in ([1, 2, 3, 4], [1, 2, 3, 4, 5])
        for period, seconds in clocks.items():
            assert seconds[0] == (600 if period == 5 else 900)
            assert seconds == sorted(seconds, reverse=True)


def test_periods_start_and_end_in_order(games: list[GameScript]) -> None:
    for game in games:
        marks = [
            (step.body.period, step.body.phase)
            for step in game.events
            if isinstance(step.body, Period)
        ]
        last = marks[-1][0]
        assert marks == [
            (period, phase) for period in range(1, last + 1) for phase in ("start", "end")
        ]
        if last == 5:
            assert len(marks) == 10


def ball_after(p: Play, other: dict[str, str]) -> tuple[str, int, bool]:
    """Who has the ball where after the play, from the facts alone.

    And whether it changed hands on the way.
    """
    club, changed = p.snap.possession, False
    spot: Any = p.snap.spot
    for fact in p.facts.values():
        match fact:
            case Pass(result="complete"):
                spot = fact.reception_yard
            case Run() | Sack():
                spot = fact.end_yard
            case Fumble():
                spot = fact.yard
            case Recovery() | Interception():
                changed = changed or fact.team != club
                club, spot = fact.team, fact.yard
                if isinstance(fact, Interception) and spot == 0:
                    spot = 20
            case Kick(result="missed"):
                club, spot, changed = other[club], max(20, 100 - spot + 7), True
            case Kick(result="touchback"):
                club, spot, changed = other[club], 25 if fact.kind == "kickoff" else 20, True
            case Kick(result="out_of_bounds", kind="kickoff"):
                club, spot, changed = other[club], 40, True
            case Kick(result="returned" | "fair_catch" | "downed" | "out_of_bounds" | "recovered"):
                club, spot, changed = other[club], 100 - spot - fact.distance, True
    return club, spot, changed


def test_the_next_snap_is_where_the_ball_was_left_with_the_right_down_and_distance(
    games: list[GameScript],
) -> None:
    compared = 0
    for game in games:
        other = {game.home.id: game.away.id, game.away.id: game.home.id}
        plays = plays_of(game)
        for p, following in pairwise(plays):
            after = following.snap
            new_half = after.period != p.snap.period and after.period in (3, 5)
            flagged = any(
                isinstance(fact, Penalty) and fact.status == "accepted" for fact in p.facts.values()
            )
            if after.situation != "scrimmage" or new_half or flagged:
                continue
            compared += 1
            if any(
                isinstance(fact, Penalty) and fact.status == "offsetting"
                for fact in p.facts.values()
            ):
                expected = (p.snap.possession, p.snap.spot, p.snap.down, p.snap.distance)
            else:
                expected = next_series(p, other)
            assert (after.possession, after.spot, after.down, after.distance) == expected, (
                game.game_id,
                p,
                after,
            )
    assert compared > 4000


def next_series(p: Play, other: dict[str, str]) -> tuple[str, int, int, int]:
    club, spot, changed = ball_after(p, other)
    down, distance = p.snap.down, p.snap.distance
    if changed or down is None or distance is None or spot >= p.snap.spot + distance:
        return club, spot, 1, min(10, 100 - spot)
    if down == 4:
        return other[club], 100 - spot, 1, min(10, spot)
    return club, spot, down + 1, distance - (spot - p.snap.spot)


def test_kicks_and_tries_have_no_down_and_scrimmage_plays_have_one(games: list[GameScript]) -> None:
    for game in games:
        for p in plays_of(game):
            assert (p.snap.down is None) == (p.snap.situation != "scrimmage")
            assert (p.snap.distance is None) == (p.snap.situation != "scrimmage")
            if p.snap.situation == "scrimmage":
                assert 1 <= p.snap.spot <= 99
                assert 1 <= (p.snap.distance or 0) <= 100 - p.snap.spot


def test_a_touchdown_that_stands_is_followed_by_a_try_and_one_overturned_is_not(
    games: list[GameScript],
) -> None:
    overturned = 0
    for game in games:
        plays = plays_of(game)
        for p, following in pairwise(plays):
            called = any(getattr(body, "is_touchdown", False) for body in p.bodies.values())
            stands = any(getattr(fact, "is_touchdown", False) for fact in p.facts.values())
            overturned += called and not stands and p.has(Overturn)
            assert stands == (following.snap.situation == "try")
    assert overturned >= 3


def test_corrections_name_earlier_events_of_their_own_play_that_stood(
    games: list[GameScript],
) -> None:
    for game in games:
        for p in plays_of(game):
            standing: set[int] = set()
            for number, body in p.bodies.items():
                named = (
                    body.events
                    if isinstance(body, Nullify)
                    else (body.event,)
                    if isinstance(body, Overturn)
                    else ()
                )
                assert set(named) <= standing
                if isinstance(body, Nullify):
                    standing -= set(named)
                elif not isinstance(body, Overturn | Challenge | Penalty):
                    standing.add(number)


def test_a_foul_wipes_out_everything_after_the_snap_but_the_fouls(games: list[GameScript]) -> None:
    for game in games:
        for p in plays_of(game):
            if p.has(Nullify) and not p.has(Challenge):
                left = [
                    fact
                    for fact in p.facts.values()
                    if not isinstance(fact, Penalty | Timeout | Period | GameEnded)
                ]
                assert [fact for fact in left if not isinstance(fact, Final)] == []
