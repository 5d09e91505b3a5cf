"""Scores sent over the API, from the attempt to the board, on real stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import delete

from app.accounts import tokens
from app.accounts.models import Member
from app.api import monthly
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.rules import NewMode
from app.core.clock import now
from app.core.db import db, upsert
from app.core.http.rate_limits import limiter
from app.scores.models import AnticheatLimits
from tests.api.test_errors import problem
from tests.worlds.callers import Callers, got, new_key
from tests.worlds.score_games import make_score_mode

pytestmark = pytest.mark.usefixtures("consumer")


def attempt(callers: Callers, player_id: UUID | None = None, **body: object) -> dict[str, Any]:
    """A new attempt of the player, by the game server."""
    answer = callers.game_server.post(
        f"{callers.mode_path}/attempts",
        json={"player_id": str(player_id or callers.player_id)} | body,
    )
    assert answer.status_code == 201, answer.text
    return dict(answer.json)  # type: ignore[arg-type]


def score(of: dict[str, Any], raw_score: int, **more: object) -> dict[str, object]:
    return {
        "attempt_id": of["attempt_id"],
        "attempt_token": of["attempt_token"],
        "raw_score": raw_score,
    } | more


def test_a_committed_score_answers_as_the_source_says(callers: Callers, today: date) -> None:
    body = score(attempt(callers), 984200, client_meta={"build": "1.42.0", "platform": "ios"})
    key = {"Idempotency-Key": str(body["attempt_id"])}
    first = callers.player.post(
        f"{callers.mode_path}/scores?wait=committed", json=body, headers=key
    )
    assert first.status_code == 200, first.text
    assert first.json == {
        "status": "committed",
        "player_id": str(callers.player_id),
        "effective_score": 984200,
        "window_id": f"daily:{today}",
        "rank": 1,
        "total_ranked": 1,
    }
    again = callers.player.post(f"{callers.mode_path}/scores", json=body, headers=key)
    assert (again.status_code, again.json) == (200, first.json)


def test_a_score_keeps_the_session_of_its_attempt(callers: Callers) -> None:
    """Seed 003, F1: a score is sent for a game, a mode and a session."""
    of = attempt(callers, session_id="arena-7")
    assert of["session_id"] == "arena-7"
    path = f"{callers.mode_path}/scores?wait=committed"
    wrong = callers.player.post(path, json=score(of, 70, session_id="arena-8"))
    assert [fault["code"] for fault in problem(wrong, 400)["errors"]] == ["another_session"]
    right = callers.player.post(path, json=score(of, 70, session_id="arena-7"))
    assert right.status_code == 200, right.text
    history = f"{callers.board}/players/{callers.player_id}/history"
    assert got(callers.player, history)["scores"][0]["session_id"] == "arena-7"
    assert got(callers.app.test_client(), history)["scores"][0]["session_id"] is None


def test_an_accepted_score_answers_as_the_source_says(
    app: Flask, callers: Callers, monkeypatch: pytest.MonkeyPatch, today: date
) -> None:
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], kafka_in_memory=False)
    )
    answer = callers.player.post(f"{callers.mode_path}/scores", json=score(attempt(callers), 5))
    assert answer.status_code == 202, answer.text
    assert answer.json == {
        "status": "accepted",
        "player_id": str(callers.player_id),
        "window_id": f"daily:{today}",
        "provisional_rank": 1,
        "fraud_check": "pending",
    }


def test_a_held_score_is_never_answered_like_one_that_counts(callers: Callers) -> None:
    key = {"reason": "a game takes minutes", "per_minute": 1, "per_hour": 9, "reach": 6}
    assert callers.game_server.put(f"{callers.mode_path}/limits", json=key).status_code == 200
    path, player = f"{callers.mode_path}/scores?wait=committed", callers.player
    assert player.post(path, json=score(attempt(callers), 5)).status_code == 200
    body = score(attempt(callers), 9)
    for _ in range(2):  # sent again it says the same
        answer = player.post(path, json=body)
        assert answer.status_code == 202, answer.text
        assert answer.json is not None
        statuses = (
            answer.json["status"],
            answer.json["fraud_check"],
            answer.json["provisional_rank"],
        )
        assert statuses == ("held", "review", 1)
    several = {"scores": [{"mode": "ranked", **body}]}
    outcome: Any = player.post(f"/v1/games/{callers.game.slug}/scores", json=several).json
    assert [outcome["status"] for outcome in outcome["outcomes"]] == ["held"]
    board: Any = player.get(callers.board).json
    assert [row["score"] for row in board["entries"]] == [5]


def test_a_mode_says_its_limits(callers: Callers) -> None:
    path = f"/v1/games/{callers.game.slug}/modes"
    modes: Any = callers.app.test_client().get(path).json
    assert [mode["limits"] for mode in modes["modes"]] == [
        {"per_minute": 60, "per_hour": 1200, "reach": 6}
    ]


def test_one_call_sends_a_games_scores_to_several_modes_each_decided_by_itself(
    callers: Callers,
) -> None:
    make_score_mode(callers.game, NewMode("runs", "Runs", "sum", "dense", 0, 10, decimals=1), now())
    ranked, first, second = attempt(callers), attempt(callers), attempt(callers)
    other = callers.game_server.post(
        f"/v1/games/{callers.game.slug}/modes/runs/attempts",
        json={"player_id": str(callers.player_id)},
    ).json
    assert other is not None
    path = f"/v1/games/{callers.game.slug}/scores"
    sent = [
        {"mode": "ranked", **score(ranked, 400)},
        {"mode": "runs", **score(dict(other), 7)},
        {"mode": "runs", **score(first, 7)},  # of another mode
        {"mode": "ranked", **score(second, 300)},
    ]
    answer = callers.player.post(f"{path}?wait=committed", json={"scores": sent})
    assert answer.status_code == 200, answer.text
    outcomes: Any = answer.json
    assert [
        (outcome["status"], outcome["rank"], outcome["effective_score"])
        for outcome in outcomes["outcomes"]
    ] == [
        ("committed", 1, 400),
        ("committed", 1, 0.7),
        ("refused", None, None),
        ("committed", 1, 400),
    ]
    assert [error["field"] for error in outcomes["outcomes"][2]["errors"]] == [
        "scores[2].attempt_token"
    ]
    assert callers.player.post(path, json={"scores": sent}).json == outcomes, (
        "the first outcomes again"
    )
    missing = callers.player.post(path, json={"scores": [{"mode": "none", **score(first, 1)}]})
    assert "has no mode 'none'" in problem(missing, 404)["detail"]


def test_ids_do_for_slugs(callers: Callers) -> None:
    by_id = f"/v1/games/{callers.game.id}/modes/{callers.mode.id}"
    body = score(attempt(callers), 7)
    assert callers.player.post(f"{by_id}/scores?wait=committed", json=body).status_code == 200
    stranger = callers.app.test_client()
    by_name: Any = stranger.get(callers.board).json
    assert (
        stranger.get(f"{by_id}/leaderboards/all-time").json["entries"] == by_name["entries"] != []
    )  # type: ignore[index]


def test_a_score_that_cannot_count_says_why(callers: Callers, others: Callers) -> None:
    mine = attempt(callers, score_cap=100)
    path = f"{callers.mode_path}/scores"

    def codes(answer: Any, status: int) -> list[str]:
        return [error["code"] for error in problem(answer, status)["errors"]]  # type: ignore[attr-defined]

    assert codes(callers.player.post(path, json=score(mine, 101)), 400) == ["above_cap"]
    assert codes(
        callers.player.post(path, json=score(mine, 5) | {"attempt_token": "x.y"}), 400
    ) == ["bad_signature"]
    assert "another_player" in codes(others.player.post(path, json=score(mine, 5)), 400)
    assert "another_mode" in codes(
        callers.player.post(f"{others.mode_path}/scores", json=score(mine, 5)), 400
    )
    assert callers.player.post(f"{path}?wait=committed", json=score(mine, 5)).status_code == 200
    assert codes(callers.player.post(path, json=score(mine, 6)), 409) == ["attempt_reused"]
    key = {"Idempotency-Key": "one"}
    first = callers.player.post(
        f"{path}?wait=committed", json=score(attempt(callers), 5), headers=key
    )
    assert first.status_code == 200
    other = callers.player.post(path, json=score(attempt(callers), 6), headers=key)
    assert codes(other, 409) == ["idempotency_key_reused"]


def test_no_key_reaches_into_anothers_namespace(callers: Callers, others: Callers) -> None:
    body_of_theirs = {"player_id": str(others.player_id)}
    for method, path, body in [
        ("post", f"{callers.mode_path}/attempts", body_of_theirs),
        ("post", f"{others.mode_path}/attempts", {"player_id": str(callers.player_id)}),
        ("post", f"/v1/games/{callers.game.slug}/modes", {"slug": "x", "title": "X"}),
        ("post", f"/v1/games/{callers.game.id}/players", {"external_id": "x", "display_name": "X"}),
        ("post", "/v1/tokens", {"player_id": str(callers.player_id)}),
    ]:
        problem(getattr(others.game_server, method)(path, json=body), 404)
    assert [game["slug"] for game in others.game_server.get("/v1/games").json["games"]] == [
        others.game.slug
    ]  # type: ignore[index]
    taken = others.game_server.post(
        "/v1/games", json={"slug": callers.game.slug, "title": "Mine now"}
    )
    assert "another slug" in str(problem(taken, 409)["detail"])


def test_a_key_does_only_what_its_scopes_say(callers: Callers) -> None:
    reader = callers.signed(new_key(callers.integrator, callers.owner, "feed:read"))
    for path, scope in [
        ("/v1/games", "boards:manage"),
        ("/v1/tokens", "players:token"),
        (f"{callers.mode_path}/attempts", "attempts:issue"),
        ("/v1/scores", "scores:write"),
    ]:
        assert scope in str(problem(reader.post(path, json={}), 403)["detail"])


def test_a_signed_in_member_plays_with_a_token_of_their_own(
    callers: Callers, sign_in: Callable[..., FlaskClient]
) -> None:
    body: Any = sign_in(username="mia").post("/v1/tokens/mine").json
    player = callers.signed(body["access_token"])
    mine = attempt(callers, body["player_id"])
    answer = player.post(f"{callers.mode_path}/scores?wait=committed", json=score(mine, 12))
    assert answer.status_code == 200, answer.text
    board: Any = player.get(callers.board).json
    assert board["entries"] == [
        {
            "rank": 1,
            "player_id": body["player_id"],
            "display_name": "Mia",
            "image": f"/players/{body['player_id']}/picture",
            "score": 12,
        }
    ]
    renewed = player.post("/v1/tokens/refresh", json={"refresh_token": body["refresh_token"]})
    assert renewed.status_code == 200
    assert problem(
        player.post("/v1/tokens/refresh", json={"refresh_token": body["refresh_token"]}), 401
    )


def test_a_player_is_the_same_in_all_games_of_their_integrator(callers: Callers) -> None:
    path, body = (
        f"/v1/games/{callers.game.slug}/players",
        {"external_id": "p-1", "display_name": "Nova the Second"},
    )
    again = callers.game_server.post(path, json=body)
    assert (again.status_code, again.json["player_id"]) == (200, str(callers.player_id))  # type: ignore[index]
    new = callers.game_server.post(path, json=body | {"external_id": "p-2"})
    assert new.status_code == 201


def test_a_board_pages_and_shows_a_players_place_and_neighbours(callers: Callers) -> None:
    ids = []
    for number in range(12):
        player_id = callers.register(f"n-{number}", f"Player {number}")
        ids.append(str(player_id))
        token = tokens.issue(player_id, now()).access
        mine = attempt(callers, player_id)
        callers.signed(token).post(
            f"{callers.mode_path}/scores?wait=committed", json=score(mine, 100 - number)
        )
    stranger = callers.app.test_client()
    page: Any = stranger.get(
        f"{callers.board}?limit=3&offset=2&around_player_id={ids[6]}&nearby=2"
    ).json
    assert [entry["rank"] for entry in page["entries"]] == [3, 4, 5]
    assert (page["total_ranked"], page["source"], page["cache_hit"]) == (12, "redis", True)
    assert (page["player"]["rank"], page["player"]["score"]) == (7, 94)
    assert [entry["player_id"] for entry in page["around"]] == ids[4:9]
    place: Any = stranger.get(f"{callers.board}/players/{ids[1]}").json
    assert (place["player"]["rank"], place["player"]["ranked"]) == (2, True)
    assert [entry["player_id"] for entry in place["above"]] == ids[:1]
    assert [entry["player_id"] for entry in place["below"]] == ids[2:6]
    band: Any = stranger.get(f"{callers.board}/band?low=97&high=99").json
    assert [entry["score"] for entry in band["entries"]] == [99, 98, 97]
    unranked: Any = stranger.get(f"{callers.board}/players/{callers.player_id}").json
    assert unranked["player"] == {
        "player_id": str(callers.player_id),
        "display_name": "Nova",
        "ranked": False,
        "rank": None,
        "score": None,
        "percentile": None,
    }
    assert unranked["above"] == unranked["below"] == []
    problem(stranger.get(f"{callers.board}/players/{uuid4()}"), 404)
    problem(stranger.get(f"{callers.mode_path}/leaderboards/monthly:2026-04"), 404)
    assert "Swap" in str(problem(stranger.get(f"{callers.board}/band?low=2&high=1"), 400)["detail"])


def test_the_monthly_board_is_the_sources(
    callers: Callers, member: Callable[..., Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a board of its own: other tests send points too
    monkeypatch.setattr(monthly, "GAME", "site-of-twelve")
    site, stranger = callers.game_server, callers.app.test_client()
    assert stranger.get("/v1/scores").json == {"data": [], "total": 0}
    for number in range(12):
        member(f"user{number}")
        answer = site.post("/v1/scores", json={"user_id": f"user{number}", "points": 970 - number})
        assert answer.status_code == 200, answer.text
    top: Any = stranger.get("/v1/scores").json
    assert top["total"] == 10
    assert top["data"][0].keys() == {"user_id", "user_name", "rank", "score"}
    assert [(row["user_name"], row["rank"], row["score"]) for row in top["data"][:2]] == [
        ("User0", 1, 970),
        ("User1", 2, 969),
    ]
    sixth = top["data"][5]["user_id"]
    mine: Any = stranger.get(f"/v1/scores/{sixth}").json
    assert mine["user_info"] == {"user_id": sixth, "score": 965, "rank": 6}
    assert [row["rank"] for row in mine["above"]] == [2, 3, 4, 5]
    assert [row["rank"] for row in mine["below"]] == [7, 8, 9, 10]
    more = {"Idempotency-Key": "win-1"}
    for _ in range(2):
        answer = site.post("/v1/scores", json={"user_id": sixth, "points": 10}, headers=more)
        assert answer.json == {"user_info": {"user_id": sixth, "score": 975, "rank": 1}}
    unknown = site.post("/v1/scores", json={"user_id": "nobody.here", "points": 1})
    assert "user_id" in str(problem(unknown, 400)["detail"])
    problem(stranger.get("/v1/scores/nobody.here"), 404)
    problem(stranger.post("/v1/scores", json={"user_id": sixth, "points": 1}), 401)
    problem(callers.player.post("/v1/scores", json={"user_id": sixth, "points": 1}), 401)


def test_points_that_are_held_are_not_answered_like_points_that_count(
    callers: Callers, member: Callable[..., Member]
) -> None:
    member("quick")
    site = callers.game_server
    counted = site.post("/v1/scores", json={"user_id": "quick", "points": 5})
    assert counted.status_code == 200
    both = catalogue.find_game_and_mode(monthly.GAME, monthly.MODE)
    assert both is not None
    mode = both[1]
    upsert(
        AnticheatLimits,
        ("mode_id",),
        [{"mode_id": mode.id, "per_minute": 1, "per_hour": 9, "reach": 6, "set_at": now()}],
    )
    db.session.commit()
    answer = site.post("/v1/scores", json={"user_id": "quick", "points": 7})
    assert answer.status_code == 202, answer.text
    assert answer.json == {"status": "held", **(counted.json or {})}, "as it counts without them"
    db.session.execute(delete(AnticheatLimits))
    db.session.commit()


def test_with_kafka_away_a_score_is_to_be_sent_again(
    app: Flask, callers: Callers, nobody_listens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = score(attempt(callers), 5)
    app.extensions.pop("score_producer", None)
    away = replace(
        app.config["PRESSBOX"], kafka=f"127.0.0.1:{nobody_listens}", kafka_in_memory=False
    )
    with monkeypatch.context() as patched:
        patched.setitem(app.config, "PRESSBOX", away)
        answer = callers.player.post(f"{callers.mode_path}/scores", json=mine)
    app.extensions.pop("score_producer", None)
    problem(answer, 503)
    assert int(answer.headers["Retry-After"]) > 0
    assert (
        callers.player.post(f"{callers.mode_path}/scores?wait=committed", json=mine).status_code
        == 200
    )


def test_an_answer_that_succeeds_names_no_wait(callers: Callers) -> None:
    """RFC 9110, 10.2.3: a client that honours Retry-After would wait a minute after each."""
    limiter.enabled = True
    new = {"external_id": "p-9", "display_name": "Zoe"}
    answer = callers.game_server.post(f"/v1/games/{callers.game.slug}/players", json=new)
    assert answer.status_code == 201
    assert "X-RateLimit-Remaining" in answer.headers
    assert "Retry-After" not in answer.headers


def test_a_player_who_sends_too_much_waits_and_another_does_not(
    callers: Callers, others: Callers
) -> None:
    limiter.enabled = True
    bad = {"attempt_id": str(uuid4()), "attempt_token": "x", "raw_score": 1}
    # see test_errors
    answers = [callers.player.post(f"{callers.mode_path}/scores", json=bad) for _ in range(121)]
    assert [answer.status_code for answer in answers[:60]] == [400] * 60
    problem(answers[-1], 429)
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert others.player.post(f"{callers.mode_path}/scores", json=bad).status_code == 400
