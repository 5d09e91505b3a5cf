"""The layers on real stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.boards.models import Mode
from app.core.clock import from_us, to_us
from app.core.db import db
from app.core.redis import clients as stores_redis
from app.scores import anticheat
from app.scores.anticheat import models, stores
from app.scores.anticheat.features import Past
from app.scores.anticheat.submission import CLEAN, FLAGGED, PROMISED
from app.scores.anticheat.training import TrainingError
from app.scores.anticheat.velocity import Velocity
from app.scores.models import ScoreAttempt
from tests.scores.anticheat.test_layers import NOW, SECOND, sent

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def store(mode: Mode, player: UUID, scores: list[int], **changes: Any) -> list[ScoreAttempt]:
    rows = []
    for number, score in enumerate(scores):
        submission = sent(player)
        values = {
            "event_id": submission.event_id,
            "attempt_id": submission.attempt_id,
            "player_id": player,
            "mode_id": mode.id,
        }
        at = from_us(NOW) + timedelta(seconds=number, microseconds=number % 7)
        rows.append(ScoreAttempt(**values, score=score, achieved_at=at, **changes))
    db.session.add_all(rows)
    db.session.commit()
    return rows


def test_marks_in_redis_count_an_event_once(app: Flask, players: Players) -> None:
    (player,) = players(1)
    most = PROMISED.per_minute
    batch = [sent(player, achieved_at=NOW + n) for n in range(most + 2)]
    for _ in range(3):
        verdicts = Velocity(stores.RedisSightings()).judge(batch, NOW)
        assert [verdict.state for verdict in verdicts] == [CLEAN] * most + [FLAGGED] * 2


def test_without_redis_the_velocity_layer_abstains_and_the_others_go_on(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = stores_redis.connect("redis://127.0.0.1:1")
    monkeypatch.setitem(app.extensions, "redis", away)
    layer = anticheat.Abstaining(Velocity(stores.RedisSightings()))
    submission = sent(device="d")
    assert [verdict.state for verdict in layer.judge([submission, submission], NOW)] == [CLEAN] * 2
    assert layer.abstained == 2
    assert [
        verdict.state
        for verdict in anticheat.judge([submission, replace(sent(), score=-1)], from_us(NOW))
    ] == [
        CLEAN,
        "rejected",
    ]


def test_a_cohort_is_of_clean_scores_of_the_mode_alone(
    make_mode: MakeMode, players: Players
) -> None:
    mode, other = make_mode(), make_mode()
    (player,) = players(1)
    store(mode, player, [1, 2, 2])
    store(mode, player, [9], fraud_state="flagged")
    store(mode, player, [9], rolled_back_at=from_us(NOW))
    store(other, player, [7])
    assert stores.counts(mode.id) == {1: 1, 2: 2}
    assert stores.SqlCohorts()(mode.id).size == 3


def test_a_history_is_what_the_player_did_before_oldest_first(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    player, another = players(2)
    rows = store(mode, player, list(range(20)))
    store(mode, another, [5])
    newest, second, first = (models.submission(rows[n], mode) for n in (19, 1, 0))
    past, of_second, of_first = stores.histories([newest, second, first])
    assert past == [Past(to_us(row.achieved_at), row.score) for row in rows[7:19]]
    assert of_second == [Past(to_us(rows[0].achieved_at), 0)]
    assert of_first == []


def test_a_trained_model_is_stored_as_the_newest_version(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (player,) = players(1)
    with pytest.raises(models.ModeNotFoundError, match="--mode"):
        models.train("nova-run", "none", from_us(NOW))
    with pytest.raises(TrainingError):
        models.train("nova-run", mode.slug, from_us(NOW))
    store(mode, player, [n * 37 % 1000 for n in range(600)])
    assert stores.newest_model(mode.id) is None
    models.train("nova-run", mode.slug, from_us(NOW))
    _, newest = models.train("nova-run", mode.slug, from_us(NOW + SECOND))
    assert newest.trained_on == 600
    assert stores.newest_model(mode.id) == newest
