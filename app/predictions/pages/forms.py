"""Forms of the predictions: guesses of a round, names and codes of pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from flask_wtf import FlaskForm
from wtforms import StringField

from app.core.numbers import whole_number
from app.predictions.guesses import HIGHEST, NewGuess
from app.predictions.pages.page import Guess, Typed
from app.predictions.pages.queries import MatchRow

HALF = "Type both scores: a guess needs the two."
REPLACE = "Save again to replace it."
NO_NUMBER = f"Type two whole numbers from 0 to {HIGHEST}."


class PoolForm(FlaskForm):
    """The name of a pool."""

    name = StringField("Name of the pool")


class CodeForm(FlaskForm):
    """An invite code."""

    code = StringField(
        "Invite code", description="Eight letters and digits, for example KQ7M-24XA."
    )


def field_names(match_id: UUID) -> tuple[str, str]:
    """Return the names of the form fields of both scores of a match."""
    return f"home-{match_id}", f"away-{match_id}"


def shown_field(match_id: UUID) -> str:
    """Return the name of the hidden field with the guess that the page showed (`shown_guess`)."""
    return f"shown-{match_id}"


def shown_guess(guess: Guess | None) -> str:
    """Return the hidden field's value for the guess; "" for none."""
    return f"{guess[0]}:{guess[1]}" if guess else ""


def read_guesses(
    form: Mapping[str, str],
    matches: Iterable[MatchRow],
    stored_guesses: Mapping[UUID, Guess],
    *,
    is_whole_form: bool = False,
) -> tuple[list[NewGuess], dict[UUID, Typed], dict[UUID, str]]:
    """Return the new or changed guesses, the typed texts by match, and the faults by match.

    A match whose fields are both empty or missing has no guess. Unchanged guesses are not saved
    again. With `is_whole_form`, the form was sent as a whole, perhaps long after the page was
    loaded. Fields that were not changed never replace a newer guess. If a changed field would
    replace one, the member must confirm it.
    """
    changed: list[NewGuess] = []
    typed: dict[UUID, Typed] = {}
    faults: dict[UUID, str] = {}
    for match in matches:
        home, away = (form.get(name, "").strip() for name in field_names(match.id))
        if not home and not away:
            continue
        typed[match.id] = (home[:10], away[:10])
        numbers = (whole_number(home, most=HIGHEST), whole_number(away, most=HIGHEST))
        if numbers[0] is None or numbers[1] is None:
            faults[match.id] = NO_NUMBER if home and away else HALF
        elif (stored := stored_guesses.get(match.id)) != numbers:
            last_shown = (
                form.get(shown_field(match.id), shown_guess(stored))
                if is_whole_form
                else shown_guess(stored)
            )
            if last_shown == shown_guess(stored):
                changed.append(NewGuess(match.id, numbers[0], numbers[1]))
            elif last_shown != shown_guess((numbers[0], numbers[1])):
                faults[match.id] = (
                    f"You guessed {shown_guess(stored) or 'nothing'} elsewhere meanwhile. {REPLACE}"
                )
            elif stored:
                typed[match.id] = (str(stored[0]), str(stored[1]))
    return changed, typed, faults
