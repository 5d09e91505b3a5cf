"""Friends over the API: a player's own alone."""

from __future__ import annotations

from uuid import UUID

from app.accounts import friends, tokens
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import open_board
from app.boards.rules import Held
from app.boards.windows import rules as windows
from app.core.clock import now
from app.core.db import db
from tests.worlds.callers import Callers


def make_player(callers: Callers, name: str) -> tuple[UUID, str]:
    player_id = callers.register(name, name.title())
    return player_id, tokens.issue(player_id, now()).access


def test_two_players_become_friends_and_see_one_another_on_their_board(callers: Callers) -> None:
    me, other = callers.player_id, make_player(callers, "rex")
    stranger, _ = make_player(callers, "zoe")
    assert callers.player.put(f"/v1/players/{me}/friends/requests/{other[0]}").status_code == 204
    rex = callers.signed(other[1])
    asked = rex.get(f"/v1/players/{other[0]}/friends").json
    assert asked
    assert [person["display_name"] for person in asked["asked_me"]] == ["Nova"]
    assert rex.post(f"/v1/players/{other[0]}/friends/requests/{me}/accept").status_code == 204
    record = catalogue.board_for(callers.mode, windows.Window("all-time", "all-time"))
    spec = catalogue.spec_of(callers.game, callers.mode, record)
    db.session.commit()
    open_board(spec).load(
        [(str(me), Held(5, 0)), (str(other[0]), Held(9, 0)), (str(stranger), Held(7, 0))]
    )
    path = f"/v1/players/{me}/friends/leaderboards/all-time?game=dice&mode=ranked"
    board = callers.player.get(path).json
    assert board
    assert [(row["rank"], row["display_name"], row["score"]) for row in board["entries"]] == [
        (1, "Rex", 9),
        (2, "Nova", 5),
    ]
    assert (board["total_ranked"], board["player"]["rank"], board["source"]) == (2, 2, "redis")
    assert callers.player.delete(f"/v1/players/{me}/friends/{other[0]}").status_code == 204
    after = callers.player.get(path).json
    assert after
    assert after["total_ranked"] == 1


def test_nobody_reads_or_changes_anothers_friends(callers: Callers, others: Callers) -> None:
    friend, _ = make_player(callers, "rex")
    for path in (f"/v1/players/{friend}/friends", f"/v1/players/{others.player_id}/friends"):
        assert callers.player.get(path).status_code == 404
    assert (
        callers.player.put(f"/v1/players/{friend}/friends/requests/{callers.player_id}").status_code
        == 404
    )
    assert callers.game_server.get(f"/v1/players/{callers.player_id}/friends").status_code == 401
    asked = callers.player.put(
        f"/v1/players/{callers.player_id}/friends/requests/{others.player_id}"
    )
    assert asked.status_code == 404
    assert friends.circle(others.player_id).asked_me == []


def test_refusals_say_why(callers: Callers) -> None:
    other, _ = make_player(callers, "rex")
    base = f"/v1/players/{callers.player_id}"
    assert callers.player.put(f"{base}/blocks/{other}").status_code == 204
    answer = callers.player.put(f"{base}/friends/requests/{other}")
    assert (answer.status_code, answer.json and answer.json["detail"]) == (
        409,
        friends.BLOCKED_BY_YOU.text,
    )
    assert callers.player.delete(f"{base}/blocks/{other}").status_code == 204
    board = f"{base}/friends/leaderboards/monthly:2026-04?game=dice&mode=ranked"
    assert callers.player.get(board).status_code == 404


def test_the_friends_board_has_the_fields_of_every_board(callers: Callers) -> None:
    """One client reads every board: names and meanings are those of `get_leaderboard`."""
    path = f"/v1/players/{callers.player_id}/friends/leaderboards/all-time?game=dice&mode=ranked"
    among = callers.player.get(path).json
    whole = callers.player.get(f"{callers.board}?around_player_id={callers.player_id}").json
    assert among.keys() == whole.keys() - {"around"}
    assert among["player"].keys() == whole["player"].keys()
    assert (among["player"]["ranked"], among["entries"]) == (False, [])
