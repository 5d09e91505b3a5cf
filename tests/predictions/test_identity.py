"""Matches that change their id, leave the answer or stand in it twice (docs/providers.md)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest

from app.core.db import db
from app.predictions.matches import findings, mapping
from app.predictions.models import Match
from app.predictions.points import PRESETS
from tests.worlds.tournament import BEFORE, KICKOFF, World

Make = Callable[..., World]
LATER = KICKOFF - timedelta(hours=1)


def kinds(world: World) -> list[tuple[str, str]]:
    """Kind and subject of what stands."""
    current = findings.current(LATER, world.id)
    return sorted((row.ProviderFinding.kind, row.ProviderFinding.subject) for row in current)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"kickoff": KICKOFF + timedelta(days=4)},
        {"home": "mun", "away": "liv"},
        {"round": "week-2"},
    ],
)
def test_a_match_that_comes_back_under_a_new_id_keeps_its_guesses_and_its_round_ends(
    world: Make, change: dict[str, object]
) -> None:
    """Same teams, one that left and one that is new.

    It is the same match, and the round earns its grand slam.
    """
    here = world(PRESETS["margin"])
    here.match("1")
    here.match("2", "liv", "mun")
    here.poll(BEFORE)
    here.guess("Ann", "1", 2, 1)
    here.guess("Ann", "2", 2, 1)
    match_id = here.id_of("2")
    here.matches["99"] = msgspec.structs.replace(here.matches.pop("2"), id="99", **change)
    here.poll(LATER)
    assert here.id_of("99") == match_id
    assert kinds(here) == [("new-id", "99")]
    here.ended("1", 2, 1)
    is_turned = "home" in change
    here.ended("99", *((1, 2) if is_turned else (2, 1)))
    here.poll()
    here.settle()
    slams = 100 if "round" not in change else 200
    assert here.points()["Ann"] == 2 * (100 + 50 + 100) + slams


def test_two_that_could_be_meant_are_left_for_an_operator(world: Make) -> None:
    """Home and away legs of one round.

    Nobody can tell which of the two the new id is, so both are listed.
    """
    here = world()
    here.match("1", "ars", "che")
    here.match("2", "ars", "che", kickoff=KICKOFF + timedelta(days=3))
    here.poll(BEFORE)
    del here.matches["1"], here.matches["2"]
    here.match("99", "ars", "che")
    here.poll(LATER)
    assert kinds(here) == [("left", "1"), ("left", "2")]


def test_what_left_the_answer_is_listed_until_it_is_there_again(world: Make) -> None:
    here = world()
    here.match("1")
    vanished = here.match("2", "liv", "mun")
    here.poll(BEFORE)
    del here.matches["2"]
    (finding,) = here.poll(LATER).findings
    assert (finding.kind, finding.subject) == ("left", "2")
    assert here.poll(LATER).findings == [], "reported once"
    here.matches["2"] = vanished
    here.poll(LATER)
    assert kinds(here) == []


def test_one_that_ended_may_leave_the_answer(world: Make) -> None:
    here = world()
    here.ended("1", 2, 1)
    here.poll()
    del here.matches["1"]
    here.match("2", "ars", "che")
    here.poll()
    assert kinds(here) == []
    assert here.id_of("1") != here.id_of("2"), "the return match is another match"


def test_a_doubled_row_does_not_stop_the_settlement_of_the_others(world: Make) -> None:
    here = world()
    here.match("1")
    here.match("2", "liv", "mun")
    here.poll(BEFORE)
    here.guess("Ann", "1", 2, 1)
    here.guess("Ann", "2", 2, 1)
    here.ended("1", 2, 1)
    here.ended("2", 2, 1)
    offer = here.offer()
    contradiction = msgspec.structs.replace(here.matches["2"], home_score=0)
    offer = msgspec.structs.replace(
        offer,
        matches=[*offer.matches, offer.matches[0], contradiction],
        teams=[*offer.teams, offer.teams[0]],
        rounds=[*offer.rounds, msgspec.structs.replace(offer.rounds[0], name="Another")],
    )
    mapping.apply(here.id, "fake", offer, LATER)
    db.session.commit()
    here.settle()
    assert here.points() == {"Ann": 100}
    assert db.session.get_one(Match, here.id_of("2")).status == "open", (
        "which of its rows is right nobody knows"
    )
    assert kinds(here) == [("doubled", "2")]
