"""The choice of a team color in forms. A member has one color, for their teams in all leagues."""

from __future__ import annotations

from typing import Any

from wtforms import RadioField
from wtforms.fields.choices import SelectChoice

from app.accounts.crests import COLOURS, team_colour
from app.accounts.models import Member
from app.core.db import db


def team_colour_field(*validators: Any) -> RadioField:
    """Return the field of a form, which the macro `team_colors` shows as crests to choose from."""
    return RadioField(
        "Team color",
        validators,
        choices=[SelectChoice(str(number), name) for number, name in enumerate(COLOURS, 1)],
    )


def shown_team_colour(member: Member) -> str:
    """Return the value of the field for the color that the member's teams have."""
    return str(team_colour(member.id, member.colour))


def choose_team_colour(member: Member, chosen: str | None) -> None:
    """Store what was chosen in a form, if it is another color than the member has. Commits.

    Args:
        member: Who chooses.
        chosen: A valid value of the field, or None if the form was sent without it.
    """
    if chosen and chosen != shown_team_colour(member):
        member.colour = int(chosen)
        db.session.commit()
