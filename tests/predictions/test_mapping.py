"""What becomes of a provider's offer: rows, the raw status, and wishes to settle."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select

from app.core.db import db
from app.predictions.models import Match, Settlement, Tournament
from app.predictions.providers.offer import (
    Offer,
    OfferedMatch,
    OfferedRound,
    OfferedTeam,
    ProviderError,
    check,
    single,
)
from tests.worlds.tournament import BEFORE, END, KICKOFF, World

Make = Callable[..., World]


def match_of(world: World, match_id: str) -> Match:
    db.session.rollback()
    return db.session.get_one(Match, world.id_of(match_id))


def wishes(world: World) -> dict[str, str]:
    """States by key."""
    db.session.rollback()
    rows = select(Settlement.key, Settlement.state).where(Settlement.tournament_id == world.id)
    return dict(db.session.execute(rows).all())


def test_matches_come_in_with_the_providers_own_status(world: Make) -> None:
    here = world()
    here.match("m1", status="notstarted")
    here.match("m2", "liv", "mun", status="1st half", home_score=1, away_score=0)
    assert here.poll(BEFORE).rounds == {"week-1"}
    stored = match_of(here, "m2")
    assert (stored.status, stored.provider_status, stored.home_score, stored.finished_at) == (
        "open",
        "1st half",
        1,
        None,
    )
    assert here.poll(BEFORE).rounds == set(), "the same offer changes nothing"
    assert wishes(here) == {}


def test_names_of_a_provider_hold_nothing_that_is_hidden_or_turns_text_around() -> None:
    """Unicode TR 36, 2.6.

    Marks of direction and zero width in a name make another name look alike, or turn the score
    beside it around. Providers cannot be asked to leave them out, so they are left out here.
    """
    offer = Offer(
        teams=[OfferedTeam("1", "Real\u202e  Sociedad\u200b"), OfferedTeam("2", "\u2066\u2069")],
        rounds=[OfferedRound("week-1", "Week\u00a01\ufeff", 1)],
        matches=[],
    )
    once, _ = single(offer)
    assert [team.name for team in once.teams] == ["Real Sociedad", "2"]
    assert [offered_round.name for offered_round in once.rounds] == ["Week 1"]


def test_an_end_is_wished_to_be_settled_once_with_the_jobs_contract(world: Make) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.ended("m1", 2, 1, version="evt-1")
    detected = END + timedelta(minutes=5)
    mapped = here.poll(detected)
    match = match_of(here, "m1")
    key = f"{match.id}#2026-09-13T20:00:00Z"
    assert (mapped.settlements, wishes(here)) == ([key], {key: "pending"})
    assert db.session.get_one(Settlement, key).payload == {
        "eventType": "match_finished",
        "matchId": str(match.id),
        "tournamentId": str(here.id),
        "finishedAt": "2026-09-13T20:00:00Z",
        "provider": "fake",
        "providerStatus": "finished",
        "internalStatus": "ended",
        "detectedAt": "2026-09-13T20:05:00Z",
        "sourceVersion": "evt-1",
    }
    assert here.poll(detected).settlements == []


def test_an_end_without_a_time_gets_that_of_its_discovery_and_keeps_it(world: Make) -> None:
    here = world()
    here.match("m1")
    here.ended("m1", 2, 1)
    here.match("m1", finished_at=None)
    here.poll(END)
    assert here.poll(END + timedelta(minutes=5)).settlements == []
    assert match_of(here, "m1").finished_at == END


def test_an_end_without_a_score_is_not_defined_yet(world: Make) -> None:
    here = world()
    here.match("m1", status="finished")
    assert here.poll().settlements == []
    assert (match_of(here, "m1").status, match_of(here, "m1").provider_status) == (
        "not-defined",
        "finished",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"home_score": 3},
        {"status": "inprogress", "finished_at": None},
        {"finished_at": END + timedelta(1)},
    ],
)
def test_a_result_that_changes_is_wished_to_be_settled_again(
    world: Make, change: dict[str, object]
) -> None:
    here = world()
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    here.match("m1", **change)
    (key,) = here.poll().settlements
    assert wishes(here)[key] == "pending"
    here.settle()
    assert "pending" not in wishes(here).values()


def test_one_that_had_begun_when_it_was_postponed_is_abandoned(world: Make) -> None:
    here = world()
    here.match("m1", status="postponed")
    here.match("m2", "liv", "mun", status="postponed", home_score=1, away_score=0)
    here.poll()
    assert [match_of(here, match_id).fate for match_id in ("m1", "m2")] == [
        "postponed",
        "abandoned",
    ]


def test_a_match_that_the_provider_forgets_stays(world: Make) -> None:
    here = world()
    here.ended("m1", 2, 1)
    here.poll()
    del here.matches["m1"]
    assert here.poll().rounds == set()
    assert match_of(here, "m1").status == "ended"


def test_every_change_raises_the_version(world: Make) -> None:
    here = world()

    def version() -> int:
        db.session.rollback()
        return db.session.get_one(Tournament, here.id).version

    versions = [version()]
    for _ in range(2):
        here.match("m1", kickoff=KICKOFF + timedelta(days=len(versions)))
        here.poll(BEFORE)
        versions.append(version())
    here.poll(BEFORE)
    assert [*versions, version()] == [1, 2, 3, 3]


TWO = [OfferedTeam("a", "A"), OfferedTeam("b", "B")]
ROUND = [OfferedRound("r", "R", 1)]
GOOD = OfferedMatch("m", "r", "a", "b", "scheduled")


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        (Offer(TWO[:1], ROUND, [GOOD]), "match m does not name two teams"),
        (Offer(TWO, [], [GOOD]), "match m is in the round r"),
        (
            Offer(
                TWO, ROUND, [OfferedMatch("m", "r", "a", "b", "x", KICKOFF.replace(tzinfo=None))]
            ),
            "no time zone",
        ),
        (
            Offer(TWO, ROUND, [OfferedMatch("m", "r", "a", "b", "x", KICKOFF.replace(year=9999))]),
            "in the year 9999",
        ),
    ],
)
def test_an_offer_that_does_not_fit_together_is_refused_by_name(offer: Offer, words: str) -> None:
    with pytest.raises(ProviderError, match=words):
        check(offer)


@pytest.mark.parametrize(
    "values",
    [
        {"status": "live", "home_score": 0, "away_score": 0},
        {"status": "inprogress"},
        {"status": "scheduled", "home_score": 0, "away_score": 1},
    ],
)
def test_a_match_that_begins_before_its_time_locks_when_it_is_seen(
    world: Make, values: dict[str, object]
) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.match("m1", **values)
    early = KICKOFF - timedelta(hours=2)
    here.poll(early)
    assert here.guess("Ann", "m1", 2, 1, early) == ["guess_locked"]
    here.poll(early + timedelta(minutes=5))
    match = db.session.get_one(Match, here.id_of("m1"))
    assert match.kickoff == early


def test_a_match_to_come_that_its_provider_gives_as_0_0_stays_open(world: Make) -> None:
    here = world()
    here.match("m1", home_score=0, away_score=0)
    here.poll(BEFORE)
    assert here.guess("Ann", "m1", 2, 1, BEFORE) == []
    assert db.session.get_one(Match, here.id_of("m1")).kickoff == KICKOFF


@pytest.mark.parametrize("score", [1, None])
def test_one_that_was_in_play_stays_closed_when_it_is_postponed_without_its_score(
    world: Make, score: int | None
) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    now = KICKOFF + timedelta(minutes=50)
    here.match("m1", status="live", home_score=score, away_score=score)
    here.poll(now)
    here.match("m1", status="postponed", home_score=None, away_score=None)
    for _ in range(2):
        here.poll(now)
        assert here.guess("Ann", "m1", 1, 0, now) == ["guess_locked"]
    here.match("m1", status="scheduled", kickoff=now + timedelta(days=7))
    here.poll(now)
    assert here.guess("Ann", "m1", 1, 0, now) == [], "it is played anew"


def test_one_to_come_that_is_postponed_with_0_0_stays_open(world: Make) -> None:
    here = world()
    here.match("m1", home_score=0, away_score=0)
    here.poll(BEFORE)
    here.match("m1", status="postponed")
    here.poll(BEFORE)
    assert here.guess("Ann", "m1", 1, 0, BEFORE) == []
