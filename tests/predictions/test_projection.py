"""The keys in Redis: who writes them, and that what is old never replaces what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import UUID

import msgspec
import pytest
import redis
from flask import Flask

from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.valkey import Valkey
from app.predictions import keys
from app.predictions.jobs import RECONCILE_PREDICTIONS
from app.predictions.models import Settlement, Tournament, TournamentPoints
from app.predictions.projections import bodies
from app.predictions.projections import store as projections
from tests.worlds.tournament import BEFORE, World
from workers.jobs import reconcile_predictions, settle_matches

Make = Callable[..., World]


@pytest.fixture
def here(world: Make) -> World:
    cup_world = world()
    cup_world.match("m1")
    cup_world.poll(BEFORE)
    cup_world.guess("Ann", "m1", 2, 1)
    cup_world.guess("Bob", "m1", 0, 1)
    return cup_world


def held(here: World) -> set[str]:
    """The keys of the tournament, without the marks of their changes."""
    all_keys = {key.decode() for key in jobs_redis().scan_iter(f"tournament:{here.id}:*")}
    return {
        key.removeprefix(f"tournament:{here.id}:")
        for key in all_keys
        if not key.endswith(":changed")
    }


def test_the_keys_have_the_names_of_the_design(here: World) -> None:
    projections.read_matches(here.id, "week-1")
    projections.read_standings(here.id)
    projections.read_entries(here.id)
    assert held(here) == {"round:week-1:matches", "standings", "leaderboard"}


def test_a_change_of_the_provider_invalidates_only_its_rounds_and_the_standings(
    here: World,
) -> None:
    for slug in ("week-1", "week-2"):
        projections.read_matches(here.id, slug)
    projections.read_standings(here.id)
    projections.read_entries(here.id)
    projections.invalidate(here.id, {"week-1"})
    assert held(here) == {"round:week-2:matches", "leaderboard"}


def test_what_was_read_before_a_change_is_not_kept_after_it(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = bodies.matches

    def overtaken(*arguments: object) -> bytes:
        read = make(*arguments)  # type: ignore[arg-type]
        here.match("m1", home_score=1, away_score=0, status="live")
        monkeypatch.setattr(bodies, "matches", make)
        here.poll()
        projections.invalidate(here.id, {"week-1"})
        return read

    monkeypatch.setattr(bodies, "matches", overtaken)
    projections.read_matches(here.id, "week-1")
    assert (
        msgspec.json.decode(projections.read_matches(here.id, "week-1"))["data"][0]["home"]["score"]
        == 1
    )


def test_an_older_projection_never_replaces_a_newer_one(here: World) -> None:
    assert projections.project(here.id) == 2
    jobs_redis().set(keys.version_key(here.id), 9)
    jobs_redis().set(keys.leaderboard_key(here.id), b"newer")
    assert projections.project(here.id) == 9
    assert jobs_redis().get(keys.leaderboard_key(here.id)) == b"newer"


@pytest.fixture
def restored(app: Flask) -> Iterator[Callable[[World, int], None]]:
    """Put the tournament back to this version, like a restore while Redis keeps running."""

    def restore(here: World, version: int) -> None:
        db.session.execute(db.update(Tournament).filter_by(id=here.id).values(version=version))
        db.session.execute(
            db.update(TournamentPoints).filter_by(tournament_id=here.id).values(points=0)
        )
        db.session.commit()
        app.extensions["timeline"] = 7

    yield restore
    app.extensions.pop("timeline", None)


def test_after_a_restore_redis_shows_what_postgresql_has(
    here: World, restored: Callable[[World, int], None]
) -> None:
    """docs/recovery.md.

    An earlier backup is restored, and one command brings every other store to it.
    """
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()
    projections.reconcile()
    assert [entry.points for entry in projections.read_entries(here.id)] == [100, 0]
    before = db.session.get_one(Tournament, here.id).version
    restored(here, 2)
    assert before > 2
    assert [entry.points for entry in projections.read_entries(here.id)] == [0, 0], (
        "no reader sees the lost timeline"
    )
    jobs_redis().set(keys.leaderboard_key(here.id), msgspec.msgpack.encode([]))
    assert projections.hydrate(here.id) == 2
    assert [entry.points for entry in projections.read_entries(here.id)] == [0, 0]
    assert projections.reconcile() == 0


def test_a_tournament_that_cannot_be_projected_stops_no_other(
    here: World, world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error is raised when the others are projected."""
    world(name="The Shield")
    hydrate = projections.hydrate
    asked: list[UUID] = []

    def fails_first(tournament_id: UUID) -> int:
        asked.append(tournament_id)
        if len(asked) == 1:
            raise ValueError("broken")
        return hydrate(tournament_id)

    with monkeypatch.context() as patch:
        patch.setattr(projections, "hydrate", fails_first)
        with pytest.raises(ValueError, match="broken"):
            projections.reconcile()
    assert [
        bool(jobs_redis().exists(keys.leaderboard_key(tournament_id))) for tournament_id in asked
    ] == [False, True]
    assert projections.reconcile() == 1


