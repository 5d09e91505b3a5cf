"""Commands of `pressbox` that run inside the test, which spares a process and its imports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import fields
from types import ModuleType

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from app.cli import main
from app.settings import Settings


def use_here(patch: pytest.MonkeyPatch, commands: ModuleType, app: Flask) -> None:
    """Make the commands of a module in app/cli use this application, unaudited.

    Otherwise each command starts one.
    """
    patch.setattr(commands, "application", lambda **_: nullcontext(app))


def run_pressbox(*arguments: str, **settings: object) -> Result:
    """Run `pressbox ...` with these settings and no others of the environment.

    Returns:
        Its exit code, standard output and standard error. An error that is not one for a person is
        raised.
    """
    environment: dict[str, str | None] = {field.metadata["env"]: None for field in fields(Settings)}
    environment |= {name: str(value) for name, value in settings.items()}
    # In a thread, which has no application context yet, as a process of its own has none.
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(CliRunner().invoke, main, arguments, env=environment).result()
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def settings_of_stack(settings: Settings) -> dict[str, str]:
    """What a command on another host of the same installation needs to know of these stores."""
    return {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "KAFKA_BOOTSTRAP_SERVERS": settings.kafka,
        "KAFKA_GROUP_PREFIX": settings.kafka_group_prefix,
        "SECRET_KEY": settings.secret(),  # it signs what is on the topics
    }
