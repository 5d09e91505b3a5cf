"""Tournaments in which the winner is guessed: pick'em, confidence and survivor.

What the rules are follows Yahoo's and ESPN's games of these names; a plain rule in Python recounts
the survivors of random tournaments.
"""

from __future__ import annotations

from datetime import timedelta
from random import Random
from uuid import UUID

import pytest
from flask import Flask

from app.core.db import db
from app.core.errors import UserError
from app.predictions import guesses, survivors, tournaments
from app.predictions.entries import NewGuess, Pick, with_confidence
from app.predictions.models import Guess, Match, Team
from app.predictions.points import PRESETS, GuessKind, PointRule, Terms, earned, words
from tests.worlds.tournament import BEFORE, END, KICKOFF, TEAMS, World

CONFIDENCE, SURVIVOR, PICKEM = (PRESETS[name] for name in ("confidence", "survivor", "pickem"))
HOME, DRAW, AWAY = (1, 0), (0, 0), (0, 1)
WEEK = timedelta(days=7)


def weights(world: World, name: str) -> dict[str, int | None]:
    """Confidence by match."""
    db.session.rollback()
    rows = db.session.execute(
        db.select(Match.external_id, Guess.confidence)
        .join(Guess, Guess.match_id == Match.id)
        .where(Guess.player_id == world.player(name))
    )
    return dict(rows.all())


def pick(
    world: World, name: str, match: str, side: tuple[int, int], weight: int | None = None
) -> list[str]:
    """Save a pick before the kickoff of its match; return the codes of what is refused."""
    new = NewGuess(world.id_of(match), *side, weight)
    kickoff = db.session.scalars(db.select(Match.kickoff).filter_by(id=new.match_id)).one()
    now = (kickoff or KICKOFF) - timedelta(days=1)
    return [r.code for r in guesses.save(world.id, world.player(name), [new], now)]


def three_matches(rule: PointRule) -> World:
    world = World(rule)
    for number, (home, away) in enumerate([("ars", "che"), ("liv", "mun"), ("ars", "liv")], 1):
        world.match(f"m{number}", home, away)
    world.poll(BEFORE)
    return world


def test_a_right_pick_earns_its_confidence(app: Flask) -> None:
    world = three_matches(CONFIDENCE)
    for match, side, weight in (("m1", HOME, 3), ("m2", AWAY, 1), ("m3", HOME, 2)):
        assert pick(world, "ann", match, side, weight) == []
    world.ended("m1", 2, 1)
    world.ended("m2", 3, 0)
    world.ended("m3", 4, 0)
    world.poll()
    world.settle()
    assert world.points() == {"ann": 500}, "3 and 2; the pick for 1 was wrong"


def test_numbers_are_given_from_the_highest_and_swapped_when_one_is_chosen(app: Flask) -> None:
    world = three_matches(CONFIDENCE)
    for match in ("m1", "m2", "m3"):
        pick(world, "ann", match, HOME)
    assert weights(world, "ann") == {"m1": 3, "m2": 2, "m3": 1}
    assert pick(world, "ann", "m3", HOME, 3) == []
    assert weights(world, "ann") == {"m1": 1, "m2": 2, "m3": 3}
    assert pick(world, "ann", "m1", AWAY) == []
    assert weights(world, "ann") == {"m1": 1, "m2": 2, "m3": 3}, "another winner, the same number"
    assert pick(world, "ann", "m1", AWAY, 4) == ["confidence"]
    assert pick(world, "ann", "m1", (3, 1)) == ["pick"]


def test_the_number_of_a_match_that_has_begun_is_taken(app: Flask) -> None:
    world = three_matches(CONFIDENCE)
    world.match("m3", kickoff=KICKOFF + timedelta(hours=4))
    world.poll(BEFORE)
    pick(world, "ann", "m1", HOME, 3)
    pick(world, "ann", "m3", HOME, 1)
    late = NewGuess(world.id_of("m3"), *HOME, 3)
    (refused,) = guesses.save(world.id, world.player("ann"), [late], KICKOFF + timedelta(hours=1))
    assert refused.text == "You've used 3 on a match that has started. Choose another number."
    assert weights(world, "ann") == {"m1": 3, "m3": 1}


