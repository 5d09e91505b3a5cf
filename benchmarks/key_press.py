"""What an entry costs at the end of a game against one at its beginning (PRODUCT A2).

`python -m benchmarks.key_press` starts a PostgreSQL of its own in a temporary folder, fills one
game with 10 events and one with 600, and enters one event after another in both in turn: checked,
numbered, written, and the console's screen made anew. Printed: the median of each and their ratio,
and the first screen that a process makes of the long game.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from app import create_app
from app.core import clock
from app.core.db import db
from app.record import events as ev
from app.record.models import Club, Footballer, Game
from app.settings import Settings
from scorer_console import queries
from scorer_console.entry import page, services
from scorer_console.entry.services import Submitted
from scorer_console.lease import leases
from scorer_console.lease.leases import Holder
from scorer_console.record import accepted
from scorer_console.record.numbering import Entry, Sender, submit
from scorer_console.roster.queries import roster
from workers.supervisor.start import running_stack

HOLDER = Holder(console="benchmark", name="Benchmark")
WARM_UP_ROUNDS = 5
PLAYS = (
    ev.Snap(possession="HRB", spot=30, period=1, clock=700, down=1, distance=10),
    ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=34),
    ev.Tackle(team="SUM", tackler="S9", tackled="H3", kind="solo", yard=34),
)


def _make_clubs(players: int) -> None:
    for club in ("HRB", "SUM"):
        db.session.add(Club(id=club, name=club, nickname="", colour="#224466"))
        db.session.flush()
        for number in range(1, players + 1):
            name = f"Player {number}"
            db.session.add(
                Footballer(
                    id=f"{club[0]}{number}", name=name, club_id=club, position="RB", number=number
                )
            )
    db.session.commit()


def _make_game(game_id: str, events: int) -> None:
    kickoff = datetime(2026, 9, 13, 17, tzinfo=UTC)
    db.session.add(
        Game(
            id=game_id,
            season=2026,
            season_type="REG",
            week=1,
            kickoff=kickoff,
            home_id="HRB",
            away_id="SUM",
        )
    )
    db.session.commit()
    leases.take(game_id, HOLDER, clock.now())
    entries = [Entry(PLAYS[n % len(PLAYS)], f"fill:{n}") for n in range(events)]
    submit(game_id, entries, clock.now(), console=HOLDER.console)


def _show(game_id: str) -> None:
    game = queries.game(game_id)
    assert game is not None
    page.screen(
        game, queries.log_version(game_id, clock.now()), roster(game_id, "HRB", "SUM"), clock.now()
    )
    db.session.rollback()


def _press(game_id: str, number: int) -> None:
    leases.renew(game_id, HOLDER.console, clock.now())
    body = ev.body_to(PLAYS[number % len(PLAYS)])
    sender = Sender(HOLDER.console)
    services.enter(game_id, f"press:{number}", [Submitted(body)], clock.now(), sender)
    _show(game_id)


def _seconds(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _measure(early: int, late: int, rounds: int) -> None:
    taken: dict[str, list[float]] = {"early": [], "late": []}
    for number in range(WARM_UP_ROUNDS + rounds):
        for game in ("early", "late"):
            spent = _seconds(lambda game=game, number=number: _press(game, number))  # type: ignore[misc]
            if number >= WARM_UP_ROUNDS:
                taken[game].append(spent)
    first, last = (statistics.median(taken[game]) * 1000 for game in ("early", "late"))
    print(
        f"an entry at event {early}: {first:.1f} ms, at event {late}: {last:.1f} ms, ratio "
        f"{last / first:.2f}"
    )
    accepted.forget()
    cold = _seconds(lambda: _show("late")) * 1000
    print(f"the first screen of the long game in a process: {cold:.1f} ms")


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--early", type=int, default=10, help="events of the short game")
    parser.add_argument("--late", type=int, default=600, help="events of the long game")
    parser.add_argument("--rounds", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(var=Path(folder))
        with running_stack(settings, processes=False) as stack, create_app(stack).app_context():
            _make_clubs(players=53)
            _make_game("early", arguments.early)
            _make_game("late", arguments.late)
            _measure(arguments.early, arguments.late, arguments.rounds)


if __name__ == "__main__":
    main()
