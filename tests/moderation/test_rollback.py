"""Many scores taken back in one step: previewed, done, undone; every board right after each."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import select, text

from app.accounts.models import Member
from app.accounts.players import player_of
from app.audit.models import AuditEntry
from app.audit.verification import verify
from app.boards import services
from app.boards.models import Mode, ScoreGame
from app.boards.windows.rules import parse_window
from app.core.db import db
from app.moderation import rollback
from app.moderation.models import Rollback
from app.moderation.rollback import Preview
from app.moderation.selection import Selection, choose
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.processing import reconcile
from app.scores.standings import folding, placing
from app.scores.standings.history import board_at
from tests.worlds.score_log import NOW, Log, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]


@pytest.fixture
def scores(make_mode: MakeMode, players: Players) -> tuple[Mode, list[UUID], list[ScoreEvent]]:
    """Four players with three scores each, at ten-second steps.

    The second one's come from one address and device.
    """
    mode = make_mode(aggregation="sum", ties="dense", shards=3)
    people = players(4)
    events = []
    for step in range(3):
        for n, person in enumerate(people):
            more = {"address": "a" * 32, "device": "d" * 32} if n == 1 else {}
            events.append(
                score_event(mode, person, 10 * (n + 1) + step, later(10 * step + n), **more)
            )
    log = Log()
    log.put(*events)
    log.consume()
    return mode, people, events


def previewed(selection: Selection) -> Preview:
    result = rollback.preview(selection)
    assert isinstance(result, Preview), result
    return result


def made(selection: Selection, by: int | None = None) -> Rollback:
    done = rollback.make(
        selection, digest=previewed(selection).digest, by=by, reason="a bot", now=later(100)
    )
    assert isinstance(done, Rollback), done
    return done


def counted() -> set[UUID]:
    db.session.rollback()
    return set(
        db.session.scalars(
            select(ScoreAttempt.event_id).where(ScoreAttempt.rolled_back_at.is_(None))
        )
    )


def selections(
    mode: Mode, people: list[UUID], events: list[ScoreEvent]
) -> dict[str, tuple[Selection, set[int]]]:
    """By name: what is selected, and the numbers of the scores that it should take back."""
    return {
        "one score": (Selection(event_id=events[4].event_id), {4}),
        "a player's window": (
            Selection(mode_id=mode.id, player_id=people[2], window_id="daily:2026-04-05"),
            {2, 6, 10},
        ),
        "a player": (Selection(player_id=people[0]), {0, 4, 8}),
        "an address": (Selection(address="a" * 32), {1, 5, 9}),
        "a device": (Selection(device="d" * 32), {1, 5, 9}),
        "a time": (Selection(mode_id=mode.id, since=later(10), until=later(20)), {4, 5, 6, 7}),
        "a series": (Selection(from_event=events[6].event_id), {6, 10}),
    }


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
@pytest.mark.parametrize(
    "name",
    [
        "one score",
        "a player's window",
        "a player",
        "an address",
        "a device",
        "a time",
        "a series",
    ],
)
def test_what_is_selected_is_taken_back_and_counts_again_when_that_is_undone(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]], name: str
) -> None:
    mode, people, events = scores
    selection, numbers = selections(mode, people, events)[name]
    chosen = {events[n].event_id for n in numbers}
    before = counted()
    done = made(selection)
    assert before - counted() == chosen
    assert done.attempts == len(chosen)
    check_boards(mode)
    undone = rollback.undo(done.id, by=None, reason="was none", now=later(200))
    assert isinstance(undone, Rollback)
    assert counted() == before
    check_boards(mode)
    log = [
        (row.action, row.reason)
        for row in db.session.scalars(select(ScoreCorrection).order_by(ScoreCorrection.id))
    ]
    assert log == [("roll_back", "a bot")] * len(chosen) + [("restore", "was none")] * len(chosen)
    again = rollback.undo(done.id, by=None, reason="was none", now=later(300))
    assert isinstance(again, list)


def test_the_preview_says_who_moves_and_by_how_much_before_it_is_done(
    game: ScoreGame, scores: tuple[Mode, list[UUID], list[ScoreEvent]]
) -> None:
    mode, people, _ = scores
    before = [row.member for row in services.read(game, mode, "all-time").top(9).rows]
    selection = Selection(player_id=people[3])  # the best of all
    preview = previewed(selection)
    assert [row.member for row in services.read(game, mode, "all-time").top(9).rows] == before
    assert (preview.attempts, preview.players, preview.moved) == (3, 1, 8)
    board = next(board.preview for board in preview.boards if board.preview.window_id == "all-time")
    moves = {
        move.player_id: (move.rank_before, move.rank_after, move.score_before, move.score_after)
        for move in board.moves
    }
    assert moves == {
        people[3]: (1, None, 123, None),
        people[2]: (2, 1, 93, 93),
        people[1]: (3, 2, 63, 63),
        people[0]: (4, 3, 33, 33),
    }
    done = made(selection)
    assert done.moved == preview.moved
    back = rollback.preview_undo(done.id)
    assert isinstance(back, Preview)
    assert (back.attempts, back.moved) == (3, 8)


def test_what_is_done_is_what_was_looked_at(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]],
) -> None:
    mode, people, _ = scores
    selection = Selection(player_id=people[0])
    digest = previewed(selection).digest
    log = Log()
    log.put(score_event(mode, people[0], 7, later(50)))
    log.consume()
    refused = rollback.make(selection, digest=digest, by=None, reason="a bot", now=NOW)
    assert isinstance(refused, list)
    assert [refusal.code for refusal in refused] == ["changed_meanwhile"]
    check_boards(mode)


def test_nobody_takes_their_own_scores_back_and_no_whole_mode_goes_at_once(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]], member: Callable[..., Member]
) -> None:
    mode, _, _ = scores
    meg = member("meg", "moderator")
    mine = player_of(meg).id
    log = Log()
    log.put(score_event(mode, mine, 7, later(50)))
    log.consume()
    selection = Selection(mode_id=mode.id, since=later(50), until=later(51))
    refused = rollback.make(
        selection, digest=previewed(selection).digest, by=meg.id, reason="mine", now=NOW
    )
    assert isinstance(refused, list)
    assert [refusal.code for refusal in refused] == ["own_score"]
    wide = rollback.preview(Selection(mode_id=mode.id))
    assert isinstance(wide, list)
    assert [refusal.code for refusal in wide] == ["too_wide"]


def test_a_rollback_is_audited_with_what_was_selected(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]], member: Callable[..., Member]
) -> None:
    _, people, _ = scores
    meg = member("meg", "moderator")
    done = made(Selection(player_id=people[0]), by=meg.id)
    rollback.undo(done.id, by=meg.id, reason="was none", now=NOW)
    entries = db.session.scalars(
        select(AuditEntry)
        .where(AuditEntry.subject == f"rollback:{done.id}")
        .order_by(AuditEntry.id)
    ).all()
    assert [(entry.act, entry.reason, entry.details.get("attempts")) for entry in entries] == [
        ("scores.rolled_back", "a bot", 3),
        ("scores.rollback_undone", "was none", 3),
    ]
    assert entries[0].details["player_id"] == str(people[0])
    assert verify().faults == []


def test_boards_of_many_players_are_rewritten_whole(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]], monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, _, _ = scores
    monkeypatch.setattr(placing, "MOST_PUT", 2)
    done = made(Selection(mode_id=mode.id, since=later(10), until=later(20)))
    reconcile.reconcile(NOW)
    check_boards(mode)
    rollback.undo(done.id, by=None, reason="was none", now=NOW)
    reconcile.reconcile(NOW)
    check_boards(mode)


def test_the_past_shows_what_counted_then(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]],
) -> None:
    mode, people, _ = scores
    window = parse_window("all-time", "UTC")
    for row in db.session.scalars(select(ScoreAttempt)):
        row.ingested_at = row.achieved_at
    db.session.commit()
    done = made(Selection(player_id=people[3]))  # at 100 s
    rollback.undo(done.id, by=None, reason="was none", now=later(200))
    counts = [board_at(mode, window, later(seconds), 0, 9).count for seconds in (90, 150, 250)]
    assert counts == [4, 3, 4]


def test_only_the_games_of_the_decider_are_selected(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]],
) -> None:
    mode, people, _ = scores
    assert previewed(Selection(player_id=people[0], games=[])).attempts == 0
    assert previewed(Selection(player_id=people[0], games=[mode.game_id])).attempts == 3


@pytest.mark.parametrize("counted", [rollback._WITHOUT, rollback._WITH])
def test_more_scores_than_fit_into_memory_are_not_compared_one_by_one(
    scores: tuple[Mode, list[UUID], list[ScoreEvent]], counted: str
) -> None:
    mode, people, _ = scores
    choose(Selection(mode_id=mode.id, player_id=people[0]))
    more = "INSERT INTO chosen_attempts SELECT gen_random_uuid(), :mode, :player, now()"
    db.session.execute(
        text(f"{more} FROM generate_series(1, 20000)"), {"mode": mode.id, "player": people[0]}
    )
    db.session.execute(text("SET LOCAL work_mem = '64kB'"))
    values = folding.values(mode.id, parse_window("all-time", mode.calendar))
    plan = "\n".join(db.session.scalars(text(f"EXPLAIN {counted}"), values))
    db.session.rollback()
    lookups = [line for line in plan.splitlines() if "chosen_attempts" in line]
    assert lookups
    assert "Materialize" not in plan, plan
    assert "SubPlan" not in plan or all("Index" in line for line in lookups), plan
