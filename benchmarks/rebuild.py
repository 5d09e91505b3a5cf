"""A board rebuilt from PostgreSQL while it is read, beside raw variadic ZADD.

Goal: at most twice as long as ZADD.

`python -m benchmarks.rebuild --members 1000000` starts a PostgreSQL and a Valkey of its own, puts
so many standings into the board's table and, in turns: rebuilds the board as an operator does,
while a thread reads a page of it every READ_SECONDS; writes the same members, held in memory as
text, by ZADD with BATCH of them a command; and reads the same rows from PostgreSQL alone. After
each rebuild the board must have every member, and a sample of ranks equal PostgreSQL's. A page that
is not whole or a wrong rank ends the run with an error. In the end a page of 25 somewhere in the
board is read from it and by SQL's `RANK()`, in turns, which must be the same. `--profile` prints
instead where one rebuild spends its time. No round begins after `--limit` seconds.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from flask import Flask
from sqlalchemy import text

from app import create_app
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.catalogue.services import create_game, create_mode
from app.boards.layouts.board import Board, open_board
from app.boards.models import BoardRecord, BoardScore, Mode
from app.boards.verification import rebuild
from app.boards.windows.rules import ALL_TIME, window_of
from app.core import clock
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.core.redis.clients import boards_redis
from app.settings import Settings
from benchmarks.crowd import percentile
from workers.supervisor.start import running_stack

BATCH = 1_000
READ_SECONDS = 0.2
SAMPLE = 200
PAGE_ROWS = 25
COMMANDS_PER_ROUND_TRIP = 5
RAW = "benchmark:raw"
_FILL = """
    INSERT INTO board_scores (board_id, player_id, score, tie, at, event_id)
    SELECT :board, md5(n::text)::uuid, least(1000000, floor(-ln(1 - random()) * 125000))::bigint, 0,
      n,
      md5(n::text)::uuid
    FROM generate_series(1, :members) n ORDER BY 2
"""
# Twenty-five million rows take minutes, and longer with each foreign key looked up.
_FOR_FILLING = (
    "SET statement_timeout = 0",
    "SET session_replication_role = replica",
    "SET maintenance_work_mem = '1GB'",
    "SET work_mem = '1GB'",
)
_COUNTS = """
    INSERT INTO board_counts (board_id, score, players)
    SELECT board_id, score, count(*) FROM board_scores WHERE board_id = :board GROUP BY board_id,
      score
"""
_RANKS = """
    SELECT player_id, 1 + (SELECT sum(c.players) FROM board_counts c
                           WHERE c.board_id = s.board_id AND c.score > s.score)
    FROM board_scores s WHERE board_id = :board LIMIT :sample
"""


_BY_SQL = """
    SELECT player_id::text, score, rank() OVER (ORDER BY score DESC) FROM board_scores
      WHERE board_id = :board
    ORDER BY score DESC, player_id OFFSET :offset LIMIT 25
