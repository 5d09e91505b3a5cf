"""The database lets one guess in late.

That of a match that was merged into this one (decision 0077), and nothing else.

PRODUCT C2: guesses lock at the kickoff of each match; "the database itself refuses a guess that
comes too late".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.core import clock
from app.core.db import db
from tests.worlds.tournament import World

NOW = clock.now().replace(microsecond=0)
SAVED = NOW - timedelta(hours=3)
KICKOFF = NOW - timedelta(hours=2)
LATE = NOW - timedelta(hours=1)


def run(statement: str, **values: Any) -> None:
    db.session.execute(text(statement), values)
    db.session.commit()


def insert(world: World, name: str, match_id: str, home: int, away: int, saved_at: datetime) -> str:
    """The constraint that refuses the guess; empty if it is in."""
    row = {"m": world.id_of(match_id), "p": world.player(name), "h": home, "a": away, "s": saved_at}
    return refusal(
        "INSERT INTO guesses (match_id, player_id, home, away, saved_at) VALUES (:m, :p, :h, :a, "
        ":s)",
        **row,
    )


def refusal(statement: str, **values: Any) -> str:
    try:
        run(statement, **values)
    except IntegrityError as error:
        db.session.rollback()
        return str(getattr(error.orig, "diag", None).constraint_name)  # type: ignore[union-attr]
    return ""


def merge(world: World, match_id: str, into: str) -> None:
    ids = {"m": world.id_of(match_id), "b": world.id_of(into)}
    run(
        "UPDATE matches SET status = 'not-defined', fate = 'void', merged_into_id = :b WHERE id = "
        ":m",
        **ids,
    )


@pytest.fixture
def here(world: Callable[..., World]) -> World:
    """`old` has guesses of Ann, and of Bob after the kickoff of `new`.

    `turned` is mun against liv.
    """
    cup_world = world()
    cup_world.match("old", "liv", "mun", kickoff=None)
    cup_world.match("new", "liv", "mun", round="week-2", kickoff=KICKOFF)
    cup_world.match("turned", "mun", "liv", round="week-2", kickoff=KICKOFF)
    cup_world.match("other", "ars", "che", kickoff=KICKOFF)
    cup_world.poll(SAVED)
    cup_world.guess("Ann", "old", 2, 1, SAVED)
    cup_world.guess("Bob", "old", 2, 1, LATE)
    cup_world.guess("Eve", "other", 2, 1, SAVED)
    cup_world.guess("Eve", "new", 4, 4, SAVED)
    run("UPDATE tournaments SET is_simulated = false")
    return cup_world


@pytest.mark.parametrize(("into", "score"), [("new", (2, 1)), ("turned", (1, 2))])
@pytest.mark.parametrize("is_over", [False, True])
def test_the_guess_of_a_merged_match_is_let_in_as_it_was_saved(
    here: World, into: str, score: tuple[int, int], is_over: bool
) -> None:
    if is_over:
        here.ended(into, 2, 1, at=NOW)
        here.poll(NOW)
        here.settle(NOW)
    assert insert(here, "Ann", into, *score, SAVED) == "guess_locked", "not before the merge"
    merge(here, "old", into)
    assert insert(here, "Ann", into, *score, SAVED) == ""


@pytest.mark.parametrize(
    ("name", "into", "score", "saved_at"),
    [
        ("Ann", "new", (3, 1), SAVED),  # another score
        ("Ann", "new", (1, 2), SAVED),  # turned, though the match is not
        ("Ann", "new", (2, 1), SAVED - timedelta(minutes=1)),  # said to be saved at another time
        ("Ann", "new", (2, 1), NOW),
        ("Bob", "new", (2, 1), LATE),  # saved after the kickoff of the new one
        ("Bob", "new", (2, 1), SAVED),
        ("Eve", "new", (2, 1), SAVED),  # has one
        ("Zoe", "new", (2, 1), SAVED),  # has none to pass on
        ("Ann", "turned", (1, 2), SAVED),  # merged into another one
        ("Ann", "other", (2, 1), SAVED),  # of other teams
        ("Ann", "old", (2, 1), SAVED),
    ],
)
def test_any_other_late_guess_is_refused(
    here: World, name: str, into: str, score: tuple[int, int], saved_at: datetime
) -> None:
    merge(here, "old", "new")
    assert insert(here, name, into, *score, saved_at) in ("guess_locked", "pk_guesses")


def test_a_match_of_other_teams_passes_nothing_on(here: World) -> None:
    merge(here, "old", "other")
    assert insert(here, "Ann", "other", 2, 1, SAVED) == "guess_locked"


def test_a_void_match_takes_nothing_in(here: World) -> None:
    merge(here, "old", "new")
    run(
        "UPDATE matches SET status = 'not-defined', fate = 'void' WHERE id = :m",
        m=here.id_of("new"),
    )
    assert insert(here, "Ann", "new", 2, 1, SAVED) == "guess_locked"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE guesses SET home = 2 WHERE match_id = :m AND player_id = :p",
        "UPDATE guesses SET saved_at = saved_at WHERE match_id = :m AND player_id = :p",
        "DELETE FROM guesses WHERE match_id = :m AND player_id = :p",
    ],
)
def test_a_guess_that_was_passed_on_is_as_fixed_as_any_other(here: World, statement: str) -> None:
    merge(here, "old", "new")
    assert insert(here, "Ann", "new", 2, 1, SAVED) == ""
    for match_id in ("new", "old"):
        assert refusal(statement, m=here.id_of(match_id), p=here.player("Ann")) == "guess_locked"


def test_a_guess_of_an_open_match_still_needs_the_time_of_now(here: World) -> None:
    here.match("next", "liv", "mun", kickoff=NOW + timedelta(days=1))
    here.poll(NOW)
    assert insert(here, "Zoe", "next", 2, 1, SAVED) == "guess_clock"
    assert insert(here, "Zoe", "next", 2, 1, clock.now()) == ""
    merge(here, "old", "next")
    assert insert(here, "Ann", "next", 2, 1, SAVED) == "", "it keeps the time at which it was saved"
