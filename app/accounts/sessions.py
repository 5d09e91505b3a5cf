"""Who is signed in on this browser, and until when.

Two signed cookies: the session, and the device.

The session's cookie names a row (member_sessions.py) and holds what needs no row: `begun` and
`renewed` in seconds since 1970, `stays`. The device's cookie outlives it and says which accounts
have signed in here before (throttle.py). Not here: passwords (services.py), how long a session may
last (rules.py).
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask, Response, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask_login import LoginManager, UserMixin, login_user
from flask_wtf.csrf import generate_csrf
from itsdangerous import BadSignature, URLSafeSerializer

from app.accounts import member_sessions, rules, sanctions
from app.accounts.models import Member, MemberSession
from app.core import clock
from app.core.db import db
from app.core.numbers import MAX_ID, whole_number
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import CachedValue, cached_value, preload, takes_cached_viewer
from app.core.viewer import current_user
from app.settings import Settings

SESSION_COOKIE, DEVICE_COOKIE = "session", "device"
DEVICE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep a cookie
ACCOUNTS_OF_DEVICE = 8


@dataclass
class Viewer(UserMixin):
    """What cached pages need to know of a signed-in member, without a query (page_cache)."""

    id: int
    display_name: str
    roles: list[str]
    has_second_factor: bool
    roles_withheld: bool = False
    is_shadowed: bool = False

    has_role = Member.has_role


class _Interface(SecureCookieSessionInterface):
    """Gives each session's cookie an end of its own (Flask knows one for all), and leaves it out of
    what anybody may keep: Flask-Login looks into every session, which alone would have a CDN keep a
    picture once for each visitor.
    """

    def get_cookie_name(self, app: Flask) -> str:
        return _cookie_name(SESSION_COOKIE, app)

    def get_expiration_time(self, app: Flask, session: SessionMixin) -> datetime | None:
        ends = session.get("ends")
        return (
            super().get_expiration_time(app, session)
            if ends is None
            else datetime.fromtimestamp(ends, UTC)
        )

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if not response.cache_control.public:
            super().save_session(app, session, response)


def init_app(app: Flask, login_manager: LoginManager) -> None:
    app.session_interface = _Interface()
    # Nothing asks whether a session is "fresh", and noting it would set the cookie anew.
    login_manager.session_protection = None
    login_manager.user_loader(_member_of_session)
    sanctions.init_app(app)


def begin(member: Member, *, stays: bool, second_factor: bool = False) -> None:
    """Puts in all that the session will hold: no later answer has a reason to set its cookie, but
    to renew it.
    """
    end()
    now = clock.now()
    session.permanent = True
    session["session_id"] = secrets.token_hex(16)
    session["begun"] = int(now.timestamp())
    session["stays"] = stays
    _renew(member)
    origin = member_sessions.Origin(
        address=request.remote_addr or "",
        browser=request.headers.get("User-Agent", ""),
        device=_device()["id"],
    )
    g.member_session = member_sessions.begin(
        session["session_id"], member, origin, now, _ends_at(member), second_factor=second_factor
    )
    withhold_roles(member)
    g.pop("csrf_token", None)  # the form's own, of the session before
    generate_csrf()
    login_user(member)


def end() -> None:
    """Ends the session for good, whoever has a copy of its cookie."""
    if session_id := session.get("session_id"):
        member_sessions.end(session_id, clock.now())
    session.clear()


def current() -> MemberSession:
    """The session of the signed-in member of this request."""
    assert current_user.is_authenticated
    held: MemberSession = g.member_session
    return held


def note_verified(*, second_factor: bool = False) -> None:
    """The signed-in member has proved again who they are: the session goes on under a new id.

    Whoever has a copy of the cookie from before is signed out, and gains nothing by what was
    proved.
    """
    renewed = secrets.token_hex(16)
    if not member_sessions.verify(current().id, renewed, clock.now(), second_factor=second_factor):
        return
    session["session_id"] = renewed
    g.member_session = db.session.get_one(MemberSession, renewed)
    withhold_roles(current_user)


def withhold_roles(member: Member) -> None:
    """In production nobody is staff in a session without a second factor; they may set one up."""
    member.roles_withheld = _withholds_roles(
        member.roles, second_factor=g.member_session.has_second_factor
    )


def _withholds_roles(roles: list[str], *, second_factor: bool) -> bool:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.production and bool(roles) and not second_factor


def is_fresh() -> bool:
    """Whether the signed-in member has proved who they are a short while ago."""
    return clock.now() - current().verified_at < rules.FRESH


def device_of(username: str) -> str | None:
    """The id of this device, if the account has signed in on it before; else None."""
    known = _device()
    return known["id"] if _mark(username) in known["accounts"] else None


def remember_device(answer: Response, username: str) -> None:
    """Notes on the device that this account has signed in on it."""
    known = _device()
    accounts = [_mark(username), *(mark for mark in known["accounts"] if mark != _mark(username))]
    answer.set_cookie(
        _cookie_name(DEVICE_COOKIE, current_app),
        _serializer().dumps({"id": known["id"], "accounts": accounts[:ACCOUNTS_OF_DEVICE]}),
        max_age=DEVICE_SECONDS,
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )


def _member_of_session(member_id: str) -> Member | Viewer | None:
    number = whole_number(member_id, most=MAX_ID)
    session_id = session.get("session_id")
    if not session_id or number is None:
        return None
    if takes_cached_viewer() and (viewer := _remembered(number, session_id)) is not None:
        return viewer
    is_ours = not db.session().in_transaction()
    found = member_sessions.find(number, session_id)
    if found is None:
        return None
    member, g.member_session = found
    if _ends_at(member) <= clock.now() or sanctions.current(member, clock.now()) is not None:
        return None
    access_depends_on(*_tags(member.id, session_id), expires_at=_ends_at(member))
    withhold_roles(member)
    sanctions.show_to_themselves(member)
    if _renew(member):
        if is_ours:
            # only read: whoever needs a second connection gives the first one back
            db.session.commit()
        member_sessions.note_use(session_id, clock.now(), _ends_at(member))
    return member


def _remembered(member_id: int, session_id: str) -> Viewer | None:
    """The member as remembered, for a page that reads no more of them.

    None: they have to be asked for.
    """
    if _is_to_be_renewed():
        return None
    key = f"viewer:{member_id}:{session_id}"
    preload(member_id, key)
    kept = cached_value(key, lambda: _description(member_id, session_id))
    if kept is None:
        return None
    viewer = Viewer(member_id, *json.loads(kept))
    ends = _ends_at(viewer)
    if ends <= clock.now():
        return None
    access_depends_on(*_tags(member_id, session_id), expires_at=ends)
    viewer.roles_withheld = _withholds_roles(viewer.roles, second_factor=viewer.has_second_factor)
    return viewer


def _tags(member_id: int, session_id: str) -> tuple[str, str]:
    return f"session:{session_id}", f"member:{member_id}"


def _description(member_id: int, session_id: str) -> CachedValue | None:
    """None: not signed in, or of those with whom time or who looks decides what they may see."""
    found = member_sessions.find(member_id, session_id)
    if found is None or found[0].banned_at or found[0].suspended_until or found[0].is_shadowed:
        return None
    described = json.dumps([found[0].display_name, found[0].roles, found[1].has_second_factor])
    return CachedValue(described, _tags(member_id, session_id))


def _is_to_be_renewed() -> bool:
    return bool(session.get("renewed", 0) <= (clock.now() - rules.SESSION_RENEWAL).timestamp())


def _renew(member: Member) -> bool:
    """Sets the cookie with a new time, when that is an hour old: a session ends so long after its
    last use.

    Returns whether it did.
    """
    if not _is_to_be_renewed():
        return False
    session["renewed"] = int(clock.now().timestamp())
    session["ends"] = int(_ends_at(member).timestamp())
    return True


def _ends_at(member: Member | Viewer) -> datetime:
    renewed = session.get("renewed", 0)
    return rules.session_end(
        is_staff=bool(member.roles),
        begun=datetime.fromtimestamp(session.get("begun", renewed), UTC),
        renewed=datetime.fromtimestamp(renewed, UTC),
        stays=bool(session.get("stays")),
        shift=timedelta(hours=current_app.config["PRESSBOX"].staff_session_hours),
    )


def _device() -> dict[str, Any]:
    """What the device's cookie says.

    A new device, the same all through the request, without a cookie of ours.
    """
    try:
        return dict(
            _serializer().loads(request.cookies.get(_cookie_name(DEVICE_COOKIE, current_app), ""))
        )
    except BadSignature:
        pass
    new: dict[str, Any] = request.environ.setdefault(
        "pressbox.device", {"id": secrets.token_hex(16), "accounts": []}
    )
    return new


def _cookie_name(name: str, app: Flask) -> str:
    """With `__Host-`, browsers take the cookie over https from this host alone: no neighbour can
    plant one.
    """
    return f"__Host-{name}" if app.config["SESSION_COOKIE_SECURE"] else name


def _mark(username: str) -> str:
    """Tells accounts apart without naming them on a device that others may use."""
    return hashlib.sha256(username.strip().lower().encode()).hexdigest()[:16]


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.device.v1")
