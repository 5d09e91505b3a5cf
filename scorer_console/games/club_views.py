"""The page on which a scorer registers a club that is not imported."""

from __future__ import annotations

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from app.accounts import staff
from app.core.http.access import audience
from app.core.http.responses import respond
from app.core.viewer import current_user
from scorer_console.entry.forms import ClubForm, add_faults
from scorer_console.entry.views import SCORER
from scorer_console.games.registering import NewClub, register_club

blueprint = Blueprint("clubs", __name__, url_prefix="/console/clubs")


@blueprint.get("/")
@audience(SCORER)
def show() -> ResponseReturnValue:
    """Show the form for a new club."""
    return respond("console/clubs.html", form=ClubForm(formdata=None))


@blueprint.post("/")
@audience(SCORER)
def register() -> ResponseReturnValue:
    """Register the club and return to the list of games, or show what to change."""
    form = ClubForm()
    form.validate()
    if bound := staff.games_of(current_user.id):
        form.short.errors = [f"You can only score {', '.join(bound)}. Ask an operator for a club."]
        return respond("console/clubs.html", form=form, status=422)
    typed = (form.short.data, form.name.data, form.nickname.data, form.colour.data)
    result = register_club(NewClub(*(text or "" for text in typed)), int(current_user.get_id()))
    if isinstance(result, dict):
        add_faults(form, result)
        return respond("console/clubs.html", form=form, status=422)
    return redirect(url_for("console.games", _anchor="register-title"), 303)
