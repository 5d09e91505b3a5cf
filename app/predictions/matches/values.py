"""Computes the columns of a match from the provider's row and from its stored state. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.predictions.counted_score import CountedScore, Duration, Score, counted
from app.predictions.models import Match
from app.predictions.providers.offer import OfferedMatch
from app.predictions.statuses import (
    ABANDONED,
    ENDED,
    NOT_DEFINED,
    OPEN,
    POSTPONED,
    has_begun,
    normalised,
)


@dataclass(frozen=True)
class TournamentIds:
    """Our ids of a tournament's teams and rounds by the provider's id and by slug."""

    teams: Mapping[str, UUID]
    rounds: Mapping[str, int]


def match_values(
    offered: OfferedMatch,
    match: Match | None,
    ids: TournamentIds,
    now: datetime,
    declared: CountedScore,
) -> dict[str, Any]:
    """Return the columns of a match from the provider's row. Its score is the one that counts.

    `match` is the stored match, or None for a new one.
    """
    parts = offered.parts()
    score = counted(declared, parts, offered.status).score
    status, fate = normalised(offered.status, has_score=score is not None)
    if fate == POSTPONED and _had_begun(offered, match, now):
        fate = ABANDONED  # its guesses must not reopen, because everybody has seen them
    return {
        "round_id": ids.rounds[offered.round],
        "home_id": ids.teams[offered.home],
        "away_id": ids.teams[offered.away],
        "kickoff": _kickoff(offered, match, status, fate, now),
        "status": status,
        "fate": fate,
        "provider_status": offered.status,
        "home_score": None if score is None else score.home,
        "away_score": None if score is None else score.away,
        **_sides("regulation", parts.regulation),
        **_sides("extra_time", parts.extra_time),
        **_sides("shootout", parts.shootout),
        "duration": None if parts.duration == Duration.REGULATION else parts.duration.value,
        "finished_at": _finished_at(offered, match, now) if status == ENDED else None,
        "source_version": offered.version,
    }


def _sides(part: str, score: Score | None) -> dict[str, int | None]:
    home, away = (None, None) if score is None else score
    return {f"{part}_home": home, f"{part}_away": away}


def _kickoff(
    offered: OfferedMatch, match: Match | None, status: str, fate: str | None, now: datetime
) -> datetime | None:
    """Return the provider's kickoff, or `now` if the match has begun early and we first see it.

    Guesses are locked from then on.
    """
    is_playable = status == OPEN or (status == NOT_DEFINED and fate is None)
    begun = is_playable and has_begun(offered.status, offered.home_score, offered.away_score)
    if not begun or (offered.kickoff is not None and offered.kickoff <= now):
        return offered.kickoff
    is_locked = match is not None and match.kickoff is not None and match.kickoff <= now
    return match.kickoff if match is not None and is_locked else now


def _finished_at(offered: OfferedMatch, match: Match | None, now: datetime) -> datetime:
    known = match.finished_at if match is not None and match.status == ENDED else None
    return offered.finished_at or known or now


def _had_begun(offered: OfferedMatch, match: Match | None, now: datetime) -> bool:
    """Whether a match that is now postponed had begun.

    A match past its kickoff counts as begun regardless of its status word, because guesses were
    locked and everybody's were visible.
    """
    if has_begun(offered.status, offered.home_score, offered.away_score):
        return True
    if match is None or match.fate is not None:
        return match is not None and match.fate == ABANDONED
    is_past_kickoff = match.kickoff is not None and match.kickoff <= now
    return is_past_kickoff or has_begun(match.provider_status, match.home_score, match.away_score)
