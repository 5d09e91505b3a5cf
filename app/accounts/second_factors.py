"""Second factors: an authenticator app (TOTP), passkeys, recovery codes.

The app's secret is stored encrypted, recovery codes as SHA-256. Signing with passkeys is in
passkeys.py.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime

import pyotp
from cryptography.fernet import Fernet, InvalidToken
from flask import current_app
from sqlalchemy import delete, func, select, update

from app.accounts import member_sessions
from app.accounts.models import Authenticator, Member, Passkey, RecoveryCode
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db

ISSUER = "Pressbox"
STEP_SECONDS = 30
DRIFT_STEPS = 1  # a code is good this many steps before and after its own: clocks are not exact
RECOVERY_CODES = 10
RECOVERY_GROUP = 6  # letters between dashes; a code has four groups
RECOVERY_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # no look-alikes


@dataclass(frozen=True)
class Factors:
    """A member's confirmed authenticator app, passkeys, and number of unused recovery codes."""

    has_app: bool
    passkeys: tuple[Passkey, ...]
    recovery_codes: int

    @property
    def any(self) -> bool:
        """Whether the member has a second factor."""
        return self.has_app or bool(self.passkeys)

    @property
    def word(self) -> str:
        """The strongest factor in one word."""
        if self.passkeys:
            return "passkey"
        return "app" if self.has_app else "none"


def of(member_id: int) -> Factors:
    """Return the member's factors."""
    app = db.session.get(Authenticator, member_id, populate_existing=True)
    keys = db.session.scalars(
        select(Passkey).where(Passkey.member_id == member_id).order_by(Passkey.id)
    ).all()
    left = select(func.count()).where(
        RecoveryCode.member_id == member_id, RecoveryCode.used_at.is_(None)
    )
    return Factors(
        app is not None and app.confirmed_at is not None, tuple(keys), db.session.scalar(left) or 0
    )


def begin_app(member_id: int, now: datetime) -> str:
    """Return the secret (base32) for a new app, which counts once it is confirmed. Commits.

    The member must not have an app yet.
    """
    secret = pyotp.random_base32()
    db.session.execute(
        delete(Authenticator).where(
            Authenticator.member_id == member_id, Authenticator.confirmed_at.is_(None)
        )
    )
    db.session.add(Authenticator(member_id=member_id, secret=_encrypt(secret), created_at=now))
    db.session.commit()
    return secret


def pending_secret(member_id: int) -> str | None:
    """Return the secret of an app that is not confirmed yet, or None."""
    app = db.session.get(Authenticator, member_id, populate_existing=True)
    return None if app is None or app.confirmed_at is not None else _decrypt(app.secret)


