"""The forms of a draft room, and the one that starts a mock draft."""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import IntegerField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange

from app.draft_leagues.drafts.founding import PRESET_NAMES


def _text(value: Any) -> str:
    return value or ""


class ActForm(FlaskForm):
    """An act in a draft room. `token`: made once by the page, so that it counts once."""

    token = StringField("Token", filters=[_text])


class PickForm(ActForm):
    """A pick; in an auction a nomination, whose button beside a footballer has no bid."""

    footballer = StringField("Footballer", filters=[_text])
    nominates = StringField("Nominates", filters=[_text])
    maximum = StringField("Bid", default="1", filters=[_text])


class BidForm(ActForm):
    """A bid for the footballer who is up."""

    maximum = StringField("Bid", filters=[_text])


class QueueForm(FlaskForm):
    """One act on the own queue: the footballer in one of its fields."""

    add = StringField("Add", filters=[_text])
    remove = StringField("Remove", filters=[_text])
    up = StringField("Up", filters=[_text])
    down = StringField("Down", filters=[_text])


class AutopilotForm(ActForm):
    """Autopilot on (1) or off."""

    on = StringField("On", filters=[_text])


class CommissionerForm(ActForm):
    """What only the commissioner may do; `number` is a pick as on the board."""

    act = StringField("Act", filters=[_text])
    footballer = StringField("Footballer", filters=[_text])
    number = StringField("Pick", filters=[_text])


class MockForm(FlaskForm):
    """Which league, and which place in the first round."""

    preset = SelectField(
        "League", choices=[SelectChoice(value, label) for value, label in PRESET_NAMES.items()]
    )
    seat = IntegerField(
        "Draft position",
        validators=[
            InputRequired("Choose a draft position."),
            NumberRange(1, 32, "Choose a draft position."),
        ],
        default=1,
    )
