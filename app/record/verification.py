"""`pressbox verify`: whether a game's record is what its messages say, row by row.

Reads both sides and compares them. Nothing is changed: the record is rebuilt inside a transaction
that is rolled back. The seal is in seal.py, building the record in rebuild.py and ingest.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import delete, select, true

from app.core.db import db
from app.record import events as ev
from app.record.asof import as_of, game_as_of, line_rows
from app.record.ingest import lock_games, take_in
from app.record.models import Game, RecordedEvent
from app.record.queries import events as events_of
from app.record.queries import game as game_row
from app.record.queries import stat_lines
from app.record.rebuild import DERIVED, NoSuchGameError, Stream, message_of, missing_numbers
from app.record.rules.team_defence import is_defence
from app.record.seal import Placed, Seal, figures_of, hash_of, seal, signature_fault
from app.stream.archive import Messages
from app.stream.restore import ranges
from app.stream.signing import StreamKeys

SHOWN = 8  # rows of a table that are named one by one
MOST_CHARACTERS = 120  # of a value in a sentence
# When a row was written and which number it got, which no message says; where a message stands is
# compared by itself.
_NOT_COMPARED = {
    "id",
    "ingested_at",
    "updated_at",
    "rebuilt_at",
    "version",
    "partition",
    "offset",
}


@dataclass
class Verified:
    """The result. `faults`: a sentence for each difference; none if the record is right.

    `notes`: worth knowing.
    """

    game_id: str
    messages: int = 0
    from_archive: int = 0
    sealed: Seal | None = None
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def placed_rows(game_id: str, last: int | None = None) -> list[Placed]:
    """The game's messages as stored in the record, by event number, up to event `last`.

    Raises InvalidEventError for a stored event that is invalid.
    """
    return [_placed(game_id, row) for row in _event_rows(game_id, last)]


def _event_rows(game_id: str, last: int | None = None) -> Sequence[Any]:
    return db.session.execute(
        select(
            RecordedEvent.event_number,
            RecordedEvent.play_number,
            RecordedEvent.epoch,
            RecordedEvent.recorded_at,
            RecordedEvent.body,
            RecordedEvent.partition,
            RecordedEvent.offset,
        )
        .where(
            RecordedEvent.game_id == game_id,
            RecordedEvent.revision == 0,
            true() if last is None else RecordedEvent.event_number <= last,
        )
        .order_by(RecordedEvent.event_number)
    ).all()


def _placed(game_id: str, row: Any) -> Placed:
    number, play, epoch, at, body, partition, offset = row
    event = ev.GameEvent(
        game_id=game_id,
        event_number=number,
        play_number=play,
        epoch=epoch,
        recorded_at=at,
        body=ev.body_from(body),
    )
    return Placed(event, partition, offset)


def book_seal(game_id: str, last: int | None, figures: str, keys: StreamKeys) -> Seal:
    """The seal of a book of the game up to event `last` (None: as it stands)."""
    return seal(game_id, placed_rows(game_id, last), figures, keys)


def verify(
    game_id: str, stream: Stream, now: datetime, keys: StreamKeys, book: Seal | None = None
) -> Verified:
    """Compare the game's messages, its stored tables and, if given, the seal of a book.

    Changes nothing; ingestion of the game waits meanwhile. Raises NoSuchGameError,
    ArchiveBrokenError, BlobStoreError, KafkaError.
    """
    if db.session.get(Game, game_id) is None:
        raise NoSuchGameError(f"There is no game {game_id}: register or import it first.")
    on_topic = stream.on_topic(game_id)
    archived = stream.archived(game_id)
    result = Verified(game_id)
    messages = {**archived, **on_topic}
    result.messages, result.from_archive = len(messages), len(messages.keys() - on_topic.keys())
    for number in sorted(archived.keys() & on_topic.keys()):
        if archived[number].value != on_topic[number].value:
            result.faults.append(
                f"Event {number}: the message on the topic is not the archived one."
            )
    missing = missing_numbers(game_id, messages)
    if missing:
        result.faults.append(
            f"Events {ranges(missing)} are neither on the topic nor in the archive."
        )
    _compare_messages(result, messages)
    if not missing:
        _compare_tables(result, messages, now)
    try:
        result.sealed = book_seal(game_id, None, _standing(game_id, None), keys)
        if book is not None:
            _compare_book(result, messages, book, keys)
    except ev.InvalidEventError:
        pass  # named above, and without it there is neither seal nor comparison
    db.session.rollback()
    return result


def event_faults(game_id: str, stream: Stream) -> list[str]:
    """Which of the game's events differ between record and messages, or are missing in one of them.

    Cheaper than `verify`: nothing is rebuilt. Raises ArchiveBrokenError, BlobStoreError.
    """
    on_topic = stream.on_topic(game_id)
    archived = stream.archived(game_id) if missing_numbers(game_id, on_topic) else {}
    result = Verified(game_id)
    _compare_messages(result, {**archived, **on_topic})
    db.session.rollback()
    return result.faults


def _compare_messages(result: Verified, messages: Messages) -> None:
    """Compare the stored and the actual message of each event."""
    recorded: dict[int, Placed] = {}
    for row in _event_rows(result.game_id):
        try:
            recorded[row.event_number] = _placed(result.game_id, row)
        except ev.InvalidEventError as error:
            result.faults.append(
                f"Event {row.event_number}: its row in the record is not a valid event ({error})."
            )
    strange = sorted(recorded.keys() - messages.keys())
    if strange:
        result.faults.append(f"Events {ranges(strange)} are in the record, but in no message.")
    unknown = sorted(messages.keys() - recorded.keys())
    if unknown:
        result.faults.append(f"Events {ranges(unknown)} are on the stream, but not in the record.")
    moved = []
    for number in sorted(recorded.keys() & messages.keys()):
        placed, message = recorded[number], messages[number]
        sent = ev.decode(message.value)
        if ev.encode(placed.event) != ev.encode(sent):
            result.faults.append(f"Event {number}: {_difference(placed.event, sent)}.")
        if (placed.partition, placed.offset) != (message.partition, message.offset):
            moved.append(number)
    if moved:
        result.notes.append(
            f"Events {ranges(moved)} have other offsets than when they were ingested: the "
            "topic has been refilled since (`pressbox stream republish`, `restore`), or their "
            "rows were changed."
        )


def _difference(row: ev.GameEvent, message: ev.GameEvent) -> str:
    """Which fields differ, and how."""
    recorded, received = _plain(row), _plain(message)
    parts = [
        f"{name} is {recorded.get(name)!r} in the record, {received.get(name)!r} in the message"
        for name in sorted(recorded.keys() | received.keys())
        if recorded.get(name) != received.get(name)
    ]
    return "; ".join(parts)


def _plain(event: ev.GameEvent) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return plain | {f"body.{name}": value for name, value in plain.pop("body").items()}


def _compare_tables(result: Verified, messages: Messages, now: datetime) -> None:
    """Rebuild the record, compare every row with the stored one, and roll back."""
    game_id = result.game_id
    lock_games({game_id})
    stored = _rows(game_id)
    for table in DERIVED:
        db.session.execute(delete(table).where(table.game_id == game_id))
    take_in([message_of(messages[number]) for number in sorted(messages)], now, lambda _: None)
    built = _rows(game_id)
    db.session.rollback()
    for table, rows in built.items():
        result.faults += _row_faults(table, stored[table], rows)


Rows = dict[tuple[Any, ...], dict[str, Any]]


def _rows(game_id: str) -> dict[str, Rows]:
    """Every derived row of the game by table and key."""
    db.session.expire_all()
    return {table.__tablename__: dict(_keyed(table, game_id)) for table in DERIVED}


def _keyed(table: Any, game_id: str) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    columns = table.__table__.columns
    names = [column.name for column in columns if column.name != "game_id"]
    keys = [
        column.name
        for column in table.__table__.primary_key
        if column.name not in ("game_id", "id")
    ]
    # The ledger's key is a number of the database's own: its entries are known by what they say.
    if table.__tablename__ == "ledger":
        keys = ["event_number", "revision", "player_id", "stat", "opened_at"]
    order = [columns[name] for name in (*keys, *(["id"] if "id" in names else []))]
    statement = (
        select(*(columns[name] for name in names))
        .where(columns["game_id"] == game_id)
        .order_by(*order)
    )
    repeats: Counter[tuple[Any, ...]] = Counter()
    for row in db.session.execute(statement):
        values = dict(zip(names, row, strict=True))
        plain = tuple(values[name] for name in keys)
        repeats[plain] += 1
        key = plain if repeats[plain] == 1 else (*plain, f"the {repeats[plain]}. of it")
        yield key, {name: value for name, value in values.items() if name not in _NOT_COMPARED}


def _row_faults(table: str, stored: Rows, built: Rows) -> Iterator[str]:
    faults = [
        f"{table} {_key(key)}: it is stored, but no message accounts for it"
        for key in stored.keys() - built.keys()
    ]
    faults += [f"{table} {_key(key)}: it is missing" for key in built.keys() - stored.keys()]
    for key in stored.keys() & built.keys():
        actual, expected = stored[key], built[key]
        parts = [
            f"{name} is {_short(actual[name])}, but the messages say {_short(expected[name])}"
            for name in expected
            if actual[name] != expected[name]
        ]
        if parts:
            faults.append(f"{table} {_key(key)}: {'; '.join(parts)}")
    faults.sort()
    yield from (f"{fault}." for fault in faults[:SHOWN])
    if len(faults) > SHOWN:
        yield f"{table}: {len(faults) - SHOWN} more rows differ."


def _key(key: tuple[Any, ...]) -> str:
    return "/".join(map(str, key)) or "row"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."


def _standing(game_id: str, last: int | None) -> str:
    """The hash of the figures by the stored tables: now, or as they stood at event `last`."""
    game = game_row(game_id)
    if game is None:
        return figures_of("practice", (None, None), ())
    if last is None:
        lines = stat_lines(game_id)
    else:
        rows_then = as_of(events_of(game_id), last)
        game = game_as_of(game, rows_then)
        lines = line_rows(rows_then, (game.home.id, game.away.id))
    return figures_of(game.status, (game.home_score, game.away_score), people(lines))


def people(
    lines: list[tuple[str, str, dict[str, int]]],
) -> list[tuple[str, str, Mapping[str, int]]]:
    """The stat lines without those of the clubs' D/STs, as a book has them."""
    return [(player, club, stats) for player, club, stats in lines if not is_defence(player)]


