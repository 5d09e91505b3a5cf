"""The names that the design gives: keys in Redis, idempotency keys, times as the contracts spell
them. Pure.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID


def matches_key(tournament_id: UUID, round_slug: str) -> str:
    """The matches of a round, ready for the API. The mapper of provider data invalidates it."""
    return f"tournament:{tournament_id}:round:{round_slug}:matches"


def standings_key(tournament_id: UUID) -> str:
    """The table of the teams, ready for the API. The mapper of provider data invalidates it."""
    return f"tournament:{tournament_id}:standings"


def leaderboard_key(tournament_id: UUID) -> str:
    """The members by points. The settlement worker writes it."""
    return f"tournament:{tournament_id}:leaderboard"


def version_key(tournament_id: UUID) -> str:
    """The version of the tournament that the keys above show."""
    return f"tournament:{tournament_id}:version"


def iso(moment: datetime) -> str:
    """`2026-02-14T17:00:00Z`, with fractions of a second only where there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def settlement_key(match_id: UUID, finished_at: datetime) -> str:
    """`matchId#finishedAt`: the same end of a match earns points once."""
    return f"{match_id}#{iso(finished_at)}"
