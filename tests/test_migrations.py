from __future__ import annotations

from pathlib import Path

import flask_migrate
from alembic.config import Config
from alembic.script import ScriptDirectory
from flask import Flask

MIGRATIONS = Path(__file__).parent.parent / "migrations"


def test_models_and_migrations_agree(app: Flask) -> None:
    flask_migrate.check(directory=str(MIGRATIONS))  # exits with an error when a migration is missing


def test_there_is_one_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert len(ScriptDirectory.from_config(config).get_heads()) == 1
