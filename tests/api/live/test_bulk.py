"""A trusted game server sends its players' scores, up to a thousand in a call, on real stores."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from werkzeug.test import TestResponse

from app.accounts.models import Player
from app.core import clock
from app.core.db import db
from tests.api.test_errors import problem
from tests.waiting import until
from tests.worlds.callers import Callers, got, new_key

pytestmark = pytest.mark.usefixtures("consumer")


def score(player: object, raw_score: int, **more: object) -> dict[str, object]:
    return {"player_id": str(player), "attempt_id": str(uuid4()), "raw_score": raw_score} | more


def send(callers: Callers, *scores: dict[str, object]) -> TestResponse:
    return callers.game_server.post(
        f"{callers.mode_path}/scores/bulk?wait=committed", json={"scores": scores}
    )


def outcomes(answer: TestResponse) -> list[tuple[str, list[str]]]:
    assert answer.status_code == 200, answer.text
    return [
        (outcome["status"], [fault["field"] for fault in outcome["errors"]])
        for outcome in (answer.json or {})["outcomes"]
    ]


def test_each_score_has_its_own_outcome_and_the_call_can_be_sent_again(
    callers: Callers, others: Callers
) -> None:
    rex = callers.register("p-2", "Rex")
    sent = [
        score(callers.player_id, 50, client_meta={"level": 3}),
        score(rex, 1_000_001),
        score(others.player_id, 5),
        score(rex, 70),
    ]
    expected = [
        ("committed", []),
        ("refused", ["scores[1].raw_score"]),
        ("refused", ["scores[2].player_id"]),
        ("committed", []),
    ]
    answer = send(callers, *sent)
    assert outcomes(answer) == expected
    assert [outcome["attempt_id"] for outcome in (answer.json or {})["outcomes"]] == [
        score["attempt_id"] for score in sent
    ]
    assert outcomes(send(callers, *sent)) == expected
    board = got(callers.app.test_client(), callers.board)
    assert [(row["display_name"], row["score"]) for row in board["entries"]] == [
        ("Rex", 70),
        ("Nova", 50),
    ]


def test_a_thousand_scores_go_in_one_call(callers: Callers) -> None:
    players = [
        Player(
            id=uuid4(),
            display_name=f"P {n}",
            integrator_id=callers.integrator.id,
            external_id=f"b-{n}",
        )
        for n in range(500)
    ]
    db.session.add_all(players)
    db.session.commit()
    sent = [
        score(players[n % 500].id, n, client_meta={"build": "1.42.0", "platform": "ios"})
        for n in range(1000)
    ]

    def all_counted() -> bool:  # a busy machine may take longer than a call waits
        return {status for status, _ in outcomes(send(callers, *sent))} == {"committed"}

    until(all_counted, "all thousand are on the boards", seconds=60)
    board = got(callers.app.test_client(), callers.board)
    assert (board["total_ranked"], board["entries"][0]["score"]) == (500, 999)
    problem(send(callers, *sent, score(players[0].id, 1)), 400)


def test_it_needs_a_key_that_may_and_a_game_of_ones_own(callers: Callers, others: Callers) -> None:
    path, body = f"{callers.mode_path}/scores/bulk", {"scores": [score(callers.player_id, 1)]}
    issuer = callers.signed(new_key(callers.integrator, callers.owner, "attempts:issue"))
    assert issuer.post(path, json=body).status_code == 403
    assert callers.player.post(path, json=body).status_code == 401
    refused: Any = others.game_server.post(path, json=body)
    assert refused.status_code == 404


@pytest.mark.fault(18)
def test_a_late_score_counts_in_the_hour_and_the_declared_window_of_its_moment(
    callers: Callers,
) -> None:
    began = (clock.now() - timedelta(hours=3)).replace(minute=0, second=0, microsecond=0)
    finals = {
        "name": "finals",
        "starts_at": began.isoformat(),
        "ends_at": (began + timedelta(hours=1)).isoformat(),
    }
    body = {
        "slug": "rush",
        "title": "Rush",
        "windows": ["hourly", "custom", "all-time"],
        "custom_windows": [finals],
    }
    assert (
        callers.game_server.post(f"/v1/games/{callers.game.slug}/modes", json=body).status_code
        == 201
    )
    late = score(callers.player_id, 7, achieved_at=(began + timedelta(minutes=59)).isoformat())
    path, hour = f"/v1/games/{callers.game.slug}/modes/rush", f"hourly:{began:%Y-%m-%dT%H}"
    answer = callers.game_server.post(f"{path}/scores/bulk?wait=committed", json={"scores": [late]})
    assert outcomes(answer) == [("committed", [])]
    assert [outcome["window_id"] for outcome in (answer.json or {})["outcomes"]] == [hour]
    for window in (hour, "custom:finals", "all-time"):
        board = got(callers.app.test_client(), f"{path}/leaderboards/{window}")
        assert [row["score"] for row in board["entries"]] == [7], window
