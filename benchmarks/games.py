"""Simulated games as encoded events in the broker, for the benchmarks of ingestion and seasons."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import zip_longest

from sqlalchemy import text

from app.boards.layouts.parts import chunks
from app.core.clock import to_ms
from app.core.db import db
from app.core.redis.connections import connect
from app.demo.clubs import CLUBS, rosters
from app.demo.game import Fixture, simulate_game
from app.fantasy.gameweeks import refreshing
from app.record import events as ev
from app.record.models import Game
from app.record.script import GameScript
from app.settings import Settings
from app.stream.announcements import announce
from app.stream.kafka import producer
from app.stream.topics import GAME_EVENTS
from benchmarks.load import PATIENCE_SECONDS

AT_A_TIME = 16
LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Sent:
    """An event as it goes to the broker."""

    game_id: str
    value: bytes


def simulated(
    count: int, season: int, week: int, kickoff: datetime, first: int = 1
) -> list[GameScript]:
    """Simulate so many games of the demo's clubs, four per kickoff, three hours apart.

    Their seeds start at `first`.
    """
    scripts = []
    for number in range(count):
        place = number % (len(CLUBS) // 2)
        scripts.append(
            simulate_game(
                first + number,
                Fixture(
                    game_id=f"bench-{number}",
                    home=CLUBS[2 * place],
                    away=CLUBS[2 * place + 1],
                    kickoff=kickoff + timedelta(hours=3 * (number // 4)),
                    season=season,
                    week=week,
                ),
                rosters(),
            )
        )
    return scripts


def named(script: GameScript, game_id: str) -> GameScript:
    """Return the same game under another id."""
    return replace(script, game_id=game_id)


def register(scripts: Sequence[GameScript]) -> None:
    """Insert the games into the demo's competition and commit."""
    for script in scripts:
        db.session.add(
            Game(
                id=script.game_id,
                competition="demo",
                season=script.season,
                season_type=script.season_type,
                week=script.week,
                kickoff=script.kickoff,
                home_id=script.home.id,
                away_id=script.away.id,
            )
        )
    db.session.commit()


def encoded(script: GameScript) -> list[Sent]:
    """Encode the events, numbered as the console would."""
    play, plays, sent = 0, {0: 0}, []
    for number, step in enumerate(script.events, start=1):
        body = step.body
        play += isinstance(body, ev.Snap)
        of = plays[body.targets[0]] if isinstance(body, ev.Correction) else step.play_number or play
        plays[number] = of
        event = ev.GameEvent(
            game_id=script.game_id,
            event_number=number,
            play_number=of,
            epoch=1,
            recorded_at=to_ms(script.kickoff) + step.at_ms,
            body=body,
        )
        sent.append(Sent(script.game_id, ev.encode(event)))
    return sent


def side_by_side(games: Sequence[Sequence[Sent]]) -> Iterator[Sent]:
    """Yield the events of AT_A_TIME games at once, one event of each in turn."""
    for games_at_once in chunks(games, AT_A_TIME):
        for part in zip_longest(*games_at_once):
            yield from (event for event in part if event is not None)


def send(settings: Settings, events: Sequence[Sent]) -> float:
    """Send the events, signed, wait for all acknowledgements, and return the seconds it took."""
    began = time.perf_counter()
    kafka = producer(settings, client_id="pressbox-benchmark", patience_ms=PATIENCE_SECONDS * 1000)
    try:
        waiting = [
            kafka.send(GAME_EVENTS.name, key=event.game_id.encode(), value=event.value)
            for event in events
        ]
        for future in waiting:
            future.get(timeout=PATIENCE_SECONDS)
    finally:
        kafka.close()
    with connect(settings.redis_url) as redis:
        announce(settings, redis, GAME_EVENTS)
    return time.perf_counter() - began


def recorded(games: Sequence[str]) -> int:
    """Return how many events of these games are committed."""
    asked = text("SELECT count(*) FROM events WHERE revision = 0 AND game_id = ANY(:games)")
    return int(db.session.scalar(asked, {"games": list(games)}) or 0)


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 600) -> None:
    """Wait for the condition; end the benchmark if it does not hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        db.session.rollback()  # the next check sees what was committed in the meantime
        if time.monotonic() > deadline:
            raise SystemExit(f"not within {seconds:.0f} s: {what}")
        time.sleep(LOOK_SECONDS)  # between two checks of other processes
    db.session.rollback()  # what follows may take longer than a transaction may stay idle


def wait_until_shown(games: Sequence[str], events: int) -> float:
    """Wait until all events are committed and every table shows them.

    Returns when they were committed.
    """
    wait_until(
        lambda: recorded(games) == events, f"{events} events of {len(games)} games in the record"
    )
    committed = time.perf_counter()
    wait_until(
        lambda: not refreshing.gameweeks_behind(), "every gameweek's tables brought up to date"
    )
    return committed
