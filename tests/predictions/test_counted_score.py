"""Which score counts after extra time and penalties.

Tables of cases, and the answers of public providers.

Authorities: the declarations as docs/providers.md promises them. IFAB Laws of the Game, Law 10:
kicks from the penalty mark decide who wins, they are no goals. The shapes: football-data.org's page
on overtime, API-Football's fixtures and Sportmonks' scores.
"""

from __future__ import annotations

import doctest
from typing import Any

import msgspec
import pytest

from app.predictions import counted_score, points
from app.predictions.counted_score import (
    CountedScore,
    Duration,
    Parts,
    Score,
    counted,
    shootout_winner,
)
from app.predictions.pages import words
from app.predictions.pages.queries import OwnGuess
from app.predictions.points import PRESETS, Terms
from app.predictions.providers.offer import OfferedMatch
from examples.provider_scores import from_api_football, from_football_data, from_sportmonks

REGULATION, EXTRA_TIME, SHOOTOUT = (
    CountedScore.REGULATION,
    CountedScore.EXTRA_TIME,
    CountedScore.SHOOTOUT,
)
AS_GIVEN, OVERTIME = CountedScore.AS_GIVEN, CountedScore.OVERTIME


def offered(status: str, final: tuple[int, int] | None = None, **values: Any) -> OfferedMatch:
    """A match as the JSON has it; `final`: its one score."""
    row = {"id": "m1", "round": "week-1", "home": "ars", "away": "che", "status": status}
    if final is not None:
        row |= {"homeScore": final[0], "awayScore": final[1]}
    for name, value in values.items():
        row[name] = {"home": value[0], "away": value[1]} if isinstance(value, tuple) else value
    return msgspec.convert(row, OfferedMatch)


def score_that_counts(declared: CountedScore, match: OfferedMatch) -> tuple[int, int] | None:
    return counted(declared, match.parts(), match.status).score


IN_TIME = offered("FT", (2, 1))
AFTER_EXTRA_TIME = offered("AET", (2, 1), regulation=(1, 1), afterExtraTime=(2, 1))
ON_PENALTIES = offered("PEN", (2, 2), regulation=(1, 1), afterExtraTime=(2, 2), shootout=(3, 4))
WITH_KICKS = offered(
    "FINISHED",
    (5, 6),
    regulation=(1, 1),
    afterExtraTime=(2, 2),
    shootout=(3, 4),
    duration="shootout",
)
WITHOUT_EXTRA_TIME = offered(
    "PEN", (0, 0), regulation=(0, 0), afterExtraTime=(0, 0), shootout=(5, 4)
)
SECOND_LEG = offered("PEN", (2, 1), regulation=(2, 1), afterExtraTime=(2, 1), shootout=(1, 3))
AWARDED = offered("AWARDED", (3, 0), regulation=(1, 1))


@pytest.mark.parametrize(
    ("match", "as_given", "regulation", "extra_time"),
    [
        (IN_TIME, (2, 1), (2, 1), (2, 1)),
        (AFTER_EXTRA_TIME, (2, 1), (1, 1), (2, 1)),
        (ON_PENALTIES, (2, 2), (1, 1), (2, 2)),
        (WITH_KICKS, (5, 6), (1, 1), (2, 2)),
        (WITHOUT_EXTRA_TIME, (0, 0), (0, 0), (0, 0)),
        (SECOND_LEG, (2, 1), (2, 1), (2, 1)),
        (AWARDED, (3, 0), (3, 0), (3, 0)),  # somebody decided it: the parts do not matter
        (offered("2H", (1, 0)), (1, 0), (1, 0), (1, 0)),
        (offered("ET", (2, 1), regulation=(1, 1)), (2, 1), (1, 1), (2, 1)),
        (offered("NS"), None, None, None),
    ],
)
def test_a_tournament_counts_the_score_that_it_declares(
    match: OfferedMatch,
    as_given: tuple[int, int] | None,
    regulation: tuple[int, int] | None,
    extra_time: tuple[int, int] | None,
) -> None:
    assert score_that_counts(AS_GIVEN, match) == score_that_counts(OVERTIME, match) == as_given
    assert score_that_counts(REGULATION, match) == regulation
    assert score_that_counts(EXTRA_TIME, match) == score_that_counts(SHOOTOUT, match) == extra_time


