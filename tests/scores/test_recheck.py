"""The slow layers, over scores on the boards.

Checked once, withheld by Pressbox, never after a person decided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.boards.models import Mode
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores.anticheat.stores import replay_name
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.review import corrections
from app.scores.review.recheck import GRACE, Rechecked, recheck_scores
from tests.worlds.score_log import NOW, Log, check_boards, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
GAME = b"kick, kick, goal"
DIGEST = hashlib.sha256(GAME).hexdigest()
LATER = NOW + GRACE + timedelta(seconds=1)


def sent(*scores: ScoreEvent) -> None:
    log = Log()
    log.put(*scores)
    log.consume()


def states() -> list[tuple[str, list[str], datetime | None]]:
    db.session.expire_all()
    rows = db.session.scalars(select(ScoreAttempt).order_by(ScoreAttempt.score))
    return [(row.fraud_state, row.fraud_reasons, row.rechecked_at) for row in rows]


def test_a_recorded_game_is_compared_once_its_upload_has_had_its_time(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    people = players(4)
    same, other, missing = [score_event(mode, people[n], n, replay=DIGEST) for n in range(3)]
    sent(same, other, missing, score_event(mode, people[3], 3))
    blob_store().put(replay_name(mode.id, same.event_id), GAME)
    blob_store().put(replay_name(mode.id, other.event_id), b"another game")
    assert recheck_scores(NOW) == Rechecked(attempts=1, withheld=0), "the one without a replay"
    assert recheck_scores(LATER) == Rechecked(attempts=3, withheld=2)
    assert states() == [
        ("clean", [], LATER),
        ("rejected", ["replay_differs"], LATER),
        ("flagged", ["replay_missing"], LATER),
        ("clean", [], NOW),
    ]
    check_boards(mode)
    actions = db.session.execute(select(ScoreCorrection.action, ScoreCorrection.member_id))
    assert sorted(actions) == [("flag", None), ("reject", None)]
    assert recheck_scores(LATER) == Rechecked(0, 0)


def test_what_a_person_has_accepted_is_not_withheld_again(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    event = score_event(mode, ann, 7, replay=DIGEST)
    sent(event)
    recheck_scores(LATER)
    corrections.review(event.event_id, accept=True, by=None, reason="seen on the stream", now=LATER)
    assert recheck_scores(LATER) == Rechecked(0, 0)
    assert states()[0][0] == "clean"
    check_boards(mode)


def test_a_crash_between_two_attempts_leaves_the_rest_for_the_next_look(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    people = players(3)
    sent(*(score_event(mode, player, n, replay=DIGEST) for n, player in enumerate(people)))
    withhold, calls = corrections.withhold, []

    def killed_at_the_second(*args: object, **values: object) -> object:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return withhold(*args, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(corrections, "withhold", killed_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        recheck_scores(LATER)
    db.session.rollback()
    assert recheck_scores(LATER) == Rechecked(attempts=2, withheld=2)
    assert {state for state, _, _ in states()} == {"flagged"}
    check_boards(mode)
