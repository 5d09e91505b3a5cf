"""Pages on which operators manage accounts: search, creation, roles, links for a new password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, abort, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import BooleanField, SelectMultipleField, StringField, widgets

from app.accounts import links, member_sessions, rules, second_factors, staff
from app.accounts.models import Member
from app.accounts.reauthentication import reauthenticated
from app.core import clock
from app.core.db import db
from app.core.http.access import audience
from app.core.http.pagination import page_number
from app.core.http.responses import respond
from app.core.viewer import current_user

blueprint = Blueprint("staff_accounts", __name__, url_prefix="/ops/accounts")
OPERATOR = "operator"
ROWS = 50
WHAT_ROLES_DO = {
    "scorer": "enters games at the console",
    "moderator": "reviews scores, bans, and answers reports",
    "operator": "runs the site and manages staff",
}


class _Roles(FlaskForm):
    roles = SelectMultipleField(
        "Roles",
        choices={role: f"{role}: {WHAT_ROLES_DO[role]}" for role in rules.ROLES},
        option_widget=widgets.CheckboxInput(),
        widget=widgets.ListWidget(prefix_label=False),
        validate_choice=False,  # staff.py says what is wrong
    )
    reason = StringField(
        "Reason", description="Kept in the audit log, e.g. scores the Larks' home games"
    )


class CreateForm(_Roles):
    """A new account."""

    username = StringField("Username")
    display_name = StringField("Display name")


class RolesForm(_Roles):
    """The member's roles."""

    games = StringField(
        "Games this scorer may score",
        description="Game IDs separated by spaces. Leave blank for all games.",
    )


class ResetForm(FlaskForm):
    """A link for a new password."""

    reason = StringField(
        "Reason", description="Kept in the audit log, e.g. forgot it, identified by phone"
    )
    second_factor = BooleanField("Also remove their authenticator app and passkeys")


class EndForm(FlaskForm):
    """Ends the member's sessions."""

    reason = StringField("Reason", description="Kept in the audit log, e.g. lost their phone")


@blueprint.get("")
@audience(OPERATOR)
def index() -> ResponseReturnValue:
    """The list of accounts."""
    return _index(CreateForm(formdata=None))


@blueprint.post("")
@audience(OPERATOR)
@reauthenticated
def create() -> ResponseReturnValue:
    """Create an account and show the link to set its password, which no other page does."""
    form = CreateForm()
    form.validate()
    account = staff.NewAccount(
        form.username.data or "",
        form.display_name.data or form.username.data or "",
        form.roles.data or (),
    )
    created = staff.create(
        account, clock.now(), actor_id=current_user.id, reason=form.reason.data or ""
    )
    if isinstance(created, dict):
        return _index(_with(form, created), 422)
    return _show(created.member, link=reset_address(created.token))


@blueprint.get("/<int:member_id>")
@audience(OPERATOR)
def show(member_id: int) -> ResponseReturnValue:
    """The page of one account."""
    return _show(_member(member_id))


@blueprint.post("/<int:member_id>/roles")
@audience(OPERATOR)
@reauthenticated
def set_roles(member_id: int) -> ResponseReturnValue:
    """Set the member's roles."""
    member, form = _member(member_id), RolesForm()
    form.validate()
    faults = staff.set_roles(
        member,
        form.roles.data or (),
        (form.games.data or "").split(),
        actor_id=current_user.id,
        reason=form.reason.data or "",
    )
    if faults:
        return _show(member, forms={"roles_form": _with(form, faults)}, status=422)
    return _show(member, done="Roles saved. They apply right away.")


@blueprint.post("/<int:member_id>/sessions/end")
@audience(OPERATOR)
@reauthenticated
def end_sessions(member_id: int) -> ResponseReturnValue:
    """Sign the member out everywhere, apps too; their password stays."""
    member, form = _member(member_id), EndForm()
    form.validate()
    ended = staff.end_sessions(
        member, clock.now(), actor_id=current_user.id, reason=form.reason.data or ""
    )
    if isinstance(ended, dict):
        return _show(member, forms={"end_form": _with(form, ended)}, status=422)
    return _show(
        member, done=f"{ended} session{'' if ended == 1 else 's'} and all connected apps ended."
    )


@blueprint.post("/<int:member_id>/reset")
@audience(OPERATOR)
@reauthenticated
def reset(member_id: int) -> ResponseReturnValue:
    """Make a link for a new password and show it, which no other page does."""
    member, form = _member(member_id), ResetForm()
    form.validate()
    token = staff.reset(
        member,
        clock.now(),
        actor_id=current_user.id,
        reason=form.reason.data or "",
        second_factor=bool(form.second_factor.data),
    )
    if isinstance(token, dict):
        return _show(member, forms={"reset_form": _with(form, token)}, status=422)
    return _show(member, link=reset_address(token))


def reset_address(token: str) -> str:
    """Return the address at which a password is set with this token."""
    return url_for("passwords.reset", token=token, _external=True)


def _member(member_id: int) -> Member:
    return db.session.get(Member, member_id) or abort(404)


def _with(form: FlaskForm, faults: dict[str, str]) -> FlaskForm:
    for name, fault in faults.items():
        form[name].errors = [fault]
    return form


def _index(form: FlaskForm, status: int = 200) -> Response:
    text, role = request.args.get("q", "").strip()[:60], request.args.get("role", "staff")
    number = page_number()
    members, total = staff.search(text, role, number, ROWS)
    return respond(
        "accounts/staff_index.html",
        form=form,
        members=members,
        total=total,
        text=text,
        role=role,
        number=number,
        pages=-(-total // ROWS),
        status=status,
    )


def _show(
    member: Member,
    *,
    forms: Mapping[str, FlaskForm] | None = None,
    link: str | None = None,
    done: str | None = None,
    status: int = 200,
) -> Response:
    """Show the account; `forms` are those with faults, by their name in the template."""
    moment = clock.now()
    current = {"roles": member.roles, "games": " ".join(staff.games_of(member.id))}
    empty_forms: dict[str, Any] = {
        "roles_form": RolesForm(formdata=None, data=current),
        "reset_form": ResetForm(formdata=None),
        "end_form": EndForm(formdata=None),
    }
    return respond(
        "accounts/staff_show.html",
        **empty_forms | dict(forms or {}),
        member=member,
        sessions=member_sessions.active(member.id, moment),
        factors=second_factors.of(member.id),
        open_link=staff.open_link(member.id, moment),
        link=link,
        link_hours=int(links.LIFETIME_BY_OPERATOR.total_seconds() // 3600),
        done=done,
        status=status,
    )
