"""Whether a typed game, rebuilt from the stream, is the game that was typed.

Every derived row, the ledger included.
"""

from __future__ import annotations

from pathlib import Path

from app.core import clock
from app.core.blob_store import BlobStore
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.record.rebuild import DERIVED, Stream, rebuild_game
from app.settings import Settings
from tests.e2e.typist.tally import Tally
from tests.worlds.entered_game import every_row

TABLES = [table.__tablename__ for table in DERIVED] + ["player_points"]


def compare_rebuilt(tally: Tally, settings: Settings, archive: Path) -> None:
    """Forgets what was derived from the game's events and builds it anew from Kafka.

    `archive` is an empty folder.

    Fills `tally.rebuilt`: a line for each table whose rows are not what they were, and one where
    the stream held other events than the record.
    """
    was = every_row()
    stream = Stream(settings, BlobStore(str(archive)), clock.now())
    built = rebuild_game(tally.game, stream, clock.now(), store_player_points, forget_player_points)
    now = every_row()
    tally.rebuilt = [
        f"{table}: {len(set(was[table]) - set(now[table]))} rows gone, "
        f"{len(set(now[table]) - set(was[table]))} come"
        for table in TABLES
        if was[table] != now[table]
    ]
    sent = sum('"revision": 0' in row for row in was["events"])
    if not was["ledger"] or built.events != sent:
        tally.rebuilt.append(
            f"{built.events} events in the stream, {sent} on the record, {len(was['ledger'])} "
            "entered"
        )
