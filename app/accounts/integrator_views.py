"""Pages on which a member manages integrators and the keys of their servers."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import SelectMultipleField, StringField, widgets

from app.accounts import api_keys
from app.accounts.api_keys import NewKey
from app.accounts.models import Integrator
from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.viewer import current_user

blueprint = Blueprint("integrators", __name__, url_prefix="/integrators")


class IntegratorForm(FlaskForm):
    """A new integrator."""

    name = StringField("Name", description="Name of your studio or service, 1 to 60 characters.")


class KeyForm(FlaskForm):
    """A new key."""

    name = StringField(
        "Key name",
        description="The server that uses it, e.g. eu-west game server",
    )
    scopes = SelectMultipleField(
        "Permissions",
        option_widget=widgets.CheckboxInput(),
        widget=widgets.ListWidget(prefix_label=False),
        validate_choice=False,  # create_key says what is wrong
    )

    def offer(self) -> KeyForm:
        """Offer the scopes that the member may give."""
        mine = api_keys.scopes_for(current_user)
        self.scopes.choices = {scope: f"{scope}: {api_keys.SCOPES[scope]}" for scope in mine}
        return self


@blueprint.get("")
@audience(MEMBER)
def index() -> ResponseReturnValue:
    """The page of the member's integrators."""
    return _index(IntegratorForm())


@blueprint.post("")
@audience(MEMBER)
def create() -> ResponseReturnValue:
    """Create an integrator."""
    form = IntegratorForm()
    form.validate()
    integrator = api_keys.create_integrator(form.name.data or "", current_user.id)
    if isinstance(integrator, dict):
        form.name.errors = [integrator["name"]]
        return _index(form, status=422)
    return redirect(url_for("integrators.show", integrator_id=integrator.id), 303)


@blueprint.get("/<int:integrator_id>")
@audience(MEMBER)
def show(integrator_id: int) -> ResponseReturnValue:
    """The page of one integrator."""
    return _show(_mine(integrator_id), KeyForm())


@blueprint.post("/<int:integrator_id>/keys")
@audience(MEMBER)
def create_key(integrator_id: int) -> ResponseReturnValue:
    """Create a key and show it, which no other page does."""
    integrator = _mine(integrator_id)
    form = KeyForm()
    form.validate()
    new_key = api_keys.create_key(
        integrator, form.name.data or "", form.scopes.data or (), current_user
    )
    if isinstance(new_key, NewKey):
        return _show(integrator, KeyForm(formdata=None), new_key)
    for name, fault in new_key.items():
        form[name].errors = [fault]
    return _show(integrator, form, status=422)


@blueprint.post("/<int:integrator_id>/keys/<int:key_id>/revoke")
@audience(MEMBER)
def revoke(integrator_id: int, key_id: int) -> ResponseReturnValue:
    """Revoke a key."""
    integrator = _mine(integrator_id)
    api_keys.revoke(integrator, key_id, now())
    return redirect(url_for("integrators.show", integrator_id=integrator.id, revoked=key_id), 303)


def _mine(integrator_id: int) -> Integrator:
    return api_keys.integrator_for(integrator_id, current_user.id) or abort(404)


def _index(form: IntegratorForm, status: int = 200) -> Response:
    mine = api_keys.integrators_of(current_user.id)
    return respond("integrators/index.html", integrators=mine, form=form, status=status)


def _show(
    integrator: Integrator, form: KeyForm, new_key: NewKey | None = None, status: int = 200
) -> Response:
    keys = api_keys.keys_of(integrator.id)
    revoked = next(
        (key for key in keys if str(key.id) == request.args.get("revoked") and key.revoked_at), None
    )
    return respond(
        "integrators/show.html",
        integrator=integrator,
        keys=keys,
        scopes=api_keys.SCOPES,
        form=form.offer(),
        new_key=new_key,
        revoked=revoked,
        status=status,
    )
