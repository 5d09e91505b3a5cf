"""Pages for signing in, registering and signing out."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Flask, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import LoginManager, current_user, login_user, logout_user

from app.accounts import services
from app.accounts.forms import RegisterForm, SignInForm
from app.accounts.models import Member
from app.core.access import MEMBER, PUBLIC, audience
from app.core.db import db
from app.core.web import respond

blueprint = Blueprint("accounts", __name__)
limiter = Limiter(get_remote_address)


def init_app(app: Flask, login_manager: LoginManager) -> None:
    limiter.init_app(app)

    @login_manager.user_loader
    def load_member(member_id: str) -> Member | None:
        return db.session.get(Member, int(member_id)) if member_id.isdigit() else None


def _safe_next() -> str:
    """The page somebody wanted before signing in, if it is one of ours (no open redirect)."""
    target = request.args.get("next", "")
    parts = urlsplit(target)
    if target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc:
        return target
    return url_for("fantasy.home")


def _begin_session(member: Member) -> None:
    session.clear()
    session.permanent = True
    login_user(member)


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
    session.clear()
    return redirect(url_for("fantasy.home"), 303)
