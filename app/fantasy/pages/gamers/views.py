"""A gamer's page, on which they choose the country that they play for."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import gamers

blueprint = Blueprint("gamers", __name__, url_prefix="/gamers")

COUNTRY_FAULT = "Enter a two-letter country code, e.g. GH or DE, or leave it blank."


@blueprint.get("/<int:member_id>")
@audience(MEMBER)
def show(member_id: int) -> ResponseReturnValue:
    """Show a gamer's page."""
    return _page(member_id)


@blueprint.post("/me/country")
@audience(MEMBER)
def set_country() -> ResponseReturnValue:
    """Set the country that the member plays for."""
    entered = request.form.get("country", "")
    if not gamers.set_country(current_user.id, entered):
        return _page(current_user.id, entered, COUNTRY_FAULT, 422)
    return redirect(url_for("gamers.show", member_id=current_user.id), 303)


def _page(
    member_id: int, entered: str | None = None, fault: str = "", status: int = 200
) -> ResponseReturnValue:
    gamer = gamers.gamer(member_id, current_user.id) or abort(404)
    return respond(
        "gamers/show.html",
        gamer=gamer,
        fault=fault,
        status=status,
        entered=gamer.country or "" if entered is None else entered,
    )
