"""Pages on which a commissioner connects the league to Discord, Slack or a webhook."""

from __future__ import annotations

from uuid import UUID

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter, who_tries
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.fantasy.pages.commissioner.access import load_for_commissioner
from app.fantasy.pages.membership.forms import show_refusals
from app.fantasy.standings.models import League
from app.talk import connections, formats
from app.talk.forms import ConnectionForm
from app.talk.models import Connection

blueprint = Blueprint(
    "league_connections", __name__, url_prefix="/leagues/<slug>/settings/connections"
)

DONE = {
    "added": "Connected. Send a test to see if it arrives.",
    "test": "Test sent. Reload this page in a few seconds to see the result.",
    "removed": "Connection removed.",
}


@blueprint.get("")
@audience(MEMBER)
def show(slug: str) -> ResponseReturnValue:
    """The league's connections with their last deliveries."""
    return _page(_my_league(slug))


@blueprint.post("")
@audience(MEMBER)
@limiter.limit("10 per minute", key_func=who_tries)
def add(slug: str) -> ResponseReturnValue:
    """Connect the league."""
    league, form = _my_league(slug), ConnectionForm()
    done = connections.add(league.id, form.service.data or "", form.url.data or "")
    if isinstance(done, Refusal):
        return _page(league, form, show_refusals(form, [done]), status=422)
    return _to(slug, "added")


@blueprint.post("/<uuid:connection_id>/test")
@audience(MEMBER)
@limiter.limit("10 per minute", key_func=who_tries)
def test(slug: str, connection_id: UUID) -> ResponseReturnValue:
    """Send a test; a connection that was switched off is switched on again."""
    connections.send_test(_mine(slug, connection_id), clock.now())
    return _to(slug, "test")


@blueprint.post("/<uuid:connection_id>/remove")
@audience(MEMBER)
def remove(slug: str, connection_id: UUID) -> ResponseReturnValue:
    """Remove a connection."""
    connections.remove(_mine(slug, connection_id))
    return _to(slug, "removed")


def _my_league(slug: str) -> League:
    """Load the league for its commissioner; its members get a 403, others a 404."""
    league = load_for_commissioner(slug)
    return abort(404) if league.is_overall else league


def _mine(slug: str, connection_id: UUID) -> Connection:
    return connections.find(_my_league(slug).id, connection_id) or abort(404)


def _to(slug: str, done: str) -> ResponseReturnValue:
    return redirect(url_for("league_connections.show", slug=slug, done=done), 303)


def _page(
    league: League,
    form: ConnectionForm | None = None,
    faults: list[str] | None = None,
    status: int = 200,
) -> ResponseReturnValue:
    return respond(
        "talk/connections.html",
        status=status,
        league=league,
        states=connections.states(league.id),
        form=form or ConnectionForm(formdata=None),
        services=formats.SERVICES,
        faults=faults or [],
        done=DONE.get(request.args.get("done", "")),
        tab="settings",
    )
