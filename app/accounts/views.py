"""Pages for signing in, registering and signing out."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Flask, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, current_user, logout_user

from app.accounts import services, sessions, throttle
from app.accounts.forms import RegisterForm, SignInForm
from app.core import clock
from app.core.access import MEMBER, PUBLIC, audience
from app.core.limits import in_words, limiter
from app.core.web import respond

blueprint = Blueprint("accounts", __name__)


def init_app(app: Flask, login_manager: LoginManager) -> None:
    limiter.init_app(app)
    sessions.init_app(app, login_manager)


def _safe_next() -> str:
    """The page somebody wanted before signing in, if it is one of ours (no open redirect)."""
    target = request.args.get("next", "")
    if not target.startswith("/") or target.startswith(("//", "/\\")) or not target.isprintable():
        return url_for("fantasy.home")
    try:
        parts = urlsplit(target)
    except ValueError:
        return url_for("fantasy.home")
    if not parts.scheme and not parts.netloc:
        return target
    return url_for("fantasy.home")


@blueprint.get("/sign-in")
@audience(PUBLIC)
def sign_in() -> ResponseReturnValue:
    if current_user.is_authenticated:
        return redirect(_safe_next())
    return respond("accounts/sign_in.html", form=SignInForm())


@blueprint.post("/sign-in")
@audience(PUBLIC)
def sign_in_now() -> ResponseReturnValue:
    form = SignInForm()
    if not form.validate_on_submit():
        return respond("accounts/sign_in.html", form=form, status=422)
    username = form.username.data or ""
    attempt = throttle.Try(username, request.remote_addr or "", sessions.device_of(username))
    if wait := throttle.begin(attempt, clock.now()):
        fault = f"Too many wrong passwords. Wait {in_words(wait)}, then try again."
        answer = respond("accounts/sign_in.html", form=form, fault=fault, status=429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    member = services.check_password(username, form.password.data or "")
    if member is None:
        fault = "Name or password is not right. Check both, mind capitals in the password."
        return respond("accounts/sign_in.html", form=form, fault=fault, status=422)
    throttle.succeed(attempt)
    sessions.begin(member, stays=bool(form.stay.data))
    return _signed_in(member.username)


def _signed_in(username: str) -> ResponseReturnValue:
    answer = make_response(redirect(_safe_next(), 303))
    sessions.remember_device(answer, username)
    return answer


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
    sessions.begin(result, stays=False)
    return _signed_in(result.username)


@blueprint.post("/sign-out")
@audience(MEMBER)
def sign_out() -> ResponseReturnValue:
    logout_user()
    sessions.end()
    return redirect(url_for("fantasy.home"), 303)
