"""The pages that everybody opens, against a bare Flask view on the same server.

Goals: each at least 0.15 of the bare view, those of one member and the console 0.10, and 95 of 100
answers within 100 ms, at 16 connections. The replay of a gameweek within 500 ms.

`python -m benchmarks.pages` starts stores of its own in a temporary folder, plays the demo season
into the record, fills a league with 10,000 members and their team sheets, a board with 1,000 scores
and the list of games with 200, and serves it as production does: one web process of `workers.web`
with its usual threads. A signed-in member asks for whole pages, not for fragments, over so many
connections; each round asks the bare view and every page in turn. Printed: answers a second (median
of the rounds), the 50th and 95th percentile, the median of the ratios to the bare view of the same
round, the SQL statements of one answer and its size. tests/web/test_statements_of_pages.py holds
that the statements do not grow with the rows. The replay of a gameweek of four whole games is asked
for alone in this process: first, when it is made from the record, and again. `--profile PAGE`
prints instead where one process spends the time of 100 answers.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from flask.testing import FlaskClient
from sqlalchemy import Engine, event, text

from app import create_app
from app.core import clock
from app.core.db import db
from app.demo.seed import seed_demo
from app.fantasy.gameweeks.live import refresh_gameweek
from app.fantasy.scoring.points import store_player_points
from app.record.ingest import ingest_batch
from app.settings import Settings
from app.stream.messages import Message
from app.stream.topics import GAME_EVENTS
from benchmarks.crowd import make_crowd
from benchmarks.load import BARE, measure, request, serving_bare
from benchmarks.polls import make_board, sign_in
from benchmarks.slow_clients import serving
from scorer_console.record.replay import enter_steps
from workers.supervisor.start import running_stack

SCORES = 1_000  # on the board
GAMES = 200
BATCH = 500  # messages per batch, as a bridge takes them
REPLAY = "/leagues/the-press-row/replay/2"  # all four games of the gameweek are over
OPENED = 20  # requests of the client before it counts statements

_GAMES = """
    INSERT INTO games (id, competition, season, season_type, week, kickoff, home_id, away_id)
      SELECT 'past-' || n, g.competition, g.season - 1, g.season_type, g.week,
        g.kickoff - interval '1 year', g.home_id,
        g.away_id
      FROM generate_series(1, {games}) n
      JOIN (SELECT *, row_number() OVER (ORDER BY id) AS number FROM games) g
        ON g.number = 1 + n % 8;
    INSERT INTO game_states (game_id, status, home_score, away_score, state, version, updated_at)
      SELECT n.id, 'final', 20, 17, s.state, 1, now() FROM games n,
        (SELECT state FROM game_states ORDER BY game_id LIMIT 1) s WHERE n.id LIKE 'past-%';
"""


def play_demo() -> None:
    """Record the games of the demo season and add up its tables."""
    seed_demo(enter_steps)
    rows = db.session.execute(
        text("SELECT game_id, event_number, payload FROM outbox ORDER BY game_id, id")
    ).all()
    messages = [
        Message(GAME_EVENTS.name, 0, offset, row.game_id, bytes(row.payload))
        for offset, row in enumerate(rows)
    ]
    for start in range(0, len(messages), BATCH):
        ingest_batch(messages[start : start + BATCH], clock.now(), store_player_points)


def refresh_gameweeks() -> None:
    """Add up the tables of every gameweek."""
    for gameweek in db.session.scalars(text("SELECT id FROM gameweeks ORDER BY week")).all():
        refresh_gameweek(gameweek, clock.now())


def _make_world(members: int) -> dict[str, str]:
    """Create the world and return the address of each page by name."""
    play_demo()
    make_crowd(members)
    db.session.execute(text(_GAMES.format(games=GAMES)))
    db.session.commit()
    refresh_gameweeks()
    live = db.session.scalar(
        text("SELECT game_id FROM game_states WHERE status = 'live' ORDER BY 1 LIMIT 1")
    )
    rules = db.session.scalar(
        text("SELECT team_rules_id FROM leagues WHERE slug = 'the-press-row'")
    )
    cup = db.session.scalar(text("SELECT id FROM tournaments"))
    pages = {
        "front": "/",
        "games": "/games",
        "game": f"/games/{live}",
        f"league of {members:,}, page 3": "/leagues/the-press-row?page=3",
        "board": make_board(SCORES),
        "team editor": f"/team/{rules}",
        "tournament": f"/tournaments/{cup}",
        "console, games": "/console/",
        "console, a game": f"/console/{live}",
    }
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    return pages


@contextmanager
def _counting(engine: Engine) -> Iterator[list[str]]:
    """Collect the SQL statements of this engine."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def _get(client: FlaskClient, path: str, cookie: str) -> int:
    """Return the bytes of the page."""
    answer = client.get(path, headers={"Cookie": cookie})
    assert answer.status_code == HTTPStatus.OK, (path, answer.status)
    return len(answer.data)


