"""Entries that wait in one scorer's browser while another scorer has the game (decision 52).

This is the server's copy, which the other scorer can see, adopt or drop. The entries themselves
stay in their browser until it learns what became of them (static/js/console/queue/waiting.js).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.record.events import Body, InvalidEventError, body_from, body_to
from app.record.words import sentence
from scorer_console.entry.services import Submitted, enter
from scorer_console.lease import leases
from scorer_console.lease.leases import Holder
from scorer_console.models import WaitingEntry
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.numbering import Accepted, RefusedEntryError, Sender

KEPT = timedelta(days=7)  # after the browser's last report, because it may never come back


@dataclass(frozen=True)
class Waiting:
    """One entry as its browser has it. For `made_under` and `play_number` see models.WaitingEntry.

    If its events cannot be read, `fault` says why, and it has no events.
    """

    key: str
    events: Sequence[Submitted]
    made_under: int
    play_number: int | None
    fault: str = ""


@dataclass(frozen=True)
class WaitingRow:
    """One entry as the game's consoles show it.

    `holder` made it. `is_recorded` says whether it has been accepted since. If it cannot be read,
    `words` say why and there are no `bodies`.
    """

    key: str
    console: str
    holder: str
    words: str
    bodies: list[dict[str, Any]]
    made_under: int
    dropped_by: str | None
    is_recorded: bool


def tell(game_id: str, holder: Holder, waiting: Sequence[Waiting], now: datetime) -> None:
    """Replace the stored list of entries that wait in this browser, in order. Commits.

    An entry that somebody dropped stays dropped. One that cannot be read is stored with the reason.
    Raises UnknownGameError.
    """
    rows = [
        {
            "game_id": game_id,
            "console": holder.console,
            "key": entry.key,
            "position": position,
            "holder": holder.name,
            "made_under": entry.made_under,
            "play_number": entry.play_number,
            "entry": _stored(entry),
            "changed_at": now,
        }
        for position, entry in enumerate(waiting)
    ]
    with transaction():
        leases.lock(game_id)
        db.session.execute(
            delete(WaitingEntry).where(
                (WaitingEntry.changed_at < now - KEPT)
                | (
                    (WaitingEntry.game_id == game_id)
                    & (WaitingEntry.console == holder.console)
                    & WaitingEntry.key.not_in([entry.key for entry in waiting])
                )
            )
        )
        if rows:
            statement = insert(WaitingEntry)
            newer = ("position", "entry", "made_under", "play_number", "changed_at")
            changes = {name: statement.excluded[name] for name in newer}
            known = statement.on_conflict_do_update(
                index_elements=["game_id", "console", "key"], set_=changes
            )
            db.session.execute(known, rows)


def adopt(game_id: str, owner: str, key: str, now: datetime, *, console: str) -> list[Accepted]:
    """Accept another browser's entry for the console that holds the game. Commits.

    It is accepted under its own key. If its owner sends it later, they get the same numbers, and
    nothing is recorded twice. Its events stay in the play that they were made for. `owner` is the
    console in which it waits. Raises the errors of `services.enter`, and RefusedEntryError if it no
    longer waits.
    """
    row = _waiting(game_id, owner, key)
    if fault := row.entry.get("fault"):
        raise RefusedEntryError(
            f"This entry can't be read, so only its own scorer can correct it: {fault}"
        )
    events = [Submitted(**event) for event in row.entry["events"]]
    placed = [
        event
        if event.body.get("type") == "snap" or event.play_number is not None
        else Submitted(event.body, row.play_number, event.number)
        for event in events
    ]
    return enter(game_id, key, placed, now, Sender(console)).outcomes


def drop(game_id: str, owner: str, key: str, now: datetime, *, holder: Holder) -> None:
    """Drop the entry from the list. Its own scorer keeps it and sees who dropped it. Commits.

    Raises LeaseLostError unless this console holds the game, and RefusedEntryError if the entry no
    longer waits.
    """
    with transaction():
        leases.require(leases.lock(game_id), holder.console, now)
        row = _waiting(game_id, owner, key)
        row.dropped_by = holder.name
        row.changed_at = now


def shown(
    game_id: str, accepted: AcceptedEvents, names: Mapping[str, str], now: datetime
) -> list[WaitingRow]:
    """Load the entries that wait for the game, by browser, in the order in which they were made.

    `accepted` are the events of the game.
    """
    rows = db.session.scalars(
        select(WaitingEntry)
        .where(WaitingEntry.game_id == game_id, WaitingEntry.changed_at >= now - KEPT)
        .order_by(WaitingEntry.holder, WaitingEntry.console, WaitingEntry.position)
        .execution_options(populate_existing=True)
    ).all()
    waiting_rows = []
    for row in rows:
        bodies, fault = _bodies(row)
        waiting_rows.append(
            WaitingRow(
                key=row.key,
                console=row.console,
                holder=row.holder,
                words=f"Can't be read: {fault}"
                if fault
                else " ".join(sentence(body, names) for body in bodies),
                bodies=[body_to(body) for body in bodies],
                made_under=row.made_under,
                dropped_by=row.dropped_by,
                is_recorded=f"{row.key}:0" in accepted.numbers,
            )
        )
    return waiting_rows


def _waiting(game_id: str, owner: str, key: str) -> WaitingEntry:
    row: WaitingEntry | None = db.session.get(
        WaitingEntry, (game_id, owner, key), populate_existing=True
    )
    if row is None or row.dropped_by is not None:
        raise RefusedEntryError(
            "This entry is no longer waiting. Its scorer or you have sent or dropped it."
        )
    return row


def _bodies(row: WaitingEntry) -> tuple[list[Body], str]:
    """Return its bodies, or why they cannot be read, for example after an update of the console."""
    if fault := row.entry.get("fault", ""):
        return [], fault
    try:
        return [body_from(event["body"]) for event in row.entry["events"]], ""
    except InvalidEventError as error:
        return [], str(error)


def _stored(entry: Waiting) -> dict[str, Any]:
    """Return the entry as it is stored; only the reason if it cannot be read."""
    if entry.fault:
        return {"events": [], "fault": entry.fault}
    try:
        return {
            "events": [
                {
                    "body": body_to(body_from(event.body)),
                    "play_number": event.play_number,
                    "number": event.number,
                }
                for event in entry.events
            ]
        }
    except InvalidEventError as error:
        return {"events": [], "fault": str(error)}
