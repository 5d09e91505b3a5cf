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
        f"Give a reason of 1 to {LONGEST_REASON} characters. It is kept in the audit log.",
    )


def of_void(match: Match) -> Refusal | None:
    """Return why the match cannot be voided, or None."""
    return _merged(match)


def of_redate(match: Match, kickoff: datetime, now: datetime) -> Refusal | None:
    """Return why the match cannot get this kickoff, or None."""
    if refusal := _merged(match):
        return refusal
    if kickoff.tzinfo is None or kickoff.year not in YEARS:
        return Refusal("kickoff", "kickoff", "Enter the day, time and time zone of the kickoff.")
    if match.fate == VOID:
        return Refusal("void", "match", "The match is void, so its kickoff does not matter.")
    if match.status == ENDED:
        return Refusal(
            "ended", "match", "The match has ended. Void it if its result should not count."
        )
    is_past_kickoff = match.kickoff is not None and match.kickoff <= now
    is_playable = match.status == OPEN and is_past_kickoff
    if is_playable and has_begun(match.provider_status, match.home_score, match.away_score):
        return Refusal(
            "in_play",
            "match",
            "The match is in play. You can move it once its provider ends it.",
        )
    return None


def of_merge(match: Match, into: Match | None) -> Refusal | None:
    """Return why the match cannot be merged into the other one, or None."""
    return _unfit_target(match, into) or _merged(match) or _unfit_pair(match, into)


def _unfit_target(match: Match, into: Match | None) -> Refusal | None:
    if into is None or into.tournament_id != match.tournament_id:
        return Refusal(
            "no_match",
            "into",
            "The other match is not part of this tournament. Choose one that is.",
        )
    if into.id == match.id:
        return Refusal("itself", "into", "This is the same match. Choose the one that replaced it.")
    return None


def _unfit_pair(match: Match, into: Match | None) -> Refusal | None:
    assert into is not None  # _unfit_target refuses None
    if into.fate == VOID:
        return Refusal("void", "into", "The other match is void, so picks can't count there.")
    if {match.home_id, match.away_id} != {into.home_id, into.away_id}:
        return Refusal(
            "teams",
            "into",
            "The other match has different teams, and picks belong to their teams.",
        )
    if match.status == ENDED and into.status != ENDED:
        return Refusal(
            "ended",
            "match",
            "This match has a result and the other one doesn't. Merge the other one into this one.",
        )
    return None


def _merged(match: Match) -> Refusal | None:
    if match.merged_into_id is None:
        return None
    return Refusal(
        "merged", "match", "This match was already merged into another one. Open that one instead."
    )