def _milliseconds(client: FlaskClient, path: str, cookie: str) -> float:
    began = time.perf_counter()
    _get(client, path, cookie)
    return (time.perf_counter() - began) * 1000


def _profile(client: FlaskClient, engine: Engine, path: str, cookie: str) -> None:
    """Print where the time of this page goes: functions by cumulative cost, and statements."""
    for _ in range(OPENED):
        _get(client, path, cookie)
    with _counting(engine) as asked:
        _get(client, path, cookie)
    print(
        "\n".join(
            f"{number}. {' '.join(statement.split())[:200]}"
            for number, statement in enumerate(asked, start=1)
        )
    )
    with cProfile.Profile() as profiled:
        for _ in range(100):
            _get(client, path, cookie)
    pstats.Stats(profiled).sort_stats("cumulative").print_stats(90)


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--members", type=int, default=10_000, help="of the league")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each page in each round")
    parser.add_argument(
        "--profile", metavar="PAGE", help="the beginning of its name, for example team"
    )
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Settings(var=Path(folder)), processes=False) as stack,
    ):
        app = create_app(stack)
        with app.app_context():
            pages, engine = _make_world(arguments.members), db.engine
        with serving("uvicorn", stack) as port, serving_bare(stack.web_threads) as floor:
            as_member, as_scorer = sign_in(port), sign_in(port, "scorer")
            cookies = {
                name: as_scorer if name.startswith("console") else as_member for name in pages
            }
            client = app.test_client(use_cookies=False)
            if arguments.profile:
                name = next(name for name in pages if name.startswith(arguments.profile))
                _profile(client, engine, pages[name], cookies[name])
                return
            statements, sizes = {}, {}
            for name, path in pages.items():
                _get(client, path, cookies[name])
                with _counting(engine) as asked:
                    sizes[name] = _get(client, path, cookies[name])
                statements[name] = len(asked)
            first, again = (
                _milliseconds(client, REPLAY, as_member),
                _milliseconds(client, REPLAY, as_member),
            )
            ways = {BARE: (floor, request("/", {}))}
            ways |= {
                name: (port, request(path, {"Cookie": cookies[name]}))
                for name, path in pages.items()
            }
            figures = measure(ways, arguments.rounds, arguments.connections, arguments.seconds)
        print(
            "| page | answers/s | p50 ms | p95 ms | ratio | statements | kB "
            "|\n|---|---|---|---|---|---|---|"
        )
        for name, figure in figures.items():
            times = f"{figure.part(0.5):.1f} | {figure.part(0.95):.1f}"
            print(
                f"| {name} | {figure.rate:.0f} | {times} | {figure.ratio(figures[BARE]):.2f} | "
                f"{statements.get(name, 0)} | {sizes.get(name, 2) / 1000:.1f} |"
            )
        print(f"\nreplay of a gameweek: first {first:.0f} ms, again {again:.0f} ms")


if __name__ == "__main__":
    main()
