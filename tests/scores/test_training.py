"""The anomaly layer as shipped: a job trains each mode with enough clean scores, and it judges."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert

from app.boards.models import Mode
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores import events
from app.scores.anticheat import models
from app.scores.anticheat.stores import model_folder
from app.scores.anticheat.training import grow
from app.scores.models import ScoreAttempt
from app.scores.review.recheck import Rechecked, recheck_scores
from tests.worlds.score_log import NOW, Log, all_clean, score_event
from workers.jobs import train_models

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
DAY = timedelta(days=1)


def play_honestly(mode: Mode, players: list[UUID], count: int, start: datetime) -> None:
    """Store clean scores around 100, each player's some minutes apart."""
    chance = random.Random(7)  # noqa: S311
    rows = []
    for number in range(count):
        player, attempt = players[number % len(players)], uuid4()
        minutes = 6 * (number // len(players)) + 5 * chance.random()
        rows.append(
            {
                "event_id": events.event_id(player, attempt),
                "attempt_id": attempt,
                "player_id": player,
                "mode_id": mode.id,
                "score": round(chance.gauss(100, 20)),
                "achieved_at": start + timedelta(minutes=minutes),
                "rechecked_at": start,
            }
        )
    db.session.execute(insert(ScoreAttempt), rows)
    db.session.commit()


def versions(mode: Mode) -> list[str]:
    return blob_store().names(model_folder(mode.id))


def test_a_mode_with_enough_clean_scores_gets_a_model_a_day_while_it_is_played(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, quiet, archived = make_mode(), make_mode(), make_mode()
    archived.archived_at = NOW
    people = players(50)
    for played in (mode, archived):
        play_honestly(played, people, models.ENOUGH, NOW - DAY)
    play_honestly(quiet, people, models.ENOUGH - 1, NOW - DAY)
    for hours, number in ((0, 1), (1, 1), (24, 1)):
        moment = NOW + timedelta(hours=hours)
        monkeypatch.setattr(clock, "now", lambda moment=moment: moment)
        train_models.run()
        assert len(versions(mode)) == number, f"after {hours} hours without a new score"
    assert versions(quiet) == versions(archived) == []
    play_honestly(mode, people, 1, NOW + DAY)
    train_models.run()
    assert len(versions(mode)) == 2


def test_a_score_unlike_all_others_is_held_by_the_trained_model(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    people = players(51)
    play_honestly(mode, people[:50], models.ENOUGH, NOW - DAY)
    assert len(models.train_due(NOW)) == 1
    log = Log()
    # A machine: better each time, once a second.
    machine = [
        score_event(mode, people[50], 100 * n, NOW + timedelta(seconds=n)) for n in range(14)
    ]
    log.put(*machine)
    log.consume(judge=all_clean)
    checked = recheck_scores(NOW + DAY)
    assert checked.attempts == 14
    assert checked.withheld > 0
    last = db.session.get_one(ScoreAttempt, machine[-1].event_id, populate_existing=True)
    assert (last.fraud_state, last.fraud_reasons) == ("flagged", ["anomaly"])
    assert recheck_scores(NOW + DAY) == Rechecked(0, 0)


def test_a_few_versions_are_kept_and_the_mode_that_waits_longest_comes_first(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "ENOUGH", 500)
    monkeypatch.setattr(models, "KEPT", 2)
    monkeypatch.setattr(models, "AT_ONCE", 1)
    monkeypatch.setattr(models, "grow_in_child", grow)  # six processes would take 12 s
    first, second = make_mode(), make_mode()
    people = players(50)
    for mode in (first, second):
        play_honestly(mode, people, 500, NOW + 9 * DAY)
    trained = [models.train_due(NOW + days * DAY)[0].split("/")[2] for days in range(1, 7)]
    assert set(trained[:2]) == set(trained[2:4]) == {str(first.id), str(second.id)}
    assert (len(versions(first)), len(versions(second))) == (2, 2)
