"""The console's style guides. They exist only where no production setting is on."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, abort, current_app
from flask.typing import ResponseReturnValue

from app.core.http.access import PUBLIC, audience
from app.core.http.responses import respond
from app.record.events import catalogue
from app.record.words import OFFICIALS
from scorer_console.entry.forms import EventForm
from scorer_console.games.details import DetailsForm
from scorer_console.keys.foul_codes import FOUL_CODES
from scorer_console.keys.rules import keys_with
from scorer_console.keys.views import KeysForm
from scorer_console.roster.queries import STATUS_WORDS
from scorer_console.styleguide import samples, states

blueprint = Blueprint("console_styleguide", __name__)


@dataclass(frozen=True)
class SampleScorer:
    """The scorer of the made-up game."""

    display_name: str = "Sal"

    def get_id(self) -> str:
        """Return the id that the page's scripts know."""
        return "styleguide"


@blueprint.get("/styleguide/console")
@audience(PUBLIC)
def console() -> ResponseReturnValue:
    """Every component of the scorer's console in every state."""
    _refuse_in_production()
    wrong = EventForm(formdata=None, key="styleguide")
    wrong.body.errors = [
        "This is not JSON: expected a comma at character 18. Put it between braces, names in "
        "quotes."
    ]
    screen = samples.screen_for(samples.BETWEEN_PLAYS)
    return respond(
        "styleguide/console.html",
        components=states.COMPONENTS,
        scorer=SampleScorer(),
        screen=screen,
        practice=samples.screen_for(samples.BETWEEN_PLAYS, game=samples.PRACTICE),
        strips=states.strips(),
        logs=states.logs(),
        lessons=states.lessons(),
        found_plays=states.found_plays(),
        forms=[("Closed", EventForm(formdata=None, key="styleguide")), ("Refused", wrong)],
        situations={
            name: samples.screen_for(record).situation for name, record in states.SITUATIONS.items()
        },
        lines=states.lines(),
        roster=samples.ROSTER,
        setup={
            "clubs": {"home": samples.HOME, "away": samples.AWAY},
            "keys": keys_with({}),
            "member": "styleguide",
            "game": samples.GAME.id,
            "eventTypes": catalogue(),
            "rulebook": screen.rulebook.as_json(),
            "foulCodes": FOUL_CODES,
        },
    )


@blueprint.get("/styleguide/desk")
@audience(PUBLIC)
def desk() -> ResponseReturnValue:
    """Every component of the pages beside the console in every state."""
    _refuse_in_production()
    wrong_keys = KeysForm(formdata=None, data=keys_with({}))
    wrong_keys["run"].errors = ["p is already used for pass. Choose another key, or move that one."]
    wrong_details = DetailsForm(formdata=None, data={"attendance": "about 700"})
    wrong_details.attendance.errors = [
        "Attendance: enter a whole number up to 1,000,000, like 71,008, or leave it blank."
    ]
    return respond(
        "styleguide/desk.html",
        components=states.DESK_COMPONENTS,
        scorer=SampleScorer(),
        spotter_screens=states.spotter_screens(),
        names=samples.NAMES,
        roster=samples.ROSTER,
        key_forms=[
            ("The usual keys", KeysForm(formdata=None, data=keys_with({}))),
            ("Refused", wrong_keys),
        ],
        club_lists=states.club_lists(),
        words=STATUS_WORDS,
        details_forms=[("Empty", DetailsForm(formdata=None)), ("Refused", wrong_details)],
        officials=list(OFFICIALS),
        game_id=samples.GAME.id,
    )


def _refuse_in_production() -> None:
    if current_app.config["PRESSBOX"].production:
        abort(404)
