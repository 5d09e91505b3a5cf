"""Each layer on its own: what it finds, and what it lets pass."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from app.scores.anticheat.bounds import Bounds
from app.scores.anticheat.distribution import Cohort, Distribution, cohort_of
from app.scores.anticheat.nonce import AHEAD, Nonce
from app.scores.anticheat.replay import GRACE, Replay
from app.scores.anticheat.submission import (
    CLEAN,
    FLAGGED,
    PROMISED,
    REJECTED,
    Limits,
    Submission,
    Verdict,
    through,
    worst,
)
from app.scores.anticheat.velocity import SLACK, MemorySightings, Velocity
from app.scores.events import event_id

SECOND = 1_000_000
NOW = 1_775_000_000 * SECOND
MODE = uuid4()


def sent(player: UUID | None = None, **changes: object) -> Submission:
    player, attempt = player or uuid4(), uuid4()
    submission = Submission(
        event_id(player, attempt), attempt, player, MODE, 500, 1000, NOW, None, None, None, 0, 2000
    )
    return replace(submission, **changes)  # type: ignore[arg-type]


def test_the_worst_verdict_wins_and_all_reasons_are_kept_once() -> None:
    verdicts = [
        Verdict(FLAGGED, ("a", "b")),
        Verdict(REJECTED, ("c",)),
        Verdict(),
        Verdict(FLAGGED, ("a",)),
    ]
    assert worst(verdicts) == Verdict(REJECTED, ("a", "b", "c"))
    assert worst([]) == Verdict(CLEAN, ())


def test_layers_judge_a_batch_in_its_order() -> None:
    batch = [sent(), sent(score=1001), sent(score=2001)]
    assert [verdict.reasons for verdict in through([Nonce(), Bounds()], batch, NOW)] == [
        (),
        ("above_cap",),
        ("out_of_bounds", "above_cap"),
    ]


@pytest.mark.parametrize(
    ("score", "cap", "reasons"),
    [
        (0, 1000, ()),
        (1000, 1000, ()),
        (2000, None, ()),
        (-1, 1000, ("out_of_bounds",)),
        (1001, 1000, ("above_cap",)),
        (2001, None, ("out_of_bounds",)),
    ],
)
def test_bounds(score: int, cap: int | None, reasons: tuple[str, ...]) -> None:
    (verdict,) = Bounds().judge([sent(score=score, cap=cap)], NOW)
    assert verdict == Verdict(REJECTED if reasons else CLEAN, reasons)


def test_an_attempt_is_its_own_players_comes_once_and_not_from_the_future() -> None:
    good = sent()
    batch = [
        good,
        good,
        replace(good, score=501),
        sent(event_id=uuid4()),
        sent(achieved_at=NOW + AHEAD + 1),
    ]
    assert [verdict.reasons for verdict in Nonce().judge(batch, NOW)] == [
        (),
        (),
        ("nonce_reused",),
        ("foreign_event",),
        ("from_the_future",),
    ]


@pytest.mark.parametrize("limits", [PROMISED, Limits(per_minute=6, per_hour=90, reach=6)])
def test_a_minutes_scores_pass_and_those_above_are_flagged_however_often_they_come(
    limits: Limits,
) -> None:
    player = uuid4()
    batch = [sent(player, achieved_at=NOW + n, limits=limits) for n in range(limits.per_minute + 2)]
    layer = Velocity(MemorySightings())
    for _ in range(3):  # the log replayed
        states = [verdict.state for verdict in layer.judge(batch, NOW)]
        assert states == [CLEAN] * limits.per_minute + [FLAGGED] * 2
    (later,) = layer.judge([sent(player, achieved_at=NOW + 120 * SECOND, limits=limits)], NOW)
    assert later.state == CLEAN


def test_an_hours_scores_pass_and_those_above_are_flagged() -> None:
    player, most = uuid4(), PROMISED.per_hour
    batch = [sent(player, achieved_at=NOW + n * 2 * SECOND) for n in range(most + 1)]
    states = [verdict.state for verdict in Velocity(MemorySightings()).judge(batch, NOW)]
    assert states == [CLEAN] * most + [FLAGGED]


def test_what_was_too_fast_hours_before_the_last_score_of_a_batch_is_flagged() -> None:
    player, most = uuid4(), PROMISED.per_minute
    batch = [sent(player, achieved_at=NOW + n) for n in range(most + 1)]
    batch.append(sent(player, achieved_at=NOW + 7200 * SECOND))
    states = [verdict.state for verdict in Velocity(MemorySightings()).judge(batch, NOW)]
    assert states == [CLEAN] * most + [FLAGGED, CLEAN]


def test_two_minutes_scores_sent_as_soon_as_the_door_lets_them_pass() -> None:
    """The first requests of a minute waited as long as allowed, those of the next not at all."""
    player, most = uuid4(), PROMISED.per_minute
    first = [sent(player, achieved_at=NOW + SLACK * SECOND - 1) for _ in range(most)]
    second = [sent(player, achieved_at=NOW + 60 * SECOND) for _ in range(most)]
    assert {
        verdict.state for verdict in Velocity(MemorySightings()).judge(first + second, NOW)
    } == {CLEAN}


def test_a_device_of_more_than_eight_players_is_flagged_but_a_school_at_one_address_is_not() -> (
    None
):
    farm = [sent(device="d", achieved_at=NOW + n * 60 * SECOND) for n in range(10)]
    assert [verdict.reasons for verdict in Velocity(MemorySightings()).judge(farm, NOW)] == [
        ()
    ] * 8 + [("device_shared",)] * 2
    school = [sent(address="school", achieved_at=NOW + n * SECOND) for n in range(60)]
    assert {verdict.state for verdict in Velocity(MemorySightings()).judge(school, NOW)} == {CLEAN}


@pytest.mark.parametrize(
    ("cohort", "fence"),
    [
        (Cohort(200, 100, 220), 820),
        (Cohort(199, 100, 220), None),
        (Cohort(900, 100, 100), None),
        (Cohort(0, 0, 0), None),
    ],
)
def test_the_fence_stands_far_above_a_large_enough_cohort(
    cohort: Cohort, fence: int | None
) -> None:
    assert cohort.fence == fence
    layer = Distribution(lambda _: cohort)
    verdicts = layer.judge([sent(score=820), sent(score=821), sent(score=-5000)], NOW)
    assert [verdict.reasons for verdict in verdicts] == [(), ("outlier",) if fence else (), ()]


def test_a_few_wild_scores_do_not_move_the_fence() -> None:
    honest = cohort_of(dict.fromkeys(range(1, 101), 10))
    with_cheats = cohort_of(dict.fromkeys(range(1, 101), 10) | {10**9: 9})
    assert (honest.median, honest.high) == (50, 95)
    assert honest.fence is not None
    assert with_cheats.fence is not None
    assert abs(with_cheats.fence - honest.fence) <= 0.03 * honest.fence


def test_a_replay_that_differs_is_rejected_and_one_that_is_missing_flagged_after_the_grace() -> (
    None
):
    submission = sent(replay_hash=hashlib.sha256(b"the game").hexdigest())
    for replay, now, verdict, settled in (
        (b"the game", NOW, Verdict(), True),
        (b"another", NOW, Verdict(REJECTED, ("replay_differs",)), True),
        (None, NOW + GRACE, Verdict(), False),
        (None, NOW + GRACE + 1, Verdict(FLAGGED, ("replay_missing",)), True),
    ):
        layer = Replay(lambda _, replay=replay: replay)  # type: ignore[misc]
        assert layer.judge([submission, sent()], now) == [verdict, Verdict()]
        assert layer.settled == ({submission.event_id} if settled else set())
