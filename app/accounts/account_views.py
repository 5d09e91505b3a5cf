"""The account page of a member: password, sessions and apps, second factors."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import PasswordField, RadioField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, ValidationError

from app.accounts import (
    appearance,
    member_sessions,
    minors,
    passwords,
    reauthentication,
    second_factors,
    sessions,
    tokens,
)
from app.accounts.browsers import browser_name
from app.accounts.reauthentication import reauthenticated
from app.accounts.rules import FIRST_BIRTH_YEAR, PASSWORD_MIN
from app.accounts.team_colour_field import shown_team_colour, team_colour_field
from app.audit import log as audit
from app.audit.acts import Act
from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.responses import own_page, respond
from app.core.input_limits import PICTURE
from app.core.numbers import typed_whole
from app.core.viewer import current_user

blueprint = Blueprint("account", __name__, url_prefix="/account")
blueprint.add_app_template_filter(browser_name, "browser")

DONE = {
    "password": "Password changed. You were signed out everywhere else.",
    "session": "Signed out that device and its connected apps.",
    "app": "Signed out the app.",
    "all": "You are signed out everywhere else.",
    "picture": "Picture saved. Others will see it within a few minutes.",
    "crest": "Picture removed. Others will see your crest within a few minutes.",
    "birth-year": "Year of birth saved.",
    "appearance": "Saved for all your devices.",
}


def _stripped(value: Any) -> str:
    return str(value or "").strip()


class PasswordForm(FlaskForm):
    """A new password."""

    current = PasswordField("Current password", [InputRequired("Enter your current password.")])
    new = PasswordField(
        "New password",
        [InputRequired("Choose a new password.")],
        description=f"At least {PASSWORD_MIN} characters. A few random words work well.",
    )


class AppearanceForm(FlaskForm):
    """How pages look."""

    theme = RadioField(
        "Theme",
        [InputRequired("Choose one of the themes.")],
        choices=[
            SelectChoice("system", "Same as device"),
            SelectChoice("light", "Light"),
            SelectChoice("dark", "Dark"),
        ],
    )
    time_format = RadioField(
        "Times",
        [InputRequired("Choose one of the formats.")],
        choices=[
            SelectChoice("system", "Same as device"),
            SelectChoice("12", "1:05 PM"),
            SelectChoice("24", "13:05"),
        ],
    )
    colour = team_colour_field(InputRequired("Choose one of the colors."))


class BirthYearForm(FlaskForm):
    """The member's year of birth, or none."""

    birth_year = StringField(
        "Year of birth (optional)",
        filters=[_stripped],
        description=(
            "Only you can see it. If you are under 18 or turn 18 this year, others see a neutral "
            "name and can't send you friend requests."
        ),
    )

    def validate_birth_year(self, item: StringField) -> None:
        """Refuse everything but a year of a living person."""
        this_year = clock.now().year
        year = typed_whole(item.data)
        if item.data and (year is None or not FIRST_BIRTH_YEAR <= year <= this_year):
            raise ValidationError(
                f"Enter a year from {FIRST_BIRTH_YEAR} to {this_year}, or leave it blank."
            )


class PictureForm(FlaskForm):
    """A picture to be shown beside the member's name."""

    picture = FileField(
        "Picture",
        [FileRequired("Choose a picture.")],
        description=f"PNG, JPEG or WebP, up to {PICTURE}. We crop it to a square.",
    )


class ConfirmForm(FlaskForm):
    """The current password."""

    password = PasswordField("Password", [InputRequired("Enter your password.")])


@blueprint.get("")
@audience(MEMBER)
def show() -> ResponseReturnValue:
    """The account page."""
    return show_account()


@blueprint.post("/password")
@audience(MEMBER)
def change_password() -> ResponseReturnValue:
    """Set a new password."""
    form = PasswordForm()
    if not form.validate_on_submit():
        return show_account(422, form=form)
    if fault := reauthentication.check_password(form.current.data or ""):
        form.current.errors = [fault[0]]
        return show_account(fault[1], form=form)
    if refused := passwords.change(
        current_user, form.new.data or "", clock.now(), keeping=sessions.current().id
    ):
        form.new.errors = [refused]
        return show_account(422, form=form)
    return _back("password")


