"""The application of a process without pages: configuration, stores and all tables.

Not here: pages, forms, sessions (app/web_app.py puts them on top of this).
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from app.accounts import sanctions
from app.core import blob_store, metrics, restore_epoch
from app.core.db import (
    REPLICA,
    db,
    engine_options,
    limit_each_transaction,
    read_replica,
    take_read_only_as_away,
)
from app.core.page_cache import tagged_connection
from app.core.page_cache.tags import TagStore
from app.core.postgres.timeouts import Use
from app.core.redis import clients
from app.record.rules.football.rulebook import install
from app.setting_reading import settings_from_env
from app.setting_values import for_sqlalchemy
from app.settings import Settings
from app.subjects import connect, import_tables


def worker_app(settings: Settings | None, use: Use, threads: int = 1) -> Flask:
    """Create an application without pages.

    Args:
        settings: Default: from the environment, then the running stack.
        use: What its connections to PostgreSQL are for, which decides their timeouts.
        threads: How many need a connection.
    """
    from app.embedded.stack import with_running_stack

    settings = with_running_stack(settings or settings_from_env())
    install(Path(settings.rulebooks_file) if settings.rulebooks_file else None)
    app = Flask("app", template_folder="../templates", static_folder="../static")
    app.config.update(
        PRESSBOX=settings,
        SECRET_KEY=settings.secret(),
        SQLALCHEMY_DATABASE_URI=settings.sqlalchemy_url,
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(
            settings.database(use), threads=settings.web_threads if use is Use.WEB else threads
        ),
    )
    if settings.database_read_url:
        replica_options = engine_options(settings.read_database(), settings.web_threads)
        app.config["SQLALCHEMY_BINDS"] = {
            REPLICA: {"url": for_sqlalchemy(settings.database_read_url), **replica_options}
        }
        read_replica.init_app(app)
    import_tables()
    connect()
    db.init_app(app)
    sanctions.init_app(app)
    app.extensions["tag_store"] = TagStore(
        settings.redis_url,
        settings.redis_poll_seconds,
        epoch=lambda: restore_epoch.epoch_of(app),
    )
    metrics.init_app(app, settings.database(use))
    with app.app_context():
        tagged_connection.init_engine(db.engine, app.extensions["tag_store"])
        restore_epoch.listen(app, db.engine)
        take_read_only_as_away(db.engine)
        limit_each_transaction(db.engine, settings.database(use))
    clients.init_app(
        app, settings.redis_url, settings.boards_url, read_replicas=settings.boards_read_replicas
    )
    blob_store.init_app(
        app,
        blob_store.BlobStore(
            settings.blobs,
            endpoint=settings.aws_endpoint_url,
            key_id=settings.aws_access_key_id,
            secret=settings.aws_secret_access_key,
            region=settings.aws_region,
        ),
    )
    return app
