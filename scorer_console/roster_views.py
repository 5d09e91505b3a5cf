"""The page of who plays: both rosters with what the game's own facts say, and who took part."""

from __future__ import annotations

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core.access import audience
from app.core.web import respond
from scorer_console import queries, roster, views

blueprint = Blueprint("rosters", __name__, url_prefix="/console")
SCORER = "scorer"
blueprint.before_request(views.check_bound)


@blueprint.get("/<game_id>/roster")
@audience(SCORER)
def show(game_id: str) -> ResponseReturnValue:
    game = queries.game(game_id) or abort(404)
    return respond(
        "console/roster.html", game=game, sides=roster.lists(game_id, game.away, game.home), words=roster.STATUS_WORDS
    )
