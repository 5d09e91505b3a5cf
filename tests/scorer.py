"""A scorer for tests that need entries, not his screen: takes the game, enters, and may give it back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from scorer_console import leases, numbering
from scorer_console.numbering import Accepted, Entry

HOLDER = leases.Holder(console="test", name="A test")


def submit(game_id: str, entries: Sequence[Entry], now: datetime) -> list[Accepted]:
    """numbering.submit by this scorer, who takes the game and keeps it."""
    leases.take(game_id, HOLDER, now)
    return numbering.submit(game_id, entries, now, console=HOLDER.console)


def leave(game_id: str, now: datetime) -> None:
    leases.release(game_id, HOLDER.console, now)
