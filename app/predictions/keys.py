"""Redis keys, idempotency keys and timestamps in the format of the contracts. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID


def matches_key(tournament_id: UUID, round_slug: str) -> str:
    """Return the key of a round's matches for the API. New answers of a provider invalidate it."""
    return f"tournament:{tournament_id}:round:{round_slug}:matches"


def standings_key(tournament_id: UUID) -> str:
    """Return the key of the teams' table for the API. New answers of the provider invalidate it."""
    return f"tournament:{tournament_id}:standings"


def leaderboard_key(tournament_id: UUID) -> str:
    """Return the key of the members by points, which the settlement worker writes."""
    return f"tournament:{tournament_id}:leaderboard"


def version_key(tournament_id: UUID) -> str:
    """Return the key of the tournament's version that the other keys show."""
    return f"tournament:{tournament_id}:version"


def iso(moment: datetime) -> str:
    """Format a moment as `2026-02-14T17:00:00Z`, with fractions of a second if there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def settlement_key(match_id: UUID, finished_at: datetime) -> str:
    """Return `matchId#finishedAt`, the key under which an end of a match awards points once."""
    return f"{match_id}#{iso(finished_at)}"
