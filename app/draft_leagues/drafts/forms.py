"""The form that starts a mock draft."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import IntegerField, SelectField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange

from app.draft_leagues.drafts.founding import PRESET_NAMES


class MockForm(FlaskForm):
    """Which league, and which place in the first round."""

    preset = SelectField(
        "League", choices=[SelectChoice(value, label) for value, label in PRESET_NAMES.items()]
    )
    seat = IntegerField(
        "Your place in the first round",
        validators=[InputRequired("Choose a place."), NumberRange(1, 32, "Choose a place.")],
        default=1,
    )
