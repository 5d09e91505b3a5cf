"""The help of every command, and what commands that read print of the demo season."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from flask import Flask

from app.cli import main
from tests.commands import run_pressbox, settings_of_stack
from tests.e2e.town import make_town
from tests.golden import world
from tests.golden.masking import masked

GAME = "g1"
READING = (
    ("points", GAME),
    ("stats", GAME),
    ("export", GAME),
    ("query", "--help"),
    ("accounts", "list"),
    ("audit", "list"),
    ("dead-letters", "list"),
    ("boards", "list"),
    ("competitions", "list"),
    ("webhooks", "list"),
    ("situations",),
    ("verify", "--help"),
)


def record(app: Flask, folder: Path) -> None:
    (folder / "help.txt").write_text("\n".join(_helps(main, ())))
    with world.empty(app):
        make_town(app)
        world.end_transaction()
        settings = settings_of_stack(app.config["PRESSBOX"])
        texts = []
        for arguments in READING:
            result = run_pressbox(*arguments, **settings)
            texts.append(
                "## pressbox "
                f"{' '.join(arguments)}\n{result.exit_code}\n{result.output}\n{result.stderr}"
            )
        (folder / "reading.txt").write_text(masked("\n".join(texts)))


def _helps(command: click.Command, names: tuple[str, ...]) -> Iterator[str]:
    context = click.Context(
        command, info_name=" ".join(("pressbox", *names)), max_content_width=100
    )
    yield f"## pressbox {' '.join(names)}\n{command.get_help(context)}\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _helps(child, (*names, name))
