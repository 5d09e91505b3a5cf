"""Guesses: changed until kickoff, refused after it by the service and by the database itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.core import clock
from app.core.db import db
from app.predictions import guesses
from app.predictions.entries import NewGuess
from app.predictions.models import Guess, Tournament
from tests.worlds.tournament import BEFORE, KICKOFF, World

Make = Callable[..., World]


def test_a_guess_is_changed_until_kickoff_and_then_stands(world: Make) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    assert here.guess("Ann", "m1", 2, 1) == []
    assert here.guess("Ann", "m1", 3, 1, KICKOFF - timedelta(microseconds=1)) == []
    assert here.guess("Ann", "m1", 9, 9, KICKOFF) == ["guess_locked"]
    assert here.guesses("Ann") == {here.id_of("m1"): (3, 1)}
    assert here.points() == {"Ann": 0}


def test_matches_lock_each_by_itself(world: Make) -> None:
    here = world()
    here.match("m1")
    here.match("m2", "liv", "mun", kickoff=KICKOFF + timedelta(hours=3))
    here.poll(BEFORE)
    both = [NewGuess(here.id_of("m1"), 1, 0), NewGuess(here.id_of("m2"), 1, 0)]
    refused = guesses.save(here.id, here.player("Ann"), both, KICKOFF)
    assert [(refusal.code, refusal.field) for refusal in refused] == [
        ("guess_locked", f"match-{here.id_of('m1')}")
    ]
    assert here.guesses("Ann") == {here.id_of("m2"): (1, 0)}


@pytest.mark.parametrize(
    ("values", "is_open"),
    [
        ({"status": "postponed"}, True),
        ({"status": "abandoned"}, False),
        ({"status": "cancelled"}, False),
        ({"status": "interrupted"}, False),
        ({"kickoff": KICKOFF + timedelta(days=7)}, True),
        ({"kickoff": None, "status": "tbd"}, True),
        ({"status": "finished", "home_score": 1, "away_score": 0, "kickoff": None}, False),
    ],
)
def test_what_becomes_of_a_guess_after_the_first_kickoff(
    world: Make, values: dict[str, object], is_open: bool
) -> None:
    here = world()
    here.match("m1", **values)
    now = KICKOFF + timedelta(hours=1)
    here.poll(now)
    assert (here.guess("Ann", "m1", 2, 1, now) == []) is is_open
    # The database alone would say the same.
    db.session.rollback()
    late = Guess(
        match_id=here.id_of("m1"), player_id=here.player("Bob"), home=1, away=0, saved_at=now
    )
    db.session.add(late)
    if is_open:
        db.session.flush()
    else:
        with pytest.raises(IntegrityError, match="guesses of this match are locked"):
            db.session.flush()
    db.session.rollback()


def test_the_database_refuses_to_change_or_remove_a_locked_guess_and_a_wrong_clock(
    world: Make,
) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    db.session.execute(text("UPDATE tournaments SET is_simulated = false"))
    db.session.execute(text("UPDATE matches SET kickoff = now() - interval '1 second'"))
    db.session.commit()
    for statement in ("UPDATE guesses SET home = 9, saved_at = now()", "DELETE FROM guesses"):
        with pytest.raises(IntegrityError, match="guesses of this match are locked"):
            db.session.execute(text(statement))
        db.session.rollback()
    db.session.execute(text("UPDATE matches SET kickoff = now() + interval '1 day'"))
    db.session.commit()
    with pytest.raises(IntegrityError, match="saved_at is not the time of now"):
        db.session.execute(text("UPDATE guesses SET saved_at = now() - interval '1 day'"))
    db.session.rollback()
    assert db.session.get_one(Tournament, here.id).is_simulated is False


def test_the_database_refuses_a_late_guess_of_a_server_whose_clock_is_slow(world: Make) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    ann = here.player("Ann")
    db.session.execute(text("UPDATE tournaments SET is_simulated = false"))
    db.session.execute(text("UPDATE matches SET kickoff = now() - interval '1 minute'"))
    db.session.commit()
    slow = clock.now() - timedelta(minutes=2)
    db.session.add(Guess(match_id=here.id_of("m1"), player_id=ann, home=1, away=0, saved_at=slow))
    with pytest.raises(IntegrityError, match="guesses of this match are locked"):
        db.session.flush()
    db.session.rollback()
    assert (
        guesses.save(here.id, ann, [NewGuess(here.id_of("m1"), 1, 0)], slow)[0].code
        == "guess_locked"
    )


@pytest.mark.parametrize(("home", "away", "code"), [(-1, 0, "score"), (0, 201, "score")])
def test_a_score_that_cannot_be_is_refused(world: Make, home: int, away: int, code: str) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    assert here.guess("Ann", "m1", home, away) == [code]
    assert here.points() == {}


def test_a_match_of_another_tournament_is_refused(world: Make) -> None:
    here, there = world(), world(name="The Shield")
    there.match("m1")
    there.poll(BEFORE)
    other = NewGuess(there.id_of("m1"), 1, 0)
    (refused,) = guesses.save(here.id, here.player("Ann"), [other], BEFORE)
    assert refused.code == "no_match"
    (refused,) = guesses.save(here.id, here.player("Ann"), [NewGuess(uuid4(), 1, 0)], BEFORE)
    assert refused.code == "no_match"
