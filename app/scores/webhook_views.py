"""Pages on which an integrator sees how their webhooks get on, and sends what was not taken again."""

from __future__ import annotations

from uuid import UUID

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from flask_wtf import FlaskForm

from app.accounts import api_keys
from app.accounts.models import Integrator
from app.core import clock
from app.core.access import MEMBER, audience
from app.core.numbers import whole_number
from app.core.web import respond
from app.scores import webhook_replays, webhooks

blueprint = Blueprint("webhooks", __name__, url_prefix="/integrators/<int:integrator_id>/webhooks")


@blueprint.get("")
@audience(MEMBER)
def show(integrator_id: int) -> ResponseReturnValue:
    integrator = _mine(integrator_id)
    return respond(
        "integrators/webhooks.html",
        integrator=integrator,
        standings=webhook_replays.standings(integrator.id),
        sent=whole_number(request.args.get("sent", "")),
        more=whole_number(request.args.get("more", "")),
        form=FlaskForm(),
    )


@blueprint.post("/<uuid:webhook_id>/replay")
@audience(MEMBER)
def replay(integrator_id: int, webhook_id: UUID) -> ResponseReturnValue:
    """Sends all that ended dead once more."""
    integrator = _mine(integrator_id)
    webhook = webhooks.find(integrator.id, webhook_id) or abort(404)
    done = webhook_replays.replay_all(webhook, webhook_replays.Chosen(), clock.now())
    place = url_for("webhooks.show", integrator_id=integrator.id, sent=done.sent, more=done.more)
    return redirect(place, 303)


def _mine(integrator_id: int) -> Integrator:
    return api_keys.integrator_for(integrator_id, current_user.id) or abort(404)
