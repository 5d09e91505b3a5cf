"""A topic as a list, and the check that every store equals a plain fold of the attempts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select

from app.accounts.models import Player
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.models import BoardCount, BoardRecord, BoardScore, Mode, ScoreGame
from app.boards.rules import Attempt, Budget, Held, Ties, fold
from app.boards.windows.rules import windows_of
from app.core.clock import to_us
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.scores import events
from app.scores.anticheat.submission import CLEAN, FLAGGED, Submission, Verdict
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt
from app.scores.processing.apply import Batch, Judge, Written
from app.stream.messages import Message
from tests.boards.plain import PlainBoard

NOW = datetime(2026, 4, 5, 22, 0, tzinfo=UTC)


def score_event(
    mode: Mode, player: UUID, score: int, at: datetime = NOW, **changes: Any
) -> ScoreEvent:
    game = db.session.get_one(ScoreGame, mode.game_id)
    attempt = changes.pop("attempt_id", None) or uuid4()
    values: dict[str, Any] = {
        "event_id": events.event_id(player, attempt),
        "attempt_id": attempt,
        "player_id": player,
        "game_id": game.id,
        "mode_id": mode.id,
        "game": game.slug,
        "mode": mode.slug,
        "shard": events.shard_of(player),
        "score": score,
        "achieved_at": to_us(at),
    }
    return ScoreEvent(**(values | changes))


def flag_thirteens(scores: Sequence[Submission], _: datetime) -> list[Verdict]:
    """An anti-cheat for tests."""
    return [
        Verdict(FLAGGED, ["thirteen"]) if score.score == 13 else Verdict(CLEAN) for score in scores
    ]


def all_clean(scores: Sequence[Submission], _: datetime) -> list[Verdict]:
    return [Verdict(CLEAN)] * len(scores)


class Log:
    """The topic: messages by partition, and how far the group has committed."""

    def __init__(self, partitions: int = 1) -> None:
        self.messages: list[list[Message]] = [[] for _ in range(partitions)]
        self.committed = [0] * partitions

    def put(self, *sent: ScoreEvent | bytes) -> None:
        for score in sent:
            event = score if isinstance(score, ScoreEvent) else None
            partition = event.shard % len(self.messages) if event else 0
            key = events.key_of(event).decode() if event else None
            value = score if isinstance(score, bytes) else events.encode(score)
            place = self.messages[partition]
            place.append(Message("score-events.v1", partition, len(place), key, value))

    def consume(
        self,
        *,
        judge: Judge = flag_thirteens,
        polls: Sequence[int] = (2, 1),
        partitions: Sequence[int] | None = None,
    ) -> list[Written]:
        """One life of a consumer, to the end of the log.

        Batches of so many polls of up to so many messages.
        """
        written = []
        while True:
            batch, ends = Batch(NOW, judge), list(self.committed)
            for size in polls:
                for number in range(len(ends)) if partitions is None else partitions:
                    fetched = self.messages[number][ends[number] : ends[number] + size]
                    if fetched:
                        batch.take(fetched)
                        ends[number] += len(fetched)
            if batch.size == 0:
                return written
            written.append(batch.write())
            self.committed = ends

    def rewind(self) -> None:
        self.committed = [0] * len(self.messages)


def attempts_of(mode: Mode) -> dict[str, dict[str, list[Attempt]]]:
    """By window and player, the attempts that count; without the hidden."""
    attempts_by_window: dict[str, dict[str, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    rows = db.session.scalars(
        select(ScoreAttempt)
        .where(
            ScoreAttempt.mode_id == mode.id,
            ScoreAttempt.fraud_state == "clean",
            ScoreAttempt.rolled_back_at.is_(None),
            ScoreAttempt.player_id.not_in(select(Player.id).where(Player.hidden_at.is_not(None))),
        )
        .execution_options(populate_existing=True)
    )
    for row in rows:
        attempt = Attempt(to_us(row.achieved_at), str(row.event_id), row.score)
        for window in windows_of(mode.windows, row.achieved_at, mode.calendar):
            attempts_by_window[window.window_id][str(row.player_id)].append(attempt)
    return attempts_by_window


def check_boards(mode: Mode) -> None:
    """Every board of the mode, in PostgreSQL and in Redis, is the plain fold of the attempts.

    No mark is left.
    """
    db.session.rollback()
    counted = attempts_of(mode)
    boards = db.session.scalars(
        select(BoardRecord)
        .where(BoardRecord.mode_id == mode.id)
        .execution_options(populate_existing=True)
    ).all()
    assert {record.window_id for record in boards} >= counted.keys()
    game = db.session.get_one(ScoreGame, mode.game_id)
    for record in boards:
        spec = catalogue.spec_of(game, mode, record)
        expected = {
            player: standing
            for player, attempts in counted[record.window_id].items()
            if (standing := fold(spec.aggregation, attempts)) is not None
        }
        check_sql(record, spec.ties, expected)
        plain = PlainBoard(spec, expected)
        rows = open_board(spec).page(0, 1000)
        assert rows == plain.page(0, 1000), record.window_id
        assert record.stale_since is None
        assert not boards_redis().keys(f"lb:{{{spec.name}:g{spec.generation}[a-z]*:seen"), (
            "marks were left"
        )


def check_sql(record: BoardRecord, ties: Ties, expected: dict[str, Held]) -> None:
    rows = db.session.scalars(
        select(BoardScore)
        .where(BoardScore.board_id == record.id)
        .execution_options(populate_existing=True)
    ).all()
    rows_by_player = {str(row.player_id): (row.score, row.at, row.tie) for row in rows}
    ties_of = {
        player: standing.at if ties is Ties.EARLIEST else 0 for player, standing in expected.items()
    }
    assert rows_by_player == {
        player: (standing.score, standing.at, ties_of[player])
        for player, standing in expected.items()
    }, record.window_id
    counts: dict[int, int] = defaultdict(int)
    for standing in expected.values():
        counts[standing.score] += 1
    stored = db.session.execute(
        select(BoardCount.score, BoardCount.players).where(BoardCount.board_id == record.id)
    )
    assert dict(stored.all()) == dict(counts), record.window_id


def widest(mode: Mode) -> Mode:
    """With the bounds that a sum could have before they were measured by what a total comes to."""
    mode.max_score = Budget().limit
    mode.min_score = -mode.max_score
    db.session.commit()
    return mode


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)
