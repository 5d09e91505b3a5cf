"""The page on which an integrator lists the origins whose pages may call the API (CORS)."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm

from app.accounts import api_keys
from app.accounts.models import Integrator
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.origins import MOST, read_lines
from app.boards.catalogue.services import change_game
from app.boards.models import ScoreGame
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.viewer import current_user

blueprint = Blueprint("origins", __name__, url_prefix="/integrators/<int:integrator_id>/origins")


@blueprint.get("")
@audience(MEMBER)
def show(integrator_id: int) -> ResponseReturnValue:
    """Show the origins of the integrator's games."""
    return _show(_mine(integrator_id))


@blueprint.post("/<game>")
@audience(MEMBER)
def change(integrator_id: int, game: str) -> ResponseReturnValue:
    """Replace the origins of one game with those of the form, one per line."""
    integrator = _mine(integrator_id)
    score_game = catalogue.find_game(game)
    if score_game is None or score_game.integrator_id != integrator.id:
        abort(404)
    typed = request.form.get("origins", "")
    origins, faults = read_lines(typed)
    if faults:
        return _show(integrator, score_game, typed, faults)
    change_game(score_game.id, {"allowed_origins": origins}, by=current_user.id, now=clock.now())
    return redirect(
        url_for("origins.show", integrator_id=integrator.id, saved=score_game.slug), 303
    )


def _mine(integrator_id: int) -> Integrator:
    return api_keys.integrator_for(integrator_id, current_user.id) or abort(404)


def _show(
    integrator: Integrator,
    wrong: ScoreGame | None = None,
    typed: str = "",
    faults: list[str] | None = None,
) -> Response:
    """Show the page; `wrong` names the game whose `typed` origins were refused."""
    games = catalogue.games(integrator.id)
    return respond(
        "integrators/origins.html",
        status=422 if wrong else 200,
        integrator=integrator,
        games=games,
        saved=next((game for game in games if game.slug == request.args.get("saved")), None),
        wrong=wrong.slug if wrong else None,
        typed=typed,
        faults=faults or [],
        most=MOST,
        form=FlaskForm(),
    )
