"""Why a footballer has these points in a game."""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from app.core.http.access import PUBLIC, audience
from app.core.http.responses import own_page, respond
from app.fantasy.scoring.explain import explanation
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import STANDARD
from app.record import queries as record

blueprint = Blueprint("points", __name__)


@blueprint.get("/games/<game_id>/points/<player_id>")
@audience(PUBLIC)
def show(game_id: str, player_id: str) -> ResponseReturnValue:
    """The points of a footballer in a game, by kind and play by play.

    `rules` names the scoring rules, `back` the page of the team to return to.
    """
    game = record.game(game_id) or abort(404)
    try:
        rules = rules_named(request.args.get("rules", STANDARD.name))
    except KeyError:
        abort(404)
    page = explanation(game, player_id, rules) or abort(404)
    back = own_page(request.args.get("back", ""), "")
    return respond(
        "games/points.html", page=page, back=back if back.startswith("/leagues/") else ""
    )
