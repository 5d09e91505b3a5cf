"""Prepares the data before our processes start: migrations, topics, the demo season, the broker.

`pressbox up` runs it in a short-lived process, so that the supervisor does not keep its imports in
memory.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy
from kafka.errors import KafkaError

from app import create_worker_app
from app.core.db import db, migrations
from app.core.postgres.timeouts import Use
from app.embedded.stack import StackError
from app.fantasy.standings.boards import publish_all_boards
from app.ops.incidents import forget_starts
from app.ops.versions import check_versions
from app.settings import Settings
from app.stream.kafka import ensure_topics
from app.stream.republish import republish_if_empty


def bring_up_to_date(settings: Settings) -> None:
    """Migrate the database and create missing topics; running it again changes nothing."""
    migrations.upgrade()
    ensure_topics(settings)


def prepare(
    settings: Settings,
    *,
    refill_broker: bool,
    say: Callable[[str], None],
    begin: Callable[[], object] | None = None,
    known_passwords: Callable[[], bool] | None = None,
) -> None:
    """Migrate, seed the demo if there is one, and fill empty in-memory stores.

    An empty Redis is always filled, an empty broker if `refill_broker` says so.

    Args:
        settings: The settings.
        refill_broker: Whether to fill an empty broker.
        say: Prints progress.
        begin: Makes the demo, or adds the feeds of a season, if there is to be either.
        known_passwords: Whether the database has accounts with the demo's password; asked if other
            machines can reach us, else None.

    Raises:
        StackError: It has such accounts, or a store fails.
    """
    with create_worker_app(settings, Use.UPKEEP).app_context():
        try:
            check_versions()
            say("Bringing the database up to date")
            bring_up_to_date(settings)
            forget_starts()
            if begin is not None:
                begin()
            if refill_broker:
                refilled = republish_if_empty(settings)
                if refilled:
                    say(f"Refilling the empty broker with {refilled} events")
            publish_all_boards()
            if known_passwords is not None and known_passwords():
                raise StackError(
                    f"HOST={settings.host} would open the demo's accounts to the network, and "
                    "their passwords are public. Leave HOST and PRESSBOX_PRODUCTION unset, or "
                    "set PRESSBOX_VAR to a folder without the demo."
                )
        except (sqlalchemy.exc.SQLAlchemyError, KafkaError) as error:
            raise StackError(
                f"A store is not answering correctly: {str(error).splitlines()[0]} "
                "Check DATABASE_URL, REDIS_URL and KAFKA_BOOTSTRAP_SERVERS, or look into var/logs."
            ) from error
        finally:
            db.session.remove()
            db.engine.dispose()  # a restore must find no open connections
