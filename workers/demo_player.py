"""Plays the demo season's games by the clock, through the console's services.

Part of the process `python -m workers.demo`.
"""

from __future__ import annotations

import time

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.db import db
from app.demo.next_gameweek import DueSteps, due_steps, go_on
from scorer_console.lease.leases import LeaseHeldError
from scorer_console.record.replay import (
    EnteredByHandError,
    OtherVariantError,
    enter_steps,
)
from workers.demo_audience import Audience
from workers.process import Process

log = structlog.get_logger(__name__)

RETRY_SECONDS = 2.0
TICK_SECONDS = 0.5
# Nobody sees single plays then: it is cheaper to enter many at once, and the games still go by the
# clock.
UNWATCHED_SECONDS = 30.0


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
        self._next_step = 0.0

    def run(self) -> None:
        """Play until stopped."""
        while not self.process.stopping.is_set():
            if not self.audience.is_there() and time.monotonic() < self._next_step:
                self.process.stopping.wait(TICK_SECONDS)
                continue
            self._next_step = time.monotonic() + UNWATCHED_SECONDS
            try:
                self.step()
            except SQLAlchemyError as error:
                log.warning("waiting", reason=type(error).__name__)
                self.process.stopping.wait(RETRY_SECONDS)
            self.process.stopping.wait(TICK_SECONDS)

    def step(self) -> None:
        """Enter what is due by now in every game; if nothing is, keep the season going."""
        with self.app.app_context():
            due = due_steps(clock.now(), self.speed, self.left)
            db.session.rollback()
            for game in due:
                self._enter(game)
            if not due:
                go_on(clock.now(), enter_steps, self.speed)
                db.session.rollback()

    def _enter(self, game: DueSteps) -> None:
        """Enter a game's steps up to the last one that is due, if it is the demo's to play."""
        try:
            enter_steps(game.game_id, game.last_step)
        except (EnteredByHandError, OtherVariantError):
            log.info("left_to_the_scorer", game_id=game.game_id)
            self.left.add(game.game_id)
        except LeaseHeldError as error:
            log.info("waiting", game_id=game.game_id, reason=type(error).__name__)
