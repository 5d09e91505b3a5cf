"""Pages for a member's second factors and for their address for links to a new password."""

from __future__ import annotations

import re

from flask import Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import StringField
from wtforms.validators import InputRequired

from app.accounts import links, mail, second_factors, sessions
from app.accounts.account_views import blueprint
from app.accounts.browsers import browser_name
from app.accounts.forms import CodeForm
from app.accounts.jobs import MAIL_CONFIRMATION
from app.accounts.models import OneTimeLink
from app.accounts.reauthentication import reauthenticated
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock, jobs
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.qr import qr_code
from app.core.viewer import current_user

ADDRESS = re.compile(r"[^\s@<>,;:\"'()\\]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,63}")


class EmailForm(FlaskForm):
    """The address for links that set a new password."""

    email = StringField(
        "Email",
        [InputRequired("Enter an email address.")],
        description="Used for password reset links. No one else sees it.",
    )


@blueprint.get("/second-factor")
@audience(MEMBER)
def factors() -> ResponseReturnValue:
    """The page of second factors."""
    return _factors()


@blueprint.post("/second-factor/app")
@audience(MEMBER)
@reauthenticated
def begin_app() -> ResponseReturnValue:
    """Show what the app has to read; it counts after one of its codes was entered."""
    if not second_factors.of(current_user.id).has_app:
        second_factors.begin_app(current_user.id, clock.now())
    return redirect(url_for("account.factors"), 303)


@blueprint.post("/second-factor/app/confirm")
@audience(MEMBER)
@limiter.limit("10 per minute")
def confirm_app() -> ResponseReturnValue:
    """Confirm the app and show the recovery codes, which no other page does."""
    form = CodeForm()
    codes = (
        second_factors.confirm_app(current_user, form.code.data or "", clock.now())
        if form.validate_on_submit()
        else None
    )
    if codes is None:
        form.code.errors = ["Wrong code. Check the time on your phone."]
        return _factors(form, status=422)
    sessions.note_verified(second_factor=True)
    return _factors(codes=codes)


@blueprint.post("/second-factor/app/remove")
@audience(MEMBER)
@reauthenticated
def remove_app() -> ResponseReturnValue:
    """Remove the authenticator app."""
    second_factors.remove_app(current_user.id)
    return redirect(url_for("account.factors"), 303)


@blueprint.post("/second-factor/passkeys/<int:passkey_id>/remove")
@audience(MEMBER)
@reauthenticated
def remove_passkey(passkey_id: int) -> ResponseReturnValue:
    """Remove a passkey."""
    if not second_factors.remove_passkey(current_user.id, passkey_id):
        abort(404)
    return redirect(url_for("account.factors"), 303)


@blueprint.post("/second-factor/recovery-codes")
@audience(MEMBER)
@reauthenticated
def renew_recovery_codes() -> ResponseReturnValue:
    """Replace the recovery codes and show the new ones, which no other page does."""
    if not second_factors.of(current_user.id).any:
        abort(404)
    return _factors(codes=second_factors.renew_recovery_codes(current_user.id))


@blueprint.get("/email")
@audience(MEMBER)
def email() -> ResponseReturnValue:
    """The page of the member's address."""
    return _email(EmailForm(formdata=None))


@blueprint.post("/email")
@audience(MEMBER)
@limiter.limit("5 per hour")
@reauthenticated
def set_email() -> ResponseReturnValue:
    """Mail a link to the address, which becomes the member's once they open it."""
    form = EmailForm()
    if not mail.is_on():
        abort(404)
    address = (form.email.data or "").strip()
    if not form.validate_on_submit() or not ADDRESS.fullmatch(address):
        form.email.errors = ["Enter an address like ann@example.com."]
        return _email(form, status=422)
    jobs.send(MAIL_CONFIRMATION, current_user.id, address)
    return _email(EmailForm(formdata=None), sent=address)


@blueprint.post("/email/remove")
@audience(MEMBER)
@reauthenticated
def remove_email() -> ResponseReturnValue:
    """Remove the address."""
    _note_email(None)
    return redirect(url_for("account.email"), 303)


@blueprint.get("/email/confirm")
@audience(MEMBER)
def confirm_email() -> ResponseReturnValue:
    """Ask before anything changes, because programs open links in mails."""
    token = request.args.get("token", "")
    link = _link_of_this_member(token)
    if link is None:
        return respond("accounts/link_ended.html", status=410)
    return respond("accounts/confirm_email.html", token=token, address=link.email)


@blueprint.post("/email/confirm")
@audience(MEMBER)
def confirm_email_now() -> ResponseReturnValue:
    """Confirm the address."""
    token = request.form.get("token", "")
    link = _link_of_this_member(token)
    if link is None or not links.spend(token, "email", clock.now()):
        return respond("accounts/link_ended.html", status=410)
    _note_email(link.email)
    return redirect(url_for("account.email"), 303)


def _link_of_this_member(token: str) -> OneTimeLink | None:
    match links.find(token, "email", clock.now()):
        case (link, member) if member.id == current_user.id:
            return link
        case _:
            return None


def _note_email(address: str | None) -> None:
    """Set the address; the audit says that it changed, but not to what."""
    current_user.email = address
    audit.record(
        Act.EMAIL_CHANGED,
        actor_id=current_user.id,
        subject=f"member:{current_user.id}",
        details={"removed": address is None},
    )
    db.session.commit()


def _email(form: EmailForm, *, sent: str | None = None, status: int = 200) -> Response:
    return respond(
        "accounts/email.html", form=form, sent=sent, has_mail=mail.is_on(), status=status
    )


def _factors(
    form: CodeForm | None = None, *, codes: list[str] | None = None, status: int = 200
) -> Response:
    factors = second_factors.of(current_user.id)
    secret = None if factors.has_app else second_factors.pending_secret(current_user.id)
    picture = None
    if secret:
        picture = qr_code(second_factors.address(current_user, secret))
    return respond(
        "accounts/factors.html",
        factors=factors,
        form=form or CodeForm(formdata=None),
        secret=secret,
        picture=picture,
        codes=codes,
        is_needed=current_user.roles_withheld,
        browser_of_request=browser_name(request.headers.get("User-Agent", "")),
        status=status,
    )
