"""Pages on which an integrator finds its players, downloads their data and erases them."""

from __future__ import annotations

import json
from uuid import UUID

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.accounts import api_keys, players
from app.accounts.models import Integrator, Player
from app.accounts.reauthentication import reauthenticated
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.moderation import privacy
from app.moderation.forms import EraseForm

blueprint = Blueprint(
    "own_players", __name__, url_prefix="/integrators/<int:integrator_id>/players"
)

PAGE_ROWS = 50


@blueprint.get("")
@audience(MEMBER)
def index(integrator_id: int) -> ResponseReturnValue:
    """The players in the order of their external ids, beginning with `from`."""
    integrator = _mine(integrator_id)
    first = request.args.get("from", "").strip()
    page = list(players.own_players(integrator.id, first, PAGE_ROWS + 1))
    exact = players.find_own_player(integrator.id, first)
    if exact is not None:
        page.insert(0, exact)
    return respond(
        "integrators/players.html",
        integrator=integrator,
        players=page[:PAGE_ROWS],
        first=first,
        next_first=page[PAGE_ROWS].external_id if len(page) > PAGE_ROWS else None,
        was_erased="erased" in request.args,
    )


@blueprint.get("/<uuid:player_id>")
@audience(MEMBER)
def show(integrator_id: int, player_id: UUID) -> ResponseReturnValue:
    """The page of an integrator's player."""
    integrator = _mine(integrator_id)
    return _show(integrator, _own(integrator, player_id))


@blueprint.post("/<uuid:player_id>/data.json")
@audience(MEMBER)
@limit_costly_work
def download(integrator_id: int, player_id: UUID) -> ResponseReturnValue:
    """Download the player's data."""
    player = _own(_mine(integrator_id), player_id)
    body = json.dumps(privacy.export_player(player.id), indent=1, ensure_ascii=False)
    headers = {"Content-Disposition": f"attachment; filename=player-{player.id}.json"}
    return Response(body, mimetype="application/json", headers=headers)


@blueprint.post("/<uuid:player_id>/erasure")
@audience(MEMBER)
@reauthenticated
def erase(integrator_id: int, player_id: UUID) -> ResponseReturnValue:
    """Erase the player."""
    integrator = _mine(integrator_id)
    player = _own(integrator, player_id)
    if EraseForm().confirm.data != player.external_id:
        return _show(
            integrator, player, Refusal("confirm", "confirm", "Type the player's ID to confirm.")
        )
    privacy.erase_player(player, by=current_user.id, now=clock.now())
    return redirect(url_for("own_players.index", integrator_id=integrator.id, erased=1), 303)


def _show(
    integrator: Integrator, player: Player, fault: Refusal | None = None
) -> ResponseReturnValue:
    status = 422 if fault else 200
    return respond(
        "integrators/player.html", status=status, integrator=integrator, player=player, fault=fault
    )


def _mine(integrator_id: int) -> Integrator:
    return api_keys.integrator_for(integrator_id, current_user.id) or abort(404)


def _own(integrator: Integrator, player_id: UUID) -> Player:
    player = players.find_player(player_id)
    if player is None or player.integrator_id != integrator.id or player.erased_at is not None:
        abort(404)
    return player
