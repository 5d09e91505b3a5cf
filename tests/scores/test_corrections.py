"""Attempts taken back and reviews ended.

Standings and boards put right, and a row that says who and why.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
import redis
from sqlalchemy import select

from app.accounts.models import Member
from app.boards import services
from app.boards.layouts.hashed import HashBoard
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.core.refusals import Refusal
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.processing import reconcile
from app.scores.review import corrections
from tests.worlds.score_log import NOW, Log, check_boards, later, score_event, widest

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


def take_back(event_id: UUID) -> ScoreCorrection | Refusal:
    return corrections.roll_back(event_id, by=None, reason="a bot", now=NOW)


@pytest.mark.parametrize("aggregation", ["highest", "sum", "latest"])
@pytest.mark.parametrize("ties", ["shared", "dense", "earliest"])
def test_a_score_taken_back_leaves_what_the_others_come_to(
    make_mode: MakeMode, players: Players, aggregation: str, ties: str
) -> None:
    mode = make_mode(aggregation=aggregation, ties=ties)
    ann, bob = players(2)
    scores = [
        score_event(mode, player, 10 * n, later(n)) for n in range(1, 4) for player in (ann, bob)
    ]
    log = Log()
    log.put(*scores)
    log.consume()
    for score in (scores[4], scores[0], scores[2]):  # Ann's last, first and only one left
        assert isinstance(take_back(score.event_id), ScoreCorrection)
        check_boards(mode)
    log.rewind()
    log.consume()
    check_boards(mode)


def test_a_score_taken_back_is_off_the_kept_top_of_a_board_in_parts(
    game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(shards=4)
    ann, bob = players(2)
    scores = [score_event(mode, ann, 5), score_event(mode, bob, 9)]
    log = Log()
    log.put(*scores)
    log.consume()

    def shown() -> list[str]:
        return [row.member for row in services.read(game, mode, "all-time").top(5).rows]

    assert shown() == [str(bob), str(ann)]
    assert isinstance(take_back(scores[1].event_id), ScoreCorrection)
    assert shown() == [str(ann)]


def test_a_correction_says_who_and_why(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode()
    (ann,) = players(1)
    flagged = score_event(mode, ann, 13)
    log = Log()
    log.put(flagged)
    log.consume()
    member = db.session.scalars(select(Member.id)).one()
    corrections.review(flagged.event_id, accept=True, by=member, reason="seen the replay", now=NOW)
    corrections.roll_back(flagged.event_id, by=member, reason="and again", now=later(5))
    rows = db.session.scalars(select(ScoreCorrection).order_by(ScoreCorrection.id)).all()
    assert [(row.action, row.before, row.member_id, row.reason) for row in rows] == [
        ("accept", "flagged", member, "seen the replay"),
        ("roll_back", "clean", member, "and again"),
    ]
    assert [row.published_at for row in rows] == [NOW, later(5)]


@pytest.mark.parametrize("accept", [True, False])
def test_a_review_ends_in_one_of_two_ways_and_only_once(
    make_mode: MakeMode, players: Players, accept: bool
) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    flagged = score_event(mode, ann, 13)
    log = Log()
    log.put(score_event(mode, ann, 5), flagged)
    log.consume()
    assert isinstance(
        corrections.review(flagged.event_id, accept=accept, by=None, reason="-", now=NOW),
        ScoreCorrection,
    )
    assert db.session.get_one(ScoreAttempt, flagged.event_id).fraud_state == (
        "clean" if accept else "rejected"
    )
    check_boards(mode)
    again = corrections.review(flagged.event_id, accept=accept, by=None, reason="-", now=NOW)
    assert isinstance(again, Refusal)
    assert again.code == "not_flagged"


def test_what_cannot_be_corrected_is_said_and_changes_nothing(
    make_mode: MakeMode, players: Players
) -> None:
    mode = widest(make_mode(aggregation="sum", ties="earliest"))
    limit = mode.max_score
    (ann,) = players(1)
    clean, flagged = score_event(mode, ann, limit), score_event(mode, ann, 13)
    rejected, minus = score_event(mode, ann, 2), score_event(mode, ann, -limit)
    log = Log()
    log.put(clean, flagged, rejected, minus)
    log.consume()
    answers = {
        "unknown": take_back(UUID(int=1)),
        "not_counted": take_back(rejected.event_id),
        "not_flagged": corrections.review(
            clean.event_id, accept=True, by=None, reason="-", now=NOW
        ),
    }
    take_back(minus.event_id)
    answers["rolled_back"] = take_back(minus.event_id)
    answers["out_of_range"] = corrections.review(
        flagged.event_id, accept=True, by=None, reason="-", now=NOW
    )
    assert {
        code: answer.code for code, answer in answers.items() if isinstance(answer, Refusal)
    } == {code: code for code in answers}
    assert len(db.session.scalars(select(ScoreCorrection)).all()) == 1
    check_boards(mode)


def test_a_correction_that_redis_missed_is_put_by_the_consumer(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode(aggregation="sum")
    (ann,) = players(1)
    event = score_event(mode, ann, 5)
    reconcile.reconcile(NOW)
    log = Log()
    log.put(event, score_event(mode, ann, 6))
    log.consume()

    def away(*_: object) -> None:
        raise redis.ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(HashBoard, "put", away)
        take_back(event.event_id)
        reconcile.reconcile(NOW)
    assert db.session.scalars(select(ScoreCorrection)).one().published_at is None
    reconcile.reconcile(later(9))
    check_boards(mode)
    assert db.session.scalars(select(ScoreCorrection)).one().published_at == later(9)
