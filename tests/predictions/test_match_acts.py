"""Operators void a match, move its kickoff or merge it with another (decision 0077)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from app.core.db import db
from app.predictions.decisions import previews
from app.predictions.decisions import services as decisions
from app.predictions.decisions.previews import Preview
from app.predictions.decisions.services import Done
from app.predictions.models import Match
from app.predictions.points import PRESETS
from tests.predictions.deciding import (
    LATER,
    NEW,
    back,
    dropped_match,
    entries,
    kinds,
    order,
    right,
    stored,
    titles,
)
from tests.predictions.plain import audited, plain_points
from tests.worlds.tournament import BEFORE, END, KICKOFF, World


@pytest.fixture
def here(world: Callable[..., World]) -> World:
    return dropped_match(world(PRESETS["margin"]))


def test_a_void_match_counts_for_nobody_and_its_round_ends(here: World) -> None:
    """PRODUCT C7: the round earns its grand slam once each of its matches is settled or void."""
    done = decisions.void(here.id_of("2"), order())
    assert done == Done(here.id_of("2"), is_new=True)
    assert (stored(here, "2").status, stored(here, "2").fate) == ("not-defined", "void")
    assert here.guess("Ann", "2", 0, 0) == ["guess_locked"]
    assert kinds(here) == [], "there is nothing to look at any more"
    here.ended("1", 2, 1)
    here.poll()
    here.settle()
    assert here.points()["Ann"] == 200 + 100, "the grand slam of a round of one"
    right(here)
    assert titles(here, "Ann") == ["Liv vs Mun does not count"]
    assert entries() == [("operations.match_voided", "2")]


@pytest.mark.parametrize(
    "values", [{}, {"kickoff": NEW}, {"status": "postponed"}, {"status": "live", "home_score": 1}]
)
def test_no_poll_makes_a_void_match_count_again(here: World, values: dict[str, Any]) -> None:
    decisions.void(here.id_of("2"), order())
    back(here, **values)
    for _ in range(2):
        here.poll()
        assert stored(here, "2").fate == "void"


def test_a_result_of_a_void_match_earns_nothing_until_it_counts_again(here: World) -> None:
    """An unvoid is a new fact: the match is what its provider says by now."""
    decisions.void(here.id_of("2"), order())
    here.ended("1", 2, 1)
    back(here)
    here.ended("2", 2, 1, at=END + timedelta(hours=1))
    here.poll()
    here.settle()
    right(here)
    assert kinds(here) == [("overruled", "2")], (
        "operators are told that the provider says otherwise"
    )
    decisions.unvoid(here.id_of("2"), order())
    assert stored(here, "2").finished_at == END + timedelta(hours=1)
    here.settle()
    right(here)
    assert here.points()["Ann"] == 200 + 250 + 100, "both matches and the grand slam"
    assert entries() == [("operations.match_voided", "2"), ("operations.match_counted_again", "2")]
    assert titles(here, "Ann")[:2] == [
        "Liv vs Mun does not count",
        "Liv vs Mun counts again",
    ]
    here.poll()
    assert kinds(here) == []


def test_a_settled_match_that_is_voided_gives_its_points_back(here: World) -> None:
    back(here)
    here.ended("1", 2, 1)
    here.ended("2", 2, 1)
    here.poll()
    here.settle()
    preview = previews.of_void(here.id_of("2"))
    assert isinstance(preview, Preview)
    assert (preview.guesses, preview.members, preview.points, preview.round) == (
        2,
        2,
        -300,
        "Week 1",
    )
    done = decisions.void(here.id_of("2"), order(END))
    assert isinstance(done, Done)
    assert done.settlements > 0
    here.settle()
    right(here)
    back_again = previews.of_unvoid(here.id_of("2"))
    assert isinstance(back_again, Preview)
    assert (back_again.members, back_again.points) == (2, 300), "what voiding it took"
    decisions.unvoid(here.id_of("2"), order(END))
    here.settle()
    right(here)
    assert here.points()["Ann"] == 200 + 250 + 100, "both matches and the grand slam"


def test_a_new_kickoff_opens_the_guesses_again_and_no_poll_moves_it(here: World) -> None:
    """docs/providers.md.

    A match that is moved keeps its guesses, which can be changed until the new kickoff.
    """
    back(here)
    here.poll(LATER)
    now = KICKOFF + timedelta(minutes=5)
    assert here.guess("Ann", "2", 5, 0, now) == ["guess_locked"]
    decisions.redate(here.id_of("2"), NEW, order(now))
    assert here.guess("Ann", "2", 5, 0, now) == []
    for values in ({}, {"status": "postponed"}, {"kickoff": KICKOFF + timedelta(days=1)}):
        back(here, status="scheduled")
        back(here, **values)
        here.poll(now)
        assert (stored(here, "2").kickoff, stored(here, "2").fate) == (NEW, None)
    assert here.guess("Ann", "2", 5, 0, NEW) == ["guess_locked"]
    assert kinds(here) == [("overruled", "2")]
    decisions.release(here.id_of("2"), order(now))
    assert stored(here, "2").kickoff == KICKOFF + timedelta(days=1), "what the provider says by now"
    here.poll(now)
    assert kinds(here) == []
    assert entries() == [("operations.match_redated", "2"), ("operations.match_released", "2")]
    assert titles(here, "Bob") == ["Liv vs Mun has a new kickoff"] * 2


def test_a_match_that_begins_before_its_new_kickoff_locks(here: World) -> None:
    decisions.redate(here.id_of("2"), NEW, order())
    began = NEW - timedelta(hours=3)
    back(here, kickoff=NEW, status="live", home_score=1, away_score=0)
    for moment in (began, began + timedelta(minutes=5)):
        here.poll(moment)
        assert stored(here, "2").kickoff == began
    assert here.guess("Ann", "2", 5, 0, began + timedelta(minutes=5)) == ["guess_locked"]


def test_a_re_dated_match_ends_as_any_other(here: World) -> None:
    decisions.redate(here.id_of("2"), NEW, order())
    here.ended("1", 2, 1)
    back(here)
    here.ended("2", 2, 1, at=NEW + timedelta(hours=2))
    here.poll(NEW + timedelta(hours=2))
    here.settle()
    right(here)
    assert stored(here, "2").kickoff == NEW


def test_a_merged_match_gives_its_guesses_to_the_one_that_took_its_place(here: World) -> None:
    """A guess saved before the kickoff counts, even if the match is renamed later (PRODUCT C2)."""
    here.match("99", "liv", "mun", round="week-2", kickoff=NEW)
    here.match("98", "liv", "mun", round="week-2", kickoff=NEW)
    here.poll(LATER)
    here.guess("Bob", "99", 3, 0, LATER)
    after = NEW + timedelta(hours=1)
    here.match("99", status="live", home_score=0, away_score=0)
    here.poll(after)
    old = here.id_of("2")
    preview = previews.of_merge(old, here.id_of("99"))
    assert isinstance(preview, Preview)
    assert "Picks that move to it: 1. Everyone who made one is notified." in preview.lines
    assert (
        "Picks that don't move because the member has a pick on the other match too: 1."
        in preview.lines
    )
    decisions.merge(old, here.id_of("99"), order(after))
    assert here.guesses("Ann")[here.id_of("99")] == (2, 1)
    assert here.guesses("Bob")[here.id_of("99")] == (3, 0), "one's own guess stays"
    saved = select(Match.merged_into_id).where(Match.id == old)
    assert db.session.scalar(saved) == here.id_of("99")
    assert kinds(here) == []
    back(here)
    here.ended("1", 2, 1)
    here.ended("99", 2, 1, at=NEW + timedelta(hours=2))
    here.poll(NEW + timedelta(hours=2))
    assert (here.id_of("2"), stored(here, "2").fate) == (old, "void"), (
        "the old id reappears nowhere"
    )
    here.settle()
    right(here)
    assert here.points()["Ann"] >= 2 * 250
    assert entries() == [("operations.match_merged", "2")]
    assert titles(here, "Ann") == ["Liv vs Mun has a new date"]


def test_an_old_id_is_another_name_of_the_match_that_took_its_place(here: World) -> None:
    """A provider that returns to the old id neither revives the old match nor stops the new one."""
    here.match("99", "liv", "mun", round="week-2", kickoff=NEW)
    here.match("98", "liv", "mun", round="week-2", kickoff=NEW)
    here.poll(LATER)
    decisions.merge(here.id_of("2"), here.id_of("99"), order())
    here.ended("1", 2, 1)
    back(here)
    here.ended("2", 2, 1)
    here.poll()
    assert (stored(here, "2").fate, stored(here, "99").status) == ("void", "open"), (
        "both are listed"
    )
    del here.matches["99"]
    here.poll()
    assert stored(here, "99").status == "ended"
    assert kinds(here) == []
    here.settle()
    right(here)


@pytest.mark.parametrize("sides", [("liv", "mun"), ("mun", "liv")])
def test_a_merge_into_a_settled_match_earns_its_points(here: World, sides: tuple[str, str]) -> None:
    """Guesses follow swapped teams and are settled once, with what the match was settled with."""
    result = (2, 1) if sides == ("liv", "mun") else (1, 2)
    here.ended("1", 2, 1)
    here.match("99", *sides, round="week-2", kickoff=KICKOFF)
    here.match("98", *sides, round="week-2", kickoff=NEW)
    here.poll(LATER)
    here.ended("99", *result)
    here.poll()
    here.settle()
    preview = previews.of_merge(here.id_of("2"), here.id_of("99"))
    assert isinstance(preview, Preview)
    assert (preview.guesses, preview.members, preview.points) == (2, 2, 200)
    decisions.merge(here.id_of("2"), here.id_of("99"), order(END))
    here.settle()
    right(here)
    slams = sum(plain_points(here, PRESETS["margin"]).values()) - audited(here)
    assert slams % 100 == 0
    assert here.guesses("Ann")[here.id_of("99")] == result


def test_a_guess_that_was_saved_after_the_kickoff_of_the_new_match_does_not_pass(
    here: World,
) -> None:
    early = BEFORE - timedelta(hours=1)
    here.match("99", "liv", "mun", round="week-2", kickoff=early)
    here.match("98", "liv", "mun", round="week-2", kickoff=NEW)
    here.poll(LATER)
    decisions.merge(here.id_of("2"), here.id_of("99"), order())
    assert here.id_of("99") not in here.guesses("Ann")
    assert titles(here, "Ann") == ["Liv vs Mun had started before your pick"]


def test_a_retired_id_may_be_given_to_other_teams(here: World) -> None:
    here.match("99", "liv", "mun", round="week-2", kickoff=NEW)
    here.match("98", "liv", "mun", round="week-2", kickoff=NEW)
    here.poll(LATER)
    decisions.merge(here.id_of("2"), here.id_of("99"), order())
    old = here.id_of("2")
    here.match("2", "ars", "mun")
    here.poll(LATER)
    assert here.id_of("2") != old
    assert stored(here, "2").status == "open"