@blueprint.post("/appearance")
@audience(MEMBER)
def choose_appearance() -> ResponseReturnValue:
    """Store the theme, the time format and the color of the member's teams."""
    form = AppearanceForm()
    if not form.validate_on_submit():
        return show_account(422, appearance_form=form)
    appearance.choose(current_user, form.theme.data, form.time_format.data, int(form.colour.data))
    return _back("appearance")


@blueprint.post("/birth-year")
@audience(MEMBER)
def set_birth_year() -> ResponseReturnValue:
    """Store the year of birth."""
    form = BirthYearForm()
    if not form.validate_on_submit():
        return show_account(422, birth_year_form=form)
    minors.set_birth_year(current_user, typed_whole(form.birth_year.data), clock.now())
    return _back("birth-year")


@blueprint.post("/sessions/<session_id>/end")
@audience(MEMBER)
def end_session(session_id: str) -> ResponseReturnValue:
    """End one session."""
    if not member_sessions.end(session_id, clock.now(), current_user.id):
        abort(404)
    return _back("session")


@blueprint.post("/apps/<uuid:family>/end")
@audience(MEMBER)
def end_app(family: UUID) -> ResponseReturnValue:
    """Sign one app out."""
    if not tokens.revoke_family(current_user.id, family, clock.now()):
        abort(404)
    return _back("app")


@blueprint.post("/sessions/end")
@audience(MEMBER)
@reauthenticated
def end_others() -> ResponseReturnValue:
    """End all sessions but this one."""
    ended = member_sessions.end_all(current_user.id, clock.now(), but=sessions.current().id)
    audit.record(
        Act.SESSIONS_ENDED,
        actor_id=current_user.id,
        subject=f"member:{current_user.id}",
        details={"sessions": ended},
    )
    db.session.commit()
    return _back("all")


@blueprint.get("/confirm")
@audience(MEMBER)
def confirm() -> ResponseReturnValue:
    """The page that asks members to prove who they are."""
    return respond("accounts/confirm.html", form=ConfirmForm())


@blueprint.post("/confirm")
@audience(MEMBER)
def confirm_now() -> ResponseReturnValue:
    """Check the proof."""
    form = ConfirmForm()
    status = 422
    if form.validate_on_submit():
        fault = reauthentication.check_password(form.password.data or "")
        if fault is None:
            return redirect(own_page(request.args.get("next", ""), url_for("account.show")), 303)
        form.password.errors, status = [fault[0]], fault[1]
    return respond("accounts/confirm.html", form=form, status=status)


def _back(done: str) -> ResponseReturnValue:
    return redirect(url_for("account.show", done=done), 303)


def show_account(
    status: int = 200,
    *,
    form: PasswordForm | None = None,
    appearance_form: AppearanceForm | None = None,
    birth_year_form: BirthYearForm | None = None,
    picture_form: PictureForm | None = None,
) -> Response:
    """The account page, with the form that was refused in place of an empty one."""
    return respond(
        "accounts/account.html",
        form=form or PasswordForm(formdata=None),
        appearance=appearance_form or _appearance_form(),
        birth_year=birth_year_form or BirthYearForm(formdata=None, obj=current_user),
        picture=picture_form or PictureForm(formdata=None),
        sessions=member_sessions.active(current_user.id, clock.now()),
        here=sessions.current().id,
        factors=second_factors.of(current_user.id),
        apps=tokens.families_of(current_user.id, clock.now()),
        done=DONE.get(request.args.get("done", "")),
        status=status,
    )


def _appearance_form() -> AppearanceForm:
    return AppearanceForm(
        formdata=None,
        theme=current_user.theme,
        time_format=current_user.time_format,
        colour=shown_team_colour(current_user),
    )
