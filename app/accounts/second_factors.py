"""Second factors: an authenticator app (TOTP), passkeys, recovery codes.

The app's secret is kept encrypted, recovery codes as SHA-256. What passkeys sign is in passkeys.py.
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
DRIFT_STEPS = 1  # a code counts this many steps before and after its own: clocks are not exact
RECOVERY_CODES = 10
RECOVERY_GROUP = 6  # letters between dashes; a code has four groups
RECOVERY_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another


@dataclass(frozen=True)
class Factors:
    """`has_app`: an authenticator app that was confirmed; `recovery_codes`: how many are left."""

    has_app: bool
    passkeys: tuple[Passkey, ...]
    recovery_codes: int

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return self.has_app or bool(self.passkeys)

    @property
    def word(self) -> str:
        """The factors in words."""
        return "passkey" if self.passkeys else "app" if self.has_app else "none"


def of(member_id: int) -> Factors:
    """The member's factors."""
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
    """The secret (base32) that a new app is to hold; it counts once confirmed.

    Commits. Only for who has no app yet.
    """
    secret = pyotp.random_base32()
    mine = (Authenticator.member_id == member_id, Authenticator.confirmed_at.is_(None))
    db.session.execute(delete(Authenticator).where(*mine))
    db.session.add(Authenticator(member_id=member_id, secret=_encrypt(secret), created_at=now))
    db.session.commit()
    return secret


def pending_secret(member_id: int) -> str | None:
    """The secret of an app that is not confirmed yet."""
    held = db.session.get(Authenticator, member_id, populate_existing=True)
    return None if held is None or held.confirmed_at is not None else _decrypt(held.secret)


def address(member: Member, secret: str) -> str:
    """The otpauth address that an app reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=member.username, issuer_name=ISSUER)


def confirm_app(member: Member, code: str, now: datetime) -> list[str] | None:
    """The app counts from now on if its code is right: new recovery codes, to be shown this once.

    Otherwise None.
    """
    held = _locked(member.id)
    step = None if held is None or held.confirmed_at is not None else _step_of(held, code, now)
    if held is None or step is None:
        db.session.rollback()
        return None
    held.confirmed_at, held.last_step = now, step
    codes = _new_recovery_codes(member.id)
    note_added(member.id, "authenticator app")
    db.session.commit()
    return codes


def note_added(member_id: int, what: str) -> None:
    """The caller commits."""
    audit.record(
        Act.SECOND_FACTOR_ADDED,
        actor_id=member_id,
        subject=f"member:{member_id}",
        details={"factor": what},
    )


def check_code(member_id: int, code: str, now: datetime) -> bool:
    """Whether it is a code of the app that was not used yet, or a recovery code, which is used up.

    Commits.
    """
    held = _locked(member_id)
    step = None if held is None or held.confirmed_at is None else _step_of(held, code, now)
    if held is not None and step is not None:
        held.last_step = step
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
    """New ones, to be shown this once; the old ones end. Commits."""
    codes = _new_recovery_codes(member_id)
    note_added(member_id, "recovery codes")
    db.session.commit()
    return codes


def remove_app(member_id: int) -> None:
    """Commits."""
    db.session.execute(delete(Authenticator).where(Authenticator.member_id == member_id))
    _after_removal(member_id, "authenticator app")


def remove_passkey(member_id: int, passkey_id: int) -> bool:
    """False when the member has no such passkey. Commits."""
    mine = (Passkey.id == passkey_id, Passkey.member_id == member_id)
    if db.session.scalar(delete(Passkey).where(*mine).returning(Passkey.id)) is None:
        db.session.rollback()
        return False
    _after_removal(member_id, "passkey")
    return True


def remove_all(member_id: int, now: datetime) -> None:
    """Authenticator app, passkeys and recovery codes; ends every session. The caller commits."""
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
    """With its row locked, so that of two requests with one code only one gets in."""
    query = select(Authenticator).where(Authenticator.member_id == member_id).with_for_update()
    return db.session.scalar(query.execution_options(populate_existing=True))


def _step_of(held: Authenticator, code: str, now: datetime) -> int | None:
    """The step of time whose code this is, if it is later than that of the last code used."""
    code = "".join(code.split())
    secret = _decrypt(held.secret)
    if secret is None or not code.isascii() or not code.isdigit():
        return None
    totp, here = pyotp.TOTP(secret, interval=STEP_SECONDS), int(now.timestamp()) // STEP_SECONDS
    for step in range(here - DRIFT_STEPS, here + DRIFT_STEPS + 1):
        if step > held.last_step and hmac.compare_digest(totp.generate_otp(step), code):
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
    """Without salt or stretching: a code has 118 random bits."""
    return hashlib.sha256("".join(filter(str.isalnum, code.lower())).encode()).hexdigest()


def _encrypt(secret: str) -> str:
    return _box().encrypt(secret.encode()).decode()


def _decrypt(held: str) -> str | None:
    """None when SECRET_KEY is another one than it was: such an app counts as lost."""
    try:
        return _box().decrypt(held.encode()).decode()
    except InvalidToken:
        return None


def _box() -> Fernet:
    key = hmac.digest(
        current_app.config["SECRET_KEY"].encode(), b"pressbox.authenticator.v1", "sha256"
    )
    return Fernet(base64.urlsafe_b64encode(key))
