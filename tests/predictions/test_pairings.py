"""A guess belongs to the teams that were guessed.

"a guess never changes" (docs/decisions/0021-predictions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text

from app.core.db import db
from app.predictions.models import Match
from app.predictions.points import PRESETS
from tests.worlds.tournament import BEFORE, END, KICKOFF, World

Make = Callable[..., World]
LATER = BEFORE + timedelta(hours=1)


def notices_of(world: World, name: str) -> list[tuple[str, str]]:
    db.session.rollback()
    query = (
        "SELECT title, body FROM notices n JOIN players p USING (member_id) WHERE p.id = "
        ":player_id ORDER BY n.id"
    )
    return [
        tuple(row) for row in db.session.execute(text(query), {"player_id": world.player(name)})
    ]


def stored(world: World, match_id: str) -> Match:
    db.session.rollback()
    return db.session.get_one(Match, world.id_of(match_id))


@pytest.mark.parametrize("turned_at", ["scheduled", "finished"])
def test_a_provider_that_swaps_home_and_away_turns_no_guess_around(
    world: Make, turned_at: str
) -> None:
    """Guessed ars 1:3 che.

    The provider turns the row, and che wins 3:1: the guess is exactly right.
    """
    here = world(PRESETS["exact"])
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 1, 3)
    here.guess("Bob", "m1", 3, 1)
    here.match("m1", home="che", away="ars")
    if turned_at == "scheduled":
        here.poll(LATER)
    here.ended("m1", 3, 1)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 300, "Bob": 0}
    assert here.guesses("Ann") == {here.id_of("m1"): (1, 3)}
    assert (stored(here, "m1").home_score, stored(here, "m1").away_score) == (1, 3), (
        "shown as it was guessed"
    )
    assert here.poll().rounds == set(), "the same answer changes nothing"


def test_one_that_swaps_after_the_end_moves_no_points(world: Make) -> None:
    here = world(PRESETS["exact"])
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 1, 3)
    here.ended("m1", 1, 3)
    here.poll()
    here.settle()
    here.match("m1", home="che", away="ars", home_score=3, away_score=1)
    assert here.poll(END + timedelta(hours=1)).settlements == []
    assert here.points() == {"Ann": 300}


def test_without_guesses_the_providers_new_order_is_taken(world: Make) -> None:
    here = world()
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    before = stored(here, "m1").home_id
    here.match("m1", home="che", away="ars")
    here.poll(LATER)
    assert stored(here, "m1").away_id == before


def test_a_guess_does_not_count_for_other_teams_under_the_same_id(world: Make) -> None:
    """The pairing of a knockout match changes.

    The guess was of the old one, whose members are told.
    """
    here = world()
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    old = here.id_of("m1")
    here.match("m1", home="liv", away="che")
    mapped = here.poll(LATER)
    assert here.id_of("m1") != old
    assert [finding.kind for finding in mapped.findings] == ["new-teams"]
    db.session.rollback()
    retired = db.session.get_one(Match, old)
    assert (retired.status, retired.fate) == ("not-defined", "void")
    assert notices_of(here, "Ann") == [
        (
            "Ars vs Che will not be played",
            "Liv vs Che replaces it. Your pick was for other teams and no longer counts. Make a "
            "new one before kickoff.",
        )
    ]
    here.guess("Bob", "m1", 2, 1, LATER)
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 0, "Bob": 100}
    assert here.poll().findings == [], "reported once"


def test_a_placeholder_that_gets_its_team_keeps_its_guesses_and_tells_of_it(world: Make) -> None:
    """The provider fills `Winner C` in under the same id: the guesser may think again."""
    here = world()
    here.team_names["ars"] = "Winner C"
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    here.team_names["ars"] = "Sigma"
    mapped = here.poll(LATER)
    assert [(finding.kind, finding.subject) for finding in mapped.findings] == [("new-teams", "m1")]
    assert notices_of(here, "Ann") == [
        (
            "Sigma vs Che has a renamed team",
            "Winner C is now called Sigma. Your pick is kept, and you can change it until kickoff.",
        )
    ]
    assert here.guesses("Ann") == {here.id_of("m1"): (2, 1)}
    assert here.poll(LATER).findings == [], "told once"


def test_a_new_name_after_the_kickoff_is_told_to_nobody(world: Make) -> None:
    here = world()
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    here.team_names["ars"] = "Arsenal FC"
    assert here.poll(KICKOFF + timedelta(minutes=1)).findings == []
    assert notices_of(here, "Ann") == []


def test_a_pairing_that_comes_back_has_its_guesses_again(world: Make) -> None:
    here = world()
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    old = here.id_of("m1")
    for home in ("liv", "ars"):
        here.match("m1", home=home)
        here.poll(LATER)
        here.guess("Bob", "m1", 1, 0, LATER)
    assert here.id_of("m1") == old
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 100, "Bob": 100}


def test_points_of_a_pairing_that_was_replaced_go_back(world: Make) -> None:
    here = world()
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    here.match("m1", home="liv")
    here.poll(END + timedelta(hours=1))
    here.settle(END + timedelta(hours=1))
    assert here.points() == {"Ann": 0}


def test_a_team_under_a_new_id_is_the_same_team(world: Make) -> None:
    """Otherwise every guess of its matches would be of other teams."""
    here = world()
    here.match("m1", "ars", "che")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    here.team_ids["ars"] = "4711"
    here.match("m1", home="4711")
    mapped = here.poll(LATER)
    assert mapped.findings == []
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 100}


def test_a_kickoff_moved_to_before_a_saved_guess_takes_no_guess_and_is_reported(
    world: Make,
) -> None:
    """docs/providers.md: a guess that was saved while guesses were open counts."""
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    at = KICKOFF - timedelta(hours=1)
    here.guess("Ann", "m1", 2, 1, BEFORE)
    here.guess("Bob", "m1", 2, 1, at)
    here.match("m1", kickoff=KICKOFF - timedelta(hours=2))
    mapped = here.poll(KICKOFF - timedelta(minutes=30))
    assert [(finding.kind, finding.subject) for finding in mapped.findings] == [
        ("late-guesses", "m1")
    ]
    assert "picks were open then: 1." in mapped.findings[0].text
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    assert here.points() == {"Ann": 100, "Bob": 100}
