"""The style guide. It exists only where no production setting is on."""

from __future__ import annotations

from flask import Blueprint, abort, current_app
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Form, PasswordField, RadioField, SelectField, StringField
from wtforms.fields.choices import SelectChoice

from app.core.http.access import PUBLIC, audience
from app.core.http.responses import respond
from app.fantasy.pages.styleguide.samples import GAMES, PLAYS, SWING
from app.record.pages.game_page import status_words

blueprint = Blueprint("styleguide", __name__)


class _SampleForm(Form):
    team_name = StringField("Team name", description="Up to 40 letters.")
    league = SelectField(
        "League",
        choices=[SelectChoice("row", "The Press Row"), SelectChoice("derby", "Front Page Derby")],
    )
    password = PasswordField("Password")
    scoring = RadioField(
        "Scoring", choices=[SelectChoice("ppr", "Full PPR"), SelectChoice("half", "Half PPR")]
    )
    stay = BooleanField("Stay signed in")


@blueprint.get("/styleguide")
@audience(PUBLIC)
def show() -> ResponseReturnValue:
    """Every component of the pages in every state."""
    if current_app.config["PRESSBOX"].production:
        abort(404)
    form = _SampleForm(data={"team_name": "Deadline Dozen", "scoring": "half", "stay": True})
    wrong = _SampleForm(prefix="wrong-", data={"team_name": "W" * 41})
    wrong.team_name.errors = ["This name has 41 letters. Use at most 40."]
    wrong.password.errors = ["This password is too common. Try four unrelated words."]
    return respond(
        "styleguide/show.html",
        form=form,
        wrong=wrong,
        games=GAMES,
        plays=PLAYS,
        swing=SWING,
        status_words=status_words,
    )
