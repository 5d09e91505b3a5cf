"""Simulated games keep the promises of the record and resemble real games, over forty seeds."""

from __future__ import annotations

from collections import Counter
from statistics import mean
from typing import Any

from app.demo.clubs import rosters
from app.record.events import (
    Challenge,
    Conversion,
    Final,
    Fumble,
    GameEnded,
    GameEvent,
    GameStarted,
    Kick,
    Nullify,
    Pass,
    Penalty,
    Period,
    Run,
    Sack,
    Snap,
    Timeout,
    body_to,
    check,
    decode,
    encode,
)
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import GameScript
from tests.worlds.simulated_games import play, plays_of, score, standing_facts


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
        assert [
            sum(isinstance(body, kind) for body in bodies)
            for kind in (GameStarted, GameEnded, Final)
        ] == [1, 1, 1]


def test_final_is_the_score_of_what_stands(games: list[GameScript]) -> None:
    for game in games:
        points = score(game)
        assert game.events[-1].body == Final(
            home_score=points[game.home.id], away_score=points[game.away.id]
        )


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


def test_fouls_reviews_and_wiped_out_plays_are_as_frequent_as_in_real_games(
    games: list[GameScript],
) -> None:
    per_game: Counter[str] = Counter()
    for game in games:
        for step in game.events:
            match step.body:
                case Penalty(status=status):
                    per_game[status] += 1
                case Challenge(ruling=ruling):
                    per_game[ruling] += 1
        per_game["wiped out"] += sum(
            p.has(Nullify) and not p.has(Challenge) for p in plays_of(game)
        )
    assert 10 <= per_game["accepted"] / len(games) <= 16
    assert 1 <= per_game["declined"] / len(games) <= 3
    assert 0.2 <= per_game["offsetting"] / len(games) <= 1
    assert 4 <= per_game["wiped out"] / len(games) <= 8
    assert 1 <= per_game["pending"] / len(games) <= 2.2
    assert per_game["pending"] == per_game["overturned"] + per_game["upheld"] + per_game["stands"]


def test_yards_and_completions_are_as_in_real_games(games: list[GameScript]) -> None:
    facts = [fact for game in games for fact in standing_facts(game).values()]
    rushes = [
        fact.end_yard - fact.start_yard
        for fact in facts
        if isinstance(fact, Run) and fact.kind == "rush"
    ]
    throws = [fact for fact in facts if isinstance(fact, Pass) and fact.result != "spike"]
    caught = [fact for fact in throws if fact.result == "complete"]
    assert 3.8 <= mean(rushes) <= 5
    assert 0.6 <= len(caught) / len(throws) <= 0.7
    assert 55 <= len(throws) / len(games) <= 85


def test_the_rarer_things_happen_too(games: list[GameScript]) -> None:
    results = set()
    for game in games:
        for fact in standing_facts(game).values():
            match fact:
                case Sack(by=(_, _)):
                    results.add("shared sack")
                case Kick(result="blocked"):
                    results.add("blocked kick")
                case Run(kind="kneel" | "scramble" | "after_lateral" as kind):
                    results.add(kind)
                case Pass(result="spike"):
                    results.add("spike")
                case Conversion(good=True):
                    results.add("two points")
                case Fumble(out_of_bounds=True):
                    results.add("fumbled out of bounds")
                case Period(period=5):
                    results.add("overtime")
                case Timeout(team=None, reason="two-minute warning"):
                    results.add("two-minute warning")
    assert results == {
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


SIDES = {"by": "by_team", "forced_by": "forced_by_team", "blocked_by": "blocked_by_team"}
PEOPLE = ("passer", "receiver", "player", "tackler", "kicker", "tackled", *SIDES)


def test_everybody_plays_for_their_own_club(games: list[GameScript]) -> None:
    for game in games:
        club_of = {player.id: player.club_id for player in game.footballers}
        other = {game.home.id: game.away.id, game.away.id: game.home.id}
        for fact in standing_facts(game).values():
            plain = body_to(fact)
            for role in PEOPLE:
                players = plain.get(role) or ()
                for player in [players] if isinstance(players, str) else players:
                    team = (
                        other[plain["team"]]
                        if role == "tackled"
                        else plain[SIDES.get(role, "team")]
                    )
                    assert club_of[player] == team, (role, plain)


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
        receivers = [player.id for player in roster if player.position == "WR"]
        backs = [player.id for player in roster if player.position == "RB"]
        assert targets[receivers[0]] > targets[receivers[2]] > targets[receivers[4]]
        assert carries[backs[0]] > carries[backs[1]] > carries[backs[2]]


def valid_events(game: GameScript) -> list[tuple[int, int, Any]]:
    """(event number, play number, body) of each standing play; rulings replace the original."""
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
    for line in stat_lines(game_credits(valid_events(game))).values():
        sums[line.team].update(line.stats)
    return sums


def test_the_record_counts_the_score_that_final_declares(games: list[GameScript]) -> None:
    for game in games:
        state = game_state(valid_events(game))
        assert (state.status, state.home, state.away) == ("final", game.home.id, game.away.id)
        assert (
            Final(home_score=state.home_score, away_score=state.away_score) == game.events[-1].body
        )


def test_a_club_passes_for_the_yards_and_touchdowns_that_it_receives(
    games: list[GameScript],
) -> None:
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
