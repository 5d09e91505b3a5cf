"""A stadium's team sheets while a game is played, from Kafka to correct totals.

Goals: the first hundred totals within 1 s, every total within 5 s, never more than a play behind,
the record undisturbed.

`python -m benchmarks.stadium` starts stores and every process of ours but the web in a temporary
folder, and makes a gameweek of simulated games with a million team sheets, 40 % of which own one
star. All games but his are played first. Then his goes into the broker, ten plays a minute for ten
minutes. From the broker's answer on, every LOOK_SECONDS: are the play's events committed, are the
first hundred of the overall league those of NumPy, do all tables show it? Between two plays a play
of a game that is in no gameweek is sent, and timed as far as the record. In the end every total is
compared with a loop over each sheet's footballers and stat lines made without a database; a wrong
one ends the run with an error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from kafka import KafkaProducer
from sqlalchemy import text

from app import create_app
from app.core.db import db
from app.core.postgres.timeouts import Use
from app.core.redis.clients import boards_redis, jobs_redis
from app.fantasy.gameweeks import refreshing
from app.fantasy.sheets.lineups import counted, totals
from app.fantasy.standings import large_table
from app.record import events as ev
from app.record.script import GameScript
from app.settings import Settings
from app.stream.announcements import announce
from app.stream.kafka import producer
from app.stream.topics import GAME_EVENTS
from benchmarks.games import Sent, encoded, send, wait_until_shown
from benchmarks.live_points import Player, Sheet, by_loop
from benchmarks.live_teams import OWNED
from benchmarks.load import PATIENCE_SECONDS
from benchmarks.season import plain_lines
from benchmarks.stadium_world import FORMAT, World, made, store
from workers.supervisor.start import running_stack

LOOK_SECONDS = 0.01
FIRST = 100  # rows of the table
SHARES = (0.5, 0.95, 1.0)

Table = list[tuple[str, float]]


@dataclass
class _Play:
    """A play; `events` counts its game's events up to it, `first` is the hundred it leads to.

    The times are seconds from the broker's answer until each was reached.
    """

    sent: Sequence[Sent]
    events: int
    first: Table
    is_stars: bool
    answered: float = 0
    committed: float = 0
    first_right: float = 0
    shown_after: float = 0


def _plays_of(script: GameScript) -> list[list[Sent]]:
    """Return the events by play; a correction of an older play goes with the play before it."""
    plays: list[list[Sent]] = []
    latest = -1
    for event_sent in encoded(script):
        number = ev.decode(event_sent.value).play_number
        if number > latest:
            plays.append([])
            latest = number
        plays[-1].append(event_sent)
    return plays


def _with_tables(world: World, plays: Sequence[Sequence[Sent]]) -> list[_Play]:
    """Return each play with the first hundred after it, by NumPy, and whether the star scored."""
    plays_with_tables, sent = [], list[Sent]()
    scored = 0
    for play in plays:
        sent += play
        lines = plain_lines(world.game, sent)
        footballers = world.footballers([*world.lines, lines], is_over=False)
        total = totals(world.lineups, counted(FORMAT, world.lineups, footballers), footballers)[0]
        candidates = np.argpartition(-total, FIRST)
        worst = total[candidates[:FIRST]].min()
        best = sorted(
            (-int(total[n]), large_table.name(int(n) + 1)) for n in np.flatnonzero(total >= worst)
        )[:FIRST]
        first: Table = [(name, float(number)) for number, name in best]
        stars = int(footballers.points[world.star])
        plays_with_tables.append(_Play(play, len(sent), first, stars != scored))
        scored = stars
    return plays_with_tables


@dataclass
class _Watch:
    """Watches the plays that were sent; `behind` is the most that were sent and not shown."""

    world: World
    kafka: KafkaProducer
    settings: Settings
    pending: list[_Play] = field(default_factory=list)
    quiet: list[_Play] = field(default_factory=list)
    behind: int = 0

    def send(self, play: _Play, to: list[_Play]) -> None:
        waiting = [
            self.kafka.send(GAME_EVENTS.name, key=event.game_id.encode(), value=event.value)
            for event in play.sent
        ]
        for future in waiting:
            future.get(timeout=PATIENCE_SECONDS)
        announce(self.settings, jobs_redis(), GAME_EVENTS)
        play.answered = time.perf_counter()
        to.append(play)
        if to is self.pending:
            self.behind = max(self.behind, len(to))

    def missing(self) -> str:
        """Describe what has not been reached yet of the plays that were sent."""
        uncommitted = sum(not play.committed for play in (*self.pending, *self.quiet))
        wrong, hidden = (
            sum(not getattr(play, field) for play in self.pending)
            for field in ("first_right", "shown_after")
        )
        return (
            f"not within {PATIENCE_SECONDS} s: {uncommitted} plays committed, {wrong} right, "
            f"{hidden} shown"
        )

    def look(self) -> None:
        now = time.perf_counter()
        for plays, script in ((self.pending, self.world.game), (self.quiet, self.world.quiet)):
            if any(not play.committed for play in plays):
                asked = text("SELECT count(*) FROM events WHERE revision = 0 AND game_id = :game")
                events = db.session.scalar(asked, {"game": script.game_id})
                for play in plays:
                    if not play.committed and events >= play.events:
                        play.committed = now - play.answered
        key = large_table.order_key(self.world.league_id, large_table.TOTALS)
        if any(not play.first_right for play in self.pending):
            entries: Any = boards_redis().zrange(key, 0, FIRST - 1, withscores=True)
            first = [
                (name.decode() if isinstance(name, bytes) else name, number)
                for name, number in entries
            ]
            for n, play in enumerate(self.pending):
                if not play.first_right and any(first == later.first for later in self.pending[n:]):
                    play.first_right = now - play.answered
        if (
            any(play.committed and not play.shown_after for play in self.pending)
            and not refreshing.gameweeks_behind()
        ):
            for play in self.pending:
                if play.committed:
                    play.shown_after = now - play.answered
        db.session.rollback()  # the next check sees what was committed in the meantime
        self.pending = [
            play for play in self.pending if not (play.shown_after and play.first_right)
        ]
        self.quiet = [play for play in self.quiet if not play.committed]


def _run(world: World, settings: Settings, minutes: float, a_minute: float) -> None:
    began = time.perf_counter()
    for script in world.others:
        world.lines.append(plain_lines(script, encoded(script)))
    played = [event for script in world.others for event in encoded(script)]
    send(settings, played)
    wait_until_shown([script.game_id for script in world.others], len(played))
    print(
        f"{len(world.others)} games before, {len(played):,} events, shown: "
        f"{time.perf_counter() - began:.0f} s",
        flush=True,
    )
    count = int(minutes * a_minute)
    plays = _with_tables(world, _plays_of(world.game)[:count])
    quiet = [_Play(part, 0, [], is_stars=False) for part in _plays_of(world.quiet)[:count]]
    for n, quiet_play in enumerate(quiet):
        quiet_play.events = len(quiet_play.sent) + (quiet[n - 1].events if n else 0)
    kafka = producer(settings, client_id="pressbox-benchmark", patience_ms=PATIENCE_SECONDS * 1000)
    watch = _Watch(world, kafka, settings)
    began, step = time.perf_counter(), 60 / a_minute
    due = sorted(
        [(began + n * step, play, True) for n, play in enumerate(plays)]
        + [(began + (n + 0.5) * step, play, False) for n, play in enumerate(quiet)],
        key=lambda due: due[0],
    )
    try:
        for at, play, is_his in due:
            while time.perf_counter() < at:
                watch.look()
                time.sleep(LOOK_SECONDS)  # between two checks of other processes
            watch.send(play, watch.pending if is_his else watch.quiet)
        ends = time.perf_counter() + PATIENCE_SECONDS
        while watch.pending or watch.quiet:
            if time.perf_counter() > ends:
                sys.exit(watch.missing())
            watch.look()
            time.sleep(LOOK_SECONDS)  # as above
    finally:
        kafka.close()
    _report(plays, quiet, watch.behind)
    _check(world, [event for play in plays for event in play.sent])


def _report(plays: Sequence[_Play], quiet: Sequence[_Play], behind: int) -> None:
    stars = [play for play in plays if play.is_stars]
    print(
        "\n| seconds from the broker's answer to | plays | p50 | p95 | most "
        "|\n|---|---|---|---|---|"
    )
    for name, taken in (
        ("committed, of a game in no gameweek", [play.committed for play in quiet]),
        ("committed", [play.committed for play in plays]),
        ("the first hundred right", [play.first_right for play in plays]),
        ("every total right", [play.shown_after for play in plays]),
        ("the first hundred right, plays of the star", [play.first_right for play in stars]),
        ("every total right, plays of the star", [play.shown_after for play in stars]),
    ):
        quantiles = np.quantile(np.array(taken), SHARES) if taken else [float("nan")] * len(SHARES)
        print(
            f"| {name} | {len(taken)} | {' | '.join(f'{seconds:.2f}' for seconds in quantiles)} |"
        )
    print(f"\nAt most {behind - 1} plays behind the one that had just been sent.")


def _check(world: World, sent: Sequence[Sent]) -> None:
    """Compare every total of the large league in Redis with the loop."""
    footballers = world.footballers([*world.lines, plain_lines(world.game, sent)], is_over=False)
    of = footballers
    objects = [
        Player(player.position, int(of.points[n]), 0, bool(of.played[n]), bool(of.is_over[n]))
        for n, player in enumerate(world.players)
    ]
    key = large_table.order_key(world.league_id, large_table.TOTALS)
    entries: Any = boards_redis().zrange(key, 0, -1, withscores=True)
    totals = {int(name): -int(number) for name, number in entries}
    lineups, wrong = world.lineups, list[int]()
    for n in range(len(lineups.owned)):
        sheet = Sheet(
            [objects[owned] for owned in lineups.owned[n]],
            int(lineups.captain[n]),
            int(lineups.vice_captain[n]),
        )
        if totals.get(n + 1) != by_loop(FORMAT, sheet)[0]:
            wrong.append(n + 1)
    if wrong or len(totals) != len(lineups.owned):
        sys.exit(
            f"{len(totals):,} totals, {len(wrong):,} are wrong, the first of members {wrong[:3]}"
        )
    came_on = int(
        counted(FORMAT, lineups, footballers)[:, len(FORMAT.starters) :].any(axis=1).sum()
    )
    print(
        f"Every one of {len(totals):,} totals is right; substitutes came on in {came_on:,} sheets."
    )


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--sheets", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--plays-a-minute", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pressbox-stadium-") as folder,
        running_stack(Settings(var=Path(folder)), processes=True) as stack,
        # As the owner of the tables, who may vacuum them.
        create_app(replace(stack, database_url=stack.owner_url), Use.UPKEEP).app_context(),
    ):
        world = made(arguments.sheets, arguments.seed)
        store(world, world.game.kickoff)
        print(
            f"{arguments.sheets:,} sheets, {world.players[world.star].id} owned by {OWNED:.0%}",
            flush=True,
        )
        _run(world, stack, arguments.minutes, arguments.plays_a_minute)


if __name__ == "__main__":
    main()