def test_reconcile_makes_good_what_was_missed_and_nothing_else(here: World) -> None:
    assert projections.reconcile() == 1
    assert projections.reconcile() == 0
    here.ended("m1", 2, 1)
    here.poll()
    here.settle()  # and nobody projects
    assert [entry.points for entry in projections.read_entries(here.id)] == [0, 0]
    assert projections.reconcile() == 1
    assert [entry.points for entry in projections.read_entries(here.id)] == [100, 0]
    jobs_redis().flushall()
    assert projections.reconcile() == 1


def test_a_new_member_is_shown_as_soon_as_the_settlement_worker_has_a_moment(here: World) -> None:
    projections.reconcile()
    version = db.session.get_one(Tournament, here.id).version
    jobs.queue(jobs.SETTLEMENT_QUEUE).empty()
    here.guess("Cid", "m1", 1, 1)
    assert [entry.nick_name for entry in projections.read_entries(here.id)] == ["Ann", "Bob"], (
        "Redis has not heard"
    )
    (job,) = jobs.queue(jobs.SETTLEMENT_QUEUE).jobs
    assert job.func_name == RECONCILE_PREDICTIONS.name
    reconcile_predictions.run()
    assert [entry.nick_name for entry in projections.read_entries(here.id)] == ["Ann", "Bob", "Cid"]
    db.session.expire_all()
    tournament = db.session.get_one(Tournament, here.id)
    assert (tournament.version, tournament.members) == (version + 1, 3), (
        "pages and conditional requests see it too"
    )
    here.guess("Cid", "m1", 1, 2)
    assert projections.reconcile() == 0, "another guess of theirs changes nothing"


def test_a_new_member_is_shown_when_redis_was_away_at_their_first_guess(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> bool:
        raise redis.ConnectionError("away")

    projections.reconcile()
    monkeypatch.setattr(jobs, "send_coalesced", away)
    assert here.guess("Cid", "m1", 1, 1) == []
    reconcile_predictions.run()
    assert len(projections.read_entries(here.id)) == 3


def test_a_projection_vouches_for_no_change_but_its_own(here: World) -> None:
    """Two matches end together.

    The second job comes after a poll whose process was killed before it invalidated.
    """
    projections.reconcile()
    here.match("m2", "liv", "mun")
    here.match("m3", "che", "liv", round="week-2")
    here.poll(BEFORE)
    here.ended("m1", 2, 1)
    here.ended("m2", 0, 0)
    here.poll()
    payloads = db.session.scalars(db.select(Settlement.payload).order_by(Settlement.key)).all()
    settle_matches.run(payloads[0])
    projections.read_matches(here.id, "week-2")
    here.match("m3", home_score=1, away_score=0, status="live")
    here.poll()  # and killed
    settle_matches.run(payloads[1])
    projections.reconcile()
    assert (
        msgspec.json.decode(projections.read_matches(here.id, "week-2"))["data"][0]["home"]["score"]
        == 1
    )


def test_a_poll_and_a_settlement_leave_the_keys_of_other_rounds_alone(here: World) -> None:
    projections.reconcile()
    projections.read_matches(here.id, "week-2")
    here.ended("m1", 2, 1)
    mapped = here.poll()
    projections.invalidate(here.id, mapped.rounds)
    projections.note_invalidated(here.id, mapped.version)
    assert projections.reconcile() == 0, "nothing was missed"
    (payload,) = db.session.scalars(db.select(Settlement.payload)).all()
    settle_matches.run(payload)
    assert projections.reconcile() == 0
    assert "round:week-2:matches" in held(here)


def test_readers_are_answered_when_redis_takes_no_writes(here: World, own_valkey: Valkey) -> None:
    body = projections.read_matches(here.id, "week-1")
    jobs_redis().flushall()
    jobs_redis().config_set("maxmemory", 1)
    assert projections.read_matches(here.id, "week-1") == body
