"""The Kafka messages of one real game that is typed by keys alone in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import select

from app.core.db import db
from app.stream.models import OutboxMessage
from tests.e2e.typist.__main__ import running, type_game
from tests.golden.masking import masked
from tests.worlds.real_games import FILES, QUICK, name_of

RECORDED_AT = re.compile(r'"recorded_at":\d+')


def record(folder: Path) -> None:
    """Raise AssertionError if the typist drops a play or the points are not the published ones."""
    file = next(file for file in FILES if name_of(file) == QUICK[0])
    with running() as (app, pressbox, browser), type_game(file, app, pressbox, browser) as tally:
        assert tally.is_right, tally
        rows = db.session.execute(
            select(OutboxMessage.game_id, OutboxMessage.payload).order_by(OutboxMessage.id)
        )
        lines = [f"{game_id}: {RECORDED_AT.sub('', payload.decode())}" for game_id, payload in rows]
    (folder / "messages.txt").write_text(masked("\n".join(lines)))
