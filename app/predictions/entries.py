"""Guesses as they were entered, and how each fits the member's other ones. Pure.

Most guesses stand alone. A confidence number is used once in a round, and a survivor picks one team
of a round and no team twice. Saving is in guesses.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from app.core.refusals import Refusal

HIGHEST = 200
PICKS = {"home": (1, 0), "draw": (0, 0), "away": (0, 1)}  # how a guessed winner is stored


@dataclass(frozen=True)
class NewGuess:
    """A guess as it was entered. `confidence` is None if it was left to Pressbox."""

    match_id: UUID
    home: int
    away: int
    confidence: int | None = None


@dataclass(frozen=True)
class Pick:
    """A stored guess of a winner, with its round and team.

    `is_locked`: its match has begun, or counts no more. `is_off`: its match is called off, so the
    pick is neither right nor wrong.
    """

    guess: NewGuess
    round_id: int
    round_name: str
    team_id: UUID
    team_name: str
    is_locked: bool
    is_off: bool


def field_of(match_id: UUID) -> str:
    """Return the form field beside which refusals of this match are shown."""
    return f"match-{match_id}"


def with_confidence(
    guess: NewGuess, matches: int, others: Sequence[Pick]
) -> list[NewGuess] | Refusal:
    """Return the guess with its confidence, and the guess that it swaps numbers with, if any.

    A number out of range, or one of a match that has begun, is refused.

    Args:
        guess: The new guess. Without a number it gets its former one, else the highest free one.
        matches: The number of matches of the round; numbers go from 1 to it.
        others: The member's stored guesses of the round, with that of the same match.
    """
    same_match = next((pick for pick in others if pick.guess.match_id == guess.match_id), None)
    rivals = [pick for pick in others if pick is not same_match]
    taken = {pick.guess.confidence for pick in rivals}
    free = [number for number in range(matches, 0, -1) if number not in taken]
    former = same_match.guess.confidence if same_match else None
    chosen = guess.confidence or former or free[0]
    if not 1 <= chosen <= matches:
        return _refused(guess, f"Choose a confidence from 1 to {matches}.")
    holder = next((pick for pick in rivals if pick.guess.confidence == chosen), None)
    if holder is None:
        return [replace(guess, confidence=chosen)]
    if holder.is_locked:
        return _refused(
            guess, f"You've used {chosen} on a match that has started. Choose another number."
        )
    swapped = former or next(number for number in free if number != chosen)
    return [replace(guess, confidence=chosen), replace(holder.guess, confidence=swapped)]


def _refused(guess: NewGuess, sentence: str) -> Refusal:
    return Refusal("confidence", field_of(guess.match_id), sentence)


def survivor_refusal(
    guess: NewGuess, picked: tuple[int, UUID], picks: Sequence[Pick], out_since: str | None
) -> Refusal | None:
    """Return why the pick cannot be made, or None.

    Args:
        guess: The new pick.
        picked: The round of its match, and the team that it names.
        picks: The member's stored picks of all rounds.
        out_since: The round in which the member went out; None if they are in.
    """
    field, (round_id, team_id) = field_of(guess.match_id), picked
    if out_since is not None:
        return Refusal("out", field, f"You were eliminated in {out_since}.")
    for pick in picks:
        if pick.is_off or pick.guess.match_id == guess.match_id:
            continue
        if pick.round_id == round_id and pick.is_locked:
            return Refusal(
                "picked",
                field,
                f"Your pick for this round, {pick.team_name}, is locked: the match has started.",
            )
        if pick.round_id != round_id and pick.team_id == team_id:
            return Refusal(
                "used",
                field,
                f"You already used {pick.team_name} in {pick.round_name}. Choose another team.",
            )
    return None
