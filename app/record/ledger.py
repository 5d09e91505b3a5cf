"""The points ledger: every credit with the event, revision and message that earned it (PRODUCT G1).

A game's ledger follows from its events alone, whatever batches they came in: each play is followed
event by event, in order of their numbers, and every event says what it opened and what it closed,
at the time the scorer's entry was accepted. So a rebuilt record has the same ledger, row for row,
and a record that grows event by event only adds to it. This module updates the ledger inside
ingestion's transaction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import delete, text, tuple_

from app.core.db import db
from app.core.db.bulk_insert import as_json, insert_rows
from app.record import events as ev
from app.record.models import LedgerEntry
from app.record.rules.order import in_order
from app.record.rules.team_defence import Clubs, credits_of_play

Key = tuple[int, int, str, str]  # event number, revision, player, stat

_bodies = msgspec.json.Decoder(ev.Body)


class Row(msgspec.Struct, frozen=True):
    """One revision of an event: 0 the original, else the number of its correction."""

    number: int
    revision: int
    body: ev.Body
    recorded_at: int
    partition: int | None
    offset: int | None

    @property
    def step(self) -> int:
        """The event with which it came into the game."""
        return max(self.number, self.revision)


@dataclass
class Entry:
    """A line that the ledger is to have."""

    key: Key
    amount: int
    row: Row
    opened_at: datetime
    closed_at: datetime | None = None
    closed_by: int | None = None


@dataclass
class Play:
    """All revisions of a play's events.

    `corrections` by number: when it was recorded, and its targets in the play.
    """

    number: int
    rows: list[Row]
    corrections: dict[int, tuple[int, set[int]]]

    def steps(self) -> Iterator[tuple[int, int]]:
        """Numbers of the events that change the play, with when they were recorded, in order."""
        recorded_at_by_step = {row.step: row.recorded_at for row in self.rows}
        recorded_at_by_step |= {
            number: recorded_at for number, (recorded_at, _) in self.corrections.items()
        }
        yield from sorted(recorded_at_by_step.items())

    def standing(self, step: int) -> dict[int, Row]:
        """The revisions that were valid once event `step` was the last one, by event number."""
        if not self.corrections:
            return {row.number: row for row in self.rows if row.step <= step}
        valid_rows: dict[int, Row] = {}
        for row in self.rows:
            if row.step > step or any(
                row.revision < number <= step and row.number in targets
                for number, (_, targets) in self.corrections.items()
            ):
                continue
            valid_rows[row.number] = row
        return valid_rows


def history(play: Play, clubs: Clubs) -> list[Entry]:
    """The ledger of a play, in the order in which its lines were opened."""
    lines: list[Entry] = []
    open_entries: dict[Key, Entry] = {}
    for step, recorded_at in play.steps():
        at = datetime.fromtimestamp(recorded_at / 1000, UTC)
        standing = play.standing(step)
        earned = _earned(play.number, standing, clubs)
        for key, entry in list(open_entries.items()):
            if earned.get(key) != entry.amount:
                entry.closed_at, entry.closed_by = at, step
                del open_entries[key]
        for key, amount in sorted(earned.items()):
            if key not in open_entries:
                open_entries[key] = Entry(key, amount, standing[key[0]], at)
                lines.append(open_entries[key])
    return lines


def _earned(play_number: int, standing: Mapping[int, Row], clubs: Clubs) -> Counter[Key]:
    earned: Counter[Key] = Counter()
    ordered = in_order((number, play_number, row.body) for number, row in standing.items())
    for credit in credits_of_play([(number, body) for number, _, body in ordered], clubs):
        if credit.player_id is not None:
            revision = standing[credit.event_number].revision
            earned[credit.event_number, revision, credit.player_id, credit.stat] += credit.amount
    return earned


def plays_of(
    plays: Mapping[str, Collection[int]], corrected: Collection[str]
) -> dict[str, list[Play]]:
    """These plays by game and number, with all revisions of their events.

    `corrected`: games that have corrections.
    """
    by_play: dict[tuple[str, int], Play] = {}
    for game_id, play, number, revision, body, recorded_at, partition, offset in db.session.execute(
        _ROWS, {"plays": _wanted(plays)}
    ):
        row = Row(number, revision, _bodies.decode(body), recorded_at, partition, offset)
        by_play.setdefault((game_id, play), Play(play, [], {})).rows.append(row)
    corrections: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for game_id, number, revision, recorded_at in (
        db.session.execute(_CORRECTIONS, {"games": list(corrected)}) if corrected else ()
    ):
        corrections[game_id, number].append((revision, recorded_at))
    by_game: dict[str, list[Play]] = {game_id: [] for game_id in plays}
    for (game_id, _), found_play in by_play.items():
        by_game[game_id].append(found_play)
        for number in {row.number for row in found_play.rows} if corrections else ():
            for revision, recorded_at in corrections.get((game_id, number), ()):
                found_play.corrections.setdefault(revision, (recorded_at, set()))[1].add(number)
    return by_game


def bring_up_to_date(plays: Mapping[str, Collection[Play]], clubs: Mapping[str, Clubs]) -> None:
    """Update the ledger of these plays, by game, to what their events say. `clubs`: of each game.

    Events that came in order only add lines and close some; a late one may replace lines that were
    written without it.
    """
    stored_lines: dict[tuple[str, int], list[Any]] = defaultdict(list)
    play_keys = _wanted({game_id: [play.number for play in plays[game_id]] for game_id in plays})
    for line in db.session.execute(_LINES, {"plays": play_keys, "games": list(plays)}):
        stored_lines[line.game_id, line.play_number].append(line)
    changes = Changes()
    for game_id in plays:
        for play in plays[game_id]:
            changes.note(
                game_id,
                play,
                history(play, clubs[game_id]),
                stored_lines.pop((game_id, play.number), []),
            )
    changes.write()


@dataclass
class Changes:
    """The changes of all plays together: one statement per kind, however many plays there are."""

    deleted: list[tuple[str, int]] = field(default_factory=list)
    closed: list[dict[str, Any]] = field(default_factory=list)
    new: list[dict[str, Any]] = field(default_factory=list)

    def note(
        self, game_id: str, play: Play, entries: Iterable[Entry], stored_lines: Iterable[Any]
    ) -> None:
        """Collect the difference between the play's ledger and its stored lines."""
        lines_by_key: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
        for line in stored_lines:
            key = (line.event_number, line.revision, line.player_id, line.stat)
            lines_by_key[key, line.amount, line.opened_at, line.partition, line.offset].append(line)
        for entry in entries:
            lines = lines_by_key[
                entry.key, entry.amount, entry.opened_at, entry.row.partition, entry.row.offset
            ]
            if not lines:
                self.new.append(_values(game_id, play.number, entry))
                continue
            line = lines.pop(0)
            if (line.closed_at, line.closed_by) != (entry.closed_at, entry.closed_by):
                closing = {"closed_at": entry.closed_at, "closed_by": entry.closed_by}
                self.closed.append({"game_id": game_id, "id": line.id, **closing})
        self.deleted += [(game_id, line.id) for lines in lines_by_key.values() for line in lines]

    def write(self) -> None:
        """Execute the collected changes."""
        if self.deleted:
            db.session.execute(
                delete(LedgerEntry).where(
                    tuple_(LedgerEntry.game_id, LedgerEntry.id).in_(self.deleted)
                )
            )
        if self.closed:
            games = list({line["game_id"] for line in self.closed})
            db.session.execute(_CLOSE, {"closed": as_json(self.closed), "games": games})
        insert_rows(LedgerEntry, self.new)


