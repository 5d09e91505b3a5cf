"""Cold months of scores: moved to Parquet, read there, brought back; nothing lost or doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from pyarrow import parquet
from sqlalchemy import select, text

from app.accounts.models import Player
from app.boards.archive.services import archive_boards
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.reads import RowRange
from app.boards.windows.rules import ALL_TIME, Window
from app.core.blob_store import BlobStore
from app.core.db import db
from app.core.errors import UserError
from app.core.refusals import Refusal
from app.moderation import privacy, sanctions
from app.moderation.sanctions import Measure
from app.scores.archive import objects
from app.scores.archive import services as archiving
from app.scores.archive.months import ScoresArchivedError, archived_between
from app.scores.archive.reads import attempts_of_players
from app.scores.archive.services import partitions, restore
from app.scores.deletion import games as deletion
from app.scores.models import ArchivedStanding, ScoreAttempt, ScoreAttemptKey, ScoreMonth
from app.scores.processing.apply import Batch, RetryBatchError
from app.scores.review import corrections, judging
from app.scores.standings import history, mode_change
from app.scores.standings.mode_change import Policy
from tests.killing import kill_before_statement
from tests.owner import owner
from tests.worlds.claims import claim, codes, send
from tests.worlds.score_log import NOW, Log, all_clean, check_boards, score_event
from tests.worlds.score_months import (
    ARCHIVED_AT,
    FEBRUARY,
    IN_FEBRUARY,
    IN_JANUARY,
    IN_MARCH,
    JANUARY,
    archive,
    ingest_at_once,
    score_months,
    stored_attempts,
)

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
EVER = Window(ALL_TIME, ALL_TIME)


@pytest.fixture
def store(app: Flask, tmp_path: Path) -> Iterator[BlobStore]:
    with score_months(tmp_path) as empty:
        yield empty


def play(mode: Mode, *scores: tuple[UUID, int, datetime], **changes: Any) -> list[UUID]:
    """Scores on their way through the consumer; their events."""
    events = [score_event(mode, player, score, at, **changes) for player, score, at in scores]
    log = Log()
    log.put(*events)
    log.consume()
    return [event.event_id for event in events]


def objects_in(store: BlobStore) -> list[str]:
    return store.names(archiving.FOLDER)


def archived_events(store: BlobStore) -> list[str]:
    """The events of the archived months that are recorded."""
    records = archived_between(None, None)
    events = [
        str(row["event_id"])
        for record in records
        for group in objects.ArchivedMonthObject(store, record.blob).groups()
        for row in group
    ]
    db.session.rollback()
    return events


def test_the_archive_has_every_column_of_an_attempt() -> None:
    columns = {column.name for column in ScoreAttempt.__table__.columns}
    assert set(objects.SCHEMA.names) == columns


def test_a_cold_month_is_read_in_the_archive_and_comes_back_as_it_was(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(takes_metadata=True)
    ann, bob = players(2)
    meta = {
        "client_meta": {"build": "ü 7"},
        "metadata": {"seed": 1e300},
        "device": "d" * 32,
        "address": "a" * 32,
    }
    events = play(mode, (ann, 5, IN_JANUARY), (bob, 13, IN_JANUARY), (ann, 7, IN_FEBRUARY), **meta)
    play(mode, (ann, 9, IN_MARCH))
    corrections.review(events[1], accept=False, by=None, reason="no", now=NOW)
    before = stored_attempts()

    assert archive(store).archived == [JANUARY, FEBRUARY]
    assert stored_attempts().keys() == before.keys() - set(map(str, events))
    january, february = archived_between(None, None)
    assert (january.attempts, february.attempts) == (2, 1)
    read = {
        row["event_id"]: (row["score"], row["fraud_state"], row["client_meta"], row["device"])
        for row in attempts_of_players(store, [january, february], {ann, bob})
    }
    assert read == {
        events[0]: (5, "clean", '{"build": "ü 7"}', "d" * 32),
        events[1]: (13, "rejected", '{"build": "ü 7"}', "d" * 32),
        events[2]: (7, "clean", '{"build": "ü 7"}', "d" * 32),
    }
    assert archive(store).archived == []  # again changes nothing

    assert restore(store, JANUARY, ARCHIVED_AT) == 2
    assert restore(store, FEBRUARY, ARCHIVED_AT) == 1
    assert stored_attempts() == before
    assert archive(store).archived == []  # not for a week
    week_later = ARCHIVED_AT + timedelta(days=8)
    assert archive(store, now=week_later).archived == [JANUARY, FEBRUARY]


@pytest.mark.parametrize("aggregation", ["highest", "sum", "latest"])
@pytest.mark.parametrize("order", ["highest", "lowest"])
def test_boards_of_all_time_stay_the_fold_of_all_scores_whatever_is_decided_later(
    store: BlobStore, make_mode: MakeMode, players: Players, aggregation: str, order: str
) -> None:
    mode = make_mode(aggregation=aggregation, order=order, windows=("all-time",))
    ann, bob, eve = players(3)
    play(mode, *((who, 10, IN_JANUARY) for who in (ann, bob, eve)))
    play(mode, (ann, 4, IN_JANUARY + timedelta(days=1)), (bob, 90, IN_FEBRUARY))
    hot = play(mode, (ann, 50, IN_MARCH), (bob, 2, IN_MARCH), (eve, 13, IN_MARCH))

    def board() -> dict[UUID, tuple[int, int, UUID]]:
        db.session.rollback()
        rows = db.session.execute(
            text("SELECT player_id, score, at, event_id FROM board_scores")
        ).all()
        return {row.player_id: (row.score, row.at, row.event_id) for row in rows}

    whole = board()
    assert archive(store).archived == [JANUARY, FEBRUARY]
    assert board() == whole

    # One score is taken back, one accepted, and one player is hidden and comes back.
    corrections.roll_back(hot[0], by=None, reason="a bot", now=NOW)
    corrections.review(hot[2], accept=True, by=None, reason="fine", now=NOW)
    measure = Measure(sanctions.BAN, None)
    assert not isinstance(
        sanctions.impose(bob, measure, by=None, reason="cheats", now=NOW), Refusal
    )
    assert bob not in board()
    assert not isinstance(sanctions.lift(bob, by=None, reason="did not", now=NOW), Refusal)
    corrected = board()
    previewed = mode_change.preview(mode.id, Policy(aggregation, "earliest"))
    assert isinstance(previewed, mode_change.Preview)
    mode_change.apply(previewed, reason="first come", by=None, now=NOW)
    assert board() == corrected  # rewritten in SQL, not player by player

    for month in (JANUARY, FEBRUARY):
        restore(store, month, ARCHIVED_AT)
    assert db.session.scalars(select(ArchivedStanding)).all() == []
    assert board() == corrected
    if order == "highest":
        check_boards(mode)  # the plain fold of all attempts, in PostgreSQL and in Redis


def test_another_aggregation_has_to_wait_until_the_months_are_back(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("all-time",))
    play(mode, (players(1)[0], 5, IN_JANUARY))
    archive(store)
    refused = mode_change.preview(mode.id, Policy("sum", "shared"))
    assert isinstance(refused, list)
    assert "pressbox scores restore 2026-01" in refused[0].text
    restore(store, JANUARY, ARCHIVED_AT)
    assert isinstance(mode_change.preview(mode.id, Policy("sum", "shared")), mode_change.Preview)


def test_an_attempt_counts_once_across_a_months_border_and_modes(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    ladder, total = make_mode(windows=("all-time",)), make_mode(windows=("all-time",))
    (ann,) = players(1)
    attempt = uuid4()  # chosen by the game server
    border = datetime(2026, 2, 1, tzinfo=UTC)
    with owner().begin() as connection:
        for month in (JANUARY, FEBRUARY):
            connection.execute(text("SELECT add_score_month(:month)"), {"month": month})

    # Two consumers at once, before either has written: neither sees the other's row.
    january = score_event(ladder, ann, 5, border - timedelta(seconds=1), attempt_id=attempt)
    february = score_event(total, ann, 6, border, attempt_id=attempt)
    slow = Log()
    slow.put(february)
    batch = Batch(NOW, all_clean)
    batch.take(slow.messages[0])
    db.session.rollback()  # its locks are gone, as if its process hung
    log = Log()
    log.put(january)
    log.consume()
    with pytest.raises(RetryBatchError):
        batch.write()
    assert slow.consume()[0].duplicates == 1
    (row,) = db.session.scalars(select(ScoreAttempt)).all()
    assert (row.score, row.mode_id) == (5, ladder.id)
    check_boards(ladder)
    check_boards(total)


def test_an_attempt_of_an_archived_month_is_not_counted_again(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("all-time",))
    (ann,) = players(1)
    mine = claim(mode, ann, 5)
    event = score_event(mode, ann, 5, IN_JANUARY, attempt_id=mine.attempt_id)
    log = Log()
    log.put(event)
    log.consume()
    archive(store)
    log.rewind()  # Kafka brings it again
    log.put(score_event(mode, ann, 99, IN_MARCH, attempt_id=event.attempt_id))  # a new token
    assert [written.duplicates for written in log.consume()] == [1]
    assert db.session.scalars(select(ScoreAttempt)).all() == []
    (refused,) = send(mine)  # at the door, whatever its score
    assert codes(refused) == ["attempt_reused"]
    assert "of January 2026, which is archived" in str(refused)
    restore(store, JANUARY, ARCHIVED_AT)
    check_boards(mode)


def test_killed_before_any_statement_nothing_is_lost_or_doubled(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("all-time",), aggregation="sum")
    ann, bob = players(2)
    play(mode, (ann, 5, IN_JANUARY), (bob, 6, IN_JANUARY), (ann, 7, IN_MARCH))
    everything = stored_attempts()
    long_ago = NOW - timedelta(days=60)

    def check() -> None:
        db.session.rollback()
        hot, cold = stored_attempts().keys(), set(archived_events(store))
        assert not hot & cold
        assert hot | cold == everything.keys()

    for step in count():
        archiving_steps = kill_before_statement(step, lambda: archive(store))
        check()
        archive(store)
        check()
        assert len(objects_in(store)) == 1
        restoring_steps = kill_before_statement(step, lambda: restore(store, JANUARY, long_ago))
        check()
        if archived_between(None, None):
            restore(store, JANUARY, long_ago)
        check()
        assert stored_attempts() == everything
        if max(archiving_steps, restoring_steps) < step:  # neither was killed
            break
    assert archiving_steps > 20
    assert restoring_steps > 8
    check_boards(mode)


def test_a_score_that_comes_late_for_an_archived_month_is_archived_with_it(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("all-time",), aggregation="sum")
    (ann,) = players(1)
    events = play(mode, (ann, 5, IN_JANUARY))
    archive(store)
    events += play(mode, (ann, 6, IN_JANUARY))
    assert archive(store).archived == [JANUARY]
    assert set(archived_events(store)) == set(map(str, events))
    assert db.session.scalars(select(ArchivedStanding.score)).all() == [11]
    assert JANUARY not in partitions()


def test_a_month_waits_for_open_decisions(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (flagged,) = play(mode, (players(1)[0], 13, IN_JANUARY))
    outcome = archive(store)
    assert outcome.waiting == {JANUARY: ["scores that wait for a review: 1"]}
    assert str(flagged) in stored_attempts()
    corrections.review(flagged, accept=True, by=None, reason="fine", now=NOW)
    assert archive(store).archived == [JANUARY]


def test_a_month_that_changes_while_it_is_written_is_left_to_the_next_run(
    store: BlobStore, make_mode: MakeMode, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = make_mode()
    (event,) = play(mode, (players(1)[0], 5, IN_JANUARY))
    put = archiving._put

    def corrected_meanwhile(*values: Any) -> tuple[str, str]:
        corrections.roll_back(event, by=None, reason="a bot", now=NOW)
        return put(*values)

    with monkeypatch.context() as patched:
        patched.setattr(archiving, "_put", corrected_meanwhile)
        assert archive(store).changed == [JANUARY]
    assert str(event) in stored_attempts()
    assert archive(store).archived == [JANUARY]
    (record,) = archived_between(None, None)
    (row,) = attempts_of_players(store, [record], set(db.session.scalars(select(Player.id))))
    assert row["rolled_back_at"] == NOW


def test_a_restored_database_takes_the_object_that_is_there(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    """An old backup names an object that was replaced since."""
    (ann,) = players(1)
    (event,) = play(make_mode(), (ann, 5, IN_JANUARY))
    archive(store)
    (present,) = objects_in(store)
    db.session.execute(text("UPDATE score_months SET blob = 'score-attempts.v1/old', sha256 = ''"))
    db.session.commit()
    archive(store)
    (record,) = archived_between(None, None)
    assert record.blob == present
    assert restore(store, JANUARY, NOW - timedelta(days=60)) == 1
    archive(store)
    store.delete(objects_in(store)[0])
    with pytest.raises(archiving.ScoreArchiveError, match="Restore them from its backup"):
        archive(store)
    assert db.session.get(ScoreAttemptKey, event) is not None


def test_a_broken_object_is_not_brought_back(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    play(make_mode(), (players(1)[0], 5, IN_JANUARY))
    archive(store)
    (name,) = objects_in(store)
    store.put(name, store.get(name)[:-1])
    with pytest.raises(archiving.ScoreArchiveError, match="has changed since it was written"):
        restore(store, JANUARY, ARCHIVED_AT)
    assert [record.month for record in archived_between(None, None)] == [JANUARY]


def test_the_erased_and_the_deleted_leave_the_archive_too(
    store: BlobStore, game: ScoreGame, make_mode: MakeMode, players: Players
) -> None:
    mode, doomed = make_mode(takes_metadata=True), make_mode()
    ann, bob = players(2)
    private = {"device": "a" * 32, "metadata": {"home": "Ulm"}, "client_meta": {"name": "Ann"}}
    play(mode, (ann, 5, IN_JANUARY), **private)
    play(mode, (bob, 6, IN_JANUARY), device="b" * 32)
    (deleted,) = play(doomed, (bob, 7, IN_JANUARY))
    archive(store)
    (old_object,) = objects_in(store)
    (record,) = archived_between(None, None)

    privacy.erase_player(db.session.get_one(Player, ann), by=1, now=NOW)
    attempts_read = attempts_of_players(store, [record], {ann})  # at once, whatever the object has
    assert [(row["score"], row["device"], row["score_metadata"]) for row in attempts_read] == [
        (5, None, None)
    ]
    assert db.session.scalars(select(ArchivedStanding.score_metadata)).all() == [None] * 6
    doomed.archived_at = NOW
    db.session.commit()
    deletion.ask_for_mode(game, doomed.id, doomed.slug, by=1, now=NOW)
    deletion.delete_marked(store, NOW)
    assert db.session.get(ScoreAttemptKey, deleted) is not None

    assert archive(store).rewritten == [JANUARY]
    (new_object,) = objects_in(store)
    assert new_object != old_object
    rows = parquet.read_table(Path(store.url) / new_object).to_pylist()
    assert sorted((row["score"], row["device"], row["client_meta"]) for row in rows) == [
        (5, None, "{}"),
        (6, "b" * 32, "{}"),
    ]
    assert db.session.get(ScoreAttemptKey, deleted) is None
    assert archive(store).rewritten == []


def test_a_history_has_archived_scores_and_a_past_board_says_what_it_lacks(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("all-time",), aggregation="sum", takes_metadata=True)
    (ann,) = players(1)
    play(mode, (ann, 5, IN_JANUARY), (ann, 6, IN_FEBRUARY), metadata={"map": 1})
    play(mode, (ann, 7, IN_MARCH))
    ingest_at_once()

    def past() -> list[Any]:
        rows = RowRange(0, 10)
        board = history.board_at(mode, EVER, IN_MARCH - timedelta(days=1), 0, 10)
        return [
            history.history(mode, EVER, ann, rows),
            history.history(mode, EVER, ann, rows, counted_only=True),
            board.rows,
            history.movement(mode, EVER, IN_MARCH - timedelta(days=1), IN_MARCH, rows),
        ]

    whole = past()
    assert [played.counted for played in whole[0]] == [18, 11, 5]
    archive(store)
    assert past() == whole
    with pytest.raises(ScoresArchivedError, match="restore 2026-01"):
        history.board_at(mode, EVER, IN_JANUARY + timedelta(days=1), 0, 10)


def test_a_window_with_archived_scores_cannot_be_judged_again(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    play(mode, (players(1)[0], 5, IN_JANUARY))
    slug = db.session.get_one(ScoreGame, mode.game_id).slug
    ends = IN_JANUARY + timedelta(days=1)
    assert judging.find_window(slug, mode.slug, start=IN_JANUARY, end=ends).end == ends
    archive(store)
    with pytest.raises(ScoresArchivedError, match="restore 2026-01"):
        judging.find_window(slug, mode.slug, start=IN_JANUARY, end=ends)


def test_a_month_is_archived_and_restored_by_name_only_when_that_makes_sense(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    play(make_mode(), (players(1)[0], 5, IN_MARCH))
    month = IN_MARCH.date().replace(day=1)
    assert archive(store).archived == []  # one month is kept
    with pytest.raises(UserError, match="is not over"):
        archive(store, only=ARCHIVED_AT.date().replace(day=1))
    with pytest.raises(UserError, match="are not archived"):
        restore(store, month, ARCHIVED_AT)
    assert archive(store, only=month).archived == [month]
    assert db.session.scalars(select(ScoreMonth.attempts)).all() == [1]


def test_an_archived_board_keeps_nothing_of_archived_months(
    store: BlobStore, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode(windows=("monthly", "all-time"))
    play(mode, (players(1)[0], 5, IN_JANUARY))
    archive(store)
    boards = select(BoardRecord.window_id).join(
        ArchivedStanding, ArchivedStanding.board_id == BoardRecord.id
    )
    assert set(db.session.scalars(boards)) == {"all-time", "monthly:2026-01"}
    archive_boards(store, NOW + timedelta(days=800))
    assert set(db.session.scalars(boards)) == {"all-time"}