@pytest.mark.parametrize(
    ("match", "waits"),
    [
        (offered("AET", (2, 1)), {REGULATION: "`regulation`"}),
        (
            offered("PEN", (2, 2)),
            dict.fromkeys((EXTRA_TIME, SHOOTOUT), "`afterExtraTime`")
            | {REGULATION: "`regulation`"},
        ),
        (
            offered("FT_PEN", (5, 6), regulation=(1, 1)),
            dict.fromkeys((EXTRA_TIME, SHOOTOUT), "`afterExtraTime`"),
        ),
        (offered("AP", (2, 2), regulation=(1, 1), afterExtraTime=(2, 2)), {SHOOTOUT: "`shootout`"}),
        (
            offered("AP", (2, 2), regulation=(1, 1), afterExtraTime=(2, 2), shootout=(0, 0)),
            {SHOOTOUT: "`shootout`"},
        ),
        (offered("FINISHED", (2, 1), duration="extra_time"), {REGULATION: "`regulation`"}),
        (
            offered("FINISHED", (2, 1), regulation=(1, 1)),
            dict.fromkeys((EXTRA_TIME, SHOOTOUT), "`duration`"),
        ),
        # The goals of extra time alone, taken for the score after it:
        (
            offered("FINISHED", (7, 6), regulation=(1, 1), afterExtraTime=(0, 0), shootout=(6, 5)),
            dict.fromkeys((EXTRA_TIME, SHOOTOUT), "1–1 after 90 minutes and 0–0 after extra time"),
        ),
        (
            offered("FINISHED", (6, 5), regulation=(1, 1), afterExtraTime=(1, 1), shootout=(4, 3)),
            dict.fromkeys((EXTRA_TIME, SHOOTOUT), "The final score 6–5"),
        ),
        (
            offered("AET", (3, 1), regulation=(1, 1), afterExtraTime=(2, 1)),
            dict.fromkeys((EXTRA_TIME, SHOOTOUT), "3–1"),
        ),
    ],
)
def test_a_score_that_is_not_certain_is_awaited_and_the_remedy_named(
    match: OfferedMatch, waits: dict[CountedScore, str]
) -> None:
    for declared in CountedScore:
        result = counted(declared, match.parts(), match.status)
        assert (result.score is None) == (declared in waits), declared
        assert waits.get(declared, "") in result.fault
        assert bool(result.fault) == (declared in waits)


def test_half_a_part_is_none() -> None:
    row = {
        "id": "m1",
        "round": "r",
        "home": "a",
        "away": "b",
        "status": "AET",
        "homeScore": 2,
        "awayScore": 1,
    }
    match = msgspec.convert(row | {"regulation": {"home": 1, "away": None}}, OfferedMatch)
    assert match.parts().regulation is None


