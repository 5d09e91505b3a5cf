"""Applies score events: judged, to Redis at once, to PostgreSQL in batches (PRODUCT D11).

Any message may come again from any offset, and the process may die at any line; continuing leaves
PostgreSQL with each attempt once, its boards as the fold of the clean ones, and Redis the same.
docs/decisions/0010-boards.md explains how. A batch is one transaction. workers/scores.py reads
Kafka; write_behind.py and board_scores.py write the tables. In modes that update their boards in
batches, the standings wait in PostgreSQL for batched_updates.py.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text

from app.boards.catalogue import queries as catalogue
from app.boards.layouts import board as in_redis
from app.boards.models import Mode
from app.boards.rules import Attempt, Held, OutOfRangeError, add
from app.core import metrics
from app.core.clock import from_us
from app.core.db import db, transaction
from app.scores import anticheat
from app.scores.anticheat.mode_limits import mode_limits
from app.scores.anticheat.submission import CLEAN, REJECTED, Limits, Submission, Verdict
from app.scores.events import InvalidScoreEventError, ScoreEvent, decode
from app.scores.models import ScoreAttemptKey
from app.scores.processing import locks, write_behind
from app.scores.processing.write_behind import Judged
from app.scores.standings import board_scores, waiting_scores
from app.scores.standings.board_scores import OnBoard, Place
from app.scores.standings.mode_boards import Boards
from app.scores.submission import outcomes
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message

log = structlog.get_logger(__name__)

Judge = Callable[[Sequence[Submission], datetime], Sequence[Verdict]]


class RetryBatchError(Exception):
    """Another writer had some of these events: nothing was written, read the messages again."""


@dataclass(frozen=True)
class Written:
    """How many events of a batch were inserted, duplicates, dead and not clean."""

    inserted: int
    duplicates: int
    dead: int
    not_clean: int


@dataclass(frozen=True)
class _Step:
    """One attempt as a board counts it, and the key that the player holds afterwards."""

    board: OnBoard
    event: ScoreEvent
    attempt: Attempt
    key: int


class Batch:
    """The messages of one transaction.

    Call `take` as often as messages arrive, then `write`. An error rolls everything back.
    """

    def __init__(self, now: datetime, judge: Judge = anticheat.judge) -> None:
        self.now = now
        self.judge = judge
        self.size = 0
        self.awaited: set[UUID] = set()
        self._boards = Boards()
        self._modes: dict[UUID, Mode] = {}
        self._limits: dict[UUID, Limits] = {}
        self._players: dict[UUID, bool] = {}  # which players exist, and whether they are hidden
        self._keys: set[str] = set()
        self._rows: dict[UUID, Judged] = {}
        self._seen: set[UUID] = set()
        self._dead: list[tuple[Message, str]] = []
        self._before: dict[Place, Held] = {}
        self._after: dict[Place, Held] = {}
        self._on: dict[int, OnBoard] = {}
        self._dedup_keys: list[tuple[OnBoard, ScoreEvent]] = []
        self._waiting: set[Place] = set()  # shown at the mode's next update, not now
        self._to_reconcile: set[Place] = set()
        self._stale: set[int] = set()

    def take(self, messages: Sequence[Message]) -> None:
        """Judge the messages and apply what counts to Redis; PostgreSQL only reads and locks."""
        self.size += len(messages)
        try:
            new = self._new(self._registered(self._decoded(messages)))
            verdicts = (
                self.judge([self._submission(event) for _, event in new], self.now) if new else []
            )
            for (message, event), verdict in zip(new, verdicts, strict=True):
                self._rows[event.event_id] = Judged(
                    event, message.partition, message.offset, verdict.state, list(verdict.reasons)
                )
            self._apply(self._fold([self._rows[event.event_id] for _, event in new]))
        except BaseException:
            db.session.rollback()
            raise

    def write(self) -> Written:
        """Store everything and commit, then remove the dedup keys.

        Raises:
            RetryBatchError: Another writer had some of these events.
            SQLAlchemyError: PostgreSQL failed.
        """
        with transaction():
            if self._rows and not write_behind.insert(self._rows.values()):
                raise RetryBatchError
            self._store_standings()
            self._reconcile_redis()
            self._note_stale()
            dead_letter(self._dead)
            outcomes.notify(self.awaited)
        self._forget_dedup_keys()
        not_clean = sum(row.state != CLEAN for row in self._rows.values())
        return Written(len(self._rows), len(self._seen), len(self._dead), not_clean)

    def _decoded(self, messages: Iterable[Message]) -> list[tuple[Message, ScoreEvent]]:
        decoded = []
        for message in messages:
            try:
                decoded.append((message, decode(message.value)))
            except InvalidScoreEventError as error:
                self._dead.append((message, str(error)))
        self.awaited.update(event.event_id for _, event in decoded if event.awaited)
        return decoded

    def _registered(
        self, events: list[tuple[Message, ScoreEvent]]
    ) -> list[tuple[Message, ScoreEvent]]:
        """Keep the events of known modes and players, and lock these and the events' keys."""
        keys = {f"{event.mode_id}:{event.shard}" for _, event in events}
        locks.lock_shards(keys - self._keys, first=not self._keys)
        self._keys |= keys
        modes = {event.mode_id for _, event in events} - self._modes.keys()
        self._modes |= catalogue.lock_modes(modes, exclusive=False)
        self._limits |= mode_limits(modes)
        self._players |= locks.lock_players(
            {event.player_id for _, event in events} - self._players.keys()
        )
        registered = []
        for message, event in events:
            mode = self._modes.get(event.mode_id)
            if mode is None or mode.game_id != event.game_id or mode.deleting_at is not None:
                self._dead.append(
                    (
                        message,
                        "mode_id: this game has no such mode; create it, then send the "
                        "attempt again",
                    )
                )
            elif event.player_id not in self._players:
                self._dead.append(
                    (
                        message,
                        "player_id: no such player; register them, then send the attempt again",
                    )
                )
            else:
                registered.append((message, event))
        return registered

    def _new(self, events: list[tuple[Message, ScoreEvent]]) -> list[tuple[Message, ScoreEvent]]:
        """Return the events that neither PostgreSQL, its archive nor this batch has.

        The dedup keys of the others are removed with this batch's.
        """
        ids = {event.event_id for _, event in events}
        stored = {
            row.event_id: row
            for row in db.session.execute(
                select(
                    ScoreAttemptKey.event_id, ScoreAttemptKey.mode_id, ScoreAttemptKey.achieved_at
                ).where(ScoreAttemptKey.event_id.in_(ids))
            )
        }
        new: dict[UUID, tuple[Message, ScoreEvent]] = {}
        known_events: dict[UUID, ScoreEvent] = {}
        for message, event in events:
            if event.event_id in stored:
                known_events[event.event_id] = event
            elif event.event_id not in self._rows:
                new.setdefault(event.event_id, (message, event))
        # The stored row says where they were counted: the first message may have had another time.

        rows = [stored[key] for key in known_events if stored[key].mode_id in self._modes]
        boards = self._boards.of([(self._modes[row.mode_id], row.achieved_at) for row in rows])
        for row, row_boards in zip(rows, boards, strict=True):
            self._dedup_keys += [(board, known_events[row.event_id]) for board in row_boards]
        self._seen |= known_events.keys()
        return list(new.values())

    def _submission(self, event: ScoreEvent) -> Submission:
        mode = self._modes[event.mode_id]
        return Submission(
            event_id=event.event_id,
            attempt_id=event.attempt_id,
            player_id=event.player_id,
            mode_id=event.mode_id,
            score=event.score,
            cap=None,
            achieved_at=event.achieved_at,
            device=event.device,
            address=event.address,
            replay_hash=event.replay,
            location=event.location,
            min_score=mode.min_score,
            max_score=mode.max_score,
            limits=self._limits[event.mode_id],
            order=mode.ordering,
        )

    def _fold(self, rows: Sequence[Judged]) -> list[_Step]:
        """Compute the standings after each clean attempt, in the order of the log.

        An attempt that would take a total out of some board's exact range is rejected and counts
        nowhere. A hidden player's clean attempt counts once they are visible again.

        Returns:
            The steps for Redis.
        """
        boards = self._boards.of(
            [(self._modes[row.event.mode_id], from_us(row.event.achieved_at)) for row in rows]
        )
        self._read(
            {
                (board.id, row.event.player_id)
                for row, on in zip(rows, boards, strict=True)
                for board in on
            }
        )
        self._waiting |= {
            (board.id, row.event.player_id)
            for row, on in zip(rows, boards, strict=True)
            for board in on
            if board.update_seconds
        }
        steps = []
        for row, on in zip(rows, boards, strict=True):
            event = row.event
            self._on |= {board.id: board for board in on}
            counts = row.state == CLEAN and not self._players[event.player_id]
            if counts:
                try:
                    counted = {board.id: _attempt(board, event) for board in on}
                    standing = {
                        board.id: self._held(board, event, counted[board.id]) for board in on
                    }
                except OutOfRangeError:
                    row.state, row.reasons = REJECTED, [*row.reasons, "out_of_range"]
                else:
                    self._after |= {(board.id, event.player_id): standing[board.id] for board in on}
                    steps += [
                        _Step(board, event, counted[board.id], standing[board.id].score)
                        for board in on
                        if (board.id, event.player_id) not in self._waiting
                    ]
            if not counts or row.state != CLEAN:
                # It may have been applied before a crash, with the same verdict.
                self._to_reconcile |= {(board.id, event.player_id) for board in on}
                self._dedup_keys += [(board, event) for board in on]
        return steps

    def _read(self, places: set[Place]) -> None:
        """Read what these places hold; what waits for an update comes before what is shown."""
        unread = places - self._before.keys() - self._after.keys()
        standings_now = board_scores.held_now(unread)
        waiting_now = waiting_scores.waiting_now(unread)
        self._waiting |= waiting_now.keys()
        self._before |= standings_now | waiting_now
        self._after |= standings_now | waiting_now

    def _held(self, board: OnBoard, event: ScoreEvent, attempt: Attempt) -> Held:
        standing = add(board.aggregation, self._after.get((board.id, event.player_id)), attempt)
        board.budget.encode(Held(attempt.score, attempt.at))  # refuses what is out of range
        board.budget.encode(standing)
        return standing

    def _apply(self, steps: Sequence[_Step]) -> None:
        """Apply the steps in Redis now.

        If Redis answers otherwise than PostgreSQL says, the player's place is corrected later.
        """
        live = [step for step in steps if self._in_redis(step.board)]
        self._dedup_keys += [(step.board, step.event) for step in live]
        if not live:
            return
        began = time.perf_counter()
        try:
            answers = in_redis.apply_all(
                [(step.board.redis, str(step.event.player_id), step.attempt) for step in live]
            )
        except redis.RedisError as error:
            self._missed((step.board for step in live), error)
            return
        scores = len({step.event.event_id for step in live})
        metrics.observe(metrics.REDIS_UPDATE, time.perf_counter() - began, scores)
        for step, answer in zip(live, answers, strict=True):
            if answer.outcome not in ("counted", "unchanged") or answer.score != step.key:
                self._to_reconcile.add((step.board.id, step.event.player_id))

    def _in_redis(self, board: OnBoard) -> bool:
        return board.record.stale_since is None and board.id not in self._stale

    def _missed(self, boards: Iterable[OnBoard], error: redis.RedisError) -> None:
        names = {board.id: board.redis.spec.name for board in boards}
        self._stale |= names.keys()
        log.warning(
            "redis_missed", boards=",".join(sorted(names.values())), reason=type(error).__name__
        )

    def _reconcile_redis(self) -> None:
        """Put what PostgreSQL holds.

        Runs before the commit, so under its locks: what is not committed keeps its dedup key, and
        after a crash the same places are put again.
        """
        places = {
            place
            for place in self._to_reconcile - self._waiting
            if self._in_redis(self._on[place[0]])
        }
        self._read({place for place in places if place not in self._after})
        by_board: dict[int, dict[str, Held | None]] = defaultdict(dict)
        for place in sorted(places):
            by_board[place[0]][str(place[1])] = self._after.get(place)
        for number, standings in by_board.items():
            board = self._on[number]
            try:
                board.redis.put(standings)
            except redis.RedisError as error:
                self._missed([board], error)

    def _note_stale(self) -> None:
        if self._stale:
            db.session.execute(
                text(
                    "UPDATE boards SET stale_since = :now WHERE id IN"
                    " (SELECT id FROM boards WHERE id = ANY(:ids) AND stale_since IS NULL ORDER BY "
                    "id FOR UPDATE)"
                ),
                {"now": self.now, "ids": sorted(self._stale)},
            )

    def _store_standings(self) -> None:
        public, waiting = {}, {}
        for place, standing in self._after.items():
            if place not in self._waiting:
                public[place] = standing
            elif standing != self._before.get(place):
                waiting[place] = standing
        board_scores.store(self._on, self._before, public)
        due_at = {board_id: self._next_update(self._on[board_id]) for board_id, _ in waiting}
        waiting_scores.store_waiting(waiting, due_at)

    def _next_update(self, board: OnBoard) -> datetime:
        """Return when the board shows what waits; at once if its mode does not wait any more."""
        if board.update_seconds:
            return waiting_scores.next_update(self.now, board.update_seconds)
        return self.now

    def _forget_dedup_keys(self) -> None:
        try:
            in_redis.forget_dedup_keys(
                [
                    (board.redis, str(event.player_id), str(event.event_id))
                    for board, event in self._dedup_keys
                ]
            )
        except redis.RedisError as error:
            # They are in PostgreSQL: the keys do no harm, but use memory until the board is rebuilt
            # without them.
            log.warning(
                "dedup_keys_left", events=len(self._dedup_keys), reason=type(error).__name__
            )
            self._stale |= {board.id for board, _ in self._dedup_keys}
            with transaction():
                self._note_stale()


def _attempt(board: OnBoard, event: ScoreEvent) -> Attempt:
    """Return the attempt as the board counts it.

    Raises:
        OutOfRangeError: The subscore is missing or outside the mode's bounds.
    """
    return Attempt(
        event.achieved_at, str(event.event_id), board.order.key(event.score, event.subscore)
    )
