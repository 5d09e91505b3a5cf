"""Which attempts a rollback takes back, and the temporary table that holds them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.boards.models import Mode
from app.boards.windows.rules import InvalidWindowError, parse_window
from app.core.db import db
from app.core.refusals import Refusal

CHOSEN = "SELECT event_id FROM chosen_attempts"


@dataclass(frozen=True)
class Selection:
    """Which attempts: those that match every field that is set.

    `from_event` means that attempt and the player's later ones in its mode. `window_id` belongs to
    the boards of `mode_id`. `games` are those that the moderator may act on; None: all.
    """

    mode_id: UUID | None = None
    player_id: UUID | None = None
    event_id: UUID | None = None
    from_event: UUID | None = None
    window_id: str | None = None
    address: str | None = None
    device: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    games: Collection[UUID] | None = None

    def document(self) -> dict[str, str]:
        """Return the fields that are set, as a rollback stores them."""
        names = (
            "mode_id",
            "player_id",
            "event_id",
            "from_event",
            "window_id",
            "address",
            "device",
            "since",
            "until",
        )
        return {name: str(value) for name in names if (value := getattr(self, name)) is not None}


def faults(selection: Selection) -> list[Refusal]:
    """Return what to change about a selection."""
    narrow = ("player_id", "event_id", "from_event", "address", "device", "since", "window_id")
    refusals = []
    if not any(getattr(selection, name) is not None for name in narrow):
        advice = (
            "Enter a player, a score, an address, a device or a time. You can't roll back "
            "a whole mode."
        )
        refusals.append(Refusal("too_wide", "player_id", advice))
    if selection.window_id is not None:
        mode = db.session.get(Mode, selection.mode_id) if selection.mode_id else None
        if mode is None:
            refusals.append(Refusal("no_mode", "mode_id", "Choose the mode of this window."))
        else:
            try:
                parse_window(selection.window_id, mode.calendar)
            except InvalidWindowError as error:
                refusals.append(Refusal("bad_window", "window_id", str(error)))
    if (
        selection.since is not None
        and selection.until is not None
        and selection.since >= selection.until
    ):
        refusals.append(Refusal("bad_time", "until", "The end must be after the beginning."))
    return refusals


def times_of(selection: Selection) -> tuple[datetime | None, datetime | None]:
    """Return when the selection's period starts and ends; None without a limit."""
    starts, ends = selection.since, selection.until
    if selection.window_id is not None:
        mode = db.session.get_one(Mode, selection.mode_id)
        window = parse_window(selection.window_id, mode.calendar)
        starts = max(filter(None, (starts, window.starts)), default=None)
        ends = min(filter(None, (ends, window.ends)), default=None)
    return starts, ends


def choose(selection: Selection) -> set[UUID]:
    """Put the attempts that can be taken back into a temporary table of the transaction.

    Returns:
        The ids of their modes.
    """
    starts, ends = times_of(selection)
    conditions = {
        "a.mode_id = CAST(:mode AS uuid)": selection.mode_id,
        "a.player_id = CAST(:player AS uuid)": selection.player_id,
        "a.event_id = CAST(:event AS uuid)": selection.event_id,
        "a.address = :address": selection.address,
        "a.device = :device": selection.device,
        "a.achieved_at >= :starts": starts,
        "a.achieved_at < :ends": ends,
        "m.game_id = ANY(:games)": None if selection.games is None else list(selection.games),
        """(a.mode_id, a.player_id) = (SELECT mode_id, player_id FROM score_attempts
          WHERE event_id = :first)
          AND (a.achieved_at, a.event_id) >=
            (SELECT achieved_at, event_id FROM score_attempts
              WHERE event_id = :first)""": selection.from_event,
    }
    names = ("mode", "player", "event", "address", "device", "starts", "ends", "games", "first")
    parameters = {
        name: value
        for name, value in zip(names, conditions.values(), strict=True)
        if value is not None
    }
    criteria = " AND ".join(
        condition for condition, value in conditions.items() if value is not None
    )
    return _chosen(
        f"a.fraud_state <> 'rejected' AND a.rolled_back_at IS NULL AND {criteria}", parameters
    )


def choose_of(rollback_id: UUID) -> set[UUID]:
    """Choose the attempts that this rollback took back."""
    return _chosen("a.rollback_id = :id AND a.rolled_back_at IS NOT NULL", {"id": rollback_id})


def _chosen(condition: str, values: dict[str, Any]) -> set[UUID]:
    db.session.execute(
        text(
            "CREATE TEMP TABLE chosen_attempts (event_id uuid PRIMARY KEY, mode_id uuid NOT NULL,"
            " player_id uuid NOT NULL, achieved_at timestamptz NOT NULL) ON COMMIT DROP"
        )
    )
    db.session.execute(
        text(
            "INSERT INTO chosen_attempts SELECT a.event_id, a.mode_id, a.player_id, a.achieved_at"  # noqa: S608
            f" FROM score_attempts a JOIN score_modes m ON m.id = a.mode_id WHERE {condition}"
        ),
        values,
    )
    return set(db.session.scalars(text("SELECT DISTINCT mode_id FROM chosen_attempts")))


def digest() -> str:
    """Return a digest of the chosen attempts."""
    event_ids = db.session.scalar(
        text(
            "SELECT coalesce(string_agg(event_id::text, ',' ORDER BY event_id), '') FROM "
            "chosen_attempts"
        )
    )
    return hashlib.sha256(str(event_ids).encode()).hexdigest()


def own_among(by: int | None) -> Refusal | None:
    """Refuse the selection if it contains the moderator's own attempts."""
    mine = text(
        "SELECT EXISTS (SELECT FROM chosen_attempts c JOIN players p ON p.id = c.player_id WHERE "
        "p.member_id = :by)"
    )
    if by is not None and db.session.scalar(mine, {"by": by}):
        return Refusal(
            "own_score",
            "selection",
            "One of these scores is yours. Another moderator has to decide.",
        )
    return None