"""


def _make_board(members: int) -> int:
    """Create the board in PostgreSQL only and return its id."""
    game = create_game("bowl", "Bowl")
    assert not isinstance(game, list), game
    mode = create_mode(
        game, NewMode("ranked", "Ranked", "highest", "shared", 0, 10**6), clock.now()
    )
    assert not isinstance(mode, list), mode
    board_id = catalogue.board_for(mode, window_of(ALL_TIME, clock.now(), mode.calendar)).id
    db.session.commit()
    _fill(board_id, members)
    return int(board_id)


def _fill(board_id: int, members: int) -> None:
    """Insert the standings in the order of the primary key, and then make the other indexes."""
    indexes = BoardScore.__table__.indexes
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for setting in _FOR_FILLING:
            connection.execute(text(setting))
        for index in indexes:
            index.drop(connection)
        for statement in (_FILL, _COUNTS):
            connection.execute(text(statement), {"board": board_id, "members": members})
        for index in indexes:
            index.create(connection)
        connection.execute(text("VACUUM ANALYZE board_scores"))
        connection.invalidate()  # its settings are not for anybody else


def _opened(board_id: int) -> Board:
    """Open the generation that readers use."""
    record = db.session.get_one(BoardRecord, board_id, populate_existing=True)
    mode = db.session.get_one(Mode, record.mode_id)
    board = open_board(catalogue.spec_of(catalogue.game_of(mode), mode, record))
    db.session.rollback()
    return board


def _read_on(
    app: Flask, board_id: int, stopping: threading.Event, taken: list[float], faults: list[str]
) -> None:
    """Read pages of the board as readers do, until stopped."""
    with app.app_context():
        while not stopping.wait(READ_SECONDS):
            began = time.perf_counter()
            view = _opened(board_id).view(0, PAGE_ROWS)
            taken.append(time.perf_counter() - began)
            if len(view.rows) != PAGE_ROWS:
                faults.append(f"a page had {len(view.rows)} rows of a board of {view.count:,}")


def _check(board_id: int, members: int) -> None:
    board = _opened(board_id)
    ranks = {
        str(row[0]): int(row[1] or 1)
        for row in db.session.execute(text(_RANKS), {"board": board_id, "sample": SAMPLE})
    }
    ranks_found = {
        member: standing.rank for member, standing in board.standings(list(ranks)).items()
    }
    if board.count() != members or ranks_found != ranks:
        wrong = len(ranks_found.items() - ranks.items())
        raise SystemExit(f"the board has {board.count():,} members, and {wrong} wrong ranks")


def _zadd(pairs: list[tuple[str, int]]) -> float:
    """Measure raw ZADD, several commands per round trip; return the seconds."""
    began = time.perf_counter()
    pipeline = boards_redis().pipeline(transaction=False)
    for start in range(0, len(pairs), BATCH):
        pipeline.zadd(RAW, dict(pairs[start : start + BATCH]))
        if len(pipeline) == COMMANDS_PER_ROUND_TRIP:
            pipeline.execute()
    pipeline.execute()
    spent = time.perf_counter() - began
    boards_redis().unlink(RAW)
    return spent


def _read_rows(board_id: int) -> tuple[float, list[tuple[str, int]]]:
    """Measure reading the standings alone, and converting them; return the seconds."""
    began = time.perf_counter()
    driver = db.session.connection().connection.driver_connection
    assert driver is not None
    with driver.cursor(name="benchmark") as cursor:
        cursor.itersize = 10_000
        cursor.execute(
            "SELECT player_id::text, -score FROM board_scores WHERE board_id = %s", (board_id,)
        )
        rows = cursor.fetchall()
    db.session.rollback()
    return time.perf_counter() - began, rows


def _measure(app: Flask, board_id: int, members: int, rounds: int, limit: float) -> None:
    rebuild.rebuild(board_id, clock.now())  # from now on there is a board to read
    ends = time.monotonic() + limit
    rebuilt, raw, rows, reads, faults = [], [], list[float](), list[float](), list[str]()
    for _ in range(rounds):
        stopping = threading.Event()
        reader = threading.Thread(target=_read_on, args=(app, board_id, stopping, reads, faults))
        reader.start()
        began = time.perf_counter()
        try:
            rebuild.rebuild(board_id, clock.now())
        finally:
            rebuilt.append(time.perf_counter() - began)
            stopping.set()
            reader.join()
        _check(board_id, members)
        spent, pairs = _read_rows(board_id)
        rows.append(spent)
        raw.append(_zadd(pairs))
        if faults:
            raise SystemExit(faults[0])
        if time.monotonic() > ends:
            break
    ratio = statistics.median(seconds / floor for seconds, floor in zip(rebuilt, raw, strict=True))
    print(
        f"{members:,} members, {len(rebuilt)} rounds\n\n| way | s | members/s | ratio "
        "|\n|---|---|---|---|"
    )
    for name, taken, ratio_shown in (
        ("raw variadic ZADD", raw, "1.00"),
        (
            "rows read from PostgreSQL alone",
            rows,
            f"{statistics.median(rows) / statistics.median(raw):.2f}",
        ),
        ("rebuilt, and read meanwhile (goal 2)", rebuilt, f"{ratio:.2f}"),
    ):
        print(
            f"| {name} | {statistics.median(taken):.2f} | "
            f"{members / statistics.median(taken):,.0f} | {ratio_shown} |"
        )
    times = f"p50 {percentile(reads, 0.5):.1f} ms, p99 {percentile(reads, 0.99):.1f} ms"
    print(
        f"\n{len(reads)} pages were read meanwhile: {times}. Every one was whole, and every "
        "sampled rank right."
    )


def _compare_pages(board_id: int, members: int, rounds: int) -> None:
    """Compare pages at some places of the board with SQL's RANK(), and time both."""
    board, from_board, sql = _opened(board_id), [], []
    for number in range(rounds):
        offset = members * number // rounds
        began = time.perf_counter()
        rows = [(row.member, row.score, row.rank) for row in board.view(offset, 25).rows]
        from_board.append(time.perf_counter() - began)
        began = time.perf_counter()
        expected = [
            tuple(row)
            for row in db.session.execute(text(_BY_SQL), {"board": board_id, "offset": offset})
        ]
        sql.append(time.perf_counter() - began)
        if rows != expected:
            raise SystemExit(
                f"the page at {offset:,} is another one by SQL: {rows[:2]}, {expected[:2]}"
            )
    ratio = statistics.median(
        by_sql / seconds for by_sql, seconds in zip(sql, from_board, strict=True)
    )
    times = (
        f"{percentile(from_board, 0.5):.2f} ms from the board, {percentile(sql, 0.5):,.2f} ms by "
        "SQL's RANK()"
    )
    print(f"A page of 25 with its ranks: {times}, {ratio:,.0f} times as long.")


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--limit", type=float, default=600, help="seconds after which no further round begins"
    )
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
    ):
        # like the command
        app = create_app(replace(stack, database_url=stack.owner_url), Use.UPKEEP)
        with app.app_context():
            board_id = _make_board(arguments.members)
            if arguments.profile:
                with cProfile.Profile() as profiled:
                    rebuild.rebuild(board_id, clock.now())
                pstats.Stats(profiled).sort_stats("tottime").print_stats(25)
                return
            _measure(app, board_id, arguments.members, arguments.rounds, arguments.limit)
            _compare_pages(board_id, arguments.members, arguments.rounds)


if __name__ == "__main__":
    main()
