"""Lookups that many requests share read without a transaction around them."""

from __future__ import annotations

from dataclasses import replace

from flask import Flask
from psycopg.pq import TransactionStatus
from sqlalchemy import text

from app.core.db import db
from app.core.db.autocommit import begin_autocommit


def _status_after_a_read() -> TransactionStatus:
    db.session.execute(text("SELECT 1"))
    connection = db.session.connection().connection.driver_connection
    assert connection is not None
    return TransactionStatus(connection.info.transaction_status)


def test_it_ends_with_the_commit(app: Flask) -> None:
    with app.app_context():
        begin_autocommit()
        assert _status_after_a_read() is TransactionStatus.IDLE
        db.session.commit()
        assert _status_after_a_read() is TransactionStatus.INTRANS


def test_an_open_transaction_goes_on(app: Flask) -> None:
    with app.app_context():
        db.session.execute(text("SELECT 1"))
        begin_autocommit()
        assert _status_after_a_read() is TransactionStatus.INTRANS


def test_behind_a_pooler_a_read_keeps_its_transaction(app: Flask) -> None:
    settings = app.config["PRESSBOX"]
    pooled = replace(settings, database_direct_url=settings.database_url)
    app.config["PRESSBOX"] = pooled
    try:
        with app.app_context():
            begin_autocommit()
            assert _status_after_a_read() is TransactionStatus.INTRANS
    finally:
        app.config["PRESSBOX"] = settings
