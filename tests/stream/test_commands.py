"""The commands of the archive and of the way back, as an operator types them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from flask import Flask
from sqlalchemy import text

from app.cli import main
from app.core.db import db
from app.embedded.stack import Stack
from app.record.backlog import ingested_count, unpublished_count
from tests.commands import run_pressbox, settings_of_stack
from tests.waiting import until
from tests.worlds.entered_game import enter_simulated, every_row
from workers.supervisor.children import Children

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def pressbox(stack: Stack, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs a command on the test's stores, or others by setting.

    Gives its exit code and what it printed.
    """

    def run(*arguments: str, **others: str) -> tuple[int, str]:
        settings = settings_of_stack(stack.settings) | {"PRESSBOX_VAR": str(tmp_path)} | others
        result = run_pressbox(*arguments, **settings)
        return result.exit_code, result.output

    return run


AUDIT = {"audit_entries", "audit_head"}


def differing(before: dict[str, list[str]]) -> set[str]:
    """The tables whose rows are not what they were."""
    return {table for table, rows in every_row().items() if rows != before[table]}


def test_a_game_is_archived_restored_and_rebuilt_by_command(
    app: Flask,
    start: Callable[..., Children],
    pressbox: Callable[..., tuple[int, str]],
    game: str,
    tmp_path: Path,
) -> None:
    enter_simulated(game, seed=4, steps=200)
    start("worker", "bridge", "relay")
    until(lambda: ingested_count(game) == 200 and unpublished_count() == 0, "all in the record")

    code, output = pressbox("stream", "archive", "--older-than", "0")
    assert code == 0, output
    assert f"The archive is {tmp_path}/blobs" in output
    objects = sorted((tmp_path / "blobs" / "game-events.v1" / f"game={game}").rglob("*.parquet"))
    assert len(objects) == 1
    code, output = pressbox("stream", "archive", "--older-than", "0")
    assert (code, "0 messages archived in 0 new objects" in output) == (0, True), output

    code, output = pressbox("stream", "restore", game)
    assert (code, f"{game}: all 200 archived messages are on the topic again" in output) == (
        0,
        True,
    ), output

    before = every_row()
    db.session.execute(text("UPDATE stat_lines SET stats = '{}'"))
    db.session.execute(text("DELETE FROM runs"))
    db.session.commit()
    code, output = pressbox("rebuild", "record", game)
    assert (code, f"{game}: rebuilt from 200 messages (0 from the archive)" in output) == (
        0,
        True,
    ), output
    assert differing(before) == AUDIT, "all is as it was, but that the command is in the audit"
    code, output = pressbox("rebuild", "record", "--all")
    assert (code, differing(before)) == (0, AUDIT), output

    objects[0].write_bytes(objects[0].read_bytes()[:-50])
    code, output = pressbox("stream", "archive", "--check")
    assert (code, "was broken" in output, "it was rewritten" in output) == (0, True, True), output
    db.session.execute(text("DELETE FROM outbox"))
    db.session.commit()
    objects[0].unlink()
    code, output = pressbox("stream", "archive", "--check")
    assert code == 1
    assert "is broken: it is missing" in output
    assert "1 objects of the archive are broken" in output
    code, output = pressbox("stream", "restore", game)
    assert code == 1
    assert "The archive of game" in output
    assert "Traceback" not in output


def test_a_lost_game_is_replayed_from_the_archive_by_command(
    app: Flask, start: Callable[..., Children], pressbox: Callable[..., tuple[int, str]], game: str
) -> None:
    enter_simulated(game, seed=3, steps=60)
    start("worker", "bridge", "relay")
    until(lambda: ingested_count(game) == 60 and unpublished_count() == 0, "all in the record")
    assert pressbox("stream", "archive", "--older-than", "0")[0] == 0
    before = every_row()
    db.session.execute(
        text(
            "TRUNCATE outbox, events, corrections, stat_lines, player_points, ledger, game_states, "
            "archived_segments"
        )
    )
    db.session.execute(text("UPDATE games SET last_event_number = 0, last_play_number = 0"))
    db.session.commit()
    code, output = pressbox("replay", game, "--from-archive")
    assert (code, f"{game}: all 60 events are in the record" in output) == (0, True), output
    for table in ("games", "stat_lines", "player_points", "corrections"):
        assert every_row()[table] == before[table], table
    code, output = pressbox("replay", game, "--from-archive")
    assert (code, f"{game}: all 60 events are in the record" in output) == (0, True), output


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["rebuild", "record"], "Give one GAME_ID, or --all"),
        (["rebuild", "record", "g", "--all"], "Give one GAME_ID, or --all"),
        (["rebuild", "record", "nobody"], "There is no game nobody: register or import it first"),
        (["stream", "restore", "nobody"], "has nothing of game nobody"),
        (["replay", "nobody", "--from-archive"], "There is no game nobody"),
        (["stream", "archive", "--older-than", "-1"], "--older-than"),
    ],
)
def test_what_cannot_be_done_gets_one_sentence(
    app: Flask, pressbox: Callable[..., tuple[int, str]], command: list[str], words: str
) -> None:
    code, output = pressbox(*command)
    assert code != 0
    assert words in output
    assert "Traceback" not in output


def test_a_kafka_that_is_away_gets_one_sentence(
    app: Flask, pressbox: Callable[..., tuple[int, str]]
) -> None:
    code, output = pressbox("stream", "archive", KAFKA_BOOTSTRAP_SERVERS="127.0.0.1:9")
    assert code == 1
    assert "correct KAFKA_BOOTSTRAP_SERVERS" in output
    assert "Traceback" not in output


@pytest.mark.parametrize("document", ["recovery.md", "subscribers.md"])
def test_every_command_in_the_documents_exists(document: str) -> None:
    named = re.findall(r"`pressbox ([^`]+)`", (ROOT / "docs" / document).read_text())
    assert named
    for words in named:
        command: click.Command = main
        for word in words.split():
            if isinstance(command, click.Group):
                subcommand = command.get_command(click.Context(command), word)
                assert subcommand is not None, words
                command = subcommand
            elif word.startswith("--"):
                assert word in {
                    option for parameter in command.params for option in parameter.opts
                }, words
