"""Brings the scores of the demo's games into its tournament as they are played, while somebody looks.

Other tournaments wait for the poll of every five minutes; a visitor of the demo does not. Part of `workers.demo`.
"""

from __future__ import annotations

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from app.core import clock
from app.core.db import db
from app.demo.seed_tournament import bring_results
from workers.demo_audience import Audience
from workers.process import Process

log = structlog.get_logger(__name__)

SECONDS = 10.0


def run(app: Flask, process: Process, audience: Audience) -> None:
    """Until stopped."""
    while not process.stopping.is_set():
        if audience.is_there():
            try:
                with app.app_context():
                    bring_results(clock.now())
                    db.session.rollback()
            except SQLAlchemyError as error:
                log.warning("waiting", reason=type(error).__name__)
        process.stopping.wait(SECONDS)
