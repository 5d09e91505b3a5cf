"""The points ledger: every credit with the event, the revision and the message that earned it (PRODUCT G1).

Lives here: bringing the ledger of a game up to date inside ingestion's transaction. Not here: what is shown of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.record.models import Correction, LedgerEntry, RecordedEvent
from app.record.rules.stat_lines import Credit

Key = tuple[int, int, str, str]  # event number, revision, player, stat


@dataclass(frozen=True)
class Source:
    """The valid revision of an event and the message that wrote it."""

    revision: int
    play_number: int
    partition: int | None
    offset: int | None


def bring_up_to_date(game_id: str, credits: Iterable[Credit], sources: Mapping[int, Source], now: datetime) -> None:
    """Opens an entry for each new credit and closes those that are no longer earned; the rest stay as they are.

    `sources`: by event number, for every valid event. A credit whose amount changed is closed and opened anew.
    """
    earned: Counter[Key] = Counter()
    for credit in credits:
        if credit.player_id is not None:
            revision = sources[credit.event_number].revision
            earned[credit.event_number, revision, credit.player_id, credit.stat] += credit.amount
    held = {
        (row.event_number, row.revision, row.player_id, row.stat): row
        for row in db.session.execute(
            select(
                LedgerEntry.id,
                LedgerEntry.event_number,
                LedgerEntry.revision,
                LedgerEntry.player_id,
                LedgerEntry.stat,
                LedgerEntry.play_number,
                LedgerEntry.amount,
            ).where(LedgerEntry.game_id == game_id, LedgerEntry.closed_at.is_(None))
        )
    }
    gone = [row for key, row in held.items() if earned.get(key) != row.amount]
    if gone:
        causes = _causes(game_id)
        for row in gone:
            db.session.execute(
                update(LedgerEntry)
                .where(LedgerEntry.id == row.id)
                .values(closed_at=now, closed_by=causes.of(row.event_number, row.revision, row.play_number))
            )
    new = [
        {
            "game_id": game_id,
            "player_id": player,
            "event_number": number,
            "revision": revision,
            "play_number": sources[number].play_number,
            "stat": stat,
            "amount": amount,
            "partition": sources[number].partition,
            "offset": sources[number].offset,
            "opened_at": now,
        }
        for (number, revision, player, stat), amount in sorted(earned.items())
        if (number, revision, player, stat) not in held or held[number, revision, player, stat].amount != amount
    ]
    if new:
        db.session.execute(insert(LedgerEntry), new)


@dataclass(frozen=True)
class _Causes:
    corrections: dict[int, list[int]]
    newest_in_play: dict[int, int]

    def of(self, number: int, revision: int, play_number: int) -> int | None:
        """The correction that took this revision away; else what came last in its play and changed the chain."""
        above = [correction for correction in self.corrections.get(number, []) if correction > revision]
        return min(above) if above else self.newest_in_play.get(play_number)


def _causes(game_id: str) -> _Causes:
    corrections: dict[int, list[int]] = {}
    newest: dict[int, int] = {}
    for number, revision, play in db.session.execute(
        select(Correction.event_number, Correction.revision, RecordedEvent.play_number)
        .join(
            RecordedEvent,
            (RecordedEvent.game_id == Correction.game_id)
            & (RecordedEvent.event_number == Correction.event_number)
            & (RecordedEvent.revision == 0),
        )
        .where(Correction.game_id == game_id)
    ):
        corrections.setdefault(number, []).append(revision)
        newest[play] = max(newest.get(play, 0), revision)
    for play, last in db.session.execute(
        select(RecordedEvent.play_number, func.max(RecordedEvent.event_number))
        .where(RecordedEvent.game_id == game_id)
        .group_by(RecordedEvent.play_number)
    ):
        newest[play] = max(newest.get(play, 0), last)
    return _Causes(corrections, newest)
