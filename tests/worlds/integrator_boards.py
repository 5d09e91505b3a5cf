"""Integrators with a board each, for tests of the feed and of webhooks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from uuid import UUID

from sqlalchemy import Connection, text

from app.accounts.models import Member
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.boards.models import Mode
from app.boards.windows import rules as windows
from app.core.db import db
from tests.worlds.boards import NOW
from tests.worlds.score_games import make_integrator, make_score_game, make_score_mode

NUMBERS = count(1)
ANN, BOB = UUID(int=1), UUID(int=2)


@dataclass(frozen=True)
class Id:
    """Of an integrator or a board: a plain value, good in any thread and after any rollback."""

    id: int


SET = text("""
    INSERT INTO board_scores (board_id, player_id, score, at, event_id) VALUES (:board, :player,
      :score, 0, :player)
    ON CONFLICT (board_id, player_id) DO UPDATE SET score = excluded.score
""")


def integrator(name: str = "Studio") -> Id:
    owner = Member(username=f"owner-{next(NUMBERS)}", display_name="O", password_hash="x")
    db.session.add(owner)
    db.session.flush()
    return Id(make_integrator(name, owner.id).id)


def board_of(owner: Id | None, slug: str = "dice") -> Id:
    game = make_score_game(slug, integrator_id=owner.id if owner else None)
    return all_time_board(
        make_score_mode(game, NewMode("ranked", "Ranked", "highest", "shared", -100, 100))
    )


def all_time_board(mode: Mode) -> Id:
    record = catalogue.board_for(mode, windows.Window("all-time", "all-time"))
    db.session.commit()
    return Id(record.id)


def put(board: Id, player: UUID, score: int, connection: Connection | None = None) -> None:
    """Sets a score, in a transaction of its own or in that of the connection."""
    values = {"board": board.id, "player": player, "score": score}
    if connection is not None:
        connection.execute(SET, values)
        return
    db.session.execute(SET, values)
    db.session.commit()


__all__ = ["ANN", "BOB", "NOW", "all_time_board", "board_of", "integrator", "put"]
