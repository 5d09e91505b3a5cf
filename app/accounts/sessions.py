"""Who is signed in on this browser, and until when. Two signed cookies: the session, and the device.

The session's cookie holds all there is to know of it: `session_id` (ended_sessions ends it), `begun` and `renewed` in
seconds since 1970, `stays`. The device's cookie outlives it and says which accounts have signed in here before
(throttle.py). Not here: passwords (services.py), how long a session may last (rules.py).
"""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask, Response, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask_login import LoginManager, login_user
from flask_wtf.csrf import generate_csrf
from itsdangerous import BadSignature, URLSafeSerializer

from app.accounts import rules, services
from app.accounts.models import Member
from app.core import clock
from app.core.numbers import MAX_ID, whole_number

DEVICE_COOKIE = "device"
DEVICE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep a cookie
ACCOUNTS_OF_DEVICE = 8


class _Interface(SecureCookieSessionInterface):
    """Gives each session's cookie an end of its own (Flask knows one for all), and leaves it out of what anybody may
    keep: Flask-Login looks into every session, which alone would have a CDN keep a picture once for each visitor."""

    def get_expiration_time(self, app: Flask, session: SessionMixin) -> datetime | None:
        ends = session.get("ends")
        return super().get_expiration_time(app, session) if ends is None else datetime.fromtimestamp(ends, UTC)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if not response.cache_control.public:
            super().save_session(app, session, response)


def init_app(app: Flask, login_manager: LoginManager) -> None:
    app.session_interface = _Interface()
    # Nothing asks whether a session is "fresh", and noting it would set the cookie anew.
    login_manager.session_protection = None
    login_manager.user_loader(_member_of_session)


def begin(member: Member, *, stays: bool) -> None:
    """Puts in all that the session will hold: no later answer has a reason to set its cookie, but to renew it."""
    end()
    session.permanent = True
    session["session_id"] = uuid.uuid4().hex
    session["begun"] = int(clock.now().timestamp())
    session["stays"] = stays
    _renew(member)
    g.pop("csrf_token", None)  # the form's own, of the session before
    generate_csrf()
    login_user(member)


def end() -> None:
    """Ends the session for good, whoever has a copy of its cookie."""
    if session_id := session.get("session_id"):
        services.end_session(session_id, clock.now())
    session.clear()


def device_of(username: str) -> str | None:
    """The id of this device, if the account has signed in on it before; else None."""
    known = _device()
    return known["id"] if _mark(username) in known["accounts"] else None


def remember_device(answer: Response, username: str) -> None:
    """Notes on the device that this account has signed in on it."""
    known = _device()
    accounts = [_mark(username), *(mark for mark in known["accounts"] if mark != _mark(username))]
    answer.set_cookie(
        DEVICE_COOKIE,
        _serializer().dumps({"id": known["id"], "accounts": accounts[:ACCOUNTS_OF_DEVICE]}),
        max_age=DEVICE_SECONDS,
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )


def _member_of_session(member_id: str) -> Member | None:
    number = whole_number(member_id, most=MAX_ID)
    session_id = session.get("session_id")
    if not session_id or number is None:
        return None
    member = services.member_of(number, session_id)
    if member is None or _ends_at(member) <= clock.now():
        return None
    _renew(member)
    return member


def _renew(member: Member) -> None:
    """Sets the cookie with a new time, when that is an hour old: a session ends so long after its last use."""
    now = clock.now()
    if session.get("renewed", 0) <= (now - rules.SESSION_RENEWAL).timestamp():
        session["renewed"] = int(now.timestamp())
        session["ends"] = int(_ends_at(member).timestamp())


def _ends_at(member: Member) -> datetime:
    renewed = session.get("renewed", 0)
    return rules.session_end(
        member.role,
        begun=datetime.fromtimestamp(session.get("begun", renewed), UTC),
        renewed=datetime.fromtimestamp(renewed, UTC),
        stays=bool(session.get("stays")),
        shift=timedelta(hours=current_app.config["PRESSBOX"].staff_session_hours),
    )


def _device() -> dict[str, Any]:
    """What the device's cookie says; a new device without a cookie of ours."""
    try:
        known = _serializer().loads(request.cookies.get(DEVICE_COOKIE, ""))
    except BadSignature:
        return {"id": uuid.uuid4().hex, "accounts": []}
    return dict(known)


def _mark(username: str) -> str:
    """Tells accounts apart without naming them on a device that others may use."""
    return hashlib.sha256(username.strip().lower().encode()).hexdigest()[:16]


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.device.v1")
