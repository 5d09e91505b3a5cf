"""Plays the demo season's games at DEMO_SPEED, through the console's services, for an audience.

Part of the process `python -m workers.demo`.
"""

from __future__ import annotations

import threading

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.db import db
from app.demo.next_gameweek import games_to_play, go_on
from scorer_console.lease.leases import LeaseHeldError
from scorer_console.record.replay import EnteredByHandError, enter_steps, replay
from workers.demo_audience import Audience
from workers.process import Process

log = structlog.get_logger(__name__)

RETRY_SECONDS = 2.0


class UnwatchedError(Exception):
    """Nobody is looking any more, or the process must stop."""


class Player:
    """Plays the games. `left` are games in which a scorer has entered an event.

    The player never touches those again.
    """

    def __init__(self, app: Flask, process: Process, audience: Audience, speed: float) -> None:
        self.app = app
        self.process = process
        self.audience = audience
        self.speed = speed
        self.left: set[str] = set()

    def run(self) -> None:
        """Play until stopped."""
        while not self.process.stopping.is_set():
            if not self.audience.is_there():
                self.process.stopping.wait(RETRY_SECONDS)
                continue
            try:
                self.step()
            except SQLAlchemyError as error:
                log.warning("waiting", reason=type(error).__name__)
                self.process.stopping.wait(RETRY_SECONDS)

    def step(self) -> None:
        """Play the current games to their end.

        If there are none, begin the next gameweek.
        """
        with self.app.app_context():
            games = games_to_play(clock.now(), self.left)
            db.session.rollback()
            if not games:
                go_on(clock.now(), enter_steps)
                self.process.stopping.wait(RETRY_SECONDS)
                return
        threads = [
            threading.Thread(target=self.play, args=(game_id,), daemon=True) for game_id in games
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def play(self, game_id: str) -> None:
        """Continue one game to its end, or until nobody is looking."""
        with self.app.app_context():
            try:
                for _ in replay(game_id, speed=self.speed, sleep=self._wait):
                    pass
                log.info("played", game_id=game_id)
            except UnwatchedError:
                log.info("paused", game_id=game_id)
            except EnteredByHandError:
                log.info("left_to_the_scorer", game_id=game_id)
                self.left.add(game_id)
            except (SQLAlchemyError, LeaseHeldError) as error:
                log.warning("waiting", game_id=game_id, reason=type(error).__name__)
                self.process.stopping.wait(RETRY_SECONDS)

    def _wait(self, seconds: float) -> None:
        if self.process.stopping.wait(seconds) or not self.audience.is_there():
            raise UnwatchedError
