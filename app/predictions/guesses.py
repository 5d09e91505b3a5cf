"""Members' guesses, saved one by one until the kickoff of each match (PRODUCT C2).

A trigger in the database refuses late guesses independently of this code. Points are in points.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.core.db import db, transaction, upsert
from app.core.refusals import Refusal
from app.predictions import members
from app.predictions.models import Guess, Match
from app.predictions.statuses import ABANDONED, ENDED, POSTPONED, VOID

HIGHEST = 200
LOCKED = "guess_locked"


@dataclass(frozen=True)
class NewGuess:
    """A guess as it was entered."""

    match_id: UUID
    home: int
    away: int


def is_locked(status: str, fate: str | None, kickoff: datetime | None, now: datetime) -> bool:
    """Whether guesses of the match are closed.

    The trigger in migrations/predictions/predictions.sql applies the same rule.
    """
    if status == ENDED or fate in (ABANDONED, VOID):
        return True
    return kickoff is not None and kickoff <= now and fate != POSTPONED


def save(
    tournament_id: UUID, player_id: UUID, guesses: list[NewGuess], now: datetime
) -> list[Refusal]:
    """Save the guesses that are still open. Commits.

    The first guess makes the player a member of the tournament, with 0 points.

    Returns:
        A refusal for each guess that was not saved, under the field `match-<id>`.
    """
    matches = {
        match.id: match
        for match in db.session.scalars(
            select(Match).where(
                Match.tournament_id == tournament_id,
                Match.id.in_([guess.match_id for guess in guesses]),
            )
        )
    }
    refusals = [
        reason
        for guess in guesses
        if (reason := _fault(guess, matches.get(guess.match_id), now)) is not None
    ]
    refused_fields = {reason.field for reason in refusals}
    accepted = [guess for guess in guesses if field_of(guess.match_id) not in refused_fields]
    if not _is_stored(tournament_id, player_id, accepted, now):
        # A match kicked off between the check and the write. Save each guess separately, so that
        # the others are saved.
        for guess in accepted:
            if not _is_stored(tournament_id, player_id, [guess], now):
                refusals.append(_locked(guess.match_id))
    return refusals


def _is_stored(
    tournament_id: UUID, player_id: UUID, guesses: list[NewGuess], now: datetime
) -> bool:
    """Save all guesses, or none if one is locked by now. Commits. Returns whether it saved them."""
    if not guesses:
        return True
    try:
        with transaction():
            is_new = members.join(tournament_id, player_id)
            _store(player_id, guesses, now)
    except IntegrityError as error:
        if getattr(getattr(error.orig, "diag", None), "constraint_name", None) != LOCKED:
            raise
        return False
    if is_new:
        members.announce()
    return True


def _store(player_id: UUID, guesses: list[NewGuess], now: datetime) -> None:
    upsert(
        Guess,
        ("match_id", "player_id"),
        [
            {
                "match_id": guess.match_id,
                "player_id": player_id,
                "home": guess.home,
                "away": guess.away,
                "saved_at": now,
            }
            for guess in sorted(guesses, key=lambda guess: guess.match_id)
        ],
    )


def field_of(match_id: UUID) -> str:
    """Return the form field beside which refusals of this match are shown."""
    return f"match-{match_id}"


def _locked(match_id: UUID) -> Refusal:
    return Refusal(
        LOCKED,
        field_of(match_id),
        "The match has begun: its guesses are closed. The one before stands.",
    )


def _fault(guess: NewGuess, match: Match | None, now: datetime) -> Refusal | None:
    field = field_of(guess.match_id)
    if match is None:
        return Refusal(
            "no_match", field, "This match is not part of the tournament: reload the page."
        )
    if not (0 <= guess.home <= HIGHEST and 0 <= guess.away <= HIGHEST):
        return Refusal("score", field, f"Guess two whole numbers from 0 to {HIGHEST}.")
    if is_locked(match.status, match.fate, match.kickoff, now):
        return _locked(guess.match_id)
    return None
