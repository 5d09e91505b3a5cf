"""Requests settlements of matches (PRODUCT C7, C8). Nothing here commits.

Sending the jobs is in requests.py, settling in services.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.predictions import keys
from app.predictions.models import Match, Settlement, Tournament
from app.predictions.points import GuessKind, PointRule
from app.predictions.statuses import ENDED

MATCH_FINISHED = "match_finished"
RESULT = (
    "status",
    "home_score",
    "away_score",
    "shootout_home",
    "shootout_away",
    "finished_at",
    "round_id",
)


def moves_points(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a result was added, removed or changed."""
    if ENDED not in (before.get("status"), after["status"]):
        return False
    return any(before.get(name) != after[name] for name in RESULT)


def want(match: Match, finished_before: datetime | None, provider: str, now: datetime) -> str:
    """Request the settlement of the match, even if it was settled before. Returns the key.

    A match that is no longer ended keeps the key of its last end. Settling it then takes the points
    back.
    """
    finished_at = match.finished_at or finished_before
    assert finished_at is not None  # it is ended, or was before
    key = keys.settlement_key(match.id, finished_at)
    values = {
        "match_id": match.id,
        "tournament_id": match.tournament_id,
        "finished_at": finished_at,
        "payload": payload(match, finished_at, provider, now),
        "state": "pending",
        "requested_at": now,
        "applied_at": None,
    }
    db.session.execute(
        insert(Settlement)
        .values(key=key, **values)
        .on_conflict_do_update(index_elements=["key"], set_=values)
    )
    return key


def want_rounds(
    tournament_id: UUID, round_ids: Collection[int], provider: str, now: datetime
) -> list[str]:
    """Judge again rounds whose completeness changed without a changed result.

    For this, one settled match of each round is settled again, which only changes what depends on
    the whole round: perfect rounds, and who survives it. Returns the keys.
    """
    data = db.session.scalars(select(Tournament.rule).where(Tournament.id == tournament_id)).one()
    rule = msgspec.convert(data, PointRule)
    if not round_ids or not (rule.grand_slam or rule.guess == GuessKind.SURVIVOR):
        return []
    settled = select(Match).where(
        Match.round_id.in_(round_ids), Match.status == ENDED, Match.settled_at.is_not(None)
    )
    one_each = {match.round_id: match for match in db.session.scalars(settled.order_by(Match.id))}
    return [want(match, None, provider, now) for match in one_each.values()]


def payload(match: Match, finished_at: datetime, provider: str, now: datetime) -> dict[str, Any]:
    """Return the job as the contract defines it (`match_finished`)."""
    job = {
        "eventType": MATCH_FINISHED,
        "matchId": str(match.id),
        "tournamentId": str(match.tournament_id),
        "finishedAt": keys.iso(finished_at),
        "provider": provider,
        "providerStatus": match.provider_status,
        "internalStatus": ENDED,
        "detectedAt": keys.iso(now),
    }
    return job if match.source_version is None else job | {"sourceVersion": match.source_version}