# Guesses against 1:1 after 90 minutes, 2:2 after extra time, 3:4 on penalties: the away team goes
# through.
GUESSES = [(1, 1), (2, 2), (0, 0), (1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("preset", "declared", "earned"),
    [
        ("winner", REGULATION, [100, 100, 100, 0, 0]),
        ("winner", EXTRA_TIME, [100, 100, 100, 0, 0]),
        ("winner", SHOOTOUT, [0, 0, 0, 100, 0]),
        ("exact", REGULATION, [300, 150, 150, 0, 0]),
        ("exact", EXTRA_TIME, [150, 300, 100, 0, 0]),
        ("exact", SHOOTOUT, [0, 300, 0, 150, 0]),  # the goals are 2:2, the winner is the away team
        ("margin", REGULATION, [150, 150, 150, 50, 50]),
        ("margin", SHOOTOUT, [50, 50, 50, 150, 50]),  # the margin is 0 goals for everybody
    ],
)
def test_the_shoot_out_decides_the_winner_and_never_the_goals(
    preset: str, declared: CountedScore, earned: list[int]
) -> None:
    parts = ON_PENALTIES.parts()
    score = counted(declared, parts, ON_PENALTIES.status).score
    assert score is not None
    terms = Terms(
        *score, PRESETS[preset], shootout=shootout_winner(declared, score, parts.shootout)
    )
    assert [points.earned(*guess, terms).total for guess in GUESSES] == earned
    for guess in GUESSES:
        assert (
            sum(reason.points for reason in words.reasons(OwnGuess(*guess), terms))
            == points.earned(*guess, terms).total
        )


def test_a_second_leg_that_was_won_is_won_whoever_goes_through() -> None:
    """Only a draw takes its winner from the shoot-out."""
    assert shootout_winner(SHOOTOUT, Score(2, 1), Score(1, 3)) == 0
    assert Terms(2, 1, PRESETS["winner"], shootout=-1).outcome == 1


def test_reasons_say_that_penalties_decided() -> None:
    terms = Terms(1, 1, PRESETS["winner"], shootout=-1)
    assert [reason.text for reason in words.reasons(OwnGuess(0, 1), terms)] == [
        "Right winner, on penalties"
    ]
    assert [reason.text for reason in words.reasons(OwnGuess(1, 1), terms)] == [
        "Not a draw: decided on penalties"
    ]
    assert [reason.text for reason in words.reasons(OwnGuess(1, 0), terms)] == ["Wrong winner"]
    corrected = words.correction(Terms(1, 1, PRESETS["winner"], shootout=1), terms)
    assert corrected == (
        "The result was corrected from 1–1 (the home team won on penalties) to 1–1 (the away team "
        "won on penalties)."
    )


def test_the_examples_in_the_docstrings_hold() -> None:
    for module in (counted_score, points):
        assert doctest.testmod(module).failed == 0


def football_data(duration: str, **parts: tuple[int, int]) -> dict[str, Any]:
    score = {name: {"home": home, "away": away} for name, (home, away) in parts.items()}
    return from_football_data({"status": "FINISHED", "score": {"duration": duration} | score})


def api_football(
    word: str, goals: tuple[int, int], **parts: tuple[int | None, int | None]
) -> dict[str, Any]:
    every = {"fulltime": (None, None), "extratime": (None, None), "penalty": (None, None)} | parts
    score = {name: {"home": home, "away": away} for name, (home, away) in every.items()}
    goals_row = {"home": goals[0], "away": goals[1]}
    return from_api_football(
        {"fixture": {"status": {"short": word}}, "goals": goals_row, "score": score}
    )


def sportmonks(state: str, **parts: tuple[int, int]) -> dict[str, Any]:
    names = {
        "half": "1ST_HALF",
        "second_half": "2ND_HALF",
        "et": "ET",
        "current": "CURRENT",
        "pen": "PENALTY_SHOOTOUT",
    }
    rows = [
        {"description": names[name], "score": {"participant": side, "goals": goals}}
        for name, pair in parts.items()
        for side, goals in zip(("home", "away"), pair, strict=True)
    ]
    return from_sportmonks({"state": {"developer_name": state}, "scores": rows})


@pytest.mark.parametrize(
    "fields",
    [
        # football-data.org: fullTime includes the shoot-out, extraTime and penalties are goals of
        # that part alone.
        football_data(
            "PENALTY_SHOOTOUT",
            fullTime=(7, 6),
            regularTime=(1, 1),
            extraTime=(1, 1),
            penalties=(5, 4),
        ),
        api_football("PEN", (2, 2), fulltime=(1, 1), extratime=(1, 1), penalty=(5, 4)),
        sportmonks(
            "FT_PEN", half=(0, 1), second_half=(1, 1), et=(1, 1), current=(2, 2), pen=(5, 4)
        ),
    ],
    ids=["football-data.org", "API-Football", "Sportmonks"],
)
def test_a_shoot_out_is_read_from_each_provider(fields: dict[str, Any]) -> None:
    """1:1, then 2:2, then 5:4 on penalties."""
    match = msgspec.convert(
        {"id": "1", "round": "r", "home": "a", "away": "b"} | fields, OfferedMatch
    )
    assert match.parts().duration == Duration.SHOOTOUT
    assert match.parts().shootout == (5, 4)
    assert score_that_counts(REGULATION, match) == (1, 1)
    assert score_that_counts(EXTRA_TIME, match) == score_that_counts(SHOOTOUT, match) == (2, 2)


@pytest.mark.parametrize(
    "fields",
    [
        football_data("EXTRA_TIME", fullTime=(2, 1), regularTime=(1, 1), extraTime=(1, 0)),
        api_football("AET", (2, 1), fulltime=(1, 1), extratime=(1, 0)),
        sportmonks("AET", second_half=(1, 1), et=(1, 0), current=(2, 1)),
    ],
    ids=["football-data.org", "API-Football", "Sportmonks"],
)
def test_extra_time_is_read_from_each_provider(fields: dict[str, Any]) -> None:
    match = msgspec.convert(
        {"id": "1", "round": "r", "home": "a", "away": "b"} | fields, OfferedMatch
    )
    assert match.parts() == Parts(Score(2, 1), Duration.EXTRA_TIME, Score(1, 1), Score(2, 1))


@pytest.mark.parametrize(
    "fields",
    [
        football_data("REGULAR", fullTime=(2, 1), halfTime=(1, 0)),
        api_football("FT", (2, 1), fulltime=(2, 1)),
        sportmonks("FT", half=(1, 0), second_half=(2, 1), current=(2, 1)),
    ],
    ids=["football-data.org", "API-Football", "Sportmonks"],
)
def test_a_match_of_90_minutes_counts_the_same_for_everybody(fields: dict[str, Any]) -> None:
    match = msgspec.convert(
        {"id": "1", "round": "r", "home": "a", "away": "b"} | fields, OfferedMatch
    )
    assert {score_that_counts(declared, match) for declared in CountedScore} == {(2, 1)}


def test_a_feed_without_the_score_after_90_minutes_leaves_it_out() -> None:
    """Such a match waits: its `fullTime` includes the shoot-out."""
    fields = football_data("PENALTY_SHOOTOUT", fullTime=(3, 5))
    match = msgspec.convert(
        {"id": "1", "round": "r", "home": "a", "away": "b"} | fields, OfferedMatch
    )
    assert [
        score_that_counts(declared, match) for declared in (REGULATION, EXTRA_TIME, SHOOTOUT)
    ] == [None] * 3
