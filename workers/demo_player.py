"""Plays the demo season's games at DEMO_SPEED, through the console's own door. `python -m workers.demo_player`."""

from __future__ import annotations

import threading

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app import create_worker_app
from app.demo.seed import demo_rounds
from app.embedded.stack import with_running_stack
from app.settings import Settings
from scorer_console.leases import LeaseHeld
from scorer_console.replay import EnteredByHand, replay
from workers.process import Process

log = structlog.get_logger(__name__)

RETRY_SECONDS = 2.0


class _Stopped(Exception):
    pass


def play(app: Flask, process: Process, game_id: str, speed: float) -> None:
    """Plays one game to its end, going on where it stood; waits while the database is away or a scorer has the game.

    Leaves a game for good once a scorer has entered something in it.
    """

    def wait(seconds: float) -> None:
        if process.stopping.wait(seconds):
            raise _Stopped

    while not process.stopping.is_set():
        try:
            with app.app_context():
                for _ in replay(game_id, speed=speed, sleep=wait):
                    pass
            log.info("played", game_id=game_id)
            return
        except _Stopped:
            return
        except EnteredByHand:
            log.info("left_to_the_scorer", game_id=game_id)
            return
        except (SQLAlchemyError, LeaseHeld) as error:
            log.warning("waiting", game_id=game_id, reason=type(error).__name__)
            process.stopping.wait(RETRY_SECONDS)


def main() -> None:
    settings = with_running_stack(Settings.from_env())
    process = Process("demo", settings)
    app = create_worker_app(settings)
    with app.app_context():
        rounds = demo_rounds()
    for games in rounds:
        threads = [
            threading.Thread(target=play, args=(app, process, game_id, settings.demo_speed)) for game_id in games
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    process.stopping.wait()  # stay: an ended process would be started again


if __name__ == "__main__":
    main()
