"""Between two tests the stores are emptied: nothing of the last test is left, whatever it wrote."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import func, select, text

from app.accounts.models import Member
from app.core import metrics
from app.core.db import db
from app.core.redis.clients import boards_redis, jobs_redis
from app.fantasy.standings.models import League
from app.ops import slo
from tests import emptying
from tests.fantasy.conftest import league  # noqa: F401  (a fixture)
from tests.owner import owner


def filled_tables() -> dict[str, int]:
    counts = {
        table.name: db.session.scalar(select(func.count()).select_from(table))
        for table in db.metadata.tables.values()
    }
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize("most_bytes", [0, emptying.MOST_BYTES], ids=["truncated", "deleted"])
def test_every_row_is_gone_and_every_sequence_begins_again(
    app: Flask,
    league: League,  # noqa: F811
    member: Callable[..., Member],
    monkeypatch: pytest.MonkeyPatch,
    most_bytes: int,
) -> None:
    monkeypatch.setattr(emptying, "MOST_BYTES", most_bytes)
    jobs_redis().set("left", "over")
    boards_redis().set("left", "over")
    assert len(filled_tables()) > 10
    emptying.empty_stores()
    assert filled_tables() == {}
    assert jobs_redis().keys() + boards_redis().keys() == []
    assert member("dan").id == 1


def test_triggers_are_at_work_again_after_emptying(app: Flask) -> None:
    emptying.empty_tables()
    assert db.session.scalar(text("SHOW session_replication_role")) == "origin"
    with owner().connect() as connection:
        assert connection.scalar(text("SHOW session_replication_role")) == "origin"


def test_what_was_counted_and_not_written_yet_is_gone(app: Flask) -> None:
    metrics.count(metrics.SCORE_API, good=True)
    emptying.empty_stores()
    metrics.flush()
    assert slo.total(metrics.SCORE_API, good=True) == 0
