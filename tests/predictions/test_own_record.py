"""A tournament on Pressbox's own record moves with the record, not with the clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.core import jobs
from app.core.db import db
from app.embedded.stack import Stack
from app.predictions import tournaments
from app.predictions.jobs import POLL_TOURNAMENT
from app.predictions.matches import polling
from app.predictions.matches.polling import Outcome, Polled
from app.predictions.models import ProviderSource, Tournament
from app.predictions.points import PRESETS
from app.record import events as ev
from tests.worlds.games import KICKOFF, make_game, messages, touchdown_drive
from tests.worlds.tournament import World
from workers.jobs import apply_correction, ingest_events, poll_tournament
from workers.rq_worker import KINDS, make_worker

BEFORE = KICKOFF.replace(hour=10)
REG_2026 = "nfl/2026/REG"


@pytest.fixture
def here(world: Callable[..., World]) -> World:
    """A tournament with the one game of the record, which Ann guesses."""
    make_game()
    cup_world = world(PRESETS["exact"])
    source = db.session.get_one(ProviderSource, cup_world.id)
    source.kind, source.address = "official-record", REG_2026
    db.session.commit()
    polling.poll(cup_world.id, BEFORE)
    assert cup_world.guess("Ann", "g1", 7, 0, BEFORE) == []
    jobs.queue(jobs.SETTLEMENT_QUEUE).empty()
    return cup_world


def ingest(bodies: list[ev.Body], first: int) -> None:
    ingest_events.run([message.to_json() for message in messages(bodies, first=first)])


def work(stack: Stack) -> None:
    db.session.rollback()
    make_worker(KINDS["settlement"], stack.settings).work(burst=True, logging_level="CRITICAL")


def polls() -> list[list[str]]:
    return [
        job.args
        for job in jobs.queue(jobs.SETTLEMENT_QUEUE).jobs
        if job.func_name == POLL_TOURNAMENT.name
    ]


def test_a_final_score_and_its_correction_move_the_points_at_once(
    here: World, stack: Stack
) -> None:
    ingest([*touchdown_drive(), ev.GameEnded()], 1)
    work(stack)
    assert here.points() == {"Ann": 0}, "it is not final"
    ingest([ev.Final(home_score=7, away_score=0)], 13)
    work(stack)
    assert here.points() == {"Ann": 300}
    ingest([ev.Nullify(events=(13,))], 14)
    work(stack)
    assert here.points() == {"Ann": 0}, "the final score was taken back"
    ingest([ev.Final(home_score=9, away_score=0)], 15)
    work(stack)
    assert here.points() == {"Ann": 150}


def test_many_changes_wait_as_one_poll_of_the_tournaments_that_follow_the_record(
    here: World,
) -> None:
    World(name="Of another provider")
    ended = tournaments.create(
        "Over", PRESETS["winner"], tournaments.Provider("official-record", REG_2026)
    )
    tournaments.end(ended.id)
    other = tournaments.create(
        "Another season",
        PRESETS["winner"],
        tournaments.Provider("official-record", "nfl/2025/REG"),
    )
    assert db.session.get(Tournament, other.id) is not None
    ingest(touchdown_drive(), 1)
    ingest([ev.GameEnded()], 12)
    assert polls() == [[str(here.id)]]


def test_a_correction_that_waited_moves_it_too(here: World) -> None:
    ingest(touchdown_drive(), 1)
    jobs.queue(jobs.SETTLEMENT_QUEUE).empty()
    (late,) = messages([ev.Nullify(events=(11,))], first=12)
    apply_correction.run(late.to_json())
    assert polls() == [[str(here.id)]]


def test_a_poll_that_another_one_overtook_is_made_again(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = [Polled(Outcome.OVERTAKEN), Polled(Outcome.UNCHANGED), Polled(Outcome.UNCHANGED)]
    monkeypatch.setattr(polling, "poll", lambda *_: outcomes.pop(0))
    poll_tournament.run(str(here.id))
    assert len(outcomes) == 1
    poll_tournament.run(str(here.id))
    assert outcomes == []
