"""What players' clients read while they play asks PostgreSQL nothing once it was asked before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.core.db import db
from tests.statements import count_statements
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, later, score_event

BOARD = "/v1/games/dice/modes/ranked/leaderboards/all-time"
READS = [
    BOARD,
    f"{BOARD}?limit=10&around_player_id={{player}}",
    f"{BOARD}/players/{{player}}",
    f"{BOARD}/band?low=0&high=1000",
]


def play(callers: Callers, score: int) -> None:
    """The player's score is on the board, and the verifier has counted who is on it."""
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, score, later(score)))
    log.consume()
    record = catalogue.board_named("dice:ranked:all-time")
    open_board(catalogue.spec_of(callers.game, callers.mode, record)).count_members()
    db.session.rollback()


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("signed", [False, True], ids=["anybody", "a player"])
def test_a_reading_after_a_new_score_has_no_statement(
    callers: Callers, path: str, signed: bool
) -> None:
    client = callers.player if signed else callers.app.test_client()
    path = path.format(player=callers.player_id)
    play(callers, 1)
    got(client, path)
    play(callers, 2)
    with count_statements() as counted:
        answer = got(client, path)
        again = got(client, path)
    assert counted() == 0
    assert changing(answer) == changing(again)
    if path.startswith(BOARD):
        assert '"score":2' in client.get(path).text


def changing(answer: dict[str, object]) -> dict[str, object]:
    """The answer without its moment."""
    return {name: value for name, value in answer.items() if name not in ("as_of", "age_ms")}


def test_a_shared_answer_says_the_moment_of_each_answer(callers: Callers) -> None:
    play(callers, 1)
    client = callers.app.test_client()
    first = datetime.now(UTC)
    moments = [datetime.fromisoformat(got(client, BOARD)["as_of"]) for _ in range(3)]
    assert first <= moments[0] < moments[1] < moments[2] <= datetime.now(UTC)


def test_a_change_is_in_the_next_reading(callers: Callers) -> None:
    """Of a name, and of who may read the board."""
    play(callers, 5)
    client = callers.app.test_client()
    assert got(client, BOARD)["entries"][0]["display_name"] == "Nova"
    renamed = callers.game_server.post(
        "/v1/games/dice/players", json={"external_id": "p-1", "display_name": "Super Nova"}
    )
    assert renamed.status_code == 200, renamed.text
    assert got(client, BOARD)["entries"][0]["display_name"] == "Super Nova"
    private = callers.game_server.patch(callers.mode_path, json={"private": True})
    assert private.status_code == 200, private.text
    assert client.get(BOARD).status_code == 401
    assert got(callers.player, BOARD)["entries"][0]["score"] == 5
