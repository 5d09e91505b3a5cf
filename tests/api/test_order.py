"""Lowest is best and subscores over the API: declared, sent, read.

And what does not fit is refused in words.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core import clock
from app.core.db import db
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, all_clean, score_event

RACE = {
    "slug": "race",
    "title": "Race",
    "order": "lowest",
    "decimals": 2,
    "min_score": 0,
    "max_score": 360_000,
    "subscore": {"min": 0, "max": 100, "order": "highest", "title": "Clean laps"},
}


def create(callers: Callers, status: int = 201, **changes: Any) -> Any:
    answer = callers.game_server.post("/v1/games/dice/modes", json={**RACE, **changes})
    assert answer.status_code == status, answer.text
    return answer.json


def mode_of(callers: Callers, slug: str = "race") -> Mode:
    mode = catalogue.find_mode(callers.game, slug)
    assert mode is not None
    return mode


def race(callers: Callers) -> list[UUID]:
    """Three players: 60.50 with 7 clean laps, 60.50 with 9, and 61.00 with 50.

    In that order of sending.
    """
    create(callers)
    mode = mode_of(callers)
    players = [callers.register(name, name) for name in ("Ann", "Bob", "Cleo")]
    sent = zip(players, (6050, 6050, 6100), (7, 9, 50), strict=True)
    log = Log()
    log.put(
        *(
            score_event(mode, player, score, clock.now(), subscore=laps)
            for player, score, laps in sent
        )
    )
    log.consume(judge=all_clean)
    return players


def test_a_mode_says_how_it_ranks(callers: Callers) -> None:
    created = create(callers)
    assert (created["order"], created["subscore"]) == ("lowest", RACE["subscore"])
    (_, ranked) = sorted(
        got(callers.app.test_client(), "/v1/games/dice/modes")["modes"],
        key=lambda listed: listed["slug"],
    )
    assert (ranked["slug"], ranked["order"], ranked["subscore"]) == ("ranked", "highest", None)


def test_a_board_is_read_with_subscores_the_lowest_score_first(callers: Callers) -> None:
    ann, bob, cleo = race(callers)
    path = "/v1/games/dice/modes/race/leaderboards/all-time"
    board = got(callers.app.test_client(), f"{path}?around_player_id={ann}")
    assert board["order"] == "lowest"
    assert [
        (entry["rank"], entry["display_name"], entry["score"], entry["subscore"])
        for entry in board["entries"]
    ] == [
        (1, "Bob", 60.5, 9),
        (2, "Ann", 60.5, 7),
        (3, "Cleo", 61.0, 50),
    ]
    assert (board["player"]["rank"], board["player"]["subscore"]) == (2, 7)
    place = got(callers.app.test_client(), f"{path}/players/{cleo}")
    assert (place["player"]["rank"], place["player"]["subscore"]) == (3, 50)
    assert [entry["display_name"] for entry in place["above"]] == ["Bob", "Ann"]
    band = got(callers.app.test_client(), f"{path}/band?low=6050&high=6060")
    assert [entry["display_name"] for entry in band["entries"]] == ["Bob", "Ann"]
    history = got(callers.player, f"{path}/players/{bob}/history")
    assert [
        (score["score"], score["subscore"], score["held_subscore"]) for score in history["scores"]
    ] == [(60.5, 9, 9)]
    feed = got(callers.game_server, "/v1/feed")
    assert sorted(
        (change["player_id"], change["raw_score"], change["subscore"])
        for change in feed["changes"]
        if change["mode"] == "race"
    ) == sorted([(str(ann), 6050, 7), (str(bob), 6050, 9), (str(cleo), 6100, 50)])


def test_the_page_of_a_board_has_a_column_for_the_subscore(callers: Callers) -> None:
    race(callers)
    page = callers.app.test_client().get("/boards/dice/race/all-time").text
    assert "The lowest score counts; ties broken by highest Clean laps" in page
    assert '<th scope="col" class="points">Clean laps</th>' in page
    assert page.index("Bob") < page.index("Ann") < page.index("Cleo")


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"max_score": 2**50}, "subscore", "each need 57 bits, but a board has 53"),
        ({"aggregation": "sum"}, "subscore", "A sum can't have a subscore"),
        ({"subscore": {"min": 3, "max": 2}}, "subscore", "max: 2 is below min (3)"),
    ],
)
def test_what_no_board_can_hold_is_refused_at_creation(
    callers: Callers, changes: dict[str, Any], field: str, words: str
) -> None:
    refused = create(callers, 400, **changes)
    (fault,) = refused["errors"]
    assert fault["field"] == field
    assert words in fault["detail"]


def test_the_order_changes_until_the_first_score_and_bounds_stay_within_the_bits(
    callers: Callers,
) -> None:
    create(callers)
    path = "/v1/games/dice/modes/race"
    changed = callers.game_server.patch(path, json={"order": "highest", "subscore": None})
    assert (changed.json or {})["order"] == "highest", changed.text
    assert (changed.json or {})["subscore"] is None
    back = callers.game_server.patch(path, json={"order": "lowest", "subscore": RACE["subscore"]})
    assert back.status_code == 200, back.text
    log = Log()
    log.put(score_event(mode_of(callers), callers.player_id, 5, clock.now(), subscore=1))
    log.consume(judge=all_clean)
    refused = callers.game_server.patch(path, json={"order": "highest", "subscore": None})
    assert refused.status_code == 409, refused.text
    assert [error["field"] for error in (refused.json or {})["errors"]] == ["order", "subscore"]
    wide = callers.game_server.patch(path, json={"max_score": 2**50})
    assert wide.status_code == 400, wide.text
    assert [error["field"] for error in (wide.json or {})["errors"]] == ["subscore"]


@pytest.mark.parametrize(
    ("mode", "sent", "words"),
    [
        ("race", {}, "breaks ties with a subscore. Send one from 0 to 100"),
        ("race", {"subscore": 101}, "subscore must be from 0 to 100 in this mode"),
        ("ranked", {"subscore": 1}, "Ranked has no subscore. Leave it out"),
    ],
)
def test_a_score_with_the_wrong_subscore_is_refused_in_words(
    callers: Callers, mode: str, sent: dict[str, int], words: str
) -> None:
    create(callers)
    base = f"/v1/games/dice/modes/{mode}"
    issued = (
        callers.game_server.post(
            f"{base}/attempts", json={"player_id": str(callers.player_id)}
        ).json
        or {}
    )
    body = {name: issued[name] for name in ("attempt_id", "attempt_token")} | {
        "raw_score": 5,
        **sent,
    }
    answer = callers.player.post(f"{base}/scores", json=body)
    assert answer.status_code == 400, answer.text
    (fault,) = (answer.json or {})["errors"]
    assert (fault["field"], fault["code"]) == ("subscore", "bad_subscore")
    assert words in fault["detail"]
    db.session.rollback()


def test_the_cap_of_an_attempt_is_the_best_score_it_is_good_for(callers: Callers) -> None:
    create(callers)
    base = "/v1/games/dice/modes/race"

    def cap(**fields: int) -> int:
        asked = {"player_id": str(callers.player_id), **fields}
        return int(
            (callers.game_server.post(f"{base}/attempts", json=asked).json or {})["score_cap"]
        )

    assert (cap(), cap(score_cap=5_000), cap(score_cap=-5)) == (0, 5_000, 0)
    issued = callers.game_server.post(
        f"{base}/attempts", json={"player_id": str(callers.player_id), "score_cap": 5_000}
    )
    attempt = issued.json or {}
    body = {name: attempt[name] for name in ("attempt_id", "attempt_token")} | {
        "raw_score": 4_999,
        "subscore": 1,
    }
    answer = callers.player.post(f"{base}/scores", json=body)
    assert answer.status_code == 400, answer.text
    assert [fault["code"] for fault in (answer.json or {})["errors"]] == ["above_cap"]


def test_a_lowest_first_mode_never_says_that_the_highest_counts(callers: Callers) -> None:
    """What counts of race times is the lowest one.

    A client that reads `highest` shows the wrong word.
    """
    game = f"/v1/games/{callers.game.slug}"
    created = callers.game_server.post(
        f"{game}/modes", json={"slug": "laps", "title": "Laps", "aggregation": "lowest"}
    )
    assert (created.json["aggregation"], created.json["order"]) == ("lowest", "lowest")
    mode, board = f"{game}/modes/laps", f"{game}/modes/laps/leaderboards/all-time"
    listed = {"player_ids": [str(callers.player_id)]}
    answers = [
        callers.game_server.get(board),
        callers.game_server.get(f"{board}/players/{callers.player_id}"),
        callers.game_server.post(f"{board}/players", json=listed),
        callers.game_server.get(f"{board}/players/{callers.player_id}/history"),
        callers.player.get(
            f"/v1/players/{callers.player_id}/friends/leaderboards/all-time?game={callers.game.slug}&mode=laps"
        ),
    ]
    assert [(answer.status_code, answer.json["aggregation"]) for answer in answers] == [
        (200, "lowest")
    ] * 5
    again = callers.game_server.patch(mode, json={"aggregation": "lowest", "order": "lowest"})
    assert (again.status_code, again.json["aggregation"]) == (200, "lowest")
    refused = callers.game_server.patch(mode, json={"aggregation": "lowest", "order": "highest"})
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (400, "aggregation")
    summed = callers.game_server.patch(mode, json={"aggregation": "sum"})
    assert (summed.json["aggregation"], summed.json["order"]) == ("sum", "lowest")
