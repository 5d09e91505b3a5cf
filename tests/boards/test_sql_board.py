"""PostgreSQL answers for a board as plain Python does, without ranking or sorting the table."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from app.boards import sql_board
from app.boards.catalogue.rules import NewMode
from app.boards.models import BoardRecord, Mode
from app.boards.order import Order
from app.boards.reads import MAX_ROWS
from app.boards.rules import Budget, Held, Ties
from app.boards.spec import BoardSpec
from app.boards.sql_board import SqlBoard
from app.core.db import db
from tests.boards.plain import PlainBoard
from tests.owner import owner
from tests.sizes import size
from tests.worlds.boards import NOW, PLAYERS, fill
from tests.worlds.score_games import make_score_game, make_score_mode

NUMBERS = count(1)


@pytest.fixture
def mode(app: Flask) -> Mode:
    return make_score_mode(make_score_game(), NewMode("m", "M", "highest", "earliest", -100, 100))


def board_of(mode: Mode, spec: BoardSpec, records: dict[str, Held]) -> int:
    """A board of these standings; its id."""
    record = BoardRecord(
        mode_id=mode.id, window_id=f"w{next(NUMBERS)}", layout="hash", shards=1, origin=NOW
    )
    db.session.add(record)
    db.session.flush()
    fill(record, spec, records)
    return record.id


@pytest.mark.sized
@pytest.mark.parametrize("ties", list(Ties))
def test_every_read_is_that_of_plain_python(mode: Mode, ties: Ties) -> None:
    spec = BoardSpec("bowl", "m", "w", ties=ties, budget=Budget(tied=ties is Ties.EARLIEST))
    records_held = st.builds(Held, st.integers(-2, 2), st.integers(0, 3))

    @settings(
        max_examples=size("PRESSBOX_PROPERTY_CASES", 15, 60),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(records=st.dictionaries(st.sampled_from(PLAYERS), records_held))
    def alike(records: dict[str, Held]) -> None:
        plain, board = (
            PlainBoard(spec, records),
            SqlBoard(board_of(mode, spec, records), ties, spec.order),
        )
        assert board.count() == plain.count()
        assert board.standings(PLAYERS) == plain.standings(PLAYERS)
        for offset, limit in ((0, 100), (1, 3), (5, 2), (12, 1)):
            assert board.page(offset, limit) == plain.page(offset, limit)
        for player in PLAYERS[:4]:
            assert board.around(player, 2) == plain.around(player, 2)
            assert board.view(2, 3, player, 1) == plain.view(2, 3, player, 1)
        for score in range(-3, 4):
            assert board.rank_of_score(score) == plain.rank_of_score(score)
        for low, high, offset in ((-1, 1, 0), (-1, 1, 2), (0, 0, 1), (2, 1, 0), (-9, 9, 3)):
            assert board.band(low, high, offset, 4) == plain.band(low, high, offset, 4)
        db.session.rollback()

    alike()


@pytest.mark.parametrize("score", [9, -9])
def test_a_member_who_moves_between_two_statements_is_looked_for_again(
    mode: Mode, score: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a fan's page meets a score that another process writes meanwhile."""
    spec = BoardSpec("bowl", "m", "w", ties=Ties.SHARED)
    member = PLAYERS[0]
    board = SqlBoard(board_of(mode, spec, {member: Held(1, 0)}), Ties.SHARED, spec.order)
    look, looks = SqlBoard._found, list[int]()

    def moves(self: SqlBoard, members: Collection[str]) -> object:
        rows = look(self, members)
        if not looks:
            for table in ("board_scores", "board_counts"):
                moved = text(f"UPDATE {table} SET score = :score WHERE board_id = :board")
                db.session.execute(
                    moved, {"score": spec.order.key(score, None), "board": board.board_id}
                )
        looks.append(1)
        return rows

    monkeypatch.setattr(SqlBoard, "_found", moves)
    assert [(row.member, row.score, row.rank) for row in board.around(member, 0)] == [
        (member, score, 1)
    ]


def test_a_name_that_is_no_player_stands_nowhere(mode: Mode) -> None:
    board = SqlBoard(0, Ties.SHARED, Order())
    assert board.standings(["nobody"]) == {}
    assert board.around("nobody", 2) == []
    assert board.view(0, 5, "nobody").count == 0
    with pytest.raises(ValueError, match="limit 1001"):
        board.page(0, MAX_ROWS + 1)


def test_no_read_ranks_or_sorts_the_board(mode: Mode) -> None:
    """On a board of 20,000 among others of the same size."""
    spec = BoardSpec("bowl", "m", "w")
    boards = [board_of(mode, spec, {}) for _ in range(3)]
    db.session.execute(
        text(
            "INSERT INTO board_scores SELECT b, gen_random_uuid(), n / 4, n % 7, n, "
            "gen_random_uuid()"
            " FROM generate_series(1, 20000) n, unnest(CAST(:boards AS bigint[])) b"
        ),
        {"boards": boards},
    )
    db.session.execute(
        text(
            "INSERT INTO board_counts SELECT board_id, score, count(*) FROM board_scores GROUP BY "
            "1, 2"
        )
    )
    db.session.commit()
    with owner().begin() as connection:  # for anybody else ANALYZE does nothing but warn
        connection.execute(text("ANALYZE board_scores, board_counts"))
    player = db.session.scalar(
        text(
            "SELECT player_id::text FROM board_scores WHERE board_id = :b AND score = 2500 LIMIT 1"
        ),
        {"b": boards[1]},
    )
    values = {
        "board": boards[1],
        "score": 2500,
        "tie": 3,
        "player": player,
        "players": [player],
        "k": 4,
        "position": 9_000,
        "skip": 2,
        "limit": 25,
    }
    for name in ("STANDINGS", "FROM_SCORE", "BEFORE", "AFTER", "SCORE_AT", "ABOVE"):
        statement = getattr(sql_board, name)
        plan = "\n".join(db.session.scalars(text(f"EXPLAIN {statement}"), values))
        assert "Seq Scan" not in plan, f"{name}:\n{plan}"
        assert "Sort" not in plan, f"{name}:\n{plan}"
        assert ("WindowAgg" in plan) == (name == "SCORE_AT"), (
            f"{name}: only the counts are summed up\n{plan}"
        )
    db.session.rollback()