def _compare_book(result: Verified, messages: Messages, book: Seal, keys: StreamKeys) -> None:
    if book.game_id != result.game_id:
        result.faults.append(f"The book is for game {book.game_id}.")
        return
    if fault := signature_fault(book, keys):
        result.faults.append(
            f"The book's seal is not from this installation or was changed: {fault}."
        )
    placed = [
        Placed(ev.decode(message.value), message.partition, message.offset)
        for number, message in sorted(messages.items())
        if number <= book.last
    ]
    recorded = placed_rows(result.game_id, book.last)
    if book.events != len(recorded) or hash_of(recorded) != book.messages:
        result.faults.append(
            "The book's hash does not match the events in the record: one of them was changed."
        )
    if hash_of(placed) != book.messages:
        # At other offsets, and yet the same messages: what was ingested says where they stood then.
        places = {
            placed_.event.event_number: (placed_.partition, placed_.offset) for placed_ in recorded
        }
        placed_then = [
            Placed(placed_.event, *places.get(placed_.event.event_number, (None, None)))
            for placed_ in placed
        ]
        if hash_of(placed_then) != book.messages:
            result.faults.append(
                "The book's hash does not match the messages on the stream and in the archive."
            )
    if book.figures != _standing(result.game_id, book.last):
        result.faults.append("The book's figures do not match the record at that event.")
