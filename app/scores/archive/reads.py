"""Attempts of archived months, player by player, for histories, exports and metadata."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from app.core.blob_store import BlobStore
from app.scores.archive import months
from app.scores.archive.services import without_erased
from app.scores.models import ScoreMonth

if TYPE_CHECKING:
    from app.scores.archive.objects import Attempt


def attempts_of_players(
    store: BlobStore, records: Collection[ScoreMonth], players: Collection[UUID]
) -> list[Attempt]:
    """Return what archived months have of these players, oldest month first.

    Raises:
        BlobStoreError: The blob store failed.
    """
    if not records:
        return []
    # pyarrow is large, and most processes never read the archive
    from app.scores.archive.objects import ArchivedMonthObject

    return [
        attempt
        for record in records
        for attempt in without_erased(
            list(ArchivedMonthObject(store, record.blob).of_players(players))
        )
    ]


def attempts_in_window(
    store: BlobStore,
    mode_id: UUID,
    player_id: UUID,
    starts: datetime | None,
    ends: datetime | None,
) -> Sequence[Attempt]:
    """Return the archived attempts of one player in one mode, in months that share time with it."""
    records = months.archived_between(starts, ends)
    attempts = attempts_of_players(store, records, {player_id})
    return [attempt for attempt in attempts if attempt["mode_id"] == mode_id]


def metadata_of(store: BlobStore, events: Mapping[UUID, UUID]) -> dict[UUID, Any]:
    """Return the metadata of archived attempts by event, for those that have any.

    Args:
        store: The blob store.
        events: The player of each event.
    """
    by_month = months.archived_months_of(events.keys())
    if not by_month:
        return {}
    wanted_months = set(by_month.values())
    records = [
        record for record in months.archived_between(None, None) if record.month in wanted_months
    ]
    players = {events[event] for event in by_month}
    return {
        attempt["event_id"]: msgspec.json.decode(attempt["score_metadata"])
        for attempt in attempts_of_players(store, records, players)
        if attempt["event_id"] in by_month and attempt["score_metadata"] is not None
    }
