"""Simulated games are plausible and keep the promises of the record, over forty seeds."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from statistics import mean, median
from typing import Any

import pytest

from app.demo.clubs import CLUBS, rosters
from app.demo.game import simulate_game
from app.record.events import (
    Challenge,
    Conversion,
    Final,
    Fumble,
    GameEnded,
    GameEvent,
    GameStarted,
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
    body_to,
    check,
    decode,
    encode,
)
from app.record.rules.stat_lines import credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import GameScript

KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)


def play(seed: int) -> GameScript:
    home, away = CLUBS[seed % 8], CLUBS[(seed + 1 + seed // 8 % 7) % 8]
    return simulate_game(seed, f"demo-{seed}", home, away, rosters(), KICKOFF, 2026, 1)


@pytest.fixture(scope="module")
def games() -> list[GameScript]:
    return [play(seed) for seed in range(40)]


@dataclass
class Play:
    """A snap and what follows it: `bodies` as entered, `facts` as they stand in the end, both by event number."""

    snap: Snap
    bodies: dict[int, Any] = field(default_factory=dict)
    facts: dict[int, Any] = field(default_factory=dict)

    def has(self, kind: type) -> bool:
        return any(isinstance(body, kind) for body in self.bodies.values())


def standing_facts(game: GameScript) -> dict[int, Any]:
    """Event number -> the fact that stands, corrections applied."""
    facts: dict[int, Any] = {}
    for number, step in enumerate(game.events, start=1):
        match step.body:
            case Nullify(events=void):
                for event in void:
                    del facts[event]
            case Overturn(event=event, ruling=ruling):
                assert event in facts
                facts[event] = ruling
            case Challenge():
                pass
            case fact:
                facts[number] = fact
    return facts


def plays_of(game: GameScript) -> list[Play]:
    standing = standing_facts(game)
    plays: list[Play] = []
    for number, step in enumerate(game.events, start=1):
        if isinstance(step.body, Snap):
            plays.append(Play(step.body))
        elif plays:
            plays[-1].bodies[number] = step.body
            if number in standing:
                plays[-1].facts[number] = standing[number]
    return plays


def score(game: GameScript) -> dict[str, int]:
    points = {game.home.id: 0, game.away.id: 0}
    for fact in standing_facts(game).values():
        if getattr(fact, "is_touchdown", False):
            points[fact.team] += 6
        if isinstance(fact, Kick) and fact.result == "good":
            points[fact.team] += 3 if fact.kind == "field_goal" else 1
        if isinstance(fact, Conversion) and fact.good:
            points[fact.team] += 2
        if isinstance(fact, Safety):
            points[fact.team] += fact.points
    return points


def test_every_step_fits_the_wire_schema(games: list[GameScript]) -> None:
    for game in games:
        for number, step in enumerate(game.events, start=1):
            assert check(step.body) == step.body
            event = GameEvent(
                game_id=game.game_id,
                event_number=number,
                play_number=0,
                epoch=1,
                recorded_at=step.at_ms,
                body=step.body,
            )
            assert decode(encode(event)) == event


def test_the_same_seed_gives_the_same_game() -> None:
    assert play(7) == play(7)
    assert play(7).events != play(8).events


def test_a_game_begins_with_game_started_and_ends_with_final(games: list[GameScript]) -> None:
    for game in games:
        bodies = [step.body for step in game.events]
        assert bodies[0] == GameStarted(home=game.home.id, away=game.away.id)
        assert isinstance(bodies[-2], GameEnded)
        assert isinstance(bodies[-1], Final)
        assert [sum(isinstance(body, kind) for body in bodies) for kind in (GameStarted, GameEnded, Final)] == [1, 1, 1]


def test_final_is_the_score_of_what_stands(games: list[GameScript]) -> None:
    for game in games:
        points = score(game)
        assert game.events[-1].body == Final(home_score=points[game.home.id], away_score=points[game.away.id])


def test_counts_are_those_of_real_games(games: list[GameScript]) -> None:
    snaps = [sum(isinstance(step.body, Snap) for step in game.events) for game in games]
    events = [len(game.events) for game in games]
    minutes = [game.events[-1].at_ms / 60_000 for game in games]
    points = [points for game in games for points in score(game).values()]
    assert 150 <= mean(snaps) <= 180
    assert all(120 <= count <= 220 for count in snaps)
    assert 400 <= mean(events) <= 700
    assert all(400 <= count <= 800 for count in events)
    assert 90 <= mean(minutes) <= 150
    assert all(90 <= length <= 170 for length in minutes)
    assert 17 <= mean(points) <= 27
    assert sum(10 <= p <= 40 for p in points) >= 0.75 * len(points)


def test_fouls_reviews_and_wiped_out_plays_are_as_frequent_as_in_real_games(games: list[GameScript]) -> None:
    per_game: Counter[str] = Counter()
    for game in games:
        for step in game.events:
            match step.body:
                case Penalty(status=status):
                    per_game[status] += 1
                case Challenge(ruling=ruling):
                    per_game[ruling] += 1
        per_game["wiped out"] += sum(p.has(Nullify) and not p.has(Challenge) for p in plays_of(game))
    assert 10 <= per_game["accepted"] / len(games) <= 16
    assert 1 <= per_game["declined"] / len(games) <= 3
    assert 0.2 <= per_game["offsetting"] / len(games) <= 1
    assert 4 <= per_game["wiped out"] / len(games) <= 8
    assert 1 <= per_game["pending"] / len(games) <= 2.2
    assert per_game["pending"] == per_game["overturned"] + per_game["upheld"] + per_game["stands"]


def test_yards_and_completions_are_as_in_real_games(games: list[GameScript]) -> None:
    facts = [fact for game in games for fact in standing_facts(game).values()]
    rushes = [fact.end_yard - fact.start_yard for fact in facts if isinstance(fact, Run) and fact.kind == "rush"]
    throws = [fact for fact in facts if isinstance(fact, Pass) and fact.result != "spike"]
    caught = [fact for fact in throws if fact.result == "complete"]
    assert 3.8 <= mean(rushes) <= 5
    assert 0.6 <= len(caught) / len(throws) <= 0.7
    assert 55 <= len(throws) / len(games) <= 85


def test_the_rarer_things_happen_too(games: list[GameScript]) -> None:
    seen = set()
    for game in games:
        for fact in standing_facts(game).values():
            match fact:
                case Sack(by=(_, _)):
                    seen.add("shared sack")
                case Kick(result="blocked"):
                    seen.add("blocked kick")
                case Run(kind="kneel" | "scramble" | "after_lateral" as kind):
                    seen.add(kind)
                case Pass(result="spike"):
                    seen.add("spike")
                case Conversion(good=True):
                    seen.add("two points")
                case Fumble(out_of_bounds=True):
                    seen.add("fumbled out of bounds")
                case Period(period=5):
                    seen.add("overtime")
                case Timeout(team=None, reason="two-minute warning"):
                    seen.add("two-minute warning")
    assert seen == {
        "shared sack",
        "blocked kick",
        "kneel",
        "scramble",
        "after_lateral",
        "spike",
        "two points",
        "fumbled out of bounds",
        "overtime",
        "two-minute warning",
    }


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
    assert [(t.side, t.kind, t.good) for t in tries if t.side == "defence"] == [("defence", "return", True)]


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
        marks = [(step.body.period, step.body.phase) for step in game.events if isinstance(step.body, Period)]
        last = marks[-1][0]
        assert marks == [(period, phase) for period in range(1, last + 1) for phase in ("start", "end")]
        if last == 5:
            assert len(marks) == 10


def ball_after(p: Play, other: dict[str, str]) -> tuple[str, int, bool]:
    """Who has the ball where after the play, from the facts alone; and whether it changed hands on the way."""
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


def test_the_next_snap_is_where_the_ball_was_left_with_the_right_down_and_distance(games: list[GameScript]) -> None:
    compared = 0
    for game in games:
        other = {game.home.id: game.away.id, game.away.id: game.home.id}
        plays = plays_of(game)
        for p, following in pairwise(plays):
            after = following.snap
            new_half = after.period != p.snap.period and after.period in (3, 5)
            flagged = any(isinstance(fact, Penalty) and fact.status == "accepted" for fact in p.facts.values())
            if after.situation != "scrimmage" or new_half or flagged:
                continue
            compared += 1
            if any(isinstance(fact, Penalty) and fact.status == "offsetting" for fact in p.facts.values()):
                expected = (p.snap.possession, p.snap.spot, p.snap.down, p.snap.distance)
            else:
                expected = next_series(p, other)
            assert (after.possession, after.spot, after.down, after.distance) == expected, (game.game_id, p, after)
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


def test_a_touchdown_that_stands_is_followed_by_a_try_and_one_overturned_is_not(games: list[GameScript]) -> None:
    overturned = 0
    for game in games:
        plays = plays_of(game)
        for p, following in pairwise(plays):
            called = any(getattr(body, "is_touchdown", False) for body in p.bodies.values())
            stands = any(getattr(fact, "is_touchdown", False) for fact in p.facts.values())
            overturned += called and not stands and p.has(Overturn)
            assert stands == (following.snap.situation == "try")
    assert overturned >= 3


def test_corrections_name_earlier_events_of_their_own_play_that_stood(games: list[GameScript]) -> None:
    for game in games:
        for p in plays_of(game):
            standing: set[int] = set()
            for number, body in p.bodies.items():
                named = (
                    body.events if isinstance(body, Nullify) else (body.event,) if isinstance(body, Overturn) else ()
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
                    fact for fact in p.facts.values() if not isinstance(fact, Penalty | Timeout | Period | GameEnded)
                ]
                assert [fact for fact in left if not isinstance(fact, Final)] == []


SIDES = {"by": "by_team", "forced_by": "forced_by_team", "blocked_by": "blocked_by_team"}
PEOPLE = ("passer", "receiver", "player", "tackler", "kicker", "tackled", *SIDES)


def test_everybody_plays_for_his_own_club(games: list[GameScript]) -> None:
    for game in games:
        club_of = {man.id: man.club_id for man in game.footballers}
        other = {game.home.id: game.away.id, game.away.id: game.home.id}
        for fact in standing_facts(game).values():
            plain = body_to(fact)
            for role in PEOPLE:
                men = plain.get(role) or ()
                for man in [men] if isinstance(men, str) else men:
                    team = other[plain["team"]] if role == "tackled" else plain[SIDES.get(role, "team")]
                    assert club_of[man] == team, (role, plain)


def test_stars_are_used_more_than_reserves(games: list[GameScript]) -> None:
    targets: Counter[str] = Counter()
    carries: Counter[str] = Counter()
    for game in games:
        for fact in standing_facts(game).values():
            if isinstance(fact, Pass) and fact.receiver:
                targets[fact.receiver] += 1
            if isinstance(fact, Run) and fact.kind == "rush" and fact.player:
                carries[fact.player] += 1
    for roster in rosters().values():
        receivers = [man.id for man in roster if man.position == "WR"]
        backs = [man.id for man in roster if man.position == "RB"]
        assert targets[receivers[0]] > targets[receivers[2]] > targets[receivers[4]]
        assert carries[backs[0]] > carries[backs[1]] > carries[backs[2]]


def valid_events(game: GameScript) -> list[tuple[int, int, Any]]:
    """(event number, play number, body) of what stands, a ruling in the place of what it replaced."""
    standing = standing_facts(game)
    play_number, valid = 0, []
    for number, step in enumerate(game.events, start=1):
        play_number += isinstance(step.body, Snap)
        if number in standing:
            valid.append((number, play_number, standing[number]))
    return valid


def box_score(game: GameScript) -> dict[str, Counter[str]]:
    """Club id -> the sums of its footballers' stat lines."""
    sums: dict[str, Counter[str]] = {game.home.id: Counter(), game.away.id: Counter()}
    for line in stat_lines(credits(valid_events(game))).values():
        sums[line.team].update(line.stats)
    return sums


def test_the_record_counts_the_score_that_final_declares(games: list[GameScript]) -> None:
    for game in games:
        state = game_state(valid_events(game))
        assert (state.status, state.home, state.away) == ("final", game.home.id, game.away.id)
        assert Final(home_score=state.home_score, away_score=state.away_score) == game.events[-1].body


def test_a_club_passes_for_the_yards_and_touchdowns_that_it_receives(games: list[GameScript]) -> None:
    for game in games:
        for stats in box_score(game).values():
            assert stats["passing_yards"] == stats["receiving_yards"] > 0
            assert stats["passing_tds"] == stats["receiving_tds"]
            assert stats["completions"] == stats["receptions"]


def test_clubs_gain_the_yards_of_real_games(games: list[GameScript]) -> None:
    sums = [stats for game in games for stats in box_score(game).values()]
    passing = [stats["passing_yards"] for stats in sums]
    rushing = [stats["rushing_yards"] for stats in sums]
    assert 200 <= mean(passing) <= 300
    assert 80 <= mean(rushing) <= 150
