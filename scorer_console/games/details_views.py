"""The page for the officials, attendance and weather of a game.

It can be saved before, during and after the game.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.http.access import audience
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.record.words import OFFICIALS
from scorer_console import queries
from scorer_console.entry import views
from scorer_console.games.details import DetailsForm, as_typed, read_details, stored
from scorer_console.games.details import save as store

blueprint = Blueprint("details", __name__, url_prefix="/console")
blueprint.before_request(views.check_bound)


@blueprint.get("/<game_id>/details")
@audience(views.SCORER)
def show(game_id: str) -> ResponseReturnValue:
    """Show the details of a game."""
    queries.game(game_id) or abort(404)
    return _page(game_id, DetailsForm(formdata=None, data=as_typed(stored(game_id))))


@blueprint.post("/<game_id>/details")
@audience(views.SCORER)
def save(game_id: str) -> ResponseReturnValue:
    """Save the form and show it again, or show what to change."""
    queries.game(game_id) or abort(404)
    form = DetailsForm()
    details = read_details(
        {item.short_name: item.data or "" for item in form if item.short_name != "csrf_token"}
    )
    if isinstance(details, dict):
        for name, fault in details.items():
            form[name].errors = [fault]
        return _page(game_id, form, status=422)
    store(game_id, details, int(current_user.get_id()))
    return redirect(url_for("details.show", game_id=game_id, saved=1), 303)


def _page(game_id: str, form: DetailsForm, status: int = 200) -> ResponseReturnValue:
    return respond(
        "console/details.html",
        game=queries.game(game_id),
        form=form,
        officials=list(OFFICIALS),
        saved="saved" in request.args and status == HTTPStatus.OK,
        status=status,
    )
