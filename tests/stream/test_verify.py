"""`pressbox verify`: a whole game agrees with its messages.

Whatever is changed, lost or forged is named.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text

from app.cli import main
from app.cli import verify as commands
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.record.models import GameState, RecordedEvent
from app.record.rebuild import Stream, identify, rebuild_game
from app.record.seal import Seal, found_in
from app.record.verification import Verified, verify
from app.settings import Settings
from app.stream.archive import ArchiveRun, archive
from app.stream.messages import Message
from app.stream.signing import StreamKeys
from tests.commands import use_here
from tests.snapshots import made_once
from tests.stream.topic import new_broker, put
from tests.worlds.entered_game import enter_simulated, every_row, publish, take_in

NOW = clock.now()
DAY = timedelta(days=1)
SEED, STEPS = 24, 110  # two overturns and four nullifies are among them


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(str(tmp_path / "blobs"))


@pytest.fixture(scope="module")
def game() -> str:
    """Its messages stay on the module's broker, and each test gets its rows again."""
    return f"g-{uuid4().hex[:8]}"


@pytest.fixture
def played(app: Flask, own_broker: Settings, game: str) -> list[Message]:
    return make_played(own_broker, game)


@made_once
def make_played(settings: Settings, game: str) -> list[Message]:
    enter_simulated(game, SEED, STEPS)
    sent = publish(settings, game, NOW - 2 * DAY)
    take_in(sent, NOW)
    return sent


def ask(settings: Settings, blobs: BlobStore, game: str, book: Seal | None = None) -> Verified:
    return verify(game, Stream(settings, blobs, NOW), NOW, StreamKeys.of(settings), book)


def change(statement: str) -> None:
    db.session.execute(text(statement))
    db.session.commit()


