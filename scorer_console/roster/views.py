"""The page of both rosters, and the look-ups of the roster key: footballers and their events."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, abort, jsonify, request
from flask.typing import ResponseReturnValue

from app.core.http.access import audience
from app.core.http.responses import respond
from scorer_console import queries
from scorer_console.entry import views
from scorer_console.roster import footballers
from scorer_console.roster import queries as roster

blueprint = Blueprint("rosters", __name__, url_prefix="/console")
blueprint.before_request(views.check_bound)


@blueprint.get("/<game_id>/roster")
@audience(views.SCORER)
def show(game_id: str) -> ResponseReturnValue:
    """Show both rosters."""
    game = queries.game(game_id) or abort(404)
    return respond(
        "console/roster.html",
        game=game,
        sides=roster.lists(game_id, game.away, game.home),
        words=roster.STATUS_WORDS,
    )


@blueprint.get("/<game_id>/footballers")
@audience(views.SCORER)
def find(game_id: str) -> ResponseReturnValue:
    """Return a page of the footballers of any club whose name contains `name`."""
    queries.game(game_id) or abort(404)
    page = request.args.get("page", 1, type=int)
    return jsonify(asdict(footballers.search(request.args.get("name", "")[:80], page)))


@blueprint.get("/<game_id>/footballers/<player_id>/events")
@audience(views.SCORER)
def naming(game_id: str, player_id: str) -> ResponseReturnValue:
    """Return the events of the game that name the player, to credit them to somebody else."""
    game = queries.game(game_id) or abort(404)
    return jsonify(footballers.events_naming(game_id, player_id, game.home.id, game.away.id))
