"""Redis keys, idempotency keys and timestamps as the contracts spell them. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID


def matches_key(tournament_id: UUID, round_slug: str) -> str:
    """The key of a round's matches for the API; mapping a provider's answer invalidates it."""
    return f"tournament:{tournament_id}:round:{round_slug}:matches"


def standings_key(tournament_id: UUID) -> str:
    """The key of the table of teams for the API; mapping a provider's answer invalidates it."""
    return f"tournament:{tournament_id}:standings"


def leaderboard_key(tournament_id: UUID) -> str:
    """The key of the members by points; the settlement worker writes it."""
    return f"tournament:{tournament_id}:leaderboard"


def version_key(tournament_id: UUID) -> str:
    """The key of the tournament's version that the keys above show."""
    return f"tournament:{tournament_id}:version"


def iso(moment: datetime) -> str:
    """`2026-02-14T17:00:00Z`, with fractions of a second only where there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def settlement_key(match_id: UUID, finished_at: datetime) -> str:
    """`matchId#finishedAt`: one end of a match earns points once."""
    return f"{match_id}#{iso(finished_at)}"
