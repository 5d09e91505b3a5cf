"""Pages for signing in, registering and signing out."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import logout_user
from flask_wtf.csrf import CSRFError, generate_csrf

from app.accounts import sanctions, second_factors, second_step, services, sessions, throttle
from app.accounts.forms import CodeForm, RegisterForm, SignInForm
from app.accounts.invitations import invited_to
from app.accounts.models import Member
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import in_words, limiter
from app.core.http.responses import http_error, own_page, respond
from app.core.viewer import current_user

blueprint = Blueprint("accounts", __name__)


def _safe_next() -> str:
    """Return the page that the visitor asked for before signing in."""
    return own_page(request.args.get("next", ""), url_for("home.show"))


@blueprint.app_template_global("joining")
def _joining() -> str | None:
    """What the visitor joins after registering or signing in, if they come from an invitation."""
    return invited_to(_safe_next())


@blueprint.get("/sign-in")
@audience(PUBLIC)
def sign_in() -> ResponseReturnValue:
    """The sign-in page."""
    if current_user.is_authenticated:
        return redirect(_safe_next())
    done = (
        ("Password saved. Sign in with your new password.")
        if request.args.get("done") == "password"
        else None
    )
    return respond("accounts/sign_in.html", form=SignInForm(), done=done)


@blueprint.post("/sign-in")
@audience(PUBLIC)
def sign_in_now() -> ResponseReturnValue:
    """Sign in."""
    form = SignInForm()
    if not form.validate_on_submit():
        return respond("accounts/sign_in.html", form=form, status=422)
    username = form.username.data or ""
    attempt = throttle.Try(username, request.remote_addr or "", sessions.device_of(username))
    if wait := throttle.begin(attempt, clock.now()):
        fault = f"Too many wrong passwords. Try again in {in_words(wait)}."
        answer = respond("accounts/sign_in.html", form=form, fault=fault, status=429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    member = services.check_password(username, form.password.data or "")
    if member is None:
        _note_failure(username, "password")
        fault = "Wrong username or password. Check both, including capital letters."
        return respond("accounts/sign_in.html", form=form, fault=fault, status=422)
    throttle.succeed(attempt)
    if sanctions.current(member, clock.now()) is not None:
        return redirect(url_for("privacy.appeals", token=sanctions.appeal_token(member)), 303)
    stays = bool(form.stay.data)
    if second_factors.of(member.id).any:
        sessions.end()
        second_step.begin(member, stays=stays)
        return redirect(url_for("accounts.second", next=request.args.get("next")), 303)
    sessions.begin(member, stays=stays)
    return _signed_in(member, "password")


@blueprint.errorhandler(CSRFError)
def of_another_tab(error: CSRFError) -> ResponseReturnValue:
    """A sign-in form that was sent after its member had signed in in another tab."""
    name = request.form.get("username", "").strip().casefold()
    is_sign_in = request.endpoint == f"{blueprint.name}.sign_in_now"
    if is_sign_in and current_user.is_authenticated and name == current_user.username.casefold():
        return redirect(_safe_next(), 303)
    return http_error(error)


@blueprint.get("/sign-in/second")
@audience(PUBLIC)
def second() -> ResponseReturnValue:
    """The page that asks for the second factor."""
    signing_in = second_step.current()
    if signing_in is None:
        return redirect(url_for("accounts.sign_in", next=request.args.get("next")))
    return _second(signing_in, CodeForm(formdata=None))


@blueprint.post("/sign-in/second")
@audience(PUBLIC)
def second_now() -> ResponseReturnValue:
    """Check the second factor."""
    signing_in = second_step.current()
    if signing_in is None:
        return redirect(url_for("accounts.sign_in", next=request.args.get("next")), 303)
    form = CodeForm()
    if not form.validate_on_submit():
        return _second(signing_in, form, 422)
    username = signing_in.member.username
    attempt = throttle.Try(f"code of {username}", request.remote_addr or "", None)
    if wait := throttle.begin(attempt, clock.now()):
        form.code.errors = [f"Too many wrong codes. Try again in {in_words(wait)}."]
        answer = _second(signing_in, form, 429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    if not second_factors.check_code(signing_in.member.id, form.code.data or "", clock.now()):
        _note_failure(username, "code")
        form.code.errors = ["This code is wrong or already used. Wait for the next one."]
        return _second(signing_in, form, 422)
    throttle.succeed(attempt)
    sessions.begin(signing_in.member, stays=signing_in.stays, second_factor=True)
    return _signed_in(signing_in.member, "password, code")


def _second(signing_in: second_step.PasswordGiven, form: CodeForm, status: int = 200) -> Response:
    factors = second_factors.of(signing_in.member.id)
    return respond("accounts/second.html", form=form, factors=factors, status=status)


def _note_failure(username: str, proof: str) -> None:
    """Audit a failure; not with unknown names, because people type passwords into that field."""
    member = services.find_member(username)
    subject = "" if member is None else f"member:{member.id}"
    audit.record(Act.SIGN_IN_FAILED, actor_id=None, subject=subject, details={"with": proof})
    db.session.commit()


def note_signed_in(member: Member, proof: str) -> None:
    """Audit that a member signed in, and with what. Commits."""
    audit.record(
        Act.SIGNED_IN, actor_id=member.id, subject=f"member:{member.id}", details={"with": proof}
    )
    db.session.commit()


def _signed_in(member: Member, proof: str) -> ResponseReturnValue:
    note_signed_in(member, proof)
    answer = make_response(redirect(_safe_next(), 303))
    sessions.remember_device(answer, member.username)
    return answer


@blueprint.get("/session")
@audience(PUBLIC)
def session_now() -> Response:
    """Who is signed in on this browser, and a CSRF token (static/js/requests/session.js)."""
    return jsonify(member=current_user.get_id() or "", csrf_token=generate_csrf())


@blueprint.get("/register")
@audience(PUBLIC)
def register() -> ResponseReturnValue:
    """The registration page."""
    return respond("accounts/register.html", form=RegisterForm())


@blueprint.post("/register")
@audience(PUBLIC)
@limiter.limit("10 per minute; 50 per hour")
def register_now() -> ResponseReturnValue:
    """Register."""
    form = RegisterForm()
    if not form.validate_on_submit():
        return respond("accounts/register.html", form=form, status=422)
    result = services.register(
        form.username.data or "", form.display_name.data or "", form.password.data or ""
    )
    if isinstance(result, dict):
        for name, fault in result.items():
            form[name].errors = [*form[name].errors, fault]
        return respond("accounts/register.html", form=form, status=422)
    sessions.begin(result, stays=False)
    return _signed_in(result, "new account")


@blueprint.post("/sign-out")
@audience(MEMBER)
def sign_out() -> ResponseReturnValue:
    """Sign out."""
    member_id = current_user.id
    logout_user()
    sessions.end()
    audit.record(Act.SIGNED_OUT, actor_id=member_id, subject=f"member:{member_id}")
    db.session.commit()
    answer = make_response(redirect(url_for("home.show"), 303))
    # Not "storage", because that holds entries of the console that no server has yet.
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer
