"""From Kafka to committed rows, stat lines, ledger, points and boards.

Goals: at least 0.6 of bare INSERTs of the same rows, and 8,000 events per second.

`python -m benchmarks.ingest` starts stores and every process of ours in a temporary folder and
makes the demo season. Each round puts simulated games of the running gameweek into the broker, 16
at a time with one event of each in turn, while the bridge is held; then the bridge goes on, the
clock starts, and it waits until all their events are committed and the tables of their gameweek
show them. In the same round, one after the other: (a) a consumer reads and decodes the same events;
(b) the rows that ours came to are inserted into copies of their tables with ON CONFLICT DO NOTHING,
as texts, 500 a commit. Printed: events a second of each, medians of the rounds, medians of the
ratios of the same round, and the processor time that every process took for an event. A round that
loses an event ends the run with an error. `--profile` prints instead where one process spends the
time of taking them in, a poll of the bridge at a time.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
from flask import current_app
from kafka import TopicPartition
from psycopg import sql
from sqlalchemy import text

from app import create_app
from app.boards.layouts.parts import chunks
from app.core import clock
from app.core.db import db
from app.demo.season import CURRENT
from app.demo.seed import seed_demo
from app.fantasy.gameweeks.live import refresh_behind
from app.record import events as ev
from app.settings import Settings
from app.stream.kafka import connection, end_offsets
from app.stream.messages import Message
from app.stream.tolerant_consumer import TolerantConsumer
from app.stream.topics import GAME_EVENTS
from benchmarks.games import (
    Sent,
    encoded,
    named,
    register,
    send,
    side_by_side,
    simulated,
    wait_until_shown,
)
from benchmarks.load import PATIENCE_SECONDS
from benchmarks.processes import belonging_to, name_of
from workers.jobs.ingest_events import ingest
from workers.supervisor.start import running_stack

BATCH = 500
DIFFERENT = 16  # simulated games; the others are copies of them under other names
# Tables that ingestion does not fill: registrations, the console's, and marks of refreshes.
NOT_COPIED = ("outbox", "scorer_leases", "script_steps", "game_refreshes", "game_details")


def _rounds_of(events: int, rounds: int, week: int, season: int) -> list[list[Sent]]:
    """Return each round's part of the events, of whole games except for the last ones.

    Registers the games.
    """
    scripts = simulated(DIFFERENT, season, week, clock.now())
    parts = []
    events_per_round = events // rounds
    for number in range(rounds):
        games: list[list[Sent]] = []
        while sum(len(game) for game in games) < events_per_round:
            script = named(scripts[len(games) % DIFFERENT], f"bench-{number}-{len(games)}")
            register([script])
            games.append(encoded(script))
            if (
                events_per_round < DIFFERENT * 600
            ):  # fewer than 16 whole games: take the beginning of each
                games[-1] = games[-1][: -(-events_per_round // DIFFERENT)]
        parts.append(list(side_by_side(games))[:events_per_round])
    return parts


def _games_of(events: Sequence[Sent]) -> list[str]:
    return sorted({event.game_id for event in events})


def _consume(settings: Settings, begins: dict[int, int], count: int) -> float:
    """Read and decode so many events from these offsets on; return the seconds it took."""
    consumer = TolerantConsumer(
        **connection(settings), enable_auto_commit=False, max_poll_records=BATCH
    )
    try:
        places = {
            TopicPartition(GAME_EVENTS.name, number): offset for number, offset in begins.items()
        }
        consumer.assign(list(places))
        for place, offset in places.items():
            consumer.seek(place, offset)
        began, read = time.perf_counter(), 0
        while read < count:
            if time.perf_counter() - began > PATIENCE_SECONDS:
                raise SystemExit(f"the broker gave {read} of {count} events")
            for records in consumer.poll(timeout_ms=500).values():
                for record in records:
                    ev.decode(record.value)
                read += len(records)
        return time.perf_counter() - began
    finally:
        consumer.close()


class _Copies:
    """Copies of the tables that ingestion writes to, empty and without foreign keys."""

    def __init__(self, owner: psycopg.Connection[tuple[str, ...]]) -> None:
        self.owner = owner
        rows = owner.execute(
            """
            SELECT c.table_name, array_agg(c.column_name::text ORDER BY c.ordinal_position)
            FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema,
              table_name)
            WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
              AND c.is_generated = 'NEVER'
              AND c.table_name <> ALL(%s)
            GROUP BY 1 HAVING bool_or(c.column_name = 'game_id' AND c.udt_name <> 'uuid') ORDER BY 1
            """,
            (list(NOT_COPIED),),
        ).fetchall()
        self.columns: dict[str, list[str]] = {str(name): list(columns) for name, columns in rows}
        for name in self.columns:
            create = sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)")
            owner.execute(create.format(sql.Identifier(f"copy_{name}"), sql.Identifier(name)))

    def insert(self, games: Sequence[str]) -> tuple[float, int]:
        """Insert the rows of these games, 500 per commit; return seconds and number of rows."""
        rows = {name: self._rows(name, columns, games) for name, columns in self.columns.items()}
        spent = 0.0
        for name, columns in self.columns.items():
            insert = sql.SQL(
                "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({}) ON CONFLICT DO NOTHING"
            ).format(
                sql.Identifier(f"copy_{name}"),
                sql.SQL(", ").join(map(sql.Identifier, columns)),
                sql.SQL(", ").join(sql.Placeholder() * len(columns)),
            )
            began = time.perf_counter()
            for part in chunks(rows[name], BATCH):
                with self.owner.transaction(), self.owner.cursor() as cursor:
                    cursor.executemany(insert, part)
            spent += time.perf_counter() - began
        return spent, sum(map(len, rows.values()))

    def _rows(self, name: str, columns: list[str], games: Sequence[str]) -> list[tuple[str, ...]]:
        texts = sql.SQL(", ").join(
            sql.SQL("{}::text").format(sql.Identifier(column)) for column in columns
        )
        query = sql.SQL("SELECT {} FROM {} WHERE game_id = ANY(%s)").format(
            texts, sql.Identifier(name)
        )
        return self.owner.execute(query, (list(games),)).fetchall()


@contextmanager
def _held(processes: Sequence[psutil.Process]) -> Iterator[None]:
    """Stop the bridge in the meantime: only the way from the broker on is measured."""
    bridges = [process for process in processes if "workers.rq_worker ingest" in name_of(process)]
    for bridge in bridges:
        bridge.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for bridge in bridges:
            bridge.send_signal(signal.SIGCONT)


def _spent_by(processes: Sequence[psutil.Process]) -> Counter[tuple[int, str]]:
    """Return seconds of processor time by id and name of the process."""
    seconds: Counter[tuple[int, str]] = Counter()
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # one of PostgreSQL's that comes and goes
            seconds[process.pid, name_of(process)] = sum(process.cpu_times()[:2])
    return seconds


@dataclass(frozen=True)
class _Round:
    """`seconds`: of each way.

    `processor`: seconds by process while ours went from the broker to every table.
    """

    seconds: dict[str, float]
    processor: Counter[str]
    rows: int


def _one_round(settings: Settings, copies: _Copies, events: Sequence[Sent]) -> _Round:
    processes = belonging_to(psutil.Process(), settings.var)
    begins = end_offsets(settings, GAME_EVENTS)
    with _held(processes):
        sent = send(settings, events)
        before = _spent_by(processes)
    began = time.perf_counter()
    committed = wait_until_shown(_games_of(events), len(events))
    shown_at = time.perf_counter()
    after = _spent_by(processes)
    processor: Counter[str] = Counter()
    for (pid, name), spent in after.items():
        processor[name] += spent - before[pid, name]
    read = _consume(settings, begins, len(events))
    inserted, rows = copies.insert(_games_of(events))
    # The next round's games are the gameweek's only ones, as they are on a Sunday.
    db.session.execute(
        text("UPDATE games SET week = 99 WHERE id = ANY(:games)"), {"games": _games_of(events)}
    )
    db.session.commit()
    seconds = {
        "sent to the broker": sent,
        "ours, committed": committed - began,
        "ours, and shown in every table": shown_at - began,
        "(a) consumed and decoded": read,
        "(b) the same rows inserted": inserted,
    }
    return _Round(seconds, processor, rows)


def _report(rounds: Sequence[_Round], events: int) -> None:
    """The first round warms up."""
    floor = "(b) the same rows inserted"
    measured = rounds[1:]
    print(f"{events} events a round, {rounds[-1].rows} rows; {len(measured)} rounds.\n")
    print("| way | events/s | ratio to (b) |\n|---|---|---|")
    for target in measured[0].seconds:
        rate = statistics.median(events / one_round.seconds[target] for one_round in measured)
        ratio = statistics.median(
            one_round.seconds[floor] / one_round.seconds[target] for one_round in measured
        )
        print(f"| {target} | {rate:,.0f} | {ratio:.2f} |")
    print("\n| process, from the broker to every table | processor µs an event |\n|---|---|")
    for name in sorted(
        {name for one_round in measured for name, spent in one_round.processor.items() if spent > 0}
    ):
        per_event = (one_round.processor[name] / events * 1e6 for one_round in measured)
        print(f"| {name} | {statistics.median(per_event):.0f} |")


def _profile(events: Sequence[Sent]) -> None:
    """Takes them in as jobs would, 500 at a time of one partition, then refreshes the tables."""
    gameweek = db.session.scalar(
        text("SELECT id FROM gameweeks WHERE week = :week"), {"week": CURRENT}
    )
    assert gameweek is not None
    settings: Settings = current_app.config["PRESSBOX"]
    messages = [
        Message(GAME_EVENTS.name, 0, place, event.game_id, event.value)
        for place, event in enumerate(events)
    ]
    with cProfile.Profile() as profiled:
        for part in chunks(messages, BATCH):
            ingest(part, settings)
            refresh_behind(gameweek, clock.now())
    pstats.Stats(profiled).sort_stats("cumulative").print_stats(90)


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--events", type=int, default=100_000, help="of all rounds that count")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1, help="of ingestion")
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    each = arguments.events // arguments.rounds
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(
            Settings(var=Path(folder), workers=arguments.workers), processes=not arguments.profile
        ) as stack,
        create_app(stack).app_context(),
    ):
        seed_demo(lambda *_: None)
        season = db.session.scalar(text("SELECT season FROM gameweeks LIMIT 1"))
        rounds = _rounds_of(
            each * (arguments.rounds + 1), arguments.rounds + 1, CURRENT, int(season or 0)
        )
        if arguments.profile:
            _profile(rounds[0])
            return
        with psycopg.connect(stack.owner_url, autocommit=True) as owner:
            copies = _Copies(owner)
            _report([_one_round(stack, copies, events) for events in rounds], each)


if __name__ == "__main__":
    main()