def address(member: Member, secret: str) -> str:
    """Return the otpauth address that an app reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=member.username, issuer_name=ISSUER)


def confirm_app(member: Member, code: str, now: datetime) -> list[str] | None:
    """Confirm the app by one of its codes. Commits.

    Returns:
        New recovery codes, to be shown only now, or None if the code is wrong.
    """
    app = _locked(member.id)
    step = None if app is None or app.confirmed_at is not None else _step_of(app, code, now)
    if app is None or step is None:
        db.session.rollback()
        return None
    app.confirmed_at, app.last_step = now, step
    codes = _new_recovery_codes(member.id)
    note_added(member.id, "authenticator app")
    db.session.commit()
    return codes


def note_added(member_id: int, what: str) -> None:
    """Audit that the member has added a factor. The caller commits."""
    audit.record(
        Act.SECOND_FACTOR_ADDED,
        actor_id=member_id,
        subject=f"member:{member_id}",
        details={"factor": what},
    )


def check_code(member_id: int, code: str, now: datetime) -> bool:
    """Whether the code is an unused one of the app, or a recovery code. Uses it up. Commits."""
    app = _locked(member_id)
    step = None if app is None or app.confirmed_at is None else _step_of(app, code, now)
    if app is not None and step is not None:
        app.last_step = step
        db.session.commit()
        return True
    spent = db.session.scalar(
        update(RecoveryCode)
        .where(
            RecoveryCode.member_id == member_id,
            RecoveryCode.digest == _digest(code),
            RecoveryCode.used_at.is_(None),
        )
        .values(used_at=now)
        .returning(RecoveryCode.id)
    )
    db.session.commit()
    return spent is not None


def renew_recovery_codes(member_id: int) -> list[str]:
    """Replace the recovery codes and return the new ones, to be shown only now. Commits."""
    codes = _new_recovery_codes(member_id)
    note_added(member_id, "recovery codes")
    db.session.commit()
    return codes


def remove_app(member_id: int) -> None:
    """Remove the authenticator app. Commits."""
    db.session.execute(delete(Authenticator).where(Authenticator.member_id == member_id))
    _after_removal(member_id, "authenticator app")


def remove_passkey(member_id: int, passkey_id: int) -> bool:
    """Remove a passkey. Commits.

    Returns:
        False if the member has no such passkey.
    """
    deletion = delete(Passkey).where(Passkey.id == passkey_id, Passkey.member_id == member_id)
    if db.session.scalar(deletion.returning(Passkey.id)) is None:
        db.session.rollback()
        return False
    _after_removal(member_id, "passkey")
    return True


def remove_all(member_id: int, now: datetime) -> None:
    """Remove all factors and recovery codes, and end every session. The caller commits."""
    for model in (Authenticator, Passkey, RecoveryCode):
        db.session.execute(delete(model).where(model.member_id == member_id))
    member_sessions.end_all(member_id, now)


def _after_removal(member_id: int, what: str) -> None:
    db.session.flush()
    if not of(member_id).any:
        db.session.execute(delete(RecoveryCode).where(RecoveryCode.member_id == member_id))
        member_sessions.forget_second_factor(member_id)
    audit.record(
        Act.SECOND_FACTOR_REMOVED,
        actor_id=member_id,
        subject=f"member:{member_id}",
        details={"factor": what},
    )
    db.session.commit()


def _locked(member_id: int) -> Authenticator | None:
    """Lock the row, so that only one of two requests with the same code succeeds."""
    query = select(Authenticator).where(Authenticator.member_id == member_id).with_for_update()
    return db.session.scalar(query.execution_options(populate_existing=True))


def _step_of(app: Authenticator, code: str, now: datetime) -> int | None:
    """Return the time step of the code, if it is later than that of the last code used."""
    code = "".join(code.split())
    secret = _decrypt(app.secret)
    if secret is None or not code.isascii() or not code.isdigit():
        return None
    totp = pyotp.TOTP(secret, interval=STEP_SECONDS)
    present = int(now.timestamp()) // STEP_SECONDS
    for step in range(present - DRIFT_STEPS, present + DRIFT_STEPS + 1):
        if step > app.last_step and hmac.compare_digest(totp.generate_otp(step), code):
            return step
    return None


def _new_recovery_codes(member_id: int) -> list[str]:
    db.session.execute(delete(RecoveryCode).where(RecoveryCode.member_id == member_id))
    length = 4 * RECOVERY_GROUP
    codes = [
        "".join(secrets.choice(RECOVERY_LETTERS) for _ in range(length))
        for _ in range(RECOVERY_CODES)
    ]
    db.session.add_all(RecoveryCode(member_id=member_id, digest=_digest(code)) for code in codes)
    return [
        "-".join(code[at : at + RECOVERY_GROUP] for at in range(0, length, RECOVERY_GROUP))
        for code in codes
    ]


def _digest(code: str) -> str:
    """Hash without salt or stretching: a code has 118 random bits."""
    return hashlib.sha256("".join(filter(str.isalnum, code.lower())).encode()).hexdigest()


def _encrypt(secret: str) -> str:
    return _box().encrypt(secret.encode()).decode()


def _decrypt(encrypted: str) -> str | None:
    """Decrypt; None if SECRET_KEY has changed, so that the app counts as lost."""
    try:
        return _box().decrypt(encrypted.encode()).decode()
    except InvalidToken:
        return None


def _box() -> Fernet:
    key = hmac.digest(
        current_app.config["SECRET_KEY"].encode(), b"pressbox.authenticator.v1", "sha256"
    )
    return Fernet(base64.urlsafe_b64encode(key))
