"""Who is signed in on this browser, and until when, by two signed cookies.

The session's cookie names a row (member_sessions.py) and holds what needs no row: `begun` and
`renewed` in seconds since 1970, and `stays`. The device's cookie outlives it and lists the accounts
that have signed in here before (throttle.py). rules.py decides how long a session lasts.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask, Request, Response, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_login import LoginManager, UserMixin, login_user
from flask_wtf.csrf import generate_csrf
from itsdangerous import BadSignature, URLSafeSerializer

from app.accounts import member_sessions, rules, sanctions
from app.accounts.models import Member, MemberSession
from app.core import clock
from app.core.db import db
from app.core.numbers import MAX_ID, whole_number
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import preload
from app.core.page_cache.values import CachedValue, cached_value
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
    theme: str
    time_format: str
    colour: int | None
    roles_withheld: bool = False
    is_shadowed: bool = False

    has_role = Member.has_role


class _Interface(SecureCookieSessionInterface):
    """Gives each session's cookie its own end (Flask has one for all).

    Public answers get no cookie and no `Vary: Cookie`: Flask-Login reads every session, and a CDN
    would otherwise cache a picture once per visitor.
    """

    def get_cookie_name(self, app: Flask) -> str:
        return _cookie_name(SESSION_COOKIE, app)

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Return the session of the request's cookie; callers of the API send none."""
        if self.get_cookie_name(app) in request.cookies:
            return super().open_session(app, request)
        return self.session_class()

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
    """Load members by their session, with cookies that end with it."""
    app.session_interface = _Interface()
    # Nothing asks whether a session is "fresh", and noting it would set the cookie again.
    login_manager.session_protection = None
    login_manager.user_loader(_member_of_session)


def begin(member: Member, *, stays: bool, second_factor: bool = False) -> None:
    """Begin a session.

    It gets all its content now, so that later answers set its cookie only to renew it.
    """
    end()
    now = clock.now()
    session.permanent = True
    session["session_id"] = secrets.token_hex(16)
    session["begun"] = int(now.timestamp())
    session["stays"] = stays
    _renew(member)
    sign_in = member_sessions.SignIn(
        address=request.remote_addr or "",
        browser=request.headers.get("User-Agent", ""),
        device=_device()["id"],
        has_second_factor=second_factor,
    )
    g.member_session = member_sessions.begin(
        session["session_id"], member, sign_in, now, _ends_at(member)
    )
    withhold_roles(member)
    g.pop("csrf_token", None)  # the form's token belongs to the previous session
    generate_csrf()
    login_user(member)


def end() -> None:
    """End the session for good; copies of its cookie end too."""
    if session_id := session.get("session_id"):
        member_sessions.end(session_id, clock.now())
    session.clear()


def current() -> MemberSession:
    """Return the session of the signed-in member of this request."""
    assert current_user.is_authenticated
    row: MemberSession = g.member_session
    return row


def note_verified(*, second_factor: bool = False) -> None:
    """Note that the signed-in member has proved again who they are.

    The session continues under a new id, so that copies of the previous cookie are signed out.
    """
    renewed = secrets.token_hex(16)
    if not member_sessions.verify(current().id, renewed, clock.now(), second_factor=second_factor):
        return
    session["session_id"] = renewed
    g.member_session = db.session.get_one(MemberSession, renewed)
    withhold_roles(current_user)


def withhold_roles(member: Member) -> None:
    """Withhold roles in production if the session has no second factor; members may set one up."""
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
    """Return the id of this device, if the account has signed in on it before, otherwise None."""
    device = _device()
    return device["id"] if _mark(username) in device["accounts"] else None


def remember_device(answer: Response, username: str) -> None:
    """Note on the device that this account has signed in on it."""
    device = _device()
    accounts = [_mark(username), *(mark for mark in device["accounts"] if mark != _mark(username))]
    answer.set_cookie(
        _cookie_name(DEVICE_COOKIE, current_app),
        _serializer().dumps({"id": device["id"], "accounts": accounts[:ACCOUNTS_OF_DEVICE]}),
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
    if (viewer := _remembered(number, session_id)) is not None:
        return viewer
    is_ours = not db.session().in_transaction()
    row = member_sessions.find(number, session_id)
    if row is None:
        return None
    member, g.member_session = row
    if _ends_at(member) <= clock.now() or sanctions.current(member, clock.now()) is not None:
        return None
    access_depends_on(*_tags(member.id, session_id), expires_at=_ends_at(member))
    withhold_roles(member)
    sanctions.show_to_themselves(member)
    if _renew(member):
        if is_ours:
            # Nothing was written: give the first connection back before taking a second one.
            db.session.commit()
        member_sessions.note_use(session_id, clock.now(), _ends_at(member))
    return member


def _remembered(member_id: int, session_id: str) -> Viewer | None:
    """Return the cached member, for a page that reads no more of them.

    Returns:
        None if they have to be loaded.
    """
    if _is_to_be_renewed():
        return None
    key = f"viewer:{member_id}:{session_id}"
    if not preload(member_id, key):
        return None
    viewer = cached_value(key, Viewer | None, lambda: _description(member_id, session_id))
    if viewer is None:
        return None
    ends = _ends_at(viewer)
    if ends <= clock.now():
        return None
    access_depends_on(*_tags(member_id, session_id), expires_at=ends)
    viewer.roles_withheld = _withholds_roles(viewer.roles, second_factor=viewer.has_second_factor)
    return viewer


def _tags(member_id: int, session_id: str) -> tuple[str, str]:
    return f"session:{session_id}", f"member:{member_id}"


def _description(member_id: int, session_id: str) -> CachedValue[Viewer | None]:
    """Describe the member for the cache.

    Returns:
        None, which is not cached, if they are not signed in, or a sanction decides what they may
        see.
    """
    row = member_sessions.find(member_id, session_id)
    if row is None or row[0].banned_at or row[0].suspended_until or row[0].is_shadowed:
        return CachedValue(None, ())
    member, member_session = row
    viewer = Viewer(
        member_id,
        member.display_name,
        member.roles,
        member_session.has_second_factor,
        member.theme,
        member.time_format,
        member.colour,
    )
    return CachedValue(viewer, _tags(member_id, session_id))


def _is_to_be_renewed() -> bool:
    return bool(session.get("renewed", 0) <= (clock.now() - rules.SESSION_RENEWAL).timestamp())


def _renew(member: Member) -> bool:
    """Put the time of this use into the cookie, if that of the last one is an hour old.

    Returns:
        Whether it did.
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
    """Read the device's cookie; without one, this is a new device for the whole request."""
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
    """Return the cookie's name, over https with `__Host-`, so that no other host can set it."""
    return f"__Host-{name}" if app.config["SESSION_COOKIE_SECURE"] else name


def _mark(username: str) -> str:
    """Return a mark for the account that does not name it on a device that others may use."""
    return hashlib.sha256(username.strip().lower().encode()).hexdigest()[:16]


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt="pressbox.device.v1")
