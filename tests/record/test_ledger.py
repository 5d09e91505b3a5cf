"""The points ledger.

Every stat opens down to events and messages, and what was taken away stays on record.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, select, text

from app.core.db import db
from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.models import LedgerEntry, StatLine
from app.record.rebuild import DERIVED
from app.record.rules.statistics import LEVEL_STATS
from app.record.services import store_script
from app.stream.messages import Message
from tests.sizes import size
from tests.worlds.games import ingest, make_game, messages, touchdown_drive


def entries(player: str) -> list[tuple[int, int, str, int, int | None, int | None]]:
    """Event, revision, stat, amount, offset of the message, and what closed it.

    Open ones have None.
    """
    entries = db.session.scalars(
        select(LedgerEntry)
        .where(LedgerEntry.player_id == player)
        .order_by(LedgerEntry.event_number, LedgerEntry.revision, LedgerEntry.stat)
    )
    return [(e.event_number, e.revision, e.stat, e.amount, e.offset, e.closed_by) for e in entries]


def open_sums(game_id: str) -> dict[str, dict[str, int]]:
    sums: dict[str, Counter[str]] = {}
    for entry in db.session.scalars(
        select(LedgerEntry).where(LedgerEntry.game_id == game_id, LedgerEntry.closed_at.is_(None))
    ):
        sums.setdefault(entry.player_id, Counter())[entry.stat] += entry.amount
    return {player: {stat: n for stat, n in stats.items() if n} for player, stats in sums.items()}


def stat_lines(game_id: str) -> dict[str, dict[str, int]]:
    lines = db.session.scalars(select(StatLine).where(StatLine.game_id == game_id))
    # The levels of a D/ST follow from the whole game's sums: no event earns one.
    sums = {
        line.player_id: {s: n for s, n in line.stats.items() if s not in LEVEL_STATS}
        for line in lines
    }
    return {player: stats for player, stats in sums.items() if stats}


@pytest.fixture(autouse=True)
def _game(app: object) -> None:
    make_game()


def test_every_stat_opens_down_to_its_event_and_message() -> None:
    ingest(messages(touchdown_drive()))
    assert entries("H2") == [
        (8, 0, "receiving_yards", 25, 7, None),
        (8, 0, "receptions", 1, 7, None),
        (8, 0, "targets", 1, 7, None),
        (9, 0, "receiving_tds", 1, 8, None),
        (9, 0, "receiving_yards", 40, 8, None),
    ]


def test_an_overturn_closes_what_was_earned_and_says_by_what() -> None:
    ruling = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=90)
    ingest(messages([*touchdown_drive()[:9], ev.Overturn(event=9, ruling=ruling)]))
    taken = [(9, 0, "receiving_tds", 1, 8, 10), (9, 0, "receiving_yards", 40, 8, 10)]
    assert [entry for entry in entries("H2") if entry[0] == 9] == [
        *taken,
        (9, 10, "receiving_yards", 30, 9, None),
    ]
    ingest(messages([ev.Nullify(events=(9,))], first=11))
    assert [entry for entry in entries("H2") if entry[0] == 9] == [
        *taken,
        (9, 10, "receiving_yards", 30, 9, 11),
    ]


def test_a_touchdown_taken_away_stays_on_record_with_its_cause() -> None:
    ingest(messages(touchdown_drive()[:9]))
    ruling = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=90)
    ingest(messages([ev.Overturn(event=9, ruling=ruling)], first=10))
    assert [entry for entry in entries("H2") if entry[0] == 9] == [
        (9, 0, "receiving_tds", 1, 8, 10),
        (9, 0, "receiving_yards", 40, 8, 10),
        (9, 10, "receiving_yards", 30, 9, None),
    ]


def test_a_credit_that_falls_with_another_event_of_its_play_names_that_correction() -> None:
    ingest(messages(touchdown_drive()[:9]))
    incomplete = ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=35)
    ingest(messages([ev.Overturn(event=8, ruling=incomplete)], first=10))
    assert {entry[5] for entry in entries("H1") if entry[0] == 9} == {10}
    assert [entry for entry in entries("H1") if entry[5] is None] == [
        (8, 10, "attempts", 1, 9, None)
    ]


@pytest.mark.fault(3)
def test_the_same_messages_twice_add_nothing() -> None:
    ingest(messages(touchdown_drive()))
    before = db.session.scalars(select(LedgerEntry.id).order_by(LedgerEntry.id)).all()
    ingest(messages(touchdown_drive()))
    assert db.session.scalars(select(LedgerEntry.id).order_by(LedgerEntry.id)).all() == before


def everything(game_id: str) -> list[tuple[object, ...]]:
    """The game's ledger in its order, but for the ids."""
    columns = [column for column in LedgerEntry.__table__.columns if column.name != "id"]
    rows = db.session.execute(
        select(*columns).where(LedgerEntry.game_id == game_id).order_by(LedgerEntry.id)
    )
    return sorted((tuple(row) for row in rows), key=repr)


@pytest.mark.sized
def test_the_ledger_is_the_same_whatever_batches_its_events_came_in() -> None:
    """A batch of its own for each event, a few together, all at once, and the other way round."""
    script = simulated_game(4, datetime(2026, 9, 13, tzinfo=UTC))
    store_script(script)
    steps = script.events[: size("PRESSBOX_LEDGER_EVENTS", 260, 1_000)]
    sent = messages([step.body for step in steps], script.game_id)
    ledgers = []
    for of_batch, backwards in ((len(sent), False), (11, False), (1, False), (60, True)):
        for table in DERIVED:
            db.session.execute(delete(table).where(table.game_id == script.game_id))
        db.session.execute(text("DELETE FROM player_points"))
        db.session.commit()
        batches = [sent[start : start + of_batch] for start in range(0, len(sent), of_batch)]
        deferred: list[Message] = []
        for batch in reversed(batches) if backwards else batches:
            deferred += ingest(batch).deferred
        for message in sorted(deferred, key=lambda message: message.offset):
            assert ingest([message]).deferred == []
        ledgers.append(everything(script.game_id))
    assert any(row[-1] is not None for row in ledgers[0])
    assert [len(ledger) for ledger in ledgers] == [len(ledgers[0])] * 4
    assert ledgers == [ledgers[0]] * 4


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("of_batch", [1000, 37])
def test_open_entries_add_up_to_the_stat_lines_of_whole_games(seed: int, of_batch: int) -> None:
    script = simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))
    store_script(script)
    batch = messages([step.body for step in script.events], script.game_id)
    for start in range(0, len(batch), of_batch):
        ingest(batch[start : start + of_batch])
    assert open_sums(script.game_id) == stat_lines(script.game_id)
    assert len(stat_lines(script.game_id)) > 40
