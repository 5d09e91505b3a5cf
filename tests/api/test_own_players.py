"""An integrator lists, reads, exports and erases its own players.

So it can answer people who ask for their data.

GDPR, articles 15, 17 and 20: access, erasure and portability are owed to the players of a studio as
to members (D15).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text

from app.accounts.models import Friendship, Player
from app.core.db import db
from app.scores.models import ScoreAttempt
from tests.worlds.callers import Callers, got, new_key
from tests.worlds.score_log import Log, check_boards, score_event


def erase(callers: Callers, player_id: UUID, external_id: str, status: int = 204) -> Any:
    answer = callers.game_server.post(
        f"/v1/players/{player_id}/erasure", json={"external_id": external_id}
    )
    assert answer.status_code == status, answer.text
    return answer.json


def ids(page: Any) -> list[str]:
    return [player["external_id"] for player in page["players"]]


def test_players_are_listed_page_by_page_and_found_by_the_integrators_own_id(
    callers: Callers, others: Callers
) -> None:
    for number in range(2, 6):
        callers.register(f"p-{number}", f"Player {number}")
    first = got(callers.game_server, "/v1/players?limit=3")
    assert ids(first) == ["p-1", "p-2", "p-3"]
    second = got(callers.game_server, f"/v1/players?limit=3&after={first['next_after']}")
    assert (ids(second), second["next_after"]) == (["p-4", "p-5"], None)
    (nova,) = got(callers.game_server, "/v1/players?external_id=p-1")["players"]
    assert nova == got(callers.game_server, f"/v1/players/{callers.player_id}")
    assert (nova["player_id"], nova["display_name"]) == (str(callers.player_id), "Nova")
    assert (nova["name_is_moderated"], nova["banned_until"]) == (False, None)
    assert ids(got(callers.game_server, "/v1/players?external_id=none")) == []


def test_everything_about_a_player_is_exported_and_no_secret(callers: Callers) -> None:
    log = Log()
    log.put(
        score_event(
            callers.mode, callers.player_id, 5, client_meta={"build": "7.1"}, address="ab" * 16
        )
    )
    log.consume()
    tables = got(callers.game_server, f"/v1/players/{callers.player_id}/export")["tables"]
    assert [row["external_id"] for row in tables["players"]] == ["p-1"]
    assert [row["client_meta"] for row in tables["score_attempts"]] == [{"build": "7.1"}]
    assert {"board_scores", "refresh_tokens"} <= tables.keys()
    assert not {"digest", "hidden_at"} & {name for rows in tables.values() for name in rows[0]}


def test_an_erased_player_is_nowhere_and_their_places_stay(callers: Callers) -> None:
    rex = callers.register("u-4711", "Rex Long")
    low, high = sorted((rex, callers.player_id))
    db.session.add(Friendship(low_id=low, high_id=high))
    db.session.commit()
    log = Log()
    log.put(
        score_event(
            callers.mode, rex, 9, client_meta={"name": "Rex"}, address="ab" * 16, device="cd" * 16
        ),
        score_event(callers.mode, callers.player_id, 5),
    )
    log.consume()
    assert [row["display_name"] for row in got(callers.game_server, callers.board)["entries"]] == [
        "Rex Long",
        "Nova",
    ]
    assert erase(callers, rex, "u-4712", 400)["errors"][0]["code"] == "not_repeated"
    erase(callers, rex, "u-4711")
    board = got(callers.game_server, callers.board)["entries"]
    assert [(row["rank"], row["display_name"]) for row in board] == [
        (1, "Erased player"),
        (2, "Nova"),
    ]
    check_boards(callers.mode)
    (attempt,) = db.session.scalars(select(ScoreAttempt).where(ScoreAttempt.player_id == rex))
    assert (attempt.client_meta, attempt.address, attempt.device, attempt.score) == (
        {},
        None,
        None,
        9,
    )
    assert db.session.scalars(select(Friendship)).all() == []
    for column in ("display_name", "external_id", "own_name"):
        left = text(f"SELECT count(*) FROM players WHERE {column} IN ('Rex Long', 'u-4711')")
        assert db.session.scalar(left) == 0
    assert "u-4711" not in ids(got(callers.game_server, "/v1/players"))


def test_nothing_is_taken_from_an_erased_player_and_the_same_id_registers_a_new_one(
    callers: Callers,
) -> None:
    erase(callers, callers.player_id, "p-1")
    assert (
        callers.game_server.post(
            "/v1/tokens", json={"player_id": str(callers.player_id)}
        ).status_code
        == 403
    )
    assert callers.player.get(f"/v1/players/{callers.player_id}/friends").status_code == 401
    again = callers.game_server.post(
        f"/v1/games/{callers.game.slug}/players",
        json={"external_id": "p-1", "display_name": "Nova"},
    )
    assert again.status_code == 201
    assert again.json["player_id"] != str(callers.player_id)
    for path in ("", "/export"):
        assert callers.game_server.get(f"/v1/players/{callers.player_id}{path}").status_code == 404
    erase(callers, callers.player_id, "p-1", 404)


def test_no_id_that_an_integrator_knows_brings_an_erased_player_back(callers: Callers) -> None:
    """Once erased, a player has no name any more (GDPR, article 17).

    Registering one renamed the row on every board.
    """
    erase(callers, callers.player_id, "p-1")
    path = f"/v1/games/{callers.game.slug}/players"
    for external_id in (f"erased-{callers.player_id}", str(callers.player_id), "p-1"):
        sent = {"external_id": external_id, "display_name": "Nova"}
        assert callers.game_server.post(path, json=sent).status_code == 201
    db.session.rollback()
    assert db.session.get_one(Player, callers.player_id).display_name == "Erased player"


@pytest.mark.parametrize("path", ["", "/export", "/erasure"])
def test_another_integrators_players_and_members_are_not_there(
    callers: Callers, others: Callers, path: str
) -> None:
    others_path = f"/v1/players/{others.player_id}{path}"
    server = callers.game_server
    answer = (
        server.post(others_path, json={"external_id": "p-1"})
        if path == "/erasure"
        else server.get(others_path)
    )
    assert answer.status_code == 404
    assert db.session.get_one(Player, others.player_id).erased_at is None


def test_a_key_for_tokens_alone_may_not_read_or_erase(callers: Callers) -> None:
    server = callers.signed(new_key(callers.integrator, callers.owner, "players:token"))
    assert server.get("/v1/players").status_code == 403
    sent = {"external_id": "p-1"}
    assert server.post(f"/v1/players/{callers.player_id}/erasure", json=sent).status_code == 403
