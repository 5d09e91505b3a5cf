"""The ledger's partitions.

A season of its own for the year that a game's id begins with, and one for all other ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from app.core.db import db
from app.core.db.bulk_insert import as_json
from app.record import events as ev
from app.record import ledger
from tests.owner import owner
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

LATER = "2077_05_SUM_HRB"  # of a season that no migration has made yet
PLACES = text("SELECT game_id, tableoid::regclass::text, count(*) FROM ledger GROUP BY 1, 2")


def partition(season: int) -> str:
    return f"ledger_{season}"


def places() -> dict[str, dict[str, int]]:
    """By game, how many lines each partition has."""
    counts: dict[str, dict[str, int]] = {}
    for game_id, table, lines in db.session.execute(PLACES):
        counts.setdefault(game_id, {})[table] = lines
    db.session.rollback()
    return counts


@pytest.fixture
def games(app: object) -> Iterator[list[str]]:
    """Three games with the same drive.

    Of this season, of a season without a partition, and with a name for an id.
    """
    ids = [f"{datetime.now(UTC).year}_05_SUM_HRB", LATER, "g1"]
    for game_id in ids:
        make_game(game_id)
        ingest(messages(touchdown_drive(), game_id))
    yield ids
    db.session.rollback()
    with owner().begin() as connection:
        connection.execute(text(f"DROP TABLE IF EXISTS {partition(2077)}"))


def make_seasons() -> None:
    """What each `pressbox migrate` does at its end."""
    db.session.rollback()
    with owner().begin() as connection:
        connection.execute(text("SELECT partition_ledger()"))


def test_a_game_is_in_its_seasons_partition_and_moves_there_once_it_is_made(
    games: list[str],
) -> None:
    now, later, named = games
    lines = places()[named]["ledger_default"]
    assert places() == {
        now: {partition(int(now[:4])): lines},
        later: {"ledger_default": lines},
        named: {"ledger_default": lines},
    }
    make_seasons()
    make_seasons()  # again changes nothing
    assert places()[later] == {partition(2077): lines}
    assert places()[named] == {"ledger_default": lines}


def test_a_correction_closes_lines_of_every_partition_and_of_no_other_game(
    games: list[str],
) -> None:
    make_seasons()
    for closed_games in range(1, len(games) + 1):
        ingest(messages([ev.Nullify(events=(9,))], games[closed_games - 1], first=12))
        closed = db.session.execute(
            text("SELECT game_id, stat FROM ledger WHERE closed_by = 12 AND player_id = 'H2'")
        )
        assert sorted(closed) == sorted(
            (game_id, stat)
            for game_id in games[:closed_games]
            for stat in ("receiving_tds", "receiving_yards")
        )


def test_a_batch_looks_for_lines_in_the_seasons_of_its_games_alone(games: list[str]) -> None:
    make_seasons()
    plays = as_json([{"game_id": LATER, "play_number": 1}])
    values = {"plays": plays, "games": [LATER]}
    plan = "\n".join(db.session.scalars(text(f"EXPLAIN {ledger._LINES}"), values))
    assert "ledger_2077" in plan
    assert "ledger_default" not in plan
    assert partition(datetime.now(UTC).year) not in plan
    closing = {
        "closed": as_json([{"game_id": LATER, "id": 1, "closed_at": None, "closed_by": 9}]),
        "games": [LATER],
    }
    plan = "\n".join(db.session.scalars(text(f"EXPLAIN {ledger._CLOSE}"), closing))
    assert "ledger_2077" in plan
    assert "ledger_default" not in plan
