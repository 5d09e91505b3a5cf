"""Scheduled job: train the anomaly models of the modes that are due, each about once a day."""

from __future__ import annotations

import structlog

from app.core import clock
from app.scores.anticheat.models import train_due
from workers.context import in_app

log = structlog.get_logger(__name__)


@in_app
def run() -> None:
    """Running twice changes nothing: a mode with a new model is not due."""
    names = train_due(clock.now())
    if names:
        log.info("models_trained", models=len(names))
