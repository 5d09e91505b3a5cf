"""Checks that refuse an operator's decision about a match. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from app.core.refusals import Refusal
from app.predictions.models import Match
from app.predictions.providers.offer import YEARS
from app.predictions.statuses import ENDED, OPEN, VOID, has_begun

LONGEST_REASON = 500


class Reasoned(Protocol):
    """An order with a reason."""

    @property
    def reason(self) -> str:
        """The reason for the decision, as the operator wrote it."""


def of_order(order: Reasoned) -> Refusal | None:
    """Return a refusal if the order has no valid reason."""
    if 1 <= len(order.reason.strip()) <= LONGEST_REASON:
        return None
    return Refusal(
        "no_reason",
        "reason",
        f"Say in 1 to {LONGEST_REASON} characters why; it is kept in the audit.",
    )


def of_void(match: Match) -> Refusal | None:
    """Return why the match cannot be voided, or None."""
    return _merged(match)


def of_redate(match: Match, kickoff: datetime, now: datetime) -> Refusal | None:
    """Return why the match cannot get this kickoff, or None."""
    if refusal := _merged(match):
        return refusal
    if kickoff.tzinfo is None or kickoff.year not in YEARS:
        return Refusal("kickoff", "kickoff", "Give day, time and time zone of the kickoff.")
    if match.fate == VOID:
        return Refusal(
            "void", "match", "The match is void: nothing of it counts, whenever it begins."
        )
    if match.status == ENDED:
        return Refusal(
            "ended", "match", "The match has ended: void it, if its result is not to count."
        )
    is_past_kickoff = match.kickoff is not None and match.kickoff <= now
    is_playable = match.status == OPEN and is_past_kickoff
    if is_playable and has_begun(match.provider_status, match.home_score, match.away_score):
        return Refusal(
            "in_play",
            "match",
            "The match is in play: it gets a new kickoff once its provider ends it.",
        )
    return None


def of_merge(match: Match, into: Match | None) -> Refusal | None:
    """Return why the match cannot be merged into the other one, or None."""
    return _unfit_target(match, into) or _merged(match) or _unfit_pair(match, into)


def _unfit_target(match: Match, into: Match | None) -> Refusal | None:
    if into is None or into.tournament_id != match.tournament_id:
        return Refusal(
            "no_match", "into", "The other match is not part of the tournament: choose one that is."
        )
    if into.id == match.id:
        return Refusal(
            "itself", "into", "This is the same match: choose the one that took its place."
        )
    return None


def _unfit_pair(match: Match, into: Match | None) -> Refusal | None:
    assert into is not None  # _unfit_target refuses None
    if into.fate == VOID:
        return Refusal("void", "into", "The other match is void, so no guess can count there.")
    if {match.home_id, match.away_id} != {into.home_id, into.away_id}:
        return Refusal(
            "teams",
            "into",
            "Other teams play there: a guess belongs to the teams that were guessed.",
        )
    if match.status == ENDED and into.status != ENDED:
        return Refusal(
            "ended",
            "match",
            "This match has a result and the other one has none: merge the other into it.",
        )
    return None


def _merged(match: Match) -> Refusal | None:
    if match.merged_into_id is None:
        return None
    return Refusal(
        "merged", "match", "The match was merged into another one already: decide about that one."
    )
