"""Names from the API, bulk files and imports keep the rules of the registration form.

D15, moderated display names: nothing that cannot be seen, nothing that turns text around (Unicode
UTS #39 calls both unsafe in identifiers), and nobody who looks like the staff.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.boards.catalogue.services import create_game
from app.core.db import db
from tests.worlds.callers import Callers
from tests.worlds.score_log import Log, score_event

BAD = [
    "\u200b\u200b",
    "\u202eavoN",
    "No\u200bva",
    "N\u2066ova",
    "Nova\u3164",
    "\U000e0041Nova",
    "Admin",
    "M0derator",
]
BAD += ["Ｐressbox", "...", "Owner"]  # the last one is what the operator of these tests is called
MODE = {
    "aggregation": "highest",
    "ties": "shared",
    "min_score": 0,
    "max_score": 9,
    "windows": ["all-time"],
}
DAY = {"starts_at": "2027-01-01T00:00:00Z", "length": 1, "unit": "days", "windows": 1}


def sent(server: FlaskClient, callers: Callers, name: str) -> dict[str, Any]:
    """The answer of every operation that takes a name for public pages, by what is named."""
    game, mode = f"/v1/games/{callers.game.slug}", callers.mode_path
    declared = {"slug": "cup", "title": "Cup", "declaration": {"schedule": DAY}}
    tiers = [{"title": name}]
    return {
        "player": server.post(f"{game}/players", json={"external_id": "p-9", "display_name": name}),
        "player again": server.post(
            f"{game}/players", json={"external_id": "p-1", "display_name": name}
        ),
        "guild": server.put(f"{game}/guilds/reds", json={"name": name, "member_ids": []}),
        "game": server.post("/v1/games", json={"slug": "dice-two", "title": name}),
        "game renamed": server.patch(game, json={"title": name}),
        "mode": server.post(f"{game}/modes", json={"slug": "solo", "title": name, **MODE}),
        "mode renamed": server.patch(mode, json={"title": name}),
        "second score": server.post(
            f"{game}/modes",
            json={
                "slug": "duo",
                "title": "Duo",
                **MODE,
                "subscore": {"min": 0, "max": 9, "title": name},
            },
        ),
        "competition": server.post(f"{mode}/competitions", json=declared | {"title": name}),
        "tier": server.post(
            f"{mode}/competitions",
            json=declared | {"declaration": {"schedule": DAY, "tiers": tiers}},
        ),
    }


@pytest.mark.parametrize("name", BAD)
def test_a_name_that_hides_something_or_looks_like_staff_is_refused_at_every_door(
    callers: Callers, name: str
) -> None:
    answers = sent(callers.game_server, callers, name)
    taken = {
        what: answer.status_code for what, answer in answers.items() if answer.status_code != 400
    }
    assert taken == {}
    for answer in answers.values():
        (fault,) = answer.json["errors"]
        assert fault["detail"].endswith(".")


@pytest.mark.parametrize("name", ["Nova", "José Ñ.", "李小龍", "محمد", "Ngọc Ánh", "Ann 🏈"])
def test_names_of_every_script_are_taken(callers: Callers, name: str) -> None:
    answers = sent(callers.game_server, callers, name)
    assert {
        what: answer.status_code
        for what, answer in answers.items()
        if answer.status_code not in (200, 201)
    } == {
        "tier": 409  # the slug is the competition's before
    }


def test_a_name_is_kept_in_one_spelling(callers: Callers) -> None:
    body = {"external_id": "p-9", "display_name": "Ann  O\u0301."}
    answer = callers.game_server.post(f"/v1/games/{callers.game.slug}/players", json=body)
    assert answer.json["display_name"] == "Ann Ó."


def test_a_player_with_a_name_from_before_the_rules_still_signs_in(callers: Callers) -> None:
    """Registering a player at each log-in keeps working after a name was removed once."""
    callers.register("p-9", "Old\u200bName")
    path, body = (
        f"/v1/games/{callers.game.slug}/players",
        {"external_id": "p-9", "display_name": "Old\u200bName"},
    )
    assert callers.game_server.post(path, json=body).status_code == 200


def test_a_mode_with_a_title_from_before_the_rules_can_be_changed(callers: Callers) -> None:
    callers.mode.title = "Admin"
    db.session.commit()
    answer = callers.game_server.patch(callers.mode_path, json={"max_score": 5, "title": "Admin"})
    assert (answer.status_code, answer.json["max_score"]) == (200, 5)


def test_our_own_games_may_bear_our_name(callers: Callers) -> None:
    assert not isinstance(create_game("monthly", "Pressbox Monthly"), list)


def test_cells_of_a_board_isolate_the_direction_of_names(callers: Callers) -> None:
    """HTML 4.5.24: `bdi` is for text whose direction is not known, as names of users."""
    log = Log()
    log.put(score_event(callers.mode, callers.player_id, 5))
    log.consume()
    page = (
        callers.app.test_client()
        .get(f"/boards/{callers.game.slug}/{callers.mode.slug}/all-time")
        .text
    )
    assert re.search(r'<span class="who">\s*<img class="crest"[^>]*><bdi>Nova</bdi>', page)
