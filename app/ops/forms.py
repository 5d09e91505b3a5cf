"""The forms of operators: drills, and dead letters that are sent again or given up."""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField, SelectMultipleField, StringField

from app.core.errors import UserError
from app.core.numbers import typed_whole
from app.dead_letters import letters

LONGEST_REASON = 500


def _word(value: Any) -> str:
    return (value or "").strip()


class _Operation(FlaskForm):
    """What an operator asks for. `how`: the button, dry-run or run."""

    how = StringField("How", filters=[_word])
    reason = StringField("Reason", filters=[_word])

    def why(self, default: str = "") -> str:
        """Return the reason.

        Raises:
            UserError: There is none, and no default.
        """
        reason = self.reason.data[:LONGEST_REASON] or default
        if not reason:
            raise UserError("Give a reason. It is kept with your name.")
        return str(reason)


class DrillForm(_Operation):
    """A drill, or a dry run that says what it would do."""

    kind = StringField("Drill", filters=[_word])


class DeadLettersForm(_Operation):
    """Dead letters by their ids, or all (`scope` all), or all of a kind and cause."""

    ids = SelectMultipleField("Dead letters", name="id", validate_choice=False)
    scope = StringField("Which", filters=[_word])
    kind = StringField("Kind", filters=[_word])
    cause = StringField("Cause", filters=[_word])
    canary = StringField("Canary", filters=[_word])
    force = BooleanField("Include those already replayed")

    def chosen(self) -> dict[str, Any]:
        """Return which ones, as the operation's arguments.

        Raises:
            UserError: None was chosen.
        """
        if self.ids.data:
            return {"ids": [letters.find(letter_id).id for letter_id in self.ids.data]}
        if self.scope.data == "cause" and self.kind.data and self.cause.data:
            return {"kind": self.kind.data, "cause": self.cause.data}
        if self.scope.data == "all":
            return {}
        raise UserError("Choose at least one dead letter.")

    def first(self) -> int:
        """Return how many go first; none where the form has no such field, as for one letter.

        Raises:
            UserError: It is no whole number.
        """
        canary = typed_whole(self.canary.data or "0")
        if canary is None:
            raise UserError("Enter a whole number such as 1, or 0 to send all at once.")
        return canary
