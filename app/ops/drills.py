"""Recovery drills: each has a dry run, shows progress, and may be done twice.

Commands (app/cli) and operations that an operator requests on a page (operations.py) run them. The
rebuilding itself is in app/record/rebuild.py, app/boards/verification/rebuild.py and
app/stream/republish.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import redis
from flask import current_app
from sqlalchemy import func, select

from app.boards.verification import rebuild as boards
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.core.errors import UserError
from app.core.plurals import counted
from app.core.redis.clients import boards_redis, is_cluster, jobs_redis
from app.fantasy.gameweeks import large_tables
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.scoring.points import forget_player_points, store_player_points
from app.fantasy.standings.boards import publish_all_boards
from app.ops import backup
from app.ops.board_stores import BoardStore, LargeTableStore, league_tables
from app.ops.comparison import Comparison, compare, judge
from app.ops.tournament_stores import TournamentStore
from app.predictions import tournaments
from app.predictions.projections import store as projections
from app.record import verification
from app.record.models import RecordedEvent
from app.record.rebuild import IncompleteStreamError, Rebuilt, Stream, begun_games, rebuild_game
from app.settings import Settings
from app.stream.kafka import end_offsets
from app.stream.models import OutboxMessage
from app.stream.republish import republish_if_empty
from app.stream.topics import GAME_EVENTS

Say = Callable[[str], None]
# Caches in the boards' Redis, which the next reader fills again: boards of friends and guilds,
# merged tops, details of players.
BOARD_CACHES = ("lb:friends:*", "lb:guild:*", "lb:{*top}", "lb:{*}:details")
# Caches in the jobs' Redis: percentiles, swings and their pictures, steps of games, films, parts of
# pages and polls.
OTHER_CACHES = (
    "percentiles:[0-9]*",
    "swings:*",
    "swing-picture:*",
    "steps:*",
    "evening:*",
    "polls:entry:*",
)


@dataclass(frozen=True)
class Drill:
    """A drill: `plan` says what would be done, `run` does it; both return the result as text."""

    title: str
    about: str
    plan: Callable[[], str]
    run: Callable[[Say], str]


def _settings() -> Settings:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings


@dataclass(frozen=True)
class RebuiltRecords:
    """The rebuilt games, why the others were left as they are, and the comparisons."""

    done: Sequence[Rebuilt]
    refused: Sequence[str]
    comparisons: Sequence[Comparison]


def rebuild_records(games: Sequence[str], settings: Settings, say: Say) -> RebuiltRecords:
    """Rebuild the record of these games, each in its own transaction, then the league tables.

    Both are compared afterwards.

    Raises:
        NoSuchGameError: There is no such game.
        ArchiveBrokenError: An object of the archive is broken.
        RedisAway: Redis does not answer.
    """
    done: list[Rebuilt] = []
    refused: list[str] = []
    source = Stream(settings, blob_store(), clock.now())
    for place, game in enumerate(games, start=1):
        say(f"Game {place} of {len(games)}: {game}")
        try:
            done.append(
                rebuild_game(game, source, clock.now(), store_player_points, forget_player_points)
            )
        except IncompleteStreamError as error:
            refused.append(str(error))
            continue
        refresh_game(game, clock.now())
    _, league_tables_compared = _rewrite_league_tables(say)
    return RebuiltRecords(
        done, refused, [_compare_records(done, source, say), league_tables_compared]
    )


def _compare_records(done: Sequence[Rebuilt], source: Stream, say: Say) -> Comparison:
    """Compare each event in the record with its message."""
    comparison = Comparison(("game", "games"), "their messages")
    for rebuilt in done:
        say(f"Comparing game {rebuilt.game_id}")
        faults = verification.event_faults(rebuilt.game_id, source)
        if faults:
            source.look()  # what was entered meanwhile is not a fault
            faults = verification.event_faults(rebuilt.game_id, source)
        comparison.note([f"Game {rebuilt.game_id}: {fault}" for fault in faults])
        comparison.stores, comparison.rows = comparison.stores + 1, comparison.rows + rebuilt.events
    return comparison


def _plan_record() -> str:
    games = begun_games()
    events = db.session.scalar(select(func.count()).select_from(RecordedEvent)) or 0
    return (
        f"{counted(len(games), 'game')} with {counted(events, 'recorded event')} would be "
        "rebuilt, each in one transaction."
    )


def _run_record(say: Say) -> str:
    rebuilt = rebuild_records(begun_games(), _settings(), say)
    if rebuilt.refused:
        raise UserError(" ".join(rebuilt.refused))
    messages = sum(game.events for game in rebuilt.done)
    outcome = f"{counted(len(rebuilt.done), 'game')} rebuilt from {counted(messages, 'message')}."
    return f"{outcome}\n{judge(rebuilt.comparisons)}"


def rebuild_boards(named_boards: Sequence[tuple[int, str]], say: Say) -> int:
    """Rebuild these boards (id, name); return the number of places. Raises RedisAway."""
    players = 0
    for place, (board_id, name) in enumerate(named_boards, start=1):
        title = f"Board {place} of {len(named_boards)}, {name}"
        say(title)
        say_players = partial(_say_players, say, title)
        built = boards.rebuild(board_id, clock.now(), say=say_players)
        players += built.players if built else 0
    return players


def _say_players(say: Say, title: str, count: int) -> None:
    say(f"{title}: {count} players")


def _plan_boards() -> str:
    return f"{len(boards.living())} boards and every league table would be filled from PostgreSQL."


def _run_boards(say: Say) -> str:
    large = Comparison(("order of a large league", "orders of large leagues"))
    tables, league_tables_compared = _rewrite_league_tables(say)
    tables += large_tables.rebuild_all(
        clock.now(), lambda written: large.add(LargeTableStore(written))
    )
    named_boards = boards.living()
    players = rebuild_boards(named_boards, say)
    comparisons = [
        compare_boards(named_boards, say),
        league_tables_compared,
    ]
    if large.stores:
        comparisons.append(large)
    compared = judge(comparisons)
    count = counted(len(named_boards), "board", "boards")
    return f"{count} rebuilt with {players} places; {tables} league tables written.\n{compared}"


def _rewrite_league_tables(say: Say) -> tuple[int, Comparison]:
    """Write the league tables that are missing or wrong in Redis.

    Returns:
        How many, and their comparison afterwards.
    """
    tables, compared = publish_all_boards(), compare_league_tables(say)
    if compared.wrong:  # their versions are right, so they would not be written
        for store, row in compared.wrong:
            store.drop(row)
        tables += publish_all_boards()
        compared = compare_league_tables(say)
    return tables, compared


def rebuild_one_board(board_id: int, name: str, say: Say) -> str:
    """Rebuild this board and compare it; return the result as text.

    Raises:
        UserError: The board differs from PostgreSQL.
        RedisAway: Redis does not answer.
    """
    named_boards = [(board_id, name)]
    players = rebuild_boards(named_boards, say)
    return f"1 board rebuilt with {players} places.\n{judge([compare_boards(named_boards, say)])}"


def compare_boards(boards_named: Sequence[tuple[int, str]], say: Say) -> Comparison:
    """Compare these boards (id, name) in Redis with PostgreSQL. Raises RedisAway."""
    return compare(("board", "boards"), (BoardStore(*board) for board in boards_named), say)


def compare_league_tables(say: Say) -> Comparison:
    """Compare every league table in Redis with PostgreSQL. Raises RedisAway."""
    return compare(("league table", "league tables"), league_tables(), say)


def compare_tournaments(listed: Sequence[tournaments.Listed], say: Say) -> Comparison:
    """Compare what Redis holds of these tournaments with PostgreSQL. Raises RedisAway."""
    return compare(
        ("tournament", "tournaments"),
        (TournamentStore(tournament.id, tournament.name) for tournament in listed),
        say,
    )


def _caches() -> list[tuple[redis.Redis, bytes]]:
    """Return the keys of all caches, each with the server that holds it."""
    caches: list[tuple[redis.Redis, bytes]] = []
    for client, patterns in ((boards_redis(), BOARD_CACHES), (jobs_redis(), OTHER_CACHES)):
        scan = {"target_nodes": "primaries"} if is_cluster(client) else {}
        caches += [
            (client, key)
            for pattern in patterns
            for key in client.scan_iter(pattern, count=1000, **scan)
        ]
    return caches


def _plan_caches() -> str:
    return (
        f"{len(_caches())} cached lists, top rows, names, page fragments and replays would be "
        "dropped, and the tournaments' projections rebuilt."
    )


def _run_caches(say: Say) -> str:
    keys = _caches()
    for number, (client, key) in enumerate(keys, start=1):
        client.unlink(key)
        if number % 1000 == 0:
            say(f"{number} of {len(keys)} dropped")
    active = [tournament for tournament in tournaments.listed() if tournament.is_active]
    compared = hydrate_tournaments(active, say)
    return (
        f"{len(keys)} caches dropped; {len(active)} projections of tournaments written.\n{compared}"
    )


def hydrate_tournaments(listed: Sequence[tournaments.Listed], say: Say) -> str:
    """Rebuild what Redis holds of these tournaments and compare it; return the result as text.

    Raises:
        UserError: It differs from PostgreSQL.
        RedisAway: Redis does not answer.
    """
    for number, tournament in enumerate(listed, start=1):
        say(f"Tournament {number} of {len(listed)}: {tournament.name}")
        projections.hydrate(tournament.id)
    return judge([compare_tournaments(listed, say)])


def _plan_stream() -> str:
    published = (
        select(func.count())
        .select_from(OutboxMessage)
        .where(OutboxMessage.published_at.is_not(None))
    )
    count = db.session.scalar(published) or 0
    if any(end_offsets(_settings(), GAME_EVENTS).values()):
        return (
            "Nothing: the topic holds messages. `pressbox stream republish --game ID` is for a "
            "single game."
        )
    return f"{count} events would be published again; ingestion skips what it knows."


def _run_stream(say: Say) -> str:
    say("Checking the topic")
    count = republish_if_empty(_settings())
    return (
        f"{count} events are published again by the relay."
        if count
        else "Nothing to do: the topic holds messages."
    )


def _plan_backup() -> str:
    size = db.session.scalar(select(func.pg_database_size(func.current_database()))) or 0
    return (
        f"PostgreSQL ({size // 1024 // 1024} MiB) would be dumped, compressed, to "
        f"{blob_store().url}/{backup.FOLDER}."
    )


def _run_backup(say: Say) -> str:
    manifest = backup.make(_settings(), blob_store(), clock.now(), say)
    tried = (
        "A trial restore matched."
        if manifest.is_tried
        else "No trial restore: the owner of the tables may not create databases "
        "(`ALTER ROLE ... CREATEDB`)."
    )
    return (
        f"{manifest.name}: {manifest.bytes} bytes, {sum(manifest.rows.values())} rows in "
        f"{len(manifest.rows)} tables, read back completely. {tried}"
    )


DRILLS = {
    "record": Drill(
        "Rebuild the record",
        "Plays, stat lines, points and the ledger of every game, from Kafka and the archive.",
        _plan_record,
        _run_record,
    ),
    "boards": Drill(
        "Rebuild the boards", "Every board in Redis, from PostgreSQL.", _plan_boards, _run_boards
    ),
    "caches": Drill(
        "Drop the caches", "They are rebuilt on the next read.", _plan_caches, _run_caches
    ),
    "stream": Drill(
        "Republish the stream",
        "Sends every event of the outbox again, if the topic is empty.",
        _plan_stream,
        _run_stream,
    ),
    "backup": Drill(
        "Back up PostgreSQL",
        "Writes a dump to the blob store, reads it back and tries a restore.",
        _plan_backup,
        _run_backup,
    ),
}
