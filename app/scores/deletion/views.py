"""The page on which an owner renames, hands over or deletes an integrator."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts import api_keys, integrators
from app.accounts.models import Integrator
from app.accounts.reauthentication import reauthenticated
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.scores.deletion import integrators as integrator_deletion

blueprint = Blueprint("integrator", __name__, url_prefix="/integrators/<int:integrator_id>/manage")


@blueprint.get("")
@audience(MEMBER)
def show(integrator_id: int) -> ResponseReturnValue:
    """Show the page that manages an integrator."""
    return _show(_mine(integrator_id))


@blueprint.post("/rename")
@audience(MEMBER)
def rename(integrator_id: int) -> ResponseReturnValue:
    """Rename the integrator."""
    integrator = _mine(integrator_id)
    if refused := integrators.rename(integrator, request.form.get("name", "")):
        return _show(integrator, refused, "rename")
    return redirect(url_for("integrators.show", integrator_id=integrator.id), 303)


@blueprint.post("/hand-over")
@audience(MEMBER)
@reauthenticated
def hand_over(integrator_id: int) -> ResponseReturnValue:
    """Hand the integrator over to another member."""
    integrator = _mine(integrator_id)
    if refused := integrators.hand_over(integrator, request.form.get("username", ""), clock.now()):
        return _show(integrator, refused, "hand-over")
    return redirect(url_for("integrators.index"), 303)


@blueprint.post("/delete")
@audience(MEMBER)
@reauthenticated
def delete(integrator_id: int) -> ResponseReturnValue:
    """Delete the integrator."""
    integrator = _mine(integrator_id)
    if refused := integrator_deletion.ask(
        integrator, request.form.get("name", ""), now=clock.now()
    ):
        return _show(integrator, refused, "delete")
    return redirect(url_for("integrators.index"), 303)


def _mine(integrator_id: int) -> Integrator:
    return api_keys.integrator_for(integrator_id, current_user.id) or abort(404)


def _show(
    integrator: Integrator, fault: Refusal | None = None, form: str = ""
) -> ResponseReturnValue:
    status = 422 if fault else 200
    return respond(
        "integrators/manage.html", status=status, integrator=integrator, fault=fault, form=form
    )
