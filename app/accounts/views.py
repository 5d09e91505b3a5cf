"""Pages for signing in, registering and signing out."""

from __future__ import annotations

import uuid
from urllib.parse import urlsplit

from flask import Blueprint, Flask, g, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, current_user, login_user, logout_user
from flask_wtf.csrf import generate_csrf

from app.accounts import rules, services
from app.accounts.forms import RegisterForm, SignInForm
from app.accounts.models import Member
from app.core import clock
from app.core.access import MEMBER, PUBLIC, audience
from app.core.limits import limiter
from app.core.web import respond

blueprint = Blueprint("accounts", __name__)


def init_app(app: Flask, login_manager: LoginManager) -> None:
    limiter.init_app(app)

    # Nothing asks whether a session is "fresh", and noting it would set the cookie anew.
    login_manager.session_protection = None

    @login_manager.user_loader
    def load_member(member_id: str) -> Member | None:
        session_id = session.get("session_id")
        if not session_id or not member_id.isdigit():
            return None
        member = services.member_of(int(member_id), session_id)
        if member:
            _renew_session()
        return member


def _safe_next() -> str:
    """The page somebody wanted before signing in, if it is one of ours (no open redirect)."""
    target = request.args.get("next", "")
    parts = urlsplit(target)
    if target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc:
        return target
    return url_for("fantasy.home")


def _begin_session(member: Member) -> None:
    """Puts in all that the session will hold: no later answer has a reason to set its cookie, but to renew it."""
    _end_session()
    session.permanent = True
    session["session_id"] = uuid.uuid4().hex
    _renew_session()
    g.pop("csrf_token", None)  # the form's own, of the session before
    generate_csrf()
    login_user(member)


def _renew_session() -> None:
    """Sets the cookie with a new time, when that is an hour old: a session ends so long after its last use."""
    now = clock.now()
    if session.get("renewed", 0) <= (now - rules.SESSION_RENEWAL).timestamp():
        session["renewed"] = int(now.timestamp())


def _end_session() -> None:
    if session_id := session.get("session_id"):
        services.end_session(session_id, clock.now())
    session.clear()


@blueprint.get("/sign-in")
@audience(PUBLIC)
def sign_in() -> ResponseReturnValue:
    if current_user.is_authenticated:
        return redirect(_safe_next())
    return respond("accounts/sign_in.html", form=SignInForm())


@blueprint.post("/sign-in")
@audience(PUBLIC)
@limiter.limit("10 per minute; 100 per hour")
def sign_in_now() -> ResponseReturnValue:
    form = SignInForm()
    if not form.validate_on_submit():
        return respond("accounts/sign_in.html", form=form, status=422)
    member = services.check_password(form.username.data or "", form.password.data or "")
    if member is None:
        fault = "Name or password is not right. Check both, mind capitals in the password."
        return respond("accounts/sign_in.html", form=form, fault=fault, status=422)
    _begin_session(member)
    return redirect(_safe_next(), 303)


@blueprint.get("/register")
@audience(PUBLIC)
def register() -> ResponseReturnValue:
    return respond("accounts/register.html", form=RegisterForm())


@blueprint.post("/register")
@audience(PUBLIC)
@limiter.limit("10 per minute; 50 per hour")
def register_now() -> ResponseReturnValue:
    form = RegisterForm()
    if not form.validate_on_submit():
        return respond("accounts/register.html", form=form, status=422)
    result = services.register(form.username.data or "", form.display_name.data or "", form.password.data or "")
    if isinstance(result, dict):
        for name, fault in result.items():
            form[name].errors = [*form[name].errors, fault]
        return respond("accounts/register.html", form=form, status=422)
    _begin_session(result)
    return redirect(_safe_next(), 303)


@blueprint.post("/sign-out")
@audience(MEMBER)
def sign_out() -> ResponseReturnValue:
    logout_user()
    _end_session()
    return redirect(url_for("fantasy.home"), 303)
