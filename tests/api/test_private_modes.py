"""Private boards: only their integrator's keys and players can read them.

This holds for every way to ask for them.
"""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from tests.worlds.callers import Callers, got, new_key
from tests.worlds.score_log import Log, all_clean, score_event

READS = (
    "",
    "/players/{player}",
    "/players/{player}/history",
    "/band?low=0&high=9",
    "/percentiles",
    "/at?at=2026-04-05T20:00:00Z",
    "/movement?since=2026-04-05T20:00:00Z",
)


@pytest.fixture
def private(callers: Callers) -> Callers:
    """The mode is private, and Nova has a score."""
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 50))
    log.consume(judge=all_clean)
    assert callers.game_server.patch(callers.mode_path, json={"private": True}).status_code == 200
    db.session.expire_all()
    return callers


def answers(callers: Callers, client: FlaskClient) -> set[int]:
    """The statuses of every way to read the board."""
    paths = [callers.board + path.format(player=callers.player_id) for path in READS]
    statuses = {client.get(path).status_code for path in (*paths, f"{callers.mode_path}/windows")}
    listed = client.post(f"{callers.board}/players", json={"player_ids": [str(callers.player_id)]})
    return statuses | {listed.status_code}


def test_its_own_key_and_players_read_it_and_nobody_else(private: Callers, others: Callers) -> None:
    assert answers(private, private.game_server) == {200}
    assert answers(private, private.player) == {200}
    assert answers(private, private.app.test_client()) == {401}
    assert answers(private, others.game_server) == {403}
    assert answers(private, others.player) == {403}
    issuer = private.signed(new_key(private.integrator, private.owner, "attempts:issue"))
    assert answers(private, issuer) == {403}


def test_a_players_own_board_among_friends_is_theirs_alone(
    private: Callers, others: Callers
) -> None:
    query = f"?game={private.game.slug}&mode={private.mode.slug}"
    mine = got(
        private.player, f"/v1/players/{private.player_id}/friends/leaderboards/all-time{query}"
    )
    assert [row["rank"] for row in mine["entries"]] == [1]
    got(others.player, f"/v1/players/{others.player_id}/friends/leaderboards/all-time{query}", 403)


def test_no_page_and_no_public_list_shows_it(private: Callers) -> None:
    client = private.app.test_client()
    assert "Ranked" not in client.get("/boards").text
    assert got(client, f"/v1/games/{private.game.slug}/modes")["modes"] == []
    page = f"/boards/{private.game.slug}/{private.mode.slug}"
    assert {client.get(f"{page}{tail}").status_code for tail in ("", "/all-time", "/daily")} == {
        404
    }
    (mine,) = got(private.game_server, f"/v1/games/{private.game.slug}")["modes"]
    assert mine["private"] is True


def test_a_private_mode_can_be_opened_again(private: Callers) -> None:
    assert private.game_server.patch(private.mode_path, json={"private": False}).status_code == 200
    db.session.expire_all()
    assert answers(private, private.app.test_client()) == {200}