def test_numbers_stay_different_whatever_is_chosen() -> None:
    """Random choices in a round of eight: after each, every match has a number of its own."""
    rng = Random(7)  # noqa: S311
    ids = [UUID(int=number) for number in range(8)]
    stored: dict[UUID, NewGuess] = {}
    for _ in range(400):
        match_id, chosen = rng.choice(ids), rng.choice([None, *range(1, 9)])
        picks = [Pick(guess, 1, "Week 1", match_id, "", False, False) for guess in stored.values()]
        for guess in with_confidence(NewGuess(match_id, *HOME, chosen), 8, picks):  # type: ignore[union-attr]
            stored[guess.match_id] = guess
        numbers = [guess.confidence for guess in stored.values()]
        assert len(set(numbers)) == len(numbers)
        assert set(numbers) <= set(range(1, 9))
        if chosen is not None:
            assert stored[match_id].confidence == chosen


def survivor_world(rule: PointRule = SURVIVOR, weeks: int = 4) -> World:
    """Two matches a week: ars against che, and liv against mun."""
    world = World(rule)
    world.rounds = [f"week-{week}" for week in range(1, weeks + 1)]
    for week in range(1, weeks + 1):
        kickoff = KICKOFF + (week - 1) * WEEK
        world.match(f"a{week}", "ars", "che", round=f"week-{week}", kickoff=kickoff)
        world.match(f"b{week}", "liv", "mun", round=f"week-{week}", kickoff=kickoff)
    world.poll(BEFORE)
    return world


def play(world: World, week: int, first: tuple[int, int], second: tuple[int, int]) -> None:
    """Both matches of the week end, and are settled."""
    end = END + (week - 1) * WEEK
    world.ended(f"a{week}", *first, at=end)
    world.ended(f"b{week}", *second, at=end)
    world.poll(end)
    world.settle(end)


def out_since(world: World, name: str) -> str | None:
    db.session.rollback()
    exit_ = survivors.exit_of(world.id, world.player(name))
    return exit_ and exit_.name


def test_a_survivor_plays_on_until_the_first_wrong_pick(app: Flask) -> None:
    world = survivor_world()
    pick(world, "ann", "a1", HOME)
    pick(world, "bob", "a1", AWAY)
    pick(world, "bob", "b2", HOME)  # in advance, before he goes out
    play(world, 1, (2, 0), (1, 0))
    assert (out_since(world, "ann"), out_since(world, "bob")) == (None, "Week 1")
    assert pick(world, "bob", "a3", HOME) == ["out"]
    pick(world, "ann", "b2", HOME)
    play(world, 2, (0, 0), (1, 0))
    assert world.points() == {"ann": 200, "bob": 0}
    assert survivors.field(world.id) == survivors.Field(still_in=1, members=2)


def test_a_draw_and_a_missing_pick_are_wrong(app: Flask) -> None:
    world = survivor_world()
    for name in ("ann", "bob"):
        pick(world, name, "a1", HOME)
    play(world, 1, (1, 0), (1, 0))
    pick(world, "ann", "b2", HOME)
    play(world, 2, (1, 0), (1, 1))
    assert out_since(world, "ann") == "Week 2", "her team drew"
    assert out_since(world, "bob") == "Week 2", "he picked nobody"


def test_a_team_is_picked_once_and_one_team_a_round(app: Flask) -> None:
    world = survivor_world()
    assert pick(world, "ann", "a1", HOME) == []
    assert pick(world, "ann", "b1", AWAY) == [], "the new pick replaces the first one"
    assert set(world.guesses("ann")) == {world.id_of("b1")}
    assert pick(world, "ann", "b2", AWAY) == ["used"]
    assert pick(world, "ann", "a2", HOME) == []
    assert pick(world, "ann", "a2", DRAW) == ["pick"]


def test_a_pick_that_has_begun_stands(app: Flask) -> None:
    world = survivor_world()
    world.match("b1", kickoff=KICKOFF + timedelta(hours=4))
    world.poll(BEFORE)
    pick(world, "ann", "a1", HOME)
    new = NewGuess(world.id_of("b1"), *HOME)
    (refused,) = guesses.save(world.id, world.player("ann"), [new], KICKOFF + timedelta(hours=1))
    assert refused.text == "Your pick for this round, Ars, is locked: the match has started."
    assert set(world.guesses("ann")) == {world.id_of("a1")}


def test_who_is_refused_becomes_no_member(app: Flask) -> None:
    world = survivor_world()
    assert pick(world, "ann", "a1", DRAW) == ["pick"]
    late = NewGuess(world.id_of("a1"), *HOME)
    assert guesses.save(world.id, world.player("ann"), [late], KICKOFF)[0].code == "guess_locked"
    assert world.points() == {}


def test_a_corrected_result_brings_a_survivor_back(app: Flask) -> None:
    world = survivor_world()
    pick(world, "ann", "a1", HOME)
    pick(world, "ann", "b2", HOME)
    play(world, 1, (0, 1), (1, 0))
    assert (out_since(world, "ann"), world.points()) == ("Week 1", {"ann": 0})
    play(world, 2, (1, 0), (1, 0))
    assert world.points() == {"ann": 0}
    world.ended("a1", 1, 0)
    world.poll(END + 2 * WEEK)
    world.settle(END + 2 * WEEK)
    assert (out_since(world, "ann"), world.points()) == (None, {"ann": 200})