# The games stand in both statements as values too: nothing that is joined leads PostgreSQL to a
# season's partition.
_CLOSE = text("""
    UPDATE ledger l SET closed_at = c.closed_at, closed_by = c.closed_by
    FROM json_to_recordset(CAST(:closed AS json)) AS c(game_id text, id bigint,
      closed_at timestamptz, closed_by int)
    WHERE l.game_id = ANY(:games) AND (l.game_id, l.id) = (c.game_id, c.id)
""")


def _values(game_id: str, play_number: int, entry: Entry) -> dict[str, Any]:
    number, revision, player, stat = entry.key
    return {
        "game_id": game_id,
        "player_id": player,
        "event_number": number,
        "revision": revision,
        "play_number": play_number,
        "stat": stat,
        "amount": entry.amount,
        "partition": entry.row.partition,
        "offset": entry.row.offset,
        "opened_at": entry.opened_at,
        "closed_at": entry.closed_at,
        "closed_by": entry.closed_by,
    }


_WANTED = "json_to_recordset(CAST(:plays AS json)) AS w(game_id text, play_number int)"
_LINES = text(f"""
    SELECT l.* FROM ledger l JOIN {_WANTED} USING (game_id, play_number)
      WHERE l.game_id = ANY(:games) ORDER BY l.id
""")  # noqa: S608 (made of our own words alone)
_ROWS = text(f"""
    SELECT game_id, play_number, event_number, revision, body::text, recorded_at, partition,
      "offset"
    FROM events JOIN {_WANTED} USING (game_id, play_number) ORDER BY game_id, play_number,
      event_number, revision
""")  # noqa: S608 (made of our own words alone)
_CORRECTIONS = text("""
    SELECT c.game_id, c.event_number, c.revision, e.recorded_at FROM corrections c
    JOIN events e ON (e.game_id, e.event_number, e.revision) = (c.game_id, c.revision, 0)
    WHERE c.game_id = ANY(:games)
""")


def _wanted(plays: Mapping[str, Collection[int]]) -> str:
    """The plays for _WANTED."""
    return as_json(
        [{"game_id": game_id, "play_number": play} for game_id in plays for play in plays[game_id]]
    )
