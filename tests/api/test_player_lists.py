"""Any list of players on a board.

Ranks on the whole of it and among themselves, by the mode's ties.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord
from app.core import clock
from app.core.db import db
from tests.worlds.callers import Callers
from tests.worlds.score_log import Log, all_clean, score_event

SCORES = {"Ann": 90, "Bob": 70, "Cleo": 70, "Dan": 70, "Eve": 50}


def play(callers: Callers, ties: str = "shared") -> dict[str, UUID]:
    """Five with a score and one without."""
    callers.mode.ties = ties
    db.session.commit()
    players = {name: callers.register(name, name) for name in (*SCORES, "Zoe")}
    log = Log()
    log.put(
        *(
            score_event(callers.mode, players[name], score, clock.now())
            for name, score in SCORES.items()
        )
    )
    log.consume(judge=all_clean)
    return players


def ask(callers: Callers, *player_ids: UUID, window: str = "all-time", status: int = 200) -> Any:
    path = f"{callers.mode_path}/leaderboards/{window}/players"
    answer = callers.app.test_client().post(
        path, json={"player_ids": [str(player_id) for player_id in player_ids]}
    )
    assert answer.status_code == status, answer.text
    return answer.json


@pytest.mark.parametrize(
    ("ties", "ranks"),
    [("shared", [(1, 1), (2, 2), (2, 2), (5, 4)]), ("dense", [(1, 1), (2, 2), (2, 2), (3, 3)])],
)
@pytest.mark.parametrize("redis", [True, False], ids=["redis", "postgresql"])
def test_a_list_is_ranked_on_the_board_and_among_itself(
    callers: Callers, ties: str, ranks: list[tuple[int, int]], redis: bool
) -> None:
    crowd = play(callers, ties)
    if not redis:
        for board in db.session.query(BoardRecord).order_by(BoardRecord.id):
            board.stale_since = clock.now()
    db.session.commit()
    stranger = uuid4()
    asked = [
        crowd["Eve"],
        crowd["Zoe"],
        crowd["Cleo"],
        stranger,
        crowd["Ann"],
        crowd["Bob"],
        crowd["Ann"],
    ]
    ranked = ask(callers, *asked)
    assert [(entry["rank"], entry["rank_among"]) for entry in ranked["entries"]] == ranks
    assert [entry["score"] for entry in ranked["entries"]] == [90, 70, 70, 50]
    names = [entry["display_name"] for entry in ranked["entries"]]
    assert (names[0], sorted(names[1:3]), names[3]) == ("Ann", ["Bob", "Cleo"], "Eve")
    assert ranked["unranked"] == [str(crowd["Zoe"]), str(stranger)]
    assert (ranked["total_ranked"], ranked["source"]) == (5, "redis" if redis else "postgresql")
    whole = callers.app.test_client().get(callers.board).json
    assert whole is not None
    order = [entry["player_id"] for entry in whole["entries"]]
    listed = [entry["player_id"] for entry in ranked["entries"]]
    # the board's own order, among equals too
    assert listed == [player_id for player_id in order if player_id in listed]


def test_a_window_without_scores_ranks_nobody(callers: Callers) -> None:
    crowd = play(callers)
    ranked = ask(callers, crowd["Ann"], window="daily:2020-01-01")
    assert (ranked["entries"], ranked["unranked"], ranked["total_ranked"]) == (
        [],
        [str(crowd["Ann"])],
        0,
    )
    assert catalogue.find_board(callers.mode, "daily:2020-01-01") is None


def test_a_list_is_bounded(callers: Callers) -> None:
    assert ask(callers, status=400)["errors"][0]["field"] == "player_ids"
    assert (
        ask(callers, *(uuid4() for _ in range(501)), status=400)["errors"][0]["field"]
        == "player_ids"
    )
    assert len(ask(callers, *(uuid4() for _ in range(500)))["unranked"]) == 500
