"""What a key may do follows its owner and its own life, on the boards too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import api_keys, staff
from app.accounts.models import ApiKey, Member
from app.audit.models import AuditEntry
from app.core.clock import now
from app.core.db import db
from tests.worlds.callers import Callers, new_key
from tests.worlds.score_games import make_integrator

pytestmark = pytest.mark.usefixtures("consumer")


def test_a_demoted_owners_keys_lose_the_scope_that_the_role_gave(
    callers: Callers, member: Callable[..., Member]
) -> None:
    member("otto", role="operator")
    member("ann-points")
    points = {"user_id": "ann-points", "points": 5}
    assert callers.game_server.post("/v1/scores", json=points).status_code == 200
    assert staff.set_roles(callers.owner, [], [], actor_id=None, reason="has left") == {}
    refused = callers.game_server.post("/v1/scores", json=points)
    assert refused.status_code == 403
    assert "lacks the scope scores:write" in refused.text
    assert callers.game_server.get("/v1/games").status_code == 200, "its other scopes stay"
    staff.set_roles(callers.owner, ["operator"], [], actor_id=None, reason="is back")
    assert callers.game_server.post("/v1/scores", json=points).status_code == 200


def test_revoking_a_key_ends_the_tokens_and_attempts_made_with_it(callers: Callers) -> None:
    other = callers.signed(
        new_key(callers.integrator, callers.owner, "players:token", "attempts:issue")
    )
    mine = select(ApiKey).where(ApiKey.integrator_id == callers.integrator.id).order_by(ApiKey.id)
    key = db.session.scalars(mine).first()
    assert key is not None

    def tokens_by(server: FlaskClient) -> dict[str, Any]:
        answer = server.post("/v1/tokens", json={"player_id": str(callers.player_id)})
        assert answer.status_code == 200
        return dict(answer.json)  # type: ignore[arg-type]

    def attempt_by(server: FlaskClient) -> dict[str, Any]:
        answer = server.post(
            f"{callers.mode_path}/attempts", json={"player_id": str(callers.player_id)}
        )
        assert answer.status_code == 201
        return {
            "attempt_id": answer.json["attempt_id"],
            "attempt_token": answer.json["attempt_token"],
            "raw_score": 7,
        }  # type: ignore[index]

    ended, valid = tokens_by(callers.game_server), tokens_by(other)
    lost, good = attempt_by(callers.game_server), attempt_by(other)
    assert api_keys.revoke(callers.integrator, key.id, now())
    for name, known in (("ended", ended), ("kept", valid)):
        access = (
            callers.signed(known["access_token"])
            .post(f"{callers.mode_path}/scores?wait=committed", json=good)
            .status_code
        )
        refresh = callers.app.test_client().post(
            "/v1/tokens/refresh", json={"refresh_token": known["refresh_token"]}
        )
        assert (access, refresh.status_code) == ((401, 401) if name == "ended" else (200, 200)), (
            name
        )
    refused = callers.player.post(f"{callers.mode_path}/scores", json=lost)
    assert refused.status_code == 400
    assert "issued with a key that is revoked" in refused.text
    last = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1)).one()
    assert (last.act, last.subject) == ("key.revoked", f"key:{key.id}")


def test_an_idempotency_key_belongs_to_the_client_that_sent_it(
    callers: Callers, member: Callable[..., Member]
) -> None:
    """Two game servers number their calls alike.

    Each one's points count, and each one's repetition does not.
    """
    member("ann-calls")
    second = make_integrator("Of The Same Owner", callers.owner.id)
    other = callers.signed(new_key(second, callers.owner, "scores:write"))
    header = {"Idempotency-Key": "call-1"}

    def score(server: FlaskClient, points: int) -> Any:
        answer = server.post(
            "/v1/scores", json={"user_id": "ann-calls", "points": points}, headers=header
        )
        return (
            answer.json["user_info"]["score"] if answer.status_code == 200 else answer.status_code
        )  # type: ignore[index]

    assert score(callers.game_server, 5) == 5
    assert score(other, 3) == 8
    assert score(callers.game_server, 5) == 8
    assert score(other, 4) == 409
