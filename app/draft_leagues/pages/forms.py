"""The forms of commissioners, of trades and of the trade block.

The services judge what was entered; their refusals are shown at the fields.
"""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import SelectMultipleField, StringField

LONGEST_REASON = 300
MOVES = 3  # rows of the form that moves footballers


def _text(value: Any) -> str:
    return value or ""


def _line(value: Any) -> str:
    return _text(value).replace("\x00", "").strip()


def _values(label: str) -> SelectMultipleField:
    """A field that is sent once for each value; the services judge the values."""
    return SelectMultipleField(label, choices=[], validate_choice=False, filters=[_list])


def _list(values: Any) -> list[str]:
    return values or []


class LeagueReasonForm(FlaskForm):
    """Why a commissioner does something."""

    reason = StringField("Reason", filters=[_text], description="Everyone in the league sees it.")


class TeamReasonForm(FlaskForm):
    """Why a commissioner does something to a team or a member."""

    reason = StringField(
        "Reason",
        filters=[_text],
        description="Everyone in the league sees it. The teams involved get a notification.",
    )


class LockForm(TeamReasonForm):
    """Locks (1) or unlocks a team."""

    locked = StringField("Locked", filters=[_text])


class CoCommissionersForm(TeamReasonForm):
    """Everybody who runs the league beside the commissioner, by number."""

    member = _values("Co-commissioners")


class LineupForm(LeagueReasonForm):
    """The starters of a line-up, in the order of its places."""

    starter = _values("Starters")


class MovesForm(LeagueReasonForm):
    """Moves of footballers: in each row who, and where to. `q` searches free agents."""

    q = StringField("Find free agents", filters=[_line])
    who1 = StringField("Player", filters=[_line])
    to1 = StringField("Move to", filters=[_line])
    who2 = StringField("Player", filters=[_line])
    to2 = StringField("Move to", filters=[_line])
    who3 = StringField("Player", filters=[_line])
    to3 = StringField("Move to", filters=[_line])

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Who moves and where to, row by row; empty texts in a row that was not filled in."""
        return [(self[f"who{row}"].data, self[f"to{row}"].data) for row in range(1, MOVES + 1)]


class OfferFieldsForm(FlaskForm):
    """What every offer of a trade says. The waiver budgets have a field for each pair of teams."""

    act = StringField("Act", filters=[_text])
    team = _values("Trade with")
    gift = _values("Gives")
    drop = _values("Drop")
    token = StringField("Token", filters=[_line])
    message = StringField("Message", filters=[_line])


class TradeAnswerForm(FlaskForm):
    """An answer to an offer, a vote, or a commissioner's ruling.

    `stops` is 1 for a vote against the trade; `drop` is whom the member drops to make room.
    """

    reason = StringField("Reason", filters=[_text], description="Everyone in the league sees it.")
    stops = StringField("Vote", filters=[_text])
    drop = _values("Drop")


class TradeBlockForm(FlaskForm):
    """A footballer on the member's trade block, with what they want for them."""

    footballer = StringField("Player", filters=[_line])
    note = StringField("What you want", filters=[_line])
