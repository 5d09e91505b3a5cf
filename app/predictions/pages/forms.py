"""Forms of the predictions: guesses of a round, names and codes of pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from flask_wtf import FlaskForm
from wtforms import StringField

from app.core.numbers import typed_whole
from app.predictions.entries import HIGHEST, PICKS, NewGuess
from app.predictions.pages import words
from app.predictions.pages.page import Typed
from app.predictions.pages.queries import MatchRow, OwnGuess
from app.predictions.points import GuessKind

HALF = "Enter both scores."
REPLACE = "Save again to replace that pick."
NO_NUMBER = f"Enter two whole numbers from 0 to {HIGHEST}."
NO_TEAM = "Choose one of the teams."
NO_CONFIDENCE = "Choose a confidence from the list."
MOST_CONFIDENCE = 1000
SURVIVOR_FIELD = "pick"  # one for the whole round


class PoolForm(FlaskForm):
    """The name of a pool."""

    name = StringField("Pool name")


class CodeForm(FlaskForm):
    """An invite code."""

    code = StringField("Invite code", description="Eight letters and digits, e.g. KQ7M-24XA")


def field_names(match_id: UUID) -> tuple[str, str]:
    """Return the names of the form fields of both scores of a match."""
    return f"home-{match_id}", f"away-{match_id}"


def shown_field(match_id: UUID) -> str:
    """Return the name of the hidden field with the guess that the page showed (`shown_guess`)."""
    return f"shown-{match_id}"


def shown_guess(guess: OwnGuess | None) -> str:
    """Return the hidden field's value for the guess; "" for none."""
    if guess is None:
        return ""
    weight = "" if guess.confidence is None else f":{guess.confidence}"
    return f"{guess.home}:{guess.away}{weight}"


def pick_field(match_id: UUID) -> str:
    """Return the name of the form field of the guessed winner: `home`, `draw` or `away`."""
    return f"pick-{match_id}"


def confidence_field(match_id: UUID) -> str:
    """Return the name of the form field of the confidence of a guess."""
    return f"confidence-{match_id}"


@dataclass(frozen=True)
class Read:
    """What was read from a form: new or changed guesses, and texts and faults by match."""

    changed: list[NewGuess] = field(default_factory=list)
    typed: dict[UUID, Typed] = field(default_factory=dict)
    faults: dict[UUID, str] = field(default_factory=dict)

    def take(
        self, new: NewGuess, stored: OwnGuess | None, last_shown: str, stored_words: str
    ) -> None:
        """Take a guess that differs from the stored one, which is `stored_words` for its member.

        It replaces the stored one only if that is the one that the page showed. Otherwise a field
        that was not changed shows the stored one, and a changed one is to be confirmed.
        """
        entered = OwnGuess(new.home, new.away, new.confidence)
        if last_shown == shown_guess(stored):
            self.changed.append(new)
        elif last_shown != shown_guess(entered):
            self.faults[new.match_id] = (
                f"You saved {stored_words} on another device in the meantime. {REPLACE}"
            )
        elif stored:
            self.typed[new.match_id] = (str(stored.home), str(stored.away))


def read_guesses(
    form: Mapping[str, str],
    matches: Iterable[MatchRow],
    stored_guesses: Mapping[UUID, OwnGuess],
    kind: GuessKind,
    *,
    is_whole_form: bool = False,
) -> Read:
    """Read the guesses of these matches from a form.

    A match whose fields are both empty or missing has no guess. Unchanged guesses are not saved
    again. With `is_whole_form`, the form was sent as a whole, perhaps long after the page was
    loaded. Fields that were not changed never replace a newer guess. If a changed field would
    replace one, the member must confirm it.
    """
    read = Read()
    for match in matches:
        stored = stored_guesses.get(match.id)
        new = (
            _score_of(form, match.id, read)
            if kind == GuessKind.SCORES
            else _pick_of(form, match.id, stored, kind, read)
        )
        if new is None or stored == OwnGuess(new.home, new.away, new.confidence):
            continue
        stored_text = shown_guess(stored)
        last_shown = form.get(shown_field(match.id), stored_text) if is_whole_form else stored_text
        stored_words = words.guess(stored, kind, match) if stored is not None else "no pick"
        read.take(new, stored, last_shown, stored_words)
    return read


def _score_of(form: Mapping[str, str], match_id: UUID, read: Read) -> NewGuess | None:
    home, away = (form.get(name, "").strip() for name in field_names(match_id))
    if not home and not away:
        return None
    read.typed[match_id] = (home[:10], away[:10])
    numbers = (typed_whole(home, most=HIGHEST), typed_whole(away, most=HIGHEST))
    if numbers[0] is None or numbers[1] is None:
        read.faults[match_id] = NO_NUMBER if home and away else HALF
        return None
    return NewGuess(match_id, numbers[0], numbers[1])


def _pick_of(
    form: Mapping[str, str], match_id: UUID, stored: OwnGuess | None, kind: GuessKind, read: Read
) -> NewGuess | None:
    if kind == GuessKind.SURVIVOR:
        picked, _, winner = form.get(SURVIVOR_FIELD, "").partition(":")
        winner = winner if picked == str(match_id) else ""
    else:
        winner = form.get(pick_field(match_id), "")
    text = form.get(confidence_field(match_id), "").strip()
    if not winner and not text:
        return None
    if winner not in PICKS:
        read.faults[match_id] = NO_TEAM
        return None
    confidence = None if stored is None else stored.confidence
    if kind == GuessKind.CONFIDENCE and text:
        confidence = typed_whole(text, most=MOST_CONFIDENCE)
        if confidence is None:
            read.faults[match_id] = NO_CONFIDENCE
            return None
    home, away = PICKS[winner]
    read.typed[match_id] = (str(home), str(away))
    return NewGuess(match_id, home, away, confidence)
