"""Keeps guesses with the teams that they were made for (decision 0074).

A provider may swap the two teams of a match, or reuse the id of a match for other teams.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import exists, select

from app.core.db import db
from app.predictions.models import Guess, Match
from app.predictions.statuses import NOT_DEFINED, VOID

_RETIRED = " (retired "
_OTHER_SIDE = {
    "home_id": "away_id",
    "away_id": "home_id",
    "home_score": "away_score",
    "away_score": "home_score",
} | {
    f"{part}_{side}": f"{part}_{other}"
    for part in ("regulation", "extra_time", "shootout")
    for side, other in (("home", "away"), ("away", "home"))
}


def has_guesses(match: Match) -> bool:
    """Whether anybody has guessed the match. Its row is locked, so no new guess can come in."""
    return bool(db.session.scalar(select(exists().where(Guess.match_id == match.id))))


def is_another_pairing(match: Match, values: dict[str, Any]) -> bool:
    """Whether the values name other teams than the match, regardless of their order."""
    return {match.home_id, match.away_id} != {values["home_id"], values["away_id"]}


def as_guessed(match: Match, values: dict[str, Any]) -> dict[str, Any]:
    """Return the provider's values with teams and scores on the sides that were guessed.

    Guesses are stored by side, so a match with guesses keeps its sides. Other matches take the
    provider's new order.
    """
    is_turned = (match.home_id, match.away_id) == (values["away_id"], values["home_id"])
    if not is_turned or not has_guesses(match):
        return values
    return values | {side: values[other] for side, other in _OTHER_SIDE.items()}


def retired(match: Match) -> dict[str, Any]:
    """Return the columns that call off a guessed match whose id now belongs to other teams.

    The new pairing becomes a separate match.
    """
    return {
        "external_id": freed_id(match),
        "status": NOT_DEFINED,
        "fate": VOID,
        "finished_at": None,
    }


def freed_id(match: Match) -> str:
    """Return the new id of a match whose provider's id now belongs to other teams."""
    return f"{match.external_id}{_RETIRED}{match.id})"


def played_before(
    stored: Mapping[str, Match], external_id: str, values: dict[str, Any]
) -> Match | None:
    """Return the match of these teams that was called off when others got its id, if any."""
    for match in stored.values():
        is_retired = match.external_id.startswith(f"{external_id}{_RETIRED}")
        if is_retired and match.merged_into_id is None and not is_another_pairing(match, values):
            return match
    return None
