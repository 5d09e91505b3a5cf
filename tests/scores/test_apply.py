"""Score events into PostgreSQL and Redis.

Once each, whatever comes again, in whatever order of deaths.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import msgspec
import pytest
from sqlalchemy import select

from app.boards import services
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core.db import db
from app.scores import events
from app.scores.models import ScoreAttempt
from app.stream.models import DeadLetter
from tests.worlds.score_log import Log, check_boards, later, score_event, widest

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def states() -> dict[int, str]:
    """By score."""
    return dict(db.session.execute(select(ScoreAttempt.score, ScoreAttempt.fraud_state)).all())


@pytest.mark.parametrize("aggregation", ["highest", "sum", "latest"])
@pytest.mark.parametrize("ties", ["shared", "dense", "earliest"])
def test_every_window_of_the_mode_gets_the_score(
    make_mode: MakeMode, players: Players, aggregation: str, ties: str
) -> None:
    mode = make_mode(
        aggregation=aggregation, ties=ties, windows=("daily", "weekly", "monthly", "all-time")
    )
    log = Log(2)
    for number, player in enumerate(players(6) * 3):
        log.put(score_event(mode, player, (number * 37) % 11 - 5, later(3600 * (number % 5))))
    written = log.consume()
    assert sum(batch.inserted for batch in written) == 18
    check_boards(mode)


def test_a_sum_with_the_earliest_first_goes_on_as_far_as_its_bounds_promise(
    make_mode: MakeMode, players: Players
) -> None:
    """Its players were locked out from 16,777,216 points on, the daily board's too."""
    mode = make_mode(
        aggregation="sum", ties="earliest", windows=("daily", "all-time"), max_score=9_007_199_254
    )
    ann, bob = players(2)
    log = Log()
    for number, player in enumerate([ann, bob] * 4):
        log.put(score_event(mode, player, 9_007_199_254, later(number)))
    log.consume()
    assert set(states().values()) == {"clean"}
    check_boards(mode)


def test_of_equal_scores_the_earlier_microsecond_ranks_higher(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="highest", ties="earliest", windows=("all-time",))
    three = players(3)
    log = Log()
    for player, microseconds in zip(three, (2, 1, 3), strict=True):
        log.put(score_event(mode, player, 7, later(microseconds / 1_000_000)))
    log.consume()
    check_boards(mode)  # Redis and PostgreSQL against plain Python
    game = catalogue.game_of(mode)
    rows = services.read(game, mode, "all-time").board.page(0, 3)
    assert [(row.rank, row.member) for row in rows] == [
        (1, str(three[1])),
        (2, str(three[0])),
        (3, str(three[2])),
    ]


def test_what_comes_twice_counts_once_and_a_replay_changes_nothing(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    ann, bob = players(2)
    log = Log()
    first = score_event(mode, ann, 5)
    log.put(first, first, score_event(mode, bob, 7), first)
    assert [batch.inserted for batch in log.consume(polls=(3,))] == [2, 0]
    check_boards(mode)
    before = {
        row.event_id: (row.kafka_offset, row.ingested_at)
        for row in db.session.scalars(select(ScoreAttempt))
    }
    for polls in ((1,), (2, 2), (10,)):
        log.rewind()
        assert sum(batch.inserted for batch in log.consume(polls=polls)) == 0
        check_boards(mode)
    after = {
        row.event_id: (row.kafka_offset, row.ingested_at)
        for row in db.session.scalars(select(ScoreAttempt))
    }
    assert after == before


def test_a_second_message_of_an_attempt_counts_as_its_first(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    first = score_event(mode, ann, 5)
    log = Log()
    log.put(first, score_event(mode, ann, 9, later(24 * 3600), attempt_id=first.attempt_id))
    log.consume()
    assert states() == {5: "clean"}
    check_boards(mode)


def test_a_flagged_score_is_kept_and_counts_nowhere(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    log = Log()
    log.put(score_event(mode, ann, 5), score_event(mode, ann, 13))
    (written,) = log.consume()
    assert (written.inserted, written.not_clean) == (2, 1)
    assert states() == {5: "clean", 13: "flagged"}
    check_boards(mode)


def test_a_total_outside_the_exact_range_rejects_the_attempt_everywhere(
    make_mode: MakeMode, players: Players
) -> None:
    mode = widest(make_mode(aggregation="sum", ties="earliest"))
    limit = mode.max_score
    (ann,) = players(1)
    log = Log()
    log.put(*(score_event(mode, ann, score) for score in (limit, 1, -2, 2)))
    log.consume(polls=(4,))
    assert states() == {limit: "clean", 1: "rejected", -2: "clean", 2: "clean"}
    check_boards(mode)
    reasons = db.session.scalars(
        select(ScoreAttempt.fraud_reasons).where(ScoreAttempt.score == 1)
    ).one()
    assert reasons == ["out_of_range"]


def test_broken_messages_become_dead_letters_and_hold_nobody_up(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    good = score_event(mode, ann, 5)
    stranger = score_event(mode, UUID(int=5), 5)
    without_mode = msgspec.structs.replace(score_event(mode, ann, 6), mode_id=UUID(int=6))
    plain = msgspec.json.decode(events.encode(score_event(mode, ann, 7)))
    nul = msgspec.json.encode(plain | {"v": "\0"})
    lone = events.encode(score_event(mode, ann, 8, client_meta={"a": "b"})).replace(
        b'"b"', rb'"\ud800"'
    )
    log = Log()
    log.put(b"", b"{", stranger, without_mode, nul, lone, good)
    (written,) = log.consume(polls=(10,))
    assert (written.inserted, written.dead) == (1, 6)
    reasons = db.session.scalars(select(DeadLetter.reason).order_by(DeadLetter.offset)).all()
    assert [reason.split(":")[0] for reason in reasons[2:4]] == ["player_id", "mode_id"]
    check_boards(mode)
    log.rewind()
    log.consume()
    assert len(db.session.scalars(select(DeadLetter)).all()) == 6
