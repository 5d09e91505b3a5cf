"""A poll of a fragment that has changed, against a bare Flask view on the same server.

Goal: at least 0.4 of the bare view.

`python -m benchmarks.changed_polls` makes the same world as benchmarks.polls and serves it as
production does. A signed-in member polls the league table, a game, a board and the bell over so
many connections with a tag that is not the fragment's any more, so that every answer is a 200 with
the whole fragment. Meanwhile what the fragments show changes at a tempo (`--changes` a second): a
version of the table and of the game, a score on the board, a notice. Each round asks the bare view
and every fragment in turn. Printed: answers a second (median of the rounds), the 50th and 95th
percentile, and the median of the ratios to the bare view of the same round.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import structlog
from flask import Flask
from sqlalchemy import text

from app import create_app
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.rules import Held
from app.boards.windows.rules import ALL_TIME, window_of
from app.core import clock
from app.core.db import db
from app.settings import Settings
from benchmarks.load import BARE, measure, request, serving_bare
from benchmarks.polls import make_world, sign_in
from benchmarks.slow_clients import serving
from workers.supervisor.start import running_stack

_CHANGES = (
    "UPDATE league_versions SET version = version + 1",
    "UPDATE game_states SET version = version + 1",
    "INSERT INTO notices (member_id, kind, key, title, body, path, names, created_at) SELECT id, "
    "'mention',"
    " 'changed-' || :number, 'Changed', '', '/', '{}', now() FROM members WHERE username = "
    "'member'",
)


@contextmanager
def _changing(app: Flask, path: str, tempo: float) -> Iterator[None]:
    """Change something of every fragment so many times per second; `path` is the board's."""
    ended = threading.Event()

    def change() -> None:
        with app.app_context():
            game = catalogue.find_game(path.split("/")[2])
            assert game is not None
            mode = catalogue.find_mode(game, path.split("/")[3])
            assert mode is not None
            window = window_of(ALL_TIME, clock.now(), mode.calendar)
            board = open_board(catalogue.spec_of(game, mode, catalogue.board_for(mode, window)))
            for number in itertools.count():
                for statement in _CHANGES:
                    db.session.execute(
                        text(statement), {"number": number} if ":number" in statement else {}
                    )
                db.session.commit()
                board.put({str(UUID(int=1 + number % 1_000)): Held(2_000 + number, 0)})
                if ended.wait(1 / tempo):
                    return

    writer = threading.Thread(target=change)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each poll in each round")
    parser.add_argument("--changes", type=float, default=2.0, help="of everything, a second")
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
    ):
        app = create_app(stack)
        with app.app_context():
            paths = make_world()
        with serving("uvicorn", stack) as port, serving_bare(stack.web_threads) as floor:
            headers = {"Cookie": sign_in(port), "HX-Request": "true", "If-None-Match": '"f-before"'}
            polls = {name: (port, request(path, headers)) for name, path in paths.items()}
            ways = {BARE: (floor, request("/", {})), **polls}
            with _changing(app, paths["board"], arguments.changes):
                figures = measure(ways, arguments.rounds, arguments.connections, arguments.seconds)
    print("| poll, changed | answers/s | p50 ms | p95 ms | ratio |\n|---|---|---|---|---|")
    for name, figure in figures.items():
        times = f"{figure.part(0.5):.1f} | {figure.part(0.95):.1f}"
        print(f"| {name} | {figure.rate:.0f} | {times} | {figure.ratio(figures[BARE]):.2f} |")


if __name__ == "__main__":
    main()
