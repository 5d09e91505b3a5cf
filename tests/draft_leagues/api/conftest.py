from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import replace

from app.accounts.models import Member
from app.core import clock
from app.draft_leagues.settings import DraftLeagueSettings, TradeSettings, WaiverSettings
from app.fantasy.rosters.queries import rosters_of
from tests.worlds.draft_leagues import DRAFTED, SETTINGS, DraftWorld, make_drafted_league

# Between the draft and the first kickoff.
NOW = DRAFTED + timedelta(hours=1)
BIDDING = replace(
    SETTINGS,
    waivers=WaiverSettings("blind_bids"),
    trades=TradeSettings(deadline_week=4),
    roster=replace(SETTINGS.roster, taxi=1),
    season=replace(SETTINGS.season, regular_weeks=3),
)


@dataclass
class Api:
    """A member who calls the API of the league."""

    client: FlaskClient
    league: str

    def call(self, method: str, path: str = "", body: object = None, status: int = 200) -> Any:
        """The JSON of an answer that has this status."""
        address = f"/api/v1/draft-leagues/{self.league}{path}"
        answer = self.client.open(address, method=method, json=body)
        assert answer.status_code == status, answer.text
        return answer.get_json(silent=True)

    def get(self, path: str = "", status: int = 200) -> Any:
        return self.call("GET", path, None, status)

    def post(self, path: str, body: object, status: int = 200) -> Any:
        return self.call("POST", path, body, status)

    def put(self, path: str, body: object, status: int = 200) -> Any:
        return self.call("PUT", path, body, status)

    def put_settings(self, settings: object, status: int = 200) -> Any:
        """Change the settings as they are now."""
        version = self.get()["settingsVersion"]
        return self.put(f"/settings?version={version}", settings, status)

    def refused(self, method: str, path: str, body: object, status: int = 409) -> tuple[str, str]:
        """The field and the code of the only fault of a refusal."""
        problem = self.call(method, path, body, status)
        assert problem["detail"]
        [error] = problem["errors"]
        return error["field"], error["code"]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Sets the time at which requests are answered."""

    def set_time(moment: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: moment)

    return set_time


@pytest.fixture
def settings() -> DraftLeagueSettings:
    return BIDDING


@pytest.fixture
def world(app: Flask, member: Callable[..., Member], settings: DraftLeagueSettings) -> DraftWorld:
    """Four drafted franchises with a waiver budget of 100 each; Ann is the commissioner."""
    return make_drafted_league(member, settings)


@pytest.fixture
def api(
    world: DraftWorld, sign_in: Callable[..., FlaskClient], at: Callable[[datetime], None]
) -> Callable[[str], Api]:
    """Signs somebody in; at first it is an hour after the draft."""

    def of(name: str) -> Api:
        return Api(sign_in(username=name), world.league.slug)

    at(NOW)
    return of


@pytest.fixture
def ann(api: Callable[[str], Api]) -> Api:
    return api("ann")


@pytest.fixture
def bob(api: Callable[[str], Api]) -> Api:
    return api("bob")


def roster(world: DraftWorld, franchise: int) -> list[str]:
    """The footballers of a franchise, in the order of the draft: QB, RB, WR, TE, RB, WR."""
    return [*rosters_of(world.league.id).of(franchise)]
