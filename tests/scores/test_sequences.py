"""Any sequence of submits, corrections and losses leaves every store as the plain fold."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app import scores
from app.boards.layouts import board as in_redis
from app.boards.layouts import moving
from app.boards.models import BoardRecord, Mode
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.scores.events import ScoreEvent
from app.scores.processing import reconcile
from app.scores.review import corrections
from tests.killing import kill_at_line
from tests.scores.test_kills import _away
from tests.sizes import size
from tests.worlds.score_log import NOW, Log, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]

INDEX = st.integers(0, 30)
STEPS = st.one_of(
    # Player, score (13 is flagged), seconds: days differ, and some moments are the same.
    st.tuples(
        st.just("score"),
        st.integers(0, 2),
        st.sampled_from([-2, 0, 1, 2, 13]),
        st.sampled_from([0, 0, 1, 9000, 90000]),
    ),
    st.tuples(st.just("again"), INDEX),
    st.tuples(st.just("consume"), st.integers(1, 4), st.integers(1, 3)),
    st.tuples(st.just("die"), st.integers(1, 700)),
    st.tuples(st.just("rewind")),
    st.tuples(st.just("roll_back"), INDEX),
    st.tuples(st.just("review"), INDEX, st.booleans()),
    st.tuples(st.just("redis_away")),
    st.tuples(st.just("redis_empty")),
    st.tuples(st.just("look")),
    st.tuples(
        st.just("move"), st.sampled_from([("hash", 1), ("hash", 2), ("range", 3)]), st.booleans()
    ),
)


@pytest.mark.parametrize("aggregation", ["highest", "sum", "latest"])
@pytest.mark.sized
@settings(
    max_examples=size("PRESSBOX_PROPERTY_CASES", 5, 25),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_every_store_is_the_fold_of_the_attempts(
    make_mode: MakeMode, players: Players, aggregation: str, data: st.DataObject
) -> None:
    ties = data.draw(st.sampled_from(["shared", "dense", "earliest"]))
    layout, shards = data.draw(st.sampled_from([("hash", 1), ("hash", 3), ("range", 2)]))
    mode = make_mode(
        aggregation=aggregation,
        ties=ties,
        layout=layout,
        shards=shards,
        time_zone="America/New_York",
    )
    everybody = players(3)
    reconcile.reconcile(NOW)
    log, sent = Log(2), list[ScoreEvent]()
    for step in data.draw(st.lists(STEPS, min_size=5, max_size=25)):
        run(mode, everybody, log, sent, *step)
    log.consume()
    reconcile.reconcile(NOW)
    check_boards(mode)


def test_marks_that_a_death_left_are_gone_though_redis_was_away_when_it_came_back(
    make_mode: MakeMode, players: Players
) -> None:
    """Found by the sequences: score, again, die between the commit and the end, redis_away."""

    def life(at: int | None) -> int:
        mode, everybody, log, sent = (
            make_mode(aggregation="latest"),
            players(1),
            Log(2),
            list[ScoreEvent](),
        )
        reconcile.reconcile(NOW)
        run(mode, everybody, log, sent, "score", 0, -2, 0)
        run(mode, everybody, log, sent, "again", 0)
        with kill_at_line(at, scores) as steps:
            log.consume()
        run(mode, everybody, log, sent, "redis_away")
        log.consume()
        reconcile.reconcile(NOW)
        check_boards(mode)
        return steps.count

    lines = life(None)
    for at in range(lines - 60, lines, 2):
        life(at)


def run(
    mode: Mode, everybody: list[UUID], log: Log, sent: list[ScoreEvent], name: str, *values: Any
) -> None:
    match name, values:
        case "score", (player, score, seconds):
            sent.append(score_event(mode, everybody[player], score, later(seconds)))
            log.put(sent[-1])
        case "again", (number,) if sent:
            log.put(sent[number % len(sent)])
        case "consume", (size, polls):
            log.consume(polls=(size,) * polls)
        case "die", (lines,):
            with kill_at_line(lines, scores):
                log.consume()
        case "rewind", ():
            log.rewind()
        case "roll_back", (number,) if sent:
            corrections.roll_back(sent[number % len(sent)].event_id, by=None, reason="-", now=NOW)
        case "review", (number, accept) if sent:
            event = sent[number % len(sent)].event_id
            corrections.review(event, accept=accept, by=None, reason="-", now=NOW)
        case "redis_away", ():
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(in_redis, "apply_all", _away)
                patched.setattr(in_redis, "forget_dedup_keys", _away)
                log.consume()
        case "redis_empty", ():
            boards_redis().flushall()
        case "look", ():
            reconcile.reconcile(NOW)
        case "move", ((layout, shards), whole):
            for board in db.session.scalars(
                select(BoardRecord.id).where(BoardRecord.mode_id == mode.id)
            ).all():
                # Refused where another move is under way, or where Redis has lost what was copied.
                with suppress(moving.BoardMoveError):
                    (moving.move if whole else moving.begin)(board, layout, shards)