def test_a_whole_game_agrees_and_nothing_is_changed_by_asking(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    before = every_row()
    result = ask(own_broker, blobs, game)
    assert (result.faults, result.notes) == ([], [])
    assert (result.messages, result.from_archive) == (STEPS, 0)
    assert result.sealed is not None
    first, last = played[0].offset, played[-1].offset
    assert result.sealed.offsets == f"{played[0].partition}:{first}-{last}"
    assert found_in(f"<code>{result.sealed.text}</code>") == result.sealed
    assert every_row() == before
    again = ask(own_broker, blobs, game, result.sealed)
    assert (again.faults, again.notes) == ([], [])


def test_a_rebuilt_record_agrees(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    stream = Stream(own_broker, blobs, NOW)
    rebuild_game(game, stream, NOW, store_player_points, forget_player_points)
    assert db.session.scalar(select(GameState.rebuilt_at)) == NOW
    assert ask(own_broker, blobs, game).faults == []


def test_a_book_of_an_earlier_moment_agrees_after_the_game_went_on(
    app: Flask, own_broker: Settings, blobs: BlobStore
) -> None:
    game = f"g-{uuid4().hex[:8]}"
    enter_simulated(game, SEED, STEPS)
    sent = publish(own_broker, game, NOW - DAY)
    take_in(sent[:60], NOW)
    early = ask(own_broker, blobs, game)
    assert early.faults == [
        f"Events 61-{STEPS} are on the stream, but not in the record.",
        *early.faults[1:],
    ]
    take_in(sent[60:], NOW)
    assert early.sealed is not None
    assert early.sealed.last == 60
    assert ask(own_broker, blobs, game, early.sealed).faults == []


def test_book_and_json_as_exported_carry_a_seal_that_agrees_now_and_as_of_a_moment(
    client: FlaskClient,
    app: Flask,
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
) -> None:
    # The stack's own secret signs here and there, whatever the broker.
    for address in (
        f"/games/{game}/book",
        f"/games/{game}/export.json",
        f"/games/{game}/book?at=80",
    ):
        seal = found_in(client.get(address).text)
        assert seal is not None, address
        assert seal.last == (80 if "at=" in address else STEPS)
        assert ask(own_broker, blobs, game, seal).faults == []


TAMPERED = {
    "a run's yards": (
        "UPDATE events SET body = jsonb_set(body, '{end_yard}', '99') WHERE event_number = {run} "
        "AND revision = 0",
        "Event {run}: body.end_yard is 99 in the record, ",
    ),
    "the row of a run": (
        "UPDATE runs SET end_yard = 99 WHERE event_number = {run}",
        "runs {run}/0: end_yard is 99, but ",
    ),
    "a stat line": (
        "UPDATE stat_lines SET stats = '{{\"passing_yards\": 999}}'",
        "stats is {{'passing_yards': 999}}, but the messages say ",
    ),
    "the score": (
        "UPDATE game_states SET home_score = 99",
        "game_states row: home_score is 99, but the messages say ",
    ),
    "a ledger's amount": ("UPDATE ledger SET amount = amount + 1", "amount is "),
    "a play that is valid again": (
        "UPDATE events SET valid = false WHERE event_number = {run} AND revision = 0",
        "events {run}/0: valid is False, but the messages say True",
    ),
    "a correction that is gone": ("DELETE FROM corrections", "it is missing."),
    "an event that nobody sent": (
        "INSERT INTO events (game_id, event_number, revision, play_number, type, valid, body, "
        "epoch, recorded_at)"
        " SELECT id, 9999, 0, 1, 'timeout', true, '{{\"type\": \"timeout\"}}', 1, 0 FROM games "
        "LIMIT 1",
        "Events 9999 are in the record, but in no message.",
    ),
    "a body that is no event": (
        'UPDATE events SET body = \'{{"type": "nonsense"}}\' WHERE event_number = {run} AND '
        "revision = 0",
        "Event {run}: its row in the record is not a valid event",
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_changed_row_is_named(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message], what: str
) -> None:
    sealed = ask(own_broker, blobs, game).sealed
    run = db.session.scalar(
        select(RecordedEvent.event_number)
        .where(RecordedEvent.game_id == game, RecordedEvent.type == "run", RecordedEvent.valid)
        .where(RecordedEvent.revision == 0, RecordedEvent.body["kind"].astext == "rush")
        .order_by(RecordedEvent.event_number)
    )
    statement, fault = TAMPERED[what]
    change(statement.replace("{{", "{").replace("}}", "}").replace("{run}", str(run)))
    result = ask(own_broker, blobs, game, sealed)
    expected = fault.replace("{{", "{").replace("}}", "}").replace("{run}", str(run))
    assert any(expected in fault for fault in result.faults), result.faults


def test_a_changed_event_makes_another_hash_than_the_books(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    sealed = ask(own_broker, blobs, game).sealed
    change("UPDATE events SET recorded_at = recorded_at + 1 WHERE event_number = 7")
    result = ask(own_broker, blobs, game, sealed)
    assert (
        "The book's hash does not match the events in the record: one of them was changed."
        in result.faults
    )
    assert (
        "The book's hash does not match the messages on the stream and in the archive."
        not in result.faults
    )


def test_an_event_that_was_changed_on_the_way_is_named_and_the_books_hash_is_another(
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    broker: str,
) -> None:
    sealed = ask(own_broker, blobs, game).sealed
    forged = [
        message
        if place != 40
        else Message(message.topic, 0, 0, game, message.value.replace(b'"epoch":1', b'"epoch":2'))
        for place, message in enumerate(played)
    ]
    assert forged != played
    with new_broker(own_broker, tmp_path / "forged", real_kafka=bool(broker)) as other:
        put(other.settings, forged, NOW)
        result = ask(other.settings, blobs, game, sealed)
    assert "Event 41: epoch is 1 in the record, 2 in the message." in result.faults
    assert (
        "The book's hash does not match the messages on the stream and in the archive."
        in result.faults
    )


def test_a_missing_offset_is_named(
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    broker: str,
) -> None:
    sealed = ask(own_broker, blobs, game).sealed
    with new_broker(own_broker, tmp_path / "gap", real_kafka=bool(broker)) as other:
        put(other.settings, [*played[:50], *played[53:]], NOW)
        result = ask(other.settings, blobs, game, sealed)
    assert "Events 51-53 are neither on the topic nor in the archive." in result.faults
    assert (
        "The book's hash does not match the messages on the stream and in the archive."
        in result.faults
    )


def test_messages_of_the_archive_agree_as_those_of_kafka_do(
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    broker: str,
) -> None:
    archive(own_broker, ArchiveRun(blobs, NOW, identify, lambda _: None), before=NOW - DAY)
    sealed = ask(own_broker, blobs, game).sealed
    with new_broker(own_broker, tmp_path / "empty", real_kafka=bool(broker)) as empty:
        result = ask(empty.settings, blobs, game, sealed)
    assert (result.faults, result.notes) == ([], [])
    assert result.from_archive == STEPS


def test_a_topic_that_was_filled_again_is_a_note_and_no_fault(
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    broker: str,
) -> None:
    sealed = ask(own_broker, blobs, game).sealed
    with new_broker(own_broker, tmp_path / "again", real_kafka=bool(broker)) as other:
        put(other.settings, [Message(played[0].topic, 0, 0, game, b"{}"), *played], NOW)
        result = ask(other.settings, blobs, game, sealed)
    assert result.faults == []
    (note,) = result.notes
    assert note.startswith(f"Events 1-{STEPS} have other offsets than when they were ingested")


def test_a_seal_that_was_changed_or_is_of_another_installation_is_refused(
    own_broker: Settings, blobs: BlobStore, game: str, played: list[Message]
) -> None:
    sealed = ask(own_broker, blobs, game).sealed
    assert sealed is not None
    changed = found_in(sealed.text.replace(f"events={STEPS}", f"events={STEPS - 1}"))
    result = ask(own_broker, blobs, game, changed)
    assert any("was changed: bad-signature" in fault for fault in result.faults)
    strange = StreamKeys(["another installation's secret"])
    result = verify(game, Stream(own_broker, blobs, NOW), NOW, strange, sealed)
    assert any(
        "signed with a key that is not among STREAM_KEYS" in fault for fault in result.faults
    )


def test_the_command_says_what_differs_and_its_exit_code_says_whether(
    app: Flask,
    own_broker: Settings,
    blobs: BlobStore,
    game: str,
    played: list[Message],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_here(monkeypatch, commands, app)
    monkeypatch.setitem(app.config, "PRESSBOX", own_broker)
    good = CliRunner().invoke(main, ["verify", game])
    assert good.exit_code == 0, good.output
    assert (
        f"Game {game}: messages and tables agree ({STEPS} messages, 0 of them from the archive)."
        in good.output
    )
    book = tmp_path / "book.html"
    book.write_text(f"<p>{good.output}</p>")
    good = CliRunner().invoke(main, ["verify", game, "--book", str(book)])
    assert good.exit_code == 0, good.output
    assert "messages, tables and book agree" in good.output
    change("UPDATE stat_lines SET stats = '{}'")
    bad = CliRunner().invoke(main, ["verify", game])
    assert bad.exit_code == 1
    assert "stat_lines: " in bad.output
    book.write_text("no seal here")
    none = CliRunner().invoke(main, ["verify", game, "--book", str(book)])
    assert none.exit_code == 1
    assert "has no seal" in none.output
    assert CliRunner().invoke(main, ["verify", "nosuch"]).exit_code == 1
