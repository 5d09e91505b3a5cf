"""Pages on which an integrator creates webhooks, sees their state and replays deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm

from app.accounts import api_keys
from app.accounts.models import Integrator
from app.accounts.reauthentication import reauthenticated
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.numbers import whole_number
from app.core.viewer import current_user
from app.scores.feed import changes as feed
from app.scores.webhooks import replays as webhook_replays
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook

blueprint = Blueprint("webhooks", __name__, url_prefix="/integrators/<int:integrator_id>/webhooks")


@blueprint.get("")
@audience(MEMBER)
def show(integrator_id: int) -> ResponseReturnValue:
    """Show the integrator's webhooks."""
    return _show(_mine(integrator_id))


@blueprint.post("")
@audience(MEMBER)
def create(integrator_id: int) -> ResponseReturnValue:
    """Create a webhook for all events; the answer shows its secret, and no other page ever does."""
    integrator = _mine(integrator_id)
    result = webhooks.create(integrator.id, request.form.get("url", "").strip(), feed.EVENTS)
    if isinstance(result, Webhook):
        return _show(integrator, with_secret=result)
    return _show(integrator, faults=result)


@blueprint.post("/<uuid:webhook_id>/secret")
@audience(MEMBER)
@reauthenticated
def rotate_secret(integrator_id: int, webhook_id: UUID) -> ResponseReturnValue:
    """Give the webhook a new secret, which the answer shows; the old one signs too for a while."""
    integrator = _mine(integrator_id)
    webhook = webhooks.find(integrator.id, webhook_id) or abort(404)
    return _show(integrator, with_secret=webhooks.rotate_secret(webhook, clock.now()))


@blueprint.post("/<uuid:webhook_id>/replay")
@audience(MEMBER)
@limit_costly_work
def replay(integrator_id: int, webhook_id: UUID) -> ResponseReturnValue:
    """Send all dead deliveries once more."""
    integrator = _mine(integrator_id)
    webhook = webhooks.find(integrator.id, webhook_id) or abort(404)
    done = webhook_replays.replay_all(webhook, webhook_replays.Chosen(), clock.now())
    place = url_for("webhooks.show", integrator_id=integrator.id, sent=done.sent, more=done.more)
    return redirect(place, 303)


def _show(
    integrator: Integrator,
    *,
    with_secret: Webhook | None = None,
    faults: Mapping[str, str] | None = None,
) -> ResponseReturnValue:
    return respond(
        "integrators/webhooks.html",
        status=422 if faults else 200,
        integrator=integrator,
        standings=webhook_replays.standings(integrator.id),
        sent=whole_number(request.args.get("sent", "")),
        more=whole_number(request.args.get("more", "")),
        with_secret=with_secret,
        fault=" ".join((faults or {}).values()),
        form=FlaskForm(),
    )


def _mine(integrator_id: int) -> Integrator:
    return api_keys.integrator_for(integrator_id, current_user.id) or abort(404)