def test_a_match_that_is_called_off_is_neither_right_nor_wrong(app: Flask) -> None:
    world = survivor_world()
    pick(world, "ann", "a1", HOME)
    world.match("a1", status="cancelled")
    world.ended("b1", 1, 0)
    world.poll()
    world.settle()
    assert (out_since(world, "ann"), world.points()) == (None, {"ann": 0})
    assert pick(world, "ann", "a2", HOME) == [], "the team can be picked again"


def test_two_lives_bear_one_wrong_pick(app: Flask) -> None:
    world = survivor_world(PointRule(guess=GuessKind.SURVIVOR, lives=2))
    for match, side in (("a1", AWAY), ("b2", HOME), ("a3", HOME), ("b4", AWAY)):
        pick(world, "ann", match, side)
    for week in (1, 2, 3):
        play(world, week, (1, 0), (1, 0))
    assert (out_since(world, "ann"), world.points()) == (None, {"ann": 200})
    play(world, 4, (1, 0), (1, 0))
    assert (out_since(world, "ann"), world.points()) == ("Week 4", {"ann": 200})


def plainly(rule: PointRule, weeks: list[tuple[str | None, str]]) -> tuple[int, int | None]:
    """Points and the week of the exit, from the pick and the result of each week, by plain rule.

    A result is "right", "wrong" or "off".
    """
    points, lives = 0, rule.lives
    began = False
    for number, (picked, result) in enumerate(weeks, 1):
        began = began or picked is not None
        if not began or result == "off":
            continue
        if picked is None or result == "wrong":
            lives -= 1
        else:
            points += rule.winner
        if lives == 0:
            return points, number
    return points, None


@pytest.mark.parametrize("seed", range(6))
def test_random_tournaments_agree_with_a_plain_rule(app: Flask, seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    rule = PointRule(guess=GuessKind.SURVIVOR, lives=rng.choice([1, 1, 2]), winner=100)
    world = survivor_world(rule)
    picked: dict[str, list[tuple[str | None, str]]] = {}
    results = [rng.choice([(1, 0), (0, 1), (2, 2)]) for _ in range(4)]
    for name in ("ann", "bob", "cleo", "dan"):
        weeks: list[tuple[str | None, str]] = []
        unused = list(TEAMS)
        for week, (home, away) in enumerate(results, 1):
            team = rng.choice([*unused, None])
            if team is None or pick(
                world,
                name,
                f"{'a' if team in ('ars', 'che') else 'b'}{week}",
                HOME if team in ("ars", "liv") else AWAY,
            ):
                weeks.append((None, "missed"))
                continue
            unused.remove(team)
            won = home > away if team in ("ars", "liv") else away > home
            weeks.append((team, "right" if won else "wrong"))
        picked[name] = weeks
    order = [1, 2, 3, 4]
    rng.shuffle(order)  # a week may be settled before an earlier one
    for week in order:
        play(world, week, results[week - 1], results[week - 1])
    expected = {name: plainly(rule, weeks) for name, weeks in picked.items()}
    for name, (points, week) in expected.items():
        if name in world.points():
            assert world.points()[name] == points
            assert out_since(world, name) == (f"Week {week}" if week else None)
        else:
            assert all(team is None for team, _ in picked[name])


def test_pickem_compares_the_winner_alone() -> None:
    assert earned(1, 0, Terms(31, 3, PICKEM)).total == 100
    assert earned(1, 0, Terms(3, 31, PICKEM)).total == 0
    assert earned(0, 0, Terms(20, 20, PICKEM)).total == 100
    assert words(PICKEM) == ["Right winner: 1 point."]


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (
            PointRule(guess=GuessKind.WINNER, margin=50, exact=10),
            "Picks of kind 'winner' have no scores: set margin and exact to 0.",
        ),
        (
            PointRule(guess=GuessKind.SURVIVOR, grand_slam=100),
            "A survivor picks one match per round: set grand_slam to 0.",
        ),
    ],
)
def test_a_rule_that_does_not_fit_together_makes_no_tournament(
    app: Flask, rule: PointRule, fault: str
) -> None:
    provider = tournaments.Provider("official-record", "nfl/2026/REG")
    with pytest.raises(UserError) as raised:
        tournaments.create("Cup", rule, provider)
    assert str(raised.value) == fault
    assert db.session.scalars(db.select(Team)).all() == []
