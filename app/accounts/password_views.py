"""Pages for setting a password by a one-time link, and for asking for one by mail."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import PasswordField, StringField
from wtforms.validators import InputRequired

from app.accounts import links, mail, passwords
from app.accounts.rules import PASSWORD_MIN
from app.core import clock
from app.core.http.access import PUBLIC, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond

blueprint = Blueprint("passwords", __name__)


class NewPasswordForm(FlaskForm):
    """A new password."""

    new = PasswordField(
        "New password",
        [InputRequired("Choose a password.")],
        description=f"At least {PASSWORD_MIN} characters. A few random words work well.",
    )


class ForgotForm(FlaskForm):
    """The account whose password is forgotten."""

    username = StringField("Username", [InputRequired("Enter your username.")])


@blueprint.get("/reset")
@audience(PUBLIC)
@limiter.limit("30 per minute")
def reset() -> ResponseReturnValue:
    """The page to which a one-time link leads."""
    return _reset(NewPasswordForm(formdata=None), request.args.get("token", ""))


@blueprint.post("/reset")
@audience(PUBLIC)
@limiter.limit("30 per minute")
def reset_now() -> ResponseReturnValue:
    """Set the password and use up the link."""
    form, token = NewPasswordForm(), request.form.get("token", "")
    if not form.validate_on_submit():
        return _reset(form, token, 422)
    try:
        fault = passwords.set_by_link(token, form.new.data or "", clock.now())
    except passwords.LinkExpiredError:
        return _reset(form, token)
    if fault:
        form.new.errors = [fault]
        return _reset(form, token, 422)
    return redirect(url_for("accounts.sign_in", done="password"), 303)


@blueprint.get("/forgot")
@audience(PUBLIC)
def forgot() -> ResponseReturnValue:
    """The page on which members ask for a link by mail."""
    return _forgot(ForgotForm(formdata=None))


@blueprint.post("/forgot")
@audience(PUBLIC)
@limiter.limit("5 per minute; 20 per hour")
def forgot_now() -> ResponseReturnValue:
    """Mail a link; the answer does not reveal whether there is such an account."""
    form = ForgotForm()
    if not form.validate_on_submit():
        return _forgot(form, 422)
    if mail.is_on():
        mail.ask_for_reset(form.username.data or "")
    return respond("accounts/forgot_sent.html")


def _forgot(form: ForgotForm, status: int = 200) -> Response:
    return respond("accounts/forgot.html", form=form, has_mail=mail.is_on(), status=status)


def _reset(form: NewPasswordForm, token: str, status: int = 200) -> Response:
    """Show the form, or 410 if the link is not good.

    The address of the page, which is secret, is sent to no other server.
    """
    link = links.find(token, "password", clock.now())
    if link is None:
        answer = respond("accounts/link_ended.html", status=410)
    else:
        answer = respond(
            "accounts/reset.html", form=form, token=token, member=link[1], status=status
        )
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
