"""Refills a restarted store: events on the broker, boards and unfinished work in Valkey.

Called by recovery.py, which imports it only after a fault.
"""

from __future__ import annotations

import click
import redis
from kafka.errors import KafkaError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from app import create_worker_app
from app.core import jobs
from app.core.db import db
from app.core.errors import one_line
from app.core.postgres.advisory_locks import Lock
from app.core.postgres.timeouts import Use
from app.fantasy.jobs import RECONCILE_BOARDS
from app.fantasy.standings.boards import publish_all_boards
from app.settings import Settings
from app.stream.republish import republish_if_empty, republish_lost
from workers.supervisor.children import Children

RELAY_SECONDS = 30  # for the last statement of the ended relay


def refill(settings: Settings, stores: set[str], children: Children) -> bool:
    """Fill these stores ('broker', 'valkey', 'postgres').

    Returns False if a store does not answer yet.
    """
    with create_worker_app(settings, Use.UPKEEP).app_context():
        try:
            if "broker" in stores:
                _wait_for_relay()
                count = republish_if_empty(settings)
                click.echo(f"The broker is back; {count} events are published again.", err=True)
            if "valkey" in stores:
                lost = republish_lost()
                publish_all_boards()
                children.pause("valkey")
                jobs.send(RECONCILE_BOARDS)
                click.echo(
                    f"Valkey is back; its boards are filled, {lost} events are published again.",
                    err=True,
                )
            if "postgres" in stores:
                click.echo("PostgreSQL is back.", err=True)
        except (SQLAlchemyError, KafkaError, redis.RedisError, OSError) as error:
            db.session.rollback()
            click.echo(f"Not refilled yet, trying again: {one_line(error)}", err=True)
            return False
        finally:
            db.engine.dispose()
    return True


def _wait_for_relay() -> None:
    """Wait until PostgreSQL has finished the ended relay's work, which may still mark events."""
    db.session.execute(text(f"SET LOCAL lock_timeout = '{RELAY_SECONDS}s'"))
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": Lock.RELAY})
    db.session.rollback()
