"""Every operation, called correctly and incorrectly by every kind of caller, on real stores.

Schemathesis makes the calls from the OpenAPI document and checks the answers against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
import pytest
import schemathesis
from flask import Flask, g
from hypothesis import HealthCheck, settings
from schemathesis import Case, GenerationMode, Response
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    negative_data_rejection,
    positive_data_acceptance,
)

from app.accounts import services as accounts
from app.accounts.models import Member
from app.api.document import document
from app.competitions import declaring
from app.competitions.declaration import Declaration
from app.competitions.models import Competition
from app.core.clock import now
from app.draft_leagues.drafts import founding
from app.draft_leagues.drafts.founding import MockWish
from app.draft_leagues.trades import services as trades
from app.draft_leagues.trades.desk import Actor
from app.draft_leagues.trades.services import NewOffer
from app.draft_leagues.trades.terms import FootballerGift, Terms
from app.fantasy.rosters.queries import rosters_of
from tests.conftest import PASSWORD
from tests.sizes import FULL, size
from tests.worlds.callers import make_callers
from tests.worlds.draft_leagues import DRAFTED, make_drafted_league
from tests.worlds.score_games import make_score_game
from tests.worlds.scored_season import make_season
from tests.worlds.tournament import World

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


EXAMPLES = size("PRESSBOX_API_EXAMPLES", 3, 30)  # random calls of each operation


@dataclass
class Crowd:
    """Everybody who may call, by the scheme that the document names.

    `real` are values that lead somewhere, `in_draft_league` those of paths in a draft league.
    """

    signed: dict[str, dict[str, str]]
    real: dict[str, str]
    in_draft_league: dict[str, str]
    calls: int = 0

    def right(self, case: Case) -> list[str]:
        """Who may call this operation."""
        ways = case.operation.definition.raw["security"]
        if is_of_draft_leagues(case):
            return ["session", "playerToken"]  # the player is no member of the league
        return [next(iter(scheme), "nobody") for scheme in ways] or [
            "nobody"
        ]  # {}: nobody need sign


@pytest.fixture(scope="module")
def crowd(app: Flask) -> Crowd:
    running.app = app
    owner = accounts.register("owner", "Owner", PASSWORD, ["operator"])
    assert isinstance(owner, Member)
    callers = make_callers(app, owner)
    make_season(owner.id)
    league_values = in_draft_league(owner)
    tournament = World()
    tournament.match("m1")
    tournament.poll()
    hook = callers.game_server.post("/v1/webhooks", json={"url": "https://example.com/hook"}).json
    assert hook is not None
    assert callers.game_server.put(
        f"/v1/games/{callers.game.slug}/guilds/owls",
        json={"name": "Owls", "member_ids": [str(callers.player_id)]},
    ).json
    spare = make_score_game("spare", integrator_id=callers.integrator.id)
    schedule = {
        "starts_at": (now() - timedelta(minutes=1)).isoformat(),
        "length": 1,
        "unit": "days",
        "windows": 2,
    }
    cup = declaring.create(
        callers.mode,
        declaring.NewCompetition(
            "cup", "Cup", msgspec.convert({"schedule": schedule}, Declaration)
        ),
        by=owner.id,
        now=now(),
    )
    assert isinstance(cup, Competition)
    assert isinstance(
        declaring.publish(cup.id, by=owner.id, now=now() - timedelta(hours=1)), Competition
    )
    browser = app.test_client()
    browser.post("/sign-in", data={"username": "owner", "password": PASSWORD})
    cookie = browser.get_cookie("session")
    assert cookie is not None
    return Crowd(
        {
            "apiKey": {"Authorization": f"Bearer {callers.key}"},
            "playerToken": {"Authorization": f"Bearer {callers.token}"},
            "session": {"session": cookie.value},
            "nobody": {},
        },
        {
            "game": callers.game.slug,
            "spare_game": spare.slug,
            "mode": str(callers.mode.id),
            "window": "all-time",
            "guild": "owls",
            "competition": "cup",
            "player_id": str(callers.player_id),
            "user_id": str(callers.player_id),
            "other_id": str(callers.register("p-2", "Rex")),
            "banned_id": str(callers.register("p-3", "Bot")),
            "event_id": str(UUID(int=1)),
            "rollback_id": str(UUID(int=2)),
            "webhook_id": hook["webhook_id"],
            "number": "1",
            "gamer_id": str(owner.id),
            "gameweek": "GW1",
            "footballer_id": "AYR1",
            "game_id": "nfl-1-HRB",
            "position": "GK",
            "league": "cup-overall",
            "tournamentId": str(tournament.id),
            "roundSlug": "week-1",
        },
        league_values,
    )


def is_of_draft_leagues(case: Case) -> bool:
    return bool(case.operation.definition.raw["tags"] == ["Draft leagues"])


def in_draft_league(owner: Member) -> dict[str, str]:
    """Values in a draft league whose commissioner is the owner."""

    def member(name: str) -> Member:
        registered = accounts.register(name, name.title(), PASSWORD, [])
        assert isinstance(registered, Member)
        return registered

    world = make_drafted_league(lambda name: owner if name == "ann" else member(name))
    [mine, other] = [next(iter(rosters_of(world.league.id).of(number))) for number in (1, 2)]
    terms = Terms((FootballerGift(mine, 1, 2), FootballerGift(other, 2, 1)))
    offered = trades.offer(world.league.id, Actor(owner.id), NewOffer(terms, "offer"), DRAFTED)
    return {
        "draft": str(founding.start_mock(owner.id, MockWish("redraft", 1, "Ann FC"), now())),
        "league": world.league.slug,
        "franchise": "1",
        "gameweek": "GW1",
        "number": "1",
        "footballer_id": mine,
        "trade": str(offered.trade_id),
        "claim": "1",
        "run": "1",
    }


def with_reason() -> list[str]:
    """The operations that take a reason, in which no character may be hidden."""
    schemas = document()["components"]["schemas"]
    bodies = {
        operation["operationId"]: operation["requestBody"]["content"]["application/json"]["schema"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    return [
        operation_id
        for operation_id, body in bodies.items()
        if "reason" in schemas.get(body.get("$ref", "").split("/")[-1], body).get("properties", {})
    ]


# Calls that fit the document and are refused for what they mean: a window of the 31st of February,
# a name that is Pressbox's own, metadata with a character that cannot be stored, a moment of the
# future, a token that we did not sign, a team sheet against the rules. Everything else that fits
# must be accepted, or not be found.
MEANING = {
    # What a draft league allows depends on its phase, its rosters and who calls.
    *(
        operation["operationId"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        if operation["tags"] == ["Draft leagues"] and {"409", "422"} & operation["responses"].keys()
    ),
    *with_reason(),
    *("list_rosters", "found_league"),
    *(
        "create_mode",
        "create_game",
        "change_mode",
        "submit_score",
        "submit_scores",
        "get_box_score",
        "add_points",
        "get_score_band",
        "refresh_token",
        # A name that cannot be seen, or looks like the staff's.
        *("register_player", "change_game"),
        "erase_player",
    ),
    *("preview_rollback", "try_limits"),
    *("delete_game", "delete_mode", "put_guild"),
    "replay_deliveries",
    # What a competition declares may not fit together; one that is live or has ended takes not
    # everything any more.
    *(
        "create_competition",
        "change_competition",
        "publish_competition",
        "end_competition",
        "delete_competition",
    ),
    *("join_competition", "take_attempt", "preview_competition"),
    "set_origins",
    *(
        "get_leaderboard_at",
        "get_rank_movement",
        "read_feed",
        "stream_feed",
        "stream_events",
        "list_windows",
        "submit_bulk",
        "create_webhook",
        "put_team_sheet",
    ),
}


CONTROL = re.compile("%(0[0-9a-f]|1[0-9a-f]|7f)", re.IGNORECASE)


class Running:
    """The test's own application, which is not there yet when the calls are collected."""

    app: Flask

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        g.pop("_login_user", None)  # the tests' application context would keep the last caller
        answer = self.app(environ, start_response)
        try:
            return [*answer]
        finally:
            # PEP 3333: a server closes it, which the client of schemathesis does not
            if hasattr(answer, "close"):
                answer.close()


