"""The numbers of the record: no gap, no repeat, nothing twice, all or nothing (PRODUCT A2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.models import Game
from app.stream.models import OutboxMessage
from scorer_console.lease.leases import UnknownGameError
from scorer_console.record.numbering import Accepted, Entry, RefusedEntryError
from tests.worlds.scorer import submit

NOW = datetime(2026, 11, 22, 18, 5, tzinfo=UTC)
SNAP = ev.Snap(possession="SF", spot=30, period=1, clock=700, down=1, distance=10)
RUN = ev.Run(team="SF", kind="rush", start_yard=30, end_yard=34)


def outbox(game: str) -> list[tuple[int, int, str]]:
    rows = db.session.execute(
        select(OutboxMessage.event_number, OutboxMessage.play_number, OutboxMessage.idempotency_key)
        .where(OutboxMessage.game_id == game)
        .order_by(OutboxMessage.id)
    )
    return [tuple(row) for row in rows]


def test_event_numbers_rise_by_one_and_play_numbers_with_each_snap(game: str) -> None:
    accepted = submit(
        game, [Entry(body, f"k{i}") for i, body in enumerate([SNAP, RUN, SNAP, RUN])], NOW
    )
    assert [(event.event_number, event.play_number) for event in accepted] == [
        (1, 1),
        (2, 1),
        (3, 2),
        (4, 2),
    ]


def test_the_same_key_again_gives_the_same_numbers_and_writes_nothing(game: str) -> None:
    entries = [Entry(SNAP, "k:0"), Entry(RUN, "k:1")]
    first = submit(game, entries, NOW)
    submit(game, [Entry(SNAP, "other")], NOW)
    second = submit(game, entries, NOW)
    assert [(event.event_number, event.play_number) for event in second] == [
        (event.event_number, event.play_number) for event in first
    ]
    assert all(event.repeated for event in second)
    assert not any(event.repeated for event in first)
    assert len(outbox(game)) == 3


def test_an_entry_is_accepted_whole_or_not_at_all(game: str) -> None:
    submit(game, [Entry(SNAP, "a")], NOW)
    with pytest.raises(RefusedEntryError, match="event: 9 has not happened yet"):
        submit(
            game,
            [Entry(SNAP, "b:0"), Entry(RUN, "b:1"), Entry(ev.Nullify(events=(9,)), "b:2")],
            NOW,
        )
    assert outbox(game) == [(1, 1, "a")]
    assert submit(game, [Entry(SNAP, "c")], NOW) == [Accepted(2, 2, repeated=False)]


def test_a_correction_of_what_was_not_accepted_yet_gets_the_number_it_was_made_for_or_none(
    game: str,
) -> None:
    """The browser named event 2 before it had its number; meanwhile another entry came between."""
    submit(game, [Entry(SNAP, "a")], NOW)
    nullify = Entry(ev.Nullify(events=(2,)), "c", number=3)
    submit(game, [Entry(RUN, "other"), Entry(RUN, "b")], NOW)
    with pytest.raises(RefusedEntryError, match="made as event 3 but would become event 4"):
        submit(game, [nullify], NOW)
    assert [row[2] for row in outbox(game)] == ["a", "other", "b"]
    fitting = Entry(ev.Nullify(events=(3,)), "c", number=4)
    assert submit(game, [fitting], NOW) == [Accepted(4, 1, repeated=False)]
    assert submit(game, [fitting], NOW) == [Accepted(4, 1, repeated=True)]


def test_a_field_out_of_range_refuses_the_whole_entry(game: str) -> None:
    wrong = ev.Run(team="SF", kind="rush", start_yard=30, end_yard=134)
    with pytest.raises(ev.InvalidEventError, match="end_yard"):
        submit(game, [Entry(SNAP, "a"), Entry(wrong, "b")], NOW)
    assert outbox(game) == []


def test_eight_scorers_at_once_leave_no_gap_and_no_repeat(app: Flask, game: str) -> None:
    def enter(worker: int) -> list[int]:
        with app.app_context():
            return [
                event.event_number
                for turn in range(12)
                for event in submit(
                    game, [Entry(SNAP, f"{worker}-{turn}:0"), Entry(RUN, f"{worker}-{turn}:1")], NOW
                )
            ]

    with ThreadPoolExecutor(max_workers=8) as pool:
        numbers = [number for entered in pool.map(enter, range(8)) for number in entered]
    assert sorted(numbers) == list(range(1, 8 * 12 * 2 + 1))
    rows = outbox(game)
    assert [number for number, _, _ in rows] == sorted(numbers), "outbox order is event order"
    assert [play for _, play, _ in rows] == sorted(play for _, play, _ in rows)
    last = db.session.get(Game, game, populate_existing=True)
    assert last is not None
    assert (last.last_event_number, last.last_play_number) == (192, 96)


def test_eight_repeats_of_one_entry_at_once_are_one_entry(app: Flask, game: str) -> None:
    def enter(_: int) -> list[int]:
        with app.app_context():
            return [
                event.event_number
                for event in submit(game, [Entry(SNAP, "k:0"), Entry(RUN, "k:1")], NOW)
            ]

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert set(map(tuple, pool.map(enter, range(8)))) == {(1, 2)}
    assert len(outbox(game)) == 2


def test_a_correction_is_not_corrected_since_that_would_change_nothing(game: str) -> None:
    submit(game, [Entry(SNAP, "a:0"), Entry(RUN, "a:1")], NOW)
    submit(game, [Entry(ev.Nullify(events=(2,)), "b:0")], NOW)
    for body in (ev.Nullify(events=(3,)), ev.Overturn(event=3, ruling=RUN)):
        with pytest.raises(
            RefusedEntryError, match=r"3 is itself a correction\. Overturn #2 again, or undo 3"
        ):
            submit(game, [Entry(body, "c:0")], NOW)
    with pytest.raises(RefusedEntryError, match="4 is itself a correction"):
        submit(
            game,
            [Entry(ev.Nullify(events=(1,)), "d:0"), Entry(ev.Nullify(events=(4,)), "d:1")],
            NOW,
        )
    assert len(outbox(game)) == 3


def test_nothing_can_be_entered_in_a_game_that_is_not_registered(app: Flask) -> None:
    with pytest.raises(UnknownGameError, match="Register it first"):
        submit("nowhere", [Entry(SNAP, "a")], NOW)
