"""Passkeys (WebAuthn): registering one, and signing in with it alone, which is two factors.

The browser checks that the page is ours and the authenticator checks the person; here the signature
is checked, with a challenge of ours that is good once. Which factors a member has is in
second_factors.py.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from urllib.parse import urlsplit

import webauthn
from flask import current_app, request
from sqlalchemy import select
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, options_to_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from app.accounts import second_factors
from app.accounts.models import Member, Passkey
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.settings import Settings

NAME = "Pressbox"
CHALLENGE_SECONDS = 300
LONGEST_NAME = 60
MOST_PASSKEYS = 10  # of a member


class PasskeyRefusedError(Exception):
    """The passkey is not taken; the text says why and what to do."""


def registration_options(member: Member) -> str:
    """What the browser needs to make a passkey, as JSON. Raises PasskeyRefusedError, RedisAway."""
    held = second_factors.of(member.id).passkeys
    if len(held) >= MOST_PASSKEYS:
        raise PasskeyRefusedError(
            f"You have {MOST_PASSKEYS} passkeys, the most there can be: remove one first."
        )
    options = webauthn.generate_registration_options(
        rp_id=_host(),
        rp_name=NAME,
        user_id=_handle(member),
        user_name=member.username,
        user_display_name=member.display_name,
        exclude_credentials=[PublicKeyCredentialDescriptor(id=one.credential_id) for one in held],
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
    )
    _keep(f"register:{member.id}", options.challenge)
    return options_to_json(options)


def register(member: Member, credential: str, name: str, now: datetime) -> Passkey:
    """The member's new passkey. Commits. Raises PasskeyRefusedError, RedisAway."""
    try:
        made = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=_spend(f"register:{member.id}", credential),
            expected_rp_id=_host(),
            expected_origin=_origin(),
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise PasskeyRefusedError("The passkey was not made as it should be: try again.") from error
    if (
        db.session.scalar(select(Passkey.id).where(Passkey.credential_id == made.credential_id))
        is not None
    ):
        raise PasskeyRefusedError("This passkey is here already.")
    passkey = Passkey(
        member_id=member.id,
        name=" ".join(name.split())[:LONGEST_NAME] or "Passkey",
        credential_id=made.credential_id,
        public_key=made.credential_public_key,
        sign_count=made.sign_count,
        created_at=now,
    )
    db.session.add(passkey)
    second_factors.note_added(member.id, "passkey")
    db.session.commit()
    return passkey


def sign_in_options() -> str:
    """What the browser needs to ask for a passkey of whoever sits there, as JSON.

    Raises RedisAway.
    """
    options = webauthn.generate_authentication_options(
        rp_id=_host(), user_verification=UserVerificationRequirement.REQUIRED
    )
    _keep("sign-in", options.challenge)
    return options_to_json(options)


def sign_in(credential: str, now: datetime) -> Member:
    """Whose passkey has signed. Commits. Raises PasskeyRefusedError, RedisAway."""
    try:
        credential_id = base64url_to_bytes(json.loads(credential)["rawId"])
        query = select(Passkey).where(Passkey.credential_id == credential_id).with_for_update()
        held = db.session.scalar(query.execution_options(populate_existing=True))
        if held is None:
            raise PasskeyRefusedError("This passkey is not known here: sign in with your password.")
        done = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=_spend("sign-in", credential),
            expected_rp_id=_host(),
            expected_origin=_origin(),
            credential_public_key=held.public_key,
            credential_current_sign_count=held.sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        db.session.rollback()
        raise PasskeyRefusedError("The passkey did not sign as it should: try again.") from error
    held.sign_count, held.last_used_at = done.new_sign_count, now
    db.session.commit()
    return db.session.get_one(Member, held.member_id)


def _keep(purpose: str, challenge: bytes) -> None:
    jobs_redis().set(_key(purpose, bytes_to_base64url(challenge)), 1, ex=CHALLENGE_SECONDS)


def _spend(purpose: str, credential: str) -> bytes:
    """The challenge that was signed, if it is one of ours for this purpose; it is good once.

    Raises ValueError.
    """
    signed = json.loads(base64url_to_bytes(json.loads(credential)["response"]["clientDataJSON"]))[
        "challenge"
    ]
    if not jobs_redis().getdel(_key(purpose, signed)):
        raise ValueError("no challenge of ours")
    return base64url_to_bytes(signed)


def _key(purpose: str, challenge: str) -> str:
    return f"pressbox:passkey:{purpose}:{hashlib.sha256(challenge.encode()).hexdigest()}"


def _origin() -> str:
    settings: Settings = current_app.config["PRESSBOX"]
    return (settings.public_url or request.host_url).rstrip("/")


def _host() -> str:
    """Raises PasskeyRefusedError where a request names no host that can be one."""
    host = urlsplit(_origin()).hostname
    if not host:
        raise PasskeyRefusedError(
            "Passkeys belong to an address: open this page by the name of the site, then try again."
        )
    return host


def _handle(member: Member) -> bytes:
    """Names the member to the authenticator without saying who it is."""
    return hashlib.sha256(
        f"{current_app.config['SECRET_KEY']} passkeys of {member.id}".encode()
    ).digest()
