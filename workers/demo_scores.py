"""Plays the demo's kicking contest: first six weeks of rounds, then one every few seconds.

It pauses while nobody is looking. Part of the process `python -m workers.demo`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from uuid import uuid5

import structlog
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from app.demo import arcade
from app.demo.arcade import Round
from app.scores.models import ScoreAttempt
from app.scores.submission import attempts
from app.scores.submission.claims import Claim, Origin, Unavailable
from app.scores.submission.submit import submit_all
from workers.demo_audience import Audience
from workers.process import Process

log = structlog.get_logger(__name__)

PAST_ROUNDS = 240
EVERY_SECONDS = 4.0
RETRY_SECONDS = 2.0
MOST_ATTEMPTS = 20_000  # then the contest stops, so that it does not fill the data folder


def send(modes: dict[str, Mode], played: Round) -> bool:
    """Send a round's scores as a game server does; False if they must be sent again."""
    scores = {"made-kicks": played.kicks_made, "longest-kick": played.longest}
    claims = []
    for slug, score in scores.items():
        if score is None:
            continue
        mode = modes[slug]
        attempt = uuid5(mode.id, f"{played.player_id} {played.at.isoformat()}")
        lifetime = timedelta(minutes=5)
        _, token = attempts.issue(
            attempts.AttemptRequest(mode.id, played.player_id, mode.max_score, lifetime, attempt),
            played.at,
        )
        claims.append(Claim(mode, played.player_id, attempt, token, score))
    outcomes = submit_all(claims, Origin(), played.at) if claims else []
    return not any(isinstance(outcome, Unavailable) for outcome in outcomes)


def play(app: Flask, process: Process, audience: Audience) -> None:
    """Send past rounds once, then current ones until stopped."""
    with app.app_context():
        now = clock.now()
        modes = arcade.set_up(now)
        everybody = arcade.players()
        count = _attempts(modes)
        if count == 0:
            past = arcade.rounds(1, everybody, now - arcade.PAST, arcade.PAST / PAST_ROUNDS)
            _send_all(process, modes, islice(past, PAST_ROUNDS - 1))
        for played in arcade.rounds(int(now.timestamp()), everybody, now, timedelta()):
            if process.stopping.wait(EVERY_SECONDS):
                return
            if count < MOST_ATTEMPTS and audience.is_there():
                _send_all(process, modes, [_at(played, clock.now())])
                count += len(modes)


def _attempts(modes: dict[str, Mode]) -> int:
    """How many scores the contest has."""
    chosen = ScoreAttempt.mode_id.in_([mode.id for mode in modes.values()])
    return db.session.scalar(select(func.count()).where(chosen)) or 0


def _at(played: Round, now: datetime) -> Round:
    return Round(played.player_id, now, played.kicks_made, played.longest)


def _send_all(process: Process, modes: dict[str, Mode], rounds: Iterable[Round]) -> None:
    for played in rounds:
        while not process.stopping.is_set() and not send(modes, played):
            process.stopping.wait(RETRY_SECONDS)
        if process.stopping.is_set():
            return


def run(app: Flask, process: Process, audience: Audience) -> None:
    """Play until stopped; wait while PostgreSQL is unavailable."""
    while not process.stopping.is_set():
        try:
            play(app, process, audience)
        except SQLAlchemyError as error:
            log.warning("waiting", reason=type(error).__name__)
            process.stopping.wait(RETRY_SECONDS)
