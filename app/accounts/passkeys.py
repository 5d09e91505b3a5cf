"""Passkeys (WebAuthn): registering one, and signing in with it.

A passkey alone counts as two factors. The browser checks that the page is ours, and the
authenticator checks the person; this module checks the signature of a challenge that is good once.
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
MOST_PASSKEYS = 10  # per member
# What reading a credential raises that no browser has made.
_NOT_A_CREDENTIAL = (
    WebAuthnException,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class PasskeyRefusedError(Exception):
    """The passkey is refused; the text says why and what to do."""


def registration_options(member: Member) -> str:
    """Return what the browser needs to create a passkey, as JSON.

    Raises:
        PasskeyRefusedError: The member has too many, or the address of the page is unknown.
        RedisAway: Redis does not answer.
    """
    existing = second_factors.of(member.id).passkeys
    if len(existing) >= MOST_PASSKEYS:
        raise PasskeyRefusedError(
            f"You have {MOST_PASSKEYS} passkeys, which is the limit. Remove one first."
        )
    options = webauthn.generate_registration_options(
        rp_id=_host(),
        rp_name=NAME,
        user_id=_handle(member),
        user_name=member.username,
        user_display_name=member.display_name,
        exclude_credentials=[
            PublicKeyCredentialDescriptor(id=passkey.credential_id) for passkey in existing
        ],
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
    )
    _keep(f"register:{member.id}", options.challenge)
    return options_to_json(options)


def register(member: Member, credential: str, name: str, now: datetime) -> Passkey:
    """Store a new passkey of the member. Commits.

    Raises:
        PasskeyRefusedError: It is not valid or registered already.
        RedisAway: Redis does not answer.
    """
    try:
        verified = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=_spend(f"register:{member.id}", credential),
            expected_rp_id=_host(),
            expected_origin=_origin(),
            require_user_verification=True,
        )
    except _NOT_A_CREDENTIAL as error:
        raise PasskeyRefusedError("The passkey could not be created. Try again.") from error
    if (
        db.session.scalar(select(Passkey.id).where(Passkey.credential_id == verified.credential_id))
        is not None
    ):
        raise PasskeyRefusedError("You already have this passkey.")
    passkey = Passkey(
        member_id=member.id,
        name=" ".join(name.split())[:LONGEST_NAME] or "Passkey",
        credential_id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        created_at=now,
    )
    db.session.add(passkey)
    second_factors.note_added(member.id, "passkey")
    db.session.commit()
    return passkey


def sign_in_options() -> str:
    """Return what the browser needs to ask for any passkey of this site, as JSON.

    Raises:
        RedisAway: Redis does not answer.
    """
    options = webauthn.generate_authentication_options(
        rp_id=_host(), user_verification=UserVerificationRequirement.REQUIRED
    )
    _keep("sign-in", options.challenge)
    return options_to_json(options)


def sign_in(credential: str, now: datetime) -> Member:
    """Return the member whose passkey has signed. Commits.

    Raises:
        PasskeyRefusedError: It is unknown, or the signature is not valid.
        RedisAway: Redis does not answer.
    """
    try:
        credential_id = base64url_to_bytes(json.loads(credential)["rawId"])
        query = select(Passkey).where(Passkey.credential_id == credential_id).with_for_update()
        passkey = db.session.scalar(query.execution_options(populate_existing=True))
        if passkey is None:
            raise PasskeyRefusedError("We don't know this passkey. Sign in with your password.")
        done = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=_spend("sign-in", credential),
            expected_rp_id=_host(),
            expected_origin=_origin(),
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except _NOT_A_CREDENTIAL as error:
        db.session.rollback()
        raise PasskeyRefusedError("The passkey could not be verified. Try again.") from error
    passkey.sign_count, passkey.last_used_at = done.new_sign_count, now
    db.session.commit()
    return db.session.get_one(Member, passkey.member_id)


def _keep(purpose: str, challenge: bytes) -> None:
    jobs_redis().set(_key(purpose, bytes_to_base64url(challenge)), 1, ex=CHALLENGE_SECONDS)


def _spend(purpose: str, credential: str) -> bytes:
    """Return the challenge that was signed, which is good once.

    Raises:
        ValueError: It is not one of ours for this purpose.
    """
    signed = json.loads(base64url_to_bytes(json.loads(credential)["response"]["clientDataJSON"]))[
        "challenge"
    ]
    if not jobs_redis().getdel(_key(purpose, signed)):
        raise ValueError("this site did not issue the challenge")
    return base64url_to_bytes(signed)


def _key(purpose: str, challenge: str) -> str:
    return f"pressbox:passkey:{purpose}:{hashlib.sha256(challenge.encode()).hexdigest()}"


def _origin() -> str:
    settings: Settings = current_app.config["PRESSBOX"]
    return (settings.public_url or request.host_url).rstrip("/")


def _host() -> str:
    """Return the host that passkeys belong to.

    Raises:
        PasskeyRefusedError: The request names no valid host.
    """
    host = urlsplit(_origin()).hostname
    if not host:
        raise PasskeyRefusedError(
            "Passkeys only work on the site's own address. Open this page there and try again."
        )
    return host


def _handle(member: Member) -> bytes:
    """Identify the member to the authenticator without saying who they are."""
    return hashlib.sha256(
        f"{current_app.config['SECRET_KEY']} passkeys of {member.id}".encode()
    ).digest()
