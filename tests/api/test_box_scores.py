"""The box score of a football game over the API.

Its numbers, a moment, 304, and what is refused.
"""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.worlds.games import ingest, make_game, messages, touchdown_drive

URL = "/api/v1/games/g1/box-score"


@pytest.fixture
def played(client: FlaskClient) -> FlaskClient:
    make_game()
    ingest(messages(touchdown_drive()))
    return client


def test_a_box_score_has_clubs_players_scores_and_drives_as_numbers(played: FlaskClient) -> None:
    box = played.get(URL).json
    assert box is not None
    home, away = box["home"], box["away"]
    assert (home["club_id"], home["points"], home["by_period"][0], away["points"]) == (
        "HRB",
        7,
        7,
        0,
    )
    figures = home["figures"]
    assert (figures["total_yards"], figures["plays"], figures["first_downs"]) == (75, 2, 2)
    assert (figures["first_downs_rushing"], figures["first_downs_passing"], figures["carries"]) == (
        1,
        1,
        1,
    )
    stats = {player["player_id"]: player["stats"] for player in home["players"]}
    assert stats["H3"] == {"carries": 1, "rushing_yards": 10, "rushing_long": 10}
    assert stats["H2"]["receiving_long"] == 65
    took_part = {person["player_id"]: person for person in home["participation"]}
    assert took_part["H3"] == {
        **{
            "player_id": "H3",
            "name": "H. Player3",
            "number": 3,
            "position": "RB",
            "unit": "offence",
        },
        **{"took_part": "played", "status": "", "changes": []},
    }
    (touchdown,) = box["scoring"]
    assert (touchdown["words"], touchdown["home"]) == (
        "H. Player2 65-yard pass from H. Player1 (kick)",
        7,
    )
    assert (touchdown["drive"], touchdown["drive_words"]) == (1, "2 plays, 75 yards, 0:40")
    (drive,) = box["drives"]
    assert (drive["club"], drive["plays"], drive["yards"], drive["result"]) == (
        "HRB",
        2,
        75,
        "touchdown",
    )
    assert box["as_of_event"] == 11


def test_a_box_score_of_a_moment_and_a_304_while_nothing_changes(played: FlaskClient) -> None:
    first = played.get(URL)
    again = played.get(URL, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    then = played.get(f"{URL}?at=6")
    assert then.json is not None
    assert (
        then.json["as_of_event"],
        then.json["home"]["points"],
        then.json["home"]["figures"]["plays"],
    ) == (6, 0, 1)
    assert then.headers["ETag"] != first.headers["ETag"]


def test_no_such_game_and_no_such_moment_say_so(played: FlaskClient) -> None:
    missing = played.get("/api/v1/games/none/box-score")
    assert (missing.status_code, "/games lists all games" in missing.text) == (404, True)
    for at in ("yesterday", "Q1-16:00"):
        refused = played.get(f"{URL}?at={at}")
        assert refused.status_code == 400
        assert refused.json is not None
        assert refused.json["errors"][0]["field"] == "at"
