"""What a page of a draft is told when the draft has moved on: the same for all who watch.

An update leads from one version to another. It is made once for all watchers who show the earlier
version. Each page fetches by itself the little that is its member's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from flask import current_app

from app.core import clock
from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.page import Cell, board_of, cells_of
from app.draft_leagues.drafts.queries import Snapshot, load_snapshot
from app.draft_leagues.drafts.turn import latest_of, notes_of, turn_of


class Update(msgspec.Struct, frozen=True):
    """What changed between two versions.

    Attributes:
        since: The version that it starts from; a page that shows another one asks anew.
        now: The server's time, in milliseconds since 1970, for the clock of the page.
        turn: The fragment that says whose turn it is.
        strip: The fragment with the picks around now.
        notes: What each franchise reads about its own next turn.
        cells: The fragments of the board's places that changed, by their keys.
        heads: The fragments of the board's columns, by franchise, if they changed.
        taken: The ids of the footballers who are gone.
        freed: The ids of those who can be drafted again.
        franchises: Whose teams or turns changed.
        say: What is announced.
    """

    version: int
    since: int
    now: int
    status: str
    on_turn: int | None
    expected: int
    slot: str
    turn: str
    strip: str
    notes: dict[int, str]
    cells: dict[str, str]
    heads: dict[int, str]
    taken: Sequence[str]
    freed: Sequence[str]
    franchises: Sequence[int]
    say: str


def update_between(before: Snapshot, after: Snapshot, now: datetime) -> Update:
    """What leads from one version to the other."""
    macros = current_app.jinja_env.get_template("drafts/_macros.html").module
    turn = turn_of(after, now)
    old_cells = {cell.key: cell for cell in cells_of(before)}
    changed = [cell for cell in cells_of(after) if old_cells.get(cell.key) != cell]
    was_taken, is_taken = set(before.draft.taken), set(after.draft.taken)
    old_columns = {column.franchise: column for column in board_of(before).columns}
    heads = {
        column.franchise: str(macros.head(column))  # type: ignore[attr-defined]
        for column in board_of(after).columns
        if old_columns.get(column.franchise) != column
    }
    return Update(
        version=after.draft.version,
        since=before.draft.version,
        now=clock.to_ms(now),
        status=turn.status,
        on_turn=turn.franchise,
        expected=turn.expected,
        slot=turn.slot,
        turn=str(macros.turn(turn)),  # type: ignore[attr-defined]
        strip=str(macros.strip(turn)),  # type: ignore[attr-defined]
        notes=notes_of(after.draft),
        cells={cell.key: str(macros.cell(cell)) for cell in changed},  # type: ignore[attr-defined]
        heads=heads,
        taken=sorted(is_taken - was_taken),
        freed=sorted(was_taken - is_taken),
        franchises=sorted(_concerned(before, after, changed)),
        say=_announcement(before, after),
    )


def update_since(draft_id: int, version: int, now: datetime) -> Update:
    """What leads from this version to the present one."""
    after = load_snapshot(draft_id)
    before = load_snapshot(draft_id, version=version)
    return update_between(before, after, now)


def encode(update: Update) -> bytes:
    """The update as JSON."""
    return msgspec.json.encode(update)


def _concerned(before: Snapshot, after: Snapshot, changed: Sequence[Cell]) -> set[int]:
    """Franchises with another team, turn or autopilot."""
    franchises = {
        pick.franchise
        for draft in (before.draft, after.draft)
        for pick in draft.picks.values()
        if any(cell.number == pick.number for cell in changed)
    }
    turns = {before.draft.on_turn, after.draft.on_turn}
    autopilots = set(before.draft.autopilots) ^ set(after.draft.autopilots)
    return (
        franchises
        | autopilots
        | _traders(before, after)
        | {franchise for franchise in turns if franchise is not None}
    )


def _traders(before: Snapshot, after: Snapshot) -> set[int]:
    """Franchises that gave or got a pick of this draft."""
    slots = zip(before.draft.slots, after.draft.slots, strict=True)
    return {
        owner for old, new in slots if old.owner != new.owner for owner in (old.owner, new.owner)
    }


def _trades(before: Snapshot, after: Snapshot) -> list[str]:
    """Which picks changed hands while the draft was on."""
    size = len(after.draft.plan.order)
    slots = zip(before.draft.slots, after.draft.slots, strict=True)
    return [
        f"Trade: {after.name_of(new.owner)} gets pick {pick_label(size, new.number)}."
        for old, new in slots
        if old.owner != new.owner and after.draft.status != "waiting"
    ]


def _announcement(before: Snapshot, after: Snapshot) -> str:
    """The new picks in the order of time, and a change of the draft's status."""
    texts = [latest.text for latest in reversed(latest_of(after, before.draft.picks))]
    if len(after.draft.picks) < len(before.draft.picks):
        texts.append("The commissioner undid the latest pick.")
    texts += _trades(before, after)
    if after.draft.status == "waiting":
        texts.append(_of_plan(before, after))
    texts.append(_bidding(before, after))
    if before.draft.status != after.draft.status:
        words = {
            "running": "The draft is on.",
            "paused": "The draft is paused.",
            "completed": "The draft is complete.",
        }
        texts.append(words.get(after.draft.status, ""))
    return " ".join(text for text in texts if text)


def _of_plan(before: Snapshot, after: Snapshot) -> str:
    """What happened to the plan of a draft that has not begun."""
    if after.draft.draws > before.draft.draws:
        return "The lottery is done."
    return "The draft schedule changed." if after.draft.version > before.draft.version else ""


def _bidding(before: Snapshot, after: Snapshot) -> str:
    """Who leads in an auction now, if that changed."""
    old, lot = before.draft.lot, after.draft.lot
    if lot is None or (old is not None and old.standing == lot.standing):
        return ""
    name = after.name_of(lot.standing.leader)
    if old is None or old.footballer_id != lot.footballer_id:
        footballer = after.pool.by_id.get(lot.footballer_id)
        return f"{name} nominates {footballer.name if footballer else 'a player'}."
    return f"{name} leads at {lot.standing.price}."
