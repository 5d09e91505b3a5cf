"""A draft league is founded by a preset, changed and scheduled over the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import clock
from app.draft_leagues.settings import PRESETS
from tests.draft_leagues.api.conftest import Api
from tests.worlds.draft_season import make_draft_season

NEW = {"name": "The Yard", "teamName": "Ann FC", "preset": "dynasty", "timeZone": "UTC"}


@pytest.fixture
def ann(app: Flask, sign_in: Callable[..., FlaskClient]) -> Api:
    """A member before the first deadline of a season, by the real clock."""
    make_draft_season(clock.now() + timedelta(days=7), 2099, with_last_season=False)
    return Api(sign_in(username="ann"), "the-yard")


def found(ann: Api, **changes: object) -> FlaskClient:
    return ann.client.post("/api/v1/draft-leagues", json=NEW | changes)


def test_a_league_is_founded_by_a_preset_and_its_settings_are_replaced(ann: Api) -> None:
    created = found(ann, franchises=10)
    assert created.status_code == 201, created.text
    league = created.get_json()
    assert (league["league"], league["phase"], league["myFranchise"]) == ("the-yard", "setup", 1)
    settings = league["settings"]
    assert settings["franchises"] == 10
    assert settings["keepers"]["keeps_all"] is PRESETS["dynasty"].keepers.keeps_all
    assert ann.get() == league
    before = dict(settings["trades"])

    settings["trades"]["review"] = "vote"
    preview = ann.post("/settings/preview", settings)
    assert preview["changes"][0] == {
        "label": "Trade review",
        "before": "Commissioner",
        "after": "League vote",
    }
    assert ann.get() == league | {"settings": league["settings"] | {"trades": before}}
    for _ in range(2):
        assert ann.put_settings(settings)["settings"] == settings
    wrong = settings | {"time_zone": "Atlantis"}
    assert [error["field"] for error in ann.put_settings(wrong, 422)["errors"]] == ["time_zone"]
    unknown = settings | {"colour": "red"}
    address = f"/settings?version={ann.get()['settingsVersion']}"
    assert ann.refused("PUT", address, unknown, 400) == ("colour", "unknown")


@pytest.mark.parametrize(
    "change", [{"time_zone": "Europe/Berlin"}, {"scoring": "standard"}, {"franchises": 8}]
)
def test_nobody_takes_back_what_another_commissioner_saved(
    ann: Api, change: dict[str, object]
) -> None:
    league = found(ann, franchises=10).get_json()
    settings, version = league["settings"], league["settingsVersion"]
    ann.put_settings(settings | change)
    mine = settings | {"trades": settings["trades"] | {"review": "vote"}}
    address = f"/settings?version={version}"
    assert ann.refused("PUT", address, mine) == ("version", "changed")
    assert ann.get()["settings"] == settings | change
    assert ann.refused("PUT", "/settings", mine, 400) == ("version", "missing")
    assert ann.put_settings(mine | change)["settings"] == mine | change


def test_the_commissioner_plans_the_draft(ann: Api, sign_in: Callable[..., FlaskClient]) -> None:
    found(ann, franchises=2)
    starts_at = (clock.now() + timedelta(days=1)).isoformat()
    planned = ann.put("/draft", {"startsAt": starts_at, "order": [2, 1]})
    draft = ann.client.get(f"/api/v1/drafts/{planned['draft']}").get_json()
    assert [seat["franchise"] for seat in draft["franchises"]] == [2, 1]
    past = {"startsAt": "2020-01-01T00:00:00Z"}
    assert ann.refused("PUT", "/draft", past) == ("startsAt", "past")
    assert ann.refused("PUT", "/draft", {"order": [1, 1]}) == ("order", "order")
    stranger = Api(sign_in(username="eve"), "the-yard")
    stranger.put("/draft", {}, 404)


def test_what_is_wrong_with_a_new_league_is_named(ann: Api) -> None:
    for changes, status, field in (
        ({"preset": "chess"}, 400, "preset"),
        ({"franchises": 1}, 400, "franchises"),
        ({"timeZone": "Atlantis"}, 422, "timeZone"),
        ({"season": "nfl-1999-REG"}, 422, "season"),
        ({"name": " "}, 422, "name"),
    ):
        refused = found(ann, **changes)
        assert refused.status_code == status, refused.text
        assert [error["field"] for error in refused.get_json()["errors"]] == [field]


def test_others_join_with_the_code_until_the_league_is_full(
    ann: Api, sign_in: Callable[..., FlaskClient]
) -> None:
    code = found(ann, franchises=2).get_json()["inviteCode"]

    def join(name: str, code: str) -> tuple[int, Any]:
        body = {"inviteCode": code, "teamName": f"{name.title()} FC"}
        answer = sign_in(username=name).post("/api/v1/draft-leagues/join", json=body)
        return answer.status_code, answer.get_json()

    for _ in range(2):
        status, league = join("bob", code)
        assert (status, league["myFranchise"], league["runsIt"]) == (200, 2, False)
    status, refused = join("cat", code)
    assert (status, refused["errors"][0]["code"]) == (409, "full")
    assert join("dan", "NO-SUCH-CODE")[0] == 404
