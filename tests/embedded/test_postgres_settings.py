"""The embedded PostgreSQL takes little memory, unless its operator gives it more."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg

from app.embedded.postgres import Postgres


def shared_buffers(postgres: Postgres) -> str:
    postgres.start()
    try:
        with psycopg.connect(postgres.owner_url) as connection:
            return str(connection.execute("SHOW shared_buffers").fetchone()[0])  # type: ignore[index]
    finally:
        postgres.stop()


def test_an_operator_may_give_it_more_memory(store_folder: Path) -> None:
    folder = store_folder / "own"
    (folder / "logs").mkdir(parents=True)
    postgres = Postgres(folder, lambda _process: None)
    assert shared_buffers(postgres) == "32MB"
    settings = folder / "postgres" / "postgresql.conf"
    text, changed = re.subn(
        r"(?m)^shared_buffers = 32MB", "shared_buffers = 64MB", settings.read_text()
    )
    assert changed == 1
    settings.write_text(text)
    assert shared_buffers(Postgres(folder, lambda _process: None)) == "64MB"
