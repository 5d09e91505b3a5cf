"""Ways back after a loss, as drills: each says first what it would do, does it with progress, and may be done twice.

Called by commands (app/cli) and by the operations that an operator asks for on a page (operations.py).
Not here: how a thing is made again (app/record/rebuild.py, app/boards/rebuild.py, app/stream/republish.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import current_app
from sqlalchemy import func, select

from app.boards import rebuild as boards
from app.core import clock
from app.core.blobs import blob_store
from app.core.db import db
from app.core.errors import UserError
from app.core.redis import boards_redis, is_cluster
from app.fantasy.gameweeks import large_tables
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.fantasy.standings.boards import publish_all_boards
from app.ops import backup
from app.predictions import projection, tournaments
from app.record.models import RecordedEvent
from app.record.rebuild import Incomplete, Rebuilt, Stream, begun_games, rebuild_game
from app.settings import Settings
from app.stream.kafka import end_offsets
from app.stream.models import OutboxMessage
from app.stream.republish import republish_if_empty
from app.stream.topics import GAME_EVENTS

Say = Callable[[str], None]
# Made again by the next reader: friends' boards and guilds', merged tops, what is remembered beside a board.
CACHES = ("lb:friends:*", "lb:guild:*", "lb:{*top}", "lb:{*}:details")


@dataclass(frozen=True)
class Drill:
    """`plan` says what would be done and changes nothing; `run` does it and says what came of it."""

    title: str
    about: str
    plan: Callable[[], str]
    run: Callable[[Say], str]


def _settings() -> Settings:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings


def rebuild_records(games: Sequence[str], settings: Settings, say: Say) -> tuple[list[Rebuilt], list[str]]:
    """Builds the record of these games anew, each in a transaction of its own, then the league tables.

    What was rebuilt, and why the others were left as they are. Raises NoSuchGame, ArchiveBroken.
    """
    done, refused = [], []
    source = Stream(settings, blob_store(), clock.now())
    for place, game in enumerate(games, start=1):
        say(f"Game {place} of {len(games)}: {game}")
        try:
            done.append(rebuild_game(game, source, clock.now(), store_player_points, forget_player_points))
        except Incomplete as error:
            refused.append(str(error))
            continue
        refresh_game(game, clock.now())
    publish_all_boards()
    return done, refused


def _plan_record() -> str:
    games = begun_games()
    events = db.session.scalar(select(func.count()).select_from(RecordedEvent)) or 0
    return f"{len(games)} games with {events} recorded events would be built anew, each in one transaction."


def _run_record(say: Say) -> str:
    done, refused = rebuild_records(begun_games(), _settings(), say)
    if refused:
        raise UserError(" ".join(refused))
    return f"{len(done)} games rebuilt from {sum(one.events for one in done)} messages."


def rebuild_boards(found: Sequence[tuple[int, str]], say: Say) -> int:
    """Fills these boards (id, name) anew; how many places. Raises RedisAway."""
    players = 0
    for place, (board_id, name) in enumerate(found, start=1):
        shown = f"Board {place} of {len(found)}, {name}"
        say(shown)
        built = boards.rebuild(board_id, clock.now(), say=lambda count, shown=shown: say(f"{shown}: {count} players"))  # type: ignore[misc]
        players += built.players if built else 0
    return players


def _plan_boards() -> str:
    return f"{len(boards.living())} boards and every league table would be filled from PostgreSQL."


def _run_boards(say: Say) -> str:
    tables, found = publish_all_boards() + large_tables.show_all(clock.now()), boards.living()
    players = rebuild_boards(found, say)
    return f"{len(found)} boards rebuilt with {players} places; {tables} league tables written."


def _caches() -> list[bytes]:
    client = boards_redis()
    scan = {"target_nodes": "primaries"} if is_cluster(client) else {}
    return [key for pattern in CACHES for key in client.scan_iter(pattern, count=1000, **scan)]


def _plan_caches() -> str:
    return (
        f"{len(_caches())} kept lists, tops and names would be dropped, and the tournaments' projections written anew."
    )


def _run_caches(say: Say) -> str:
    keys = _caches()
    for number, key in enumerate(keys, start=1):
        boards_redis().unlink(key)
        if number % 1000 == 0:
            say(f"{number} of {len(keys)} dropped")
    written = _hydrate(say)
    if differing := projection.differences():
        raise UserError(f"Redis does not show what PostgreSQL has of {', '.join(differing)}: run this again.")
    return f"{len(keys)} caches dropped; {written} projections of tournaments written and compared."


def _hydrate(say: Say) -> int:
    found = [one for one in tournaments.listed() if one.is_active]
    for number, one in enumerate(found, start=1):
        say(f"Tournament {number} of {len(found)}: {one.name}")
        projection.hydrate(one.id)
    return len(found)


def _plan_stream() -> str:
    published = select(func.count()).select_from(OutboxMessage).where(OutboxMessage.published_at.is_not(None))
    count = db.session.scalar(published) or 0
    if any(end_offsets(_settings(), GAME_EVENTS).values()):
        return "Nothing: the topic holds messages. `pressbox stream republish --game ID` is for a single game."
    return f"{count} events would be published again; ingestion skips what it knows."


def _run_stream(say: Say) -> str:
    say("Looking at the topic")
    count = republish_if_empty(_settings())
    return f"{count} events are published again by the relay." if count else "Nothing to do: the topic holds messages."


def _plan_backup() -> str:
    size = db.session.scalar(select(func.pg_database_size(func.current_database()))) or 0
    return (
        f"PostgreSQL ({size // 1024 // 1024} MiB) would be dumped, compressed, to {blob_store().url}/{backup.FOLDER}."
    )


def _run_backup(say: Say) -> str:
    made = backup.make(_settings(), blob_store(), clock.now(), say)
    return (
        f"{made.name}: {made.bytes} bytes, {sum(made.rows.values())} rows in {len(made.rows)} tables, read back whole."
    )


DRILLS = {
    "record": Drill(
        "Rebuild the record",
        "Plays, stat lines, points and the ledger of every game, from Kafka and the archive.",
        _plan_record,
        _run_record,
    ),
    "boards": Drill("Rebuild the boards", "Every board in Redis, from PostgreSQL.", _plan_boards, _run_boards),
    "caches": Drill("Drop the caches", "What the next reader makes again.", _plan_caches, _run_caches),
    "stream": Drill(
        "Republish the stream", "An empty topic gets every event of the outbox again.", _plan_stream, _run_stream
    ),
    "backup": Drill(
        "Back PostgreSQL up", "A dump in the blob store, read back and verified.", _plan_backup, _run_backup
    ),
}
