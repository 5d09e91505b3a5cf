"""What was: a player's history, a board as of a moment, who moved since.

Each as it was really seen then.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import product
from random import Random
from uuid import UUID

import pytest
from sqlalchemy import update

from app.boards import services
from app.boards.models import Mode, ScoreGame
from app.boards.reads import Row, RowRange
from app.boards.rules import Aggregation, Attempt, Ties, fold
from app.boards.windows.rules import Window, parse_window
from app.core.clock import to_us
from app.core.db import db
from app.core.refusals import Refusal
from app.scores.anticheat.submission import CLEAN, FLAGGED, REJECTED, Verdict
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt
from app.scores.review import corrections
from app.scores.standings import history
from app.scores.standings.history import Moved
from tests.worlds.score_log import Log, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
WINDOW = parse_window("daily:2026-04-05", "UTC")
STATES = [CLEAN, CLEAN, CLEAN, FLAGGED, REJECTED]


class Played:
    """A board's life in small steps, each with the rows that were seen right after it."""

    def __init__(self, mode: Mode, everybody: list[UUID], random: Random) -> None:
        self.mode = mode
        self.random = random
        self.everybody = everybody
        self.attempts: list[ScoreEvent] = []
        self.states: dict[UUID, str] = {}
        self.seen: list[tuple[datetime, list[Row]]] = []
        for number in range(14):
            self.step(later(60 * number + 30))
            rows = services.read(
                db.session.get_one(ScoreGame, mode.game_id), mode, WINDOW.window_id
            ).board
            self.seen.append((later(60 * number + 45), rows.page(0, 100)))

    def step(self, at: datetime) -> None:
        open_ones = [event for event, state in self.states.items() if state in (CLEAN, FLAGGED)]
        if self.random.random() < 0.65 or not open_ones:
            self.play(at)
            return
        event = self.random.choice(open_ones)
        if self.states[event] == FLAGGED and self.random.random() < 0.7:
            accept = self.random.random() < 0.5
            done = corrections.review(event, accept=accept, by=None, reason="seen", now=at)
            self.states[event] = CLEAN if accept else REJECTED
        else:
            done = corrections.roll_back(event, by=None, reason="taken", now=at)
            self.states[event] = "rolled_back"
        assert not isinstance(done, Refusal)

    def play(self, at: datetime) -> None:
        score, player = self.random.randrange(-2, 5), self.random.choice(self.everybody)
        event = score_event(
            self.mode, player, score, at - timedelta(seconds=self.random.randrange(20))
        )
        state = self.random.choice(STATES)
        log = Log()
        log.put(event)
        log.consume(judge=lambda scores, _: [Verdict(state)] * len(scores))
        # The row says when PostgreSQL had it: now. Put back to the time of this story.
        db.session.execute(
            update(ScoreAttempt)
            .where(ScoreAttempt.event_id == event.event_id)
            .values(ingested_at=at)
        )
        db.session.commit()
        self.attempts.append(event)
        self.states[event.event_id] = state


@pytest.fixture
def played(make_mode: MakeMode, players: Players) -> Callable[..., Played]:
    def play(seed: int, **changes: str) -> Played:
        return Played(make_mode(windows=("daily",), **changes), players(4), Random(seed))  # noqa: S311

    return play


@pytest.mark.parametrize(("aggregation", "ties"), list(product(Aggregation, Ties)))
def test_a_board_as_of_then_is_what_was_seen_then(
    played: Callable[..., Played], aggregation: str, ties: str
) -> None:
    life = played(hash_of(aggregation, ties), aggregation=aggregation, ties=ties)
    assert len({tuple(rows) for _, rows in life.seen}) >= 4
    for then, rows in life.seen:
        snapshot = history.board_at(life.mode, WINDOW, then, 0, 100)
        assert (snapshot.then, snapshot.count, snapshot.rows) == (then, len(rows), rows)
        assert history.board_at(life.mode, WINDOW, then, 1, 2).rows == rows[1:3]
        beyond = history.board_at(life.mode, WINDOW, then, 50, 5)
        assert (beyond.count, beyond.rows) == (len(rows), [])


def hash_of(*words: str) -> int:
    return sum(map(ord, "".join(words)))


def test_movement_is_the_difference_of_two_boards(played: Callable[..., Played]) -> None:
    life = played(5, aggregation="sum", ties="shared")
    for (previous, before), (late, after) in zip(life.seen, life.seen[4:], strict=False):
        old, new = ({UUID(row.member): row for row in rows} for rows in (before, after))
        expected = [moved(player, old.get(player), new[player]) for player in new]
        expected += [moved(player, old[player], None) for player in old if player not in new]
        assert history.movement(life.mode, WINDOW, previous, late, RowRange(0, 100)) == expected
        assert history.movement(life.mode, WINDOW, previous, late, RowRange(1, 2)) == expected[1:3]


def moved(player: UUID, old: Row | None, new: Row | None) -> Moved:
    return Moved(
        player,
        old.rank if old else None,
        new.rank if new else None,
        old.score if old else None,
        new.score if new else None,
    )


@pytest.mark.parametrize("aggregation", list(Aggregation))
def test_a_players_history_says_what_they_held_after_each_attempt(
    played: Callable[..., Played], aggregation: Aggregation
) -> None:
    life = played(11, aggregation=aggregation, ties="shared")
    for player in life.everybody:
        mine = sorted(
            (event for event in life.attempts if event.player_id == player),
            key=lambda event: (event.achieved_at, event.event_id),
        )
        expected = []
        for number, event in enumerate(mine, start=1):
            counted = [
                Attempt(event.achieved_at, str(event.event_id), event.score)
                for event in mine[:number]
                if life.states[event.event_id] == CLEAN
            ]
            record = fold(aggregation, counted)
            expected.append(
                (
                    event.event_id,
                    event.score,
                    life.states[event.event_id],
                    record.score if record else None,
                )
            )
        expected.reverse()
        listed = history.history(life.mode, WINDOW, player, RowRange(0, 100))
        assert [
            (attempt.event_id, attempt.score, attempt.state, attempt.counted) for attempt in listed
        ] == expected
        assert [to_us(attempt.at) for attempt in listed] == [
            event.achieved_at for event in reversed(mine)
        ]
        assert history.history(life.mode, WINDOW, player, RowRange(1, 2)) == listed[1:3]


def test_only_the_windows_own_attempts_are_listed(make_mode: MakeMode, players: Players) -> None:
    mode, (player,) = make_mode(aggregation="sum"), players(1)
    log = Log()
    log.put(score_event(mode, player, 3, later(0)), score_event(mode, player, 4, later(86_400)))
    log.consume()

    def held(window: Window) -> list[int | None]:
        return [
            attempt.counted for attempt in history.history(mode, window, player, RowRange(0, 10))
        ]

    assert held(WINDOW) == [3]
    assert held(parse_window("daily:2026-04-06", "UTC")) == [4]
    assert held(parse_window("all-time", "UTC")) == [7, 3]
    with pytest.raises(ValueError, match="limit 0"):
        history.history(mode, WINDOW, player, RowRange(0, 0))
