"""What a passkey must be.

That a browser makes and uses one is told in tests/e2e/test_passkeys.py.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Passkey
from app.audit.acts import Act
from app.audit.models import AuditEntry
from app.core.db import db


def b64(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def assertion(challenge: str) -> dict[str, Any]:
    """As a browser sends it, with a signature that is none."""
    client_data = {"type": "webauthn.get", "challenge": challenge, "origin": "http://localhost"}
    response = {
        "clientDataJSON": b64(client_data),
        "authenticatorData": b64(bytes(37)),
        "signature": b64(b"no signature"),
        "userHandle": None,
    }
    return {
        "id": b64(b"passkey"),
        "rawId": b64(b"passkey"),
        "type": "public-key",
        "response": response,
    }


@pytest.fixture
def held(sign_in: Callable[..., FlaskClient]) -> None:
    """A passkey of a member; its key is none that signs anything."""
    from app.accounts.services import find_member
    from app.core import clock

    sign_in()
    member = find_member("a-member")
    assert member is not None
    db.session.add(
        Passkey(
            member_id=member.id,
            name="x",
            credential_id=b"passkey",
            public_key=b"no key",
            sign_count=0,
            created_at=clock.now(),
        )
    )
    db.session.commit()


@pytest.mark.usefixtures("held")
def test_a_signature_that_is_none_signs_nobody_in(client: FlaskClient) -> None:
    options = client.post("/sign-in/passkey/options", json={}).json
    assert options is not None
    assert options["rpId"] == "localhost"
    assert options["userVerification"] == "required"
    refused = client.post("/sign-in/passkey", json=assertion(options["challenge"]))
    assert refused.status_code == 422
    assert client.get("/leagues").status_code == 302
    tried = db.session.scalars(select(AuditEntry).where(AuditEntry.act == Act.SIGN_IN_FAILED)).one()
    assert tried.details == {"with": "passkey"}


@pytest.mark.usefixtures("held")
def test_a_challenge_is_ours_and_good_once(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the signature: here every one counts as right."""
    import webauthn
    from webauthn.authentication.verify_authentication_response import VerifiedAuthentication
    from webauthn.helpers.structs import CredentialDeviceType

    done = VerifiedAuthentication(b"passkey", 1, CredentialDeviceType.SINGLE_DEVICE, False, True)
    monkeypatch.setattr(webauthn, "verify_authentication_response", lambda **_: done)
    assert client.post("/sign-in/passkey", json=assertion(b64(b"made up"))).status_code == 422
    options = client.post("/sign-in/passkey/options", json={}).json
    assert options is not None
    assert client.post("/sign-in/passkey", json=assertion(options["challenge"])).status_code == 200
    client.post("/sign-out")
    assert client.post("/sign-in/passkey", json=assertion(options["challenge"])).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"rawId": 1},
        {"rawId": "!"},
        {"rawId": "eA", "response": {}},
        "x",
        {"rawId": b64(b"passkey"), "response": {"clientDataJSON": b64(b"[" * 100_000)}},
        {"rawId": b64(b"passkey"), "response": {"clientDataJSON": b64({"challenge": 5})}},
    ],
)
def test_odd_bodies_are_refused(
    client: FlaskClient, sign_in: Callable[..., FlaskClient], body: object
) -> None:
    assert client.post("/sign-in/passkey", json=body).status_code == 422
    assert sign_in().post("/account/second-factor/passkeys", json=body).status_code == 422


def test_a_challenge_for_one_member_registers_nothing_for_another(
    sign_in: Callable[..., FlaskClient],
) -> None:
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    options = ann.post("/account/second-factor/passkeys/options", json={}).json
    assert options is not None
    assert options["authenticatorSelection"]["residentKey"] == "required"
    client_data = {
        "type": "webauthn.create",
        "challenge": options["challenge"],
        "origin": "http://localhost",
    }
    credential = {
        "id": b64(b"x"),
        "rawId": b64(b"x"),
        "type": "public-key",
        "response": {"clientDataJSON": b64(client_data), "attestationObject": b64(b"none")},
    }
    assert bob.post("/account/second-factor/passkeys", json=credential).status_code == 422
    assert db.session.query(Passkey).count() == 0