running = Running()
whole = schemathesis.openapi.from_dict(document())
whole.app, whole.location = running, "/v1/openapi.json"
whole.config.generation.update(modes=list(GenerationMode))
# every boundary of every parameter: 5,000 calls, and long to work out
whole.config.phases.coverage.enabled = FULL
# A list that is too long may be too long to be read at all.
rejection = whole.config.checks.negative_data_rejection
rejection.expected_statuses = [*rejection.expected_statuses, "413"]


@pytest.mark.sized
@pytest.mark.breadth("each operation of the API, by schemathesis")
@pytest.mark.usefixtures("consumer")
@whole.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_call_is_answered_as_the_document_says(case: Case, crowd: Crowd) -> None:
    """No server error, no status, content type or body that the document does not name.

    What does not fit the document is refused, and what fits is not; without the right signature
    nothing is done.
    """
    right = crowd.right(case)
    crowd.calls += 1
    # the answer is read without a client that decompresses
    case.headers["Accept-Encoding"] = "identity"
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if is_positive and crowd.calls % 2:
        real = crowd.in_draft_league if is_of_draft_leagues(case) else crowd.real
        case.path_parameters.update((name, real[name]) for name in case.path_parameters)
        if "ban_player" in case.operation.definition.raw["operationId"]:
            # nobody whom later calls need
            case.path_parameters["player_id"] = crowd.real["banned_id"]
        if "erase_player" in case.operation.definition.raw["operationId"]:
            case.path_parameters["player_id"] = crowd.real["banned_id"]
        if "change_" in case.operation.definition.raw["operationId"]:
            # the other one must not be archived
            case.path_parameters["game"] = crowd.real["spare_game"]
    other = list(crowd.signed)[crowd.calls % len(crowd.signed)]
    # some cases try OPTIONS, TRACE and the like
    is_declared = case.method.upper() == case.operation.method.upper()
    if is_declared and not {"nobody", other} & set(right):
        signed_by(case, crowd.signed[other])
        answer = case.call()
        assert answer.status_code in refusals(answer), (
            other,
            answer.status_code,
            answer.request.url,
        )
        case.validate_response(
            answer, excluded_checks=[negative_data_rejection, positive_data_acceptance]
        )
    signed_by(case, crowd.signed[right[0]])
    # It takes the right signature for a made-up one; wrong ones and none were tried above.
    left_out = [ignored_auth]
    if case.operation.definition.raw["operationId"] in MEANING:
        left_out.append(positive_data_acceptance)
    case.call_and_validate(excluded_checks=left_out)


def refusals(answer: Response) -> tuple[int, ...]:
    """The statuses that a stranger may get.

    app/core/http/request_validation.py checks the address before anybody asks who calls.
    """
    url = urlsplit(answer.request.url or "")
    if CONTROL.search(url.path):
        return (404,)
    # Not every `%00` of an address arrives as one through this transport
    # (tests/web/test_odd_input.py sends them).
    return (400, 401, 403) if "%00" in url.query else (401, 403)


def signed_by(case: Case, headers: dict[str, str]) -> None:
    for name in ("Authorization", "Cookie"):
        case.headers.pop(name, None)
    case.cookies.clear()
    # the transport leaves a header Cookie out
    (case.cookies if "session" in headers else case.headers).update(headers)
