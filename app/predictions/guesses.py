"""Members' guesses: saved as they go, until the kickoff of each match (PRODUCT C2).

The database refuses a guess that comes too late, whatever happens here. Not here: pages, points
(points.py).
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
    match_id: UUID
    home: int
    away: int


def is_locked(status: str, fate: str | None, kickoff: datetime | None, now: datetime) -> bool:
    """Whether guesses of the match are closed, as the trigger has it
    (migrations/predictions/predictions.sql).
    """
    if status == ENDED or fate in (ABANDONED, VOID):
        return True
    return kickoff is not None and kickoff <= now and fate != POSTPONED


def save(
    tournament_id: UUID, player_id: UUID, guesses: list[NewGuess], now: datetime
) -> list[Refusal]:
    """Saves those that are open and says why of the others, each under the field `match-<id>`.

    Commits.

    The first guess makes the player a member of the tournament, with 0 points.
    """
    matches = {
        match.id: match
        for match in db.session.scalars(
            select(Match).where(
                Match.tournament_id == tournament_id,
                Match.id.in_([one.match_id for one in guesses]),
            )
        )
    }
    refused = [
        reason
        for one in guesses
        if (reason := _fault(one, matches.get(one.match_id), now)) is not None
    ]
    bad = {reason.field for reason in refused}
    good = [one for one in guesses if field_of(one.match_id) not in bad]
    if not _is_stored(tournament_id, player_id, good, now):
        # A kickoff came between our look and the write: each by itself, so that the others are
        # kept.
        for one in good:
            if not _is_stored(tournament_id, player_id, [one], now):
                refused.append(_locked(one.match_id))
    return refused


def _is_stored(
    tournament_id: UUID, player_id: UUID, guesses: list[NewGuess], now: datetime
) -> bool:
    """Saves all of them or, if one is locked by now, none. Commits."""
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
                "match_id": one.match_id,
                "player_id": player_id,
                "home": one.home,
                "away": one.away,
                "saved_at": now,
            }
            for one in sorted(guesses, key=lambda one: one.match_id)
        ],
    )


def field_of(match_id: UUID) -> str:
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
