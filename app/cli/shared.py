"""What the commands share: the application on a running stack, waiting, and printing."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.core.csv_writing import csv_text
from app.embedded.stack import StackError
from app.setting_reading import settings_from_env

if TYPE_CHECKING:
    from flask import Flask

INGEST_WAIT_SECONDS = 120


class YearType(click.IntRange):
    """The year in which a season that is followed begins."""

    name = "year"

    def __init__(self) -> None:
        super().__init__(1999, 2200)  # nflverse has no play-by-play before 1999


class FolderType(click.Path):
    """A folder that exists, as a whole path. An empty value is refused."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, exists=True, file_okay=False, resolve_path=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the folder's path."""
        if value == "":  # it would mean the current folder
            self.fail("Name a folder, or leave the option out.", param, ctx)
        return super().convert(value, param, ctx)


@contextmanager
def application(
    *, processes: bool = False, pages: bool = False, audited: bool = False, reason: str = ""
) -> Iterator[Flask]:
    """Provide the application on the running stack, or on one started for this command.

    Args:
        processes: Whether the command needs our processes too.
        pages: With templates and views, for a command that renders one; they double its start time.
        audited: For a command that changes something: who runs it and why is audited before it
            begins.
        reason: Why it is run.
    """
    import structlog

    from app import create_app, create_worker_app
    from app.core.db import db
    from app.core.postgres.timeouts import Use
    from workers.supervisor.start import running_stack

    # standard output is for the result
    structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))
    with running_stack(settings_from_env(), processes=processes) as settings:
        app = (create_app if pages else create_worker_app)(settings, Use.UPKEEP)
        with app.app_context():
            try:
                if audited:
                    _audit_command(reason)
                yield app
            finally:
                db.session.remove()
                db.engine.dispose()  # tests run many commands in one process


def _audit_command(reason: str) -> None:
    """Audit the command and its arguments, but no options: an address may contain a password."""
    import psutil

    from app.audit import log as audit
    from app.audit.acts import Act
    from app.core.db import db

    context = click.get_current_context()
    named = [
        parameter.name
        for parameter in context.command.params
        if isinstance(parameter, click.Argument)
    ]
    details = {
        "command": context.command_path,
        "arguments": {
            name: str(context.params[name]) for name in named if name and context.params[name]
        },
        "user": psutil.Process().username(),
    }
    audit.record(Act.COMMAND, actor_id=None, subject="command", reason=reason, details=details)
    db.session.commit()


def until_ingested(game_id: str, total: int) -> None:
    """Wait until the record has this many events of the game.

    Raises:
        StackError: The events are not in the record within INGEST_WAIT_SECONDS.
    """
    from app.record.backlog import ingested_count

    deadline = time.monotonic() + INGEST_WAIT_SECONDS
    while (done := ingested_count(game_id)) < total:
        if time.monotonic() > deadline:
            raise StackError(
                f"Only {done} of {total} events of {game_id} are in the record after "
                f"{INGEST_WAIT_SECONDS} s: `pressbox doctor` shows which part is down. Then "
                "run this again."
            )
        progress(f"{game_id}: {done} of {total} events in the record")
        # other processes fill the record; there is nothing to wait on but their rows
        time.sleep(0.1)
    progress(f"{game_id}: all {total} events are in the record", end=True)


def until_published() -> None:
    """Wait until the relay has published everything that was accepted.

    Raises:
        StackError: It has not within INGEST_WAIT_SECONDS.
    """
    from app.record.backlog import unpublished_count

    deadline = time.monotonic() + INGEST_WAIT_SECONDS
    while waiting := unpublished_count():
        if time.monotonic() > deadline:
            raise StackError(
                f"{waiting} events are not on the topic after {INGEST_WAIT_SECONDS} s: "
                "`pressbox doctor` shows which part is down. Then run this again."
            )
        progress(f"{waiting} events wait for the relay")
        # the relay is another process; there is nothing to wait on but the rows that it marks
        time.sleep(0.1)


def progress(text: str, *, end: bool = False) -> None:
    """Print a line that the next one replaces on a terminal; a file gets only the last one."""
    if sys.stderr.isatty():
        click.echo(f"\r{text:<78}", err=True, nl=end)
    elif end:
        click.echo(text, err=True)


def print_table(columns: list[str], rows: list[list[str]], as_csv: bool) -> None:
    """Print a table, or CSV."""
    if as_csv:
        sys.stdout.write(csv_text(columns, rows))
        return
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    for row in [columns, *rows]:
        click.echo(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
