"""`pressbox backup` and `pressbox restore` on a stopped Pressbox; each starts the stores."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from app.cli.shared import application
from app.core import clock
from app.core.db import db
from app.scores.feed import changes as feed
from app.scores.feed.places import Token
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook
from tests.commands import run_pressbox
from tests.store_template import prepared_var
from tests.worlds.integrator_boards import ANN, BOB, board_of, integrator, put


def test_a_backup_is_made_listed_and_restored_and_the_audit_says_so(store_folder: Path) -> None:
    prepared_var(store_folder / "var")
    pressbox = partial(run_pressbox, PRESSBOX_VAR=store_folder / "var")
    result = pressbox("backup")
    assert result.exit_code == 0, result.stderr
    name = result.stdout.partition(":")[0]
    assert "read back completely" in result.stdout
    assert pressbox("backup", "--list").stdout.startswith(f"{name}  ")
    restored = pressbox("restore", name, "--yes")
    assert (restored.exit_code, f"Backup {name} is restored" in restored.stderr) == (0, True), (
        restored.stderr
    )
    assert f"backup:{name}" in pressbox("audit", "list").stdout
    unknown = pressbox("restore", "20200101T000000Z", "--yes")
    assert (unknown.exit_code, "--list" in unknown.stderr) == (1, True)


def test_a_backup_comes_back_in_a_new_postgresql_with_feed_tokens_and_webhooks(
    store_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G3: one command brings it back.

    The new server counts its transactions from the start again, and has had far fewer: places that
    are transaction ids of the old one lie beyond all of its own.
    """
    old, new = store_folder / "var", store_folder / "new"
    prepared_var(old)
    monkeypatch.setenv("PRESSBOX_VAR", str(old))
    with application():
        _use_up_transaction_ids(20_000)
        studio = integrator()
        board = board_of(studio)
        put(board, ANN, 1)
        token = str(feed.read(studio.id, None).token)
        put(board, ANN, 2)
        place = Token.parse(token).place
        db.session.add(
            Webhook(
                integrator_id=studio.id,
                url="https://e.test",
                events=["score.changed"],
                secret="s",
                place=place,
            )
        )
        db.session.commit()
    result = run_pressbox("backup", PRESSBOX_VAR=old)
    name = result.stdout.partition(":")[0]
    new.mkdir()
    shutil.copytree(old / "blobs", new / "blobs")
    restored = run_pressbox("restore", name, "--yes", PRESSBOX_VAR=new)
    assert restored.exit_code == 0, restored.stderr
    monkeypatch.setenv("PRESSBOX_VAR", str(new))
    with application():
        put(board, BOB, 3)
        for since in (None, Token.parse(token)):
            scores = [
                change.score
                for change in feed.read(studio.id, since).changes
                if change.event == "score.changed"
            ]
            assert scores == [1, 2, 3][since is not None :]
        assert webhooks.collect(clock.now()) == 1


def _use_up_transaction_ids(count: int) -> None:
    loop = f"FOR i IN 1..{count} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;"
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"DO $$ BEGIN {loop} END $$"))
