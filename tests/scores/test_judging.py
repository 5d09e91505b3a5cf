"""A past window judged again after the limits or the model of its mode changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import func, select

from app.accounts.models import Member
from app.boards.models import Mode
from app.cli import anticheat as commands
from app.cli import main
from app.core import metrics
from app.core.db import db
from app.ops import slo
from app.scores.anticheat.mode_limits import put_limits
from app.scores.anticheat.submission import Limits
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.review import corrections, judging
from app.scores.review.judging import Judgement, PastWindowError, find_window
from app.scores.review.past_window import PastWindow
from app.scores.review.recheck import recheck_scores
from tests.commands import use_here
from tests.worlds.score_log import NOW, Log, all_clean, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
DAY = timedelta(days=1)
TOMORROW = NOW + DAY


def sent(*scores: Any) -> None:
    log = Log()
    log.put(*scores)
    log.consume(judge=all_clean)
    recheck_scores(NOW)


def limit(mode: Mode, per_minute: int) -> None:
    put_limits(mode.id, Limits(per_minute, 1_200, 6), by=db.session.scalar(MEMBER), now=NOW)
    db.session.commit()


MEMBER = select(Member.id).order_by(Member.id).limit(1)


def window(mode: Mode) -> PastWindow:
    return PastWindow(mode, NOW - DAY, TOMORROW)


def states() -> dict[int, tuple[str, list[str]]]:
    db.session.expire_all()
    rows = db.session.scalars(select(ScoreAttempt))
    return {row.score: (row.fraud_state, row.fraud_reasons) for row in rows}


def too_fast(mode: Mode, player: UUID) -> list[Any]:
    """Four scores in a minute, then one two hours later."""
    return [
        *(score_event(mode, player, 10 + n, later(10 * n)) for n in range(4)),
        score_event(mode, player, 20, later(7200)),
    ]


def test_a_preview_says_who_would_be_held_and_writes_nothing(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    ann, bob = players(2)
    sent(*too_fast(mode, ann), score_event(mode, bob, 30))
    assert judging.preview(window(mode), TOMORROW) == Judgement(6, [], 0)
    limit(mode, 2)
    judgement = judging.preview(window(mode), TOMORROW)
    (row,) = judgement.players
    assert (judgement.attempts, judgement.withheld, row.player_id) == (6, 2, ann)
    assert (row.before, row.after, row.reasons) == ("clean", "flagged", [("player_too_fast", 2)])
    assert {state for state, _ in states().values()} == {"clean"}
    assert db.session.scalar(select(func.count()).select_from(ScoreCorrection)) == 0


def test_what_is_found_leaves_the_boards_until_a_review_and_a_second_time_changes_nothing(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    sent(*too_fast(mode, ann))
    limit(mode, 2)
    preview = judging.preview(window(mode), TOMORROW)
    assert judging.apply(window(mode), TOMORROW) == preview
    assert states() == {
        10: ("clean", []),
        11: ("clean", []),
        12: ("flagged", ["player_too_fast"]),
        13: ("flagged", ["player_too_fast"]),
        20: ("clean", []),
    }
    check_boards(mode)
    decided = db.session.execute(select(ScoreCorrection.action, ScoreCorrection.member_id)).all()
    assert decided == [("flag", None), ("flag", None)]
    again = judging.apply(window(mode), TOMORROW)
    assert (again.withheld, again.passing) == (0, 0)
    assert db.session.scalar(select(func.count()).select_from(ScoreCorrection)) == 2


def test_a_persons_decision_is_final(make_mode: MakeMode, players: Players) -> None:
    mode = make_mode()
    (ann,) = players(1)
    member = db.session.scalars(MEMBER).one()
    events = too_fast(mode, ann)
    sent(*events)
    limit(mode, 2)
    corrections.quarantine(events[2].event_id, by=member, reason="Too fast?", now=NOW)
    corrections.review(events[2].event_id, accept=True, by=None, reason="Seen it.", now=NOW)
    corrections.roll_back(events[3].event_id, by=member, reason="A bot.", now=NOW)
    assert judging.apply(window(mode), TOMORROW) == Judgement(3, [], 0)
    assert states()[12] == ("clean", ["quarantined"])


def test_a_decision_made_between_the_look_and_the_hold_is_final(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    member = db.session.scalars(MEMBER).one()
    events = too_fast(mode, ann)
    sent(*events)
    limit(mode, 2)
    withhold = corrections.withhold

    def decide_first(event_id: UUID, **values: Any) -> object:
        if event_id == events[2].event_id:
            corrections.quarantine(event_id, by=member, reason="Too fast?", now=NOW)
            corrections.review(event_id, accept=True, by=None, reason="Seen it.", now=NOW)
        return withhold(event_id, **values)

    monkeypatch.setattr(corrections, "withhold", decide_first)
    assert judging.apply(window(mode), TOMORROW).withheld == 1
    assert (states()[12][0], states()[13][0]) == ("clean", "flagged")


def test_it_goes_on_after_a_kill(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    sent(*too_fast(mode, ann))
    limit(mode, 1)
    withhold, calls = corrections.withhold, []

    def killed_at_the_second(*args: Any, **values: Any) -> object:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return withhold(*args, **values)

    with monkeypatch.context() as patched:
        patched.setattr(corrections, "withhold", killed_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            judging.apply(window(mode), TOMORROW)
    db.session.rollback()
    assert judging.apply(window(mode), TOMORROW).withheld == 2
    assert [states()[score][0] for score in (10, 11, 12, 13, 20)] == [
        "clean",
        "flagged",
        "flagged",
        "flagged",
        "clean",
    ]
    check_boards(mode)


def test_batches_and_the_start_of_the_window_do_not_hide_what_came_before(
    make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.scores.review.past_window.AT_ONCE", 2)
    mode = make_mode()
    (ann,) = players(1)
    sent(*too_fast(mode, ann))
    limit(mode, 2)
    from_the_third = PastWindow(mode, later(20), TOMORROW)
    judgement = judging.preview(from_the_third, TOMORROW)
    assert (judgement.attempts, judgement.withheld) == (3, 2)


def test_narrower_bounds_reject_and_wider_limits_release_nothing_by_themselves(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    sent(*too_fast(mode, ann))
    limit(mode, 2)
    mode.max_score = 19
    db.session.commit()
    judgement = judging.apply(window(mode), TOMORROW)
    assert [(row.after, row.attempts) for row in judgement.players] == [
        ("flagged", 2),
        ("rejected", 1),
    ]
    limit(mode, 60)
    released = judging.apply(window(mode), TOMORROW)
    assert (released.withheld, released.passing) == (0, 2)
    assert states()[12][0] == "flagged"


def test_old_scores_do_not_count_for_the_objective_of_new_ones(
    make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    sent(*too_fast(mode, ann))
    limit(mode, 2)
    judging.apply(window(mode), TOMORROW)
    metrics.flush()
    (row,) = [row for row in slo.table() if row.objective.name == metrics.QUARANTINE]
    assert row.events == 0


def test_a_window_has_a_beginning_an_end_and_a_bound(make_mode: MakeMode) -> None:
    mode = make_mode(windows=("daily", "all-time"))
    name = {"game": "nova-run", "mode": mode.slug}
    day = find_window(**name, name="daily:2026-04-05", start=None, end=None)
    assert day.end - day.start == DAY
    for faulty in (
        {"name": "all-time", "start": None, "end": None},
        {"start": NOW, "end": NOW},
        {"start": NOW, "end": NOW + timedelta(days=367)},
        {"start": NOW, "end": None},
    ):
        with pytest.raises(PastWindowError):
            find_window(**name, **faulty)


def test_the_command_shows_first_and_holds_with_apply_and_a_reason(
    app: Flask, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    sent(*too_fast(mode, ann))
    limit(mode, 2)
    use_here(monkeypatch, commands, app)
    command = ("anticheat", "judge", "--game", "nova-run", "--mode", mode.slug)
    monkeypatch.setattr("app.core.clock.now", lambda: TOMORROW)

    def run(*arguments: str) -> str:
        return CliRunner().invoke(main, arguments).output

    output = run(*command, "--window", "daily:2026-04-05")
    assert f"{ann}  2       clean  flagged  player_too_fast 2" in output
    assert "Scores that would be taken off the boards: 2 of 4." in output
    assert {state for state, _ in states().values()} == {"clean"}
    applied = (*command, "--from", "2026-04-05", "--to", "2026-04-07", "--apply")
    assert "--reason" in run(*applied)
    assert "taken off the boards: 2 of 5." in run(*applied, "--reason", "New limits.")
    assert states()[12] == ("flagged", ["player_too_fast"])
    assert "2026-04-01" in run(*command, "--from", "yesterday")
