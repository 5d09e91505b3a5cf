"""The attempts of a mode in a past window, as the anti-cheat judges them again.

All queries here name the window's range of `achieved_at`. judging.py judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, or_, select, text, tuple_
from sqlalchemy.orm import InstrumentedAttribute

from app.boards.models import Mode
from app.core.clock import from_us, to_us
from app.core.db import db
from app.scores.anticheat.models import submission
from app.scores.anticheat.submission import CLEAN, FLAGGED, Submission
from app.scores.anticheat.velocity import LONGEST, Place, Sighting
from app.scores.models import ScoreAttempt, ScoreCorrection

AT_ONCE = 500
_BY_PEOPLE = ("accept", "restore")  # the anti-cheat's rules do neither

_SIGHTINGS = text("""
    SELECT achieved_at, event_id, player_id, device, address FROM score_attempts
    WHERE mode_id = :mode AND achieved_at > :first AND achieved_at <= :last
      AND (player_id = ANY(:players) OR device = ANY(:devices) OR address = ANY(:addresses))
""")


@dataclass(frozen=True)
class PastWindow:
    """The scores of a mode that were achieved from `start` until before `end`."""

    mode: Mode
    start: datetime
    end: datetime


@dataclass(frozen=True)
class PastAttempt:
    """An attempt as it stands: clean, or flagged for these reasons."""

    submission: Submission
    state: str
    reasons: Sequence[str]


def attempts_after(window: PastWindow, last: PastAttempt | None) -> list[PastAttempt]:
    """Load the next AT_ONCE attempts of the window, by time and then by event.

    Without rejected ones, those that were taken back, and those that a person has decided.
    """
    query = (
        select(ScoreAttempt)
        .where(
            ScoreAttempt.mode_id == window.mode.id,
            ScoreAttempt.achieved_at >= window.start,
            ScoreAttempt.achieved_at < window.end,
            ScoreAttempt.fraud_state.in_((CLEAN, FLAGGED)),
            ScoreAttempt.rolled_back_at.is_(None),
            ~_decisions_by_people(ScoreAttempt.event_id).exists(),
        )
        .order_by(ScoreAttempt.achieved_at, ScoreAttempt.event_id)
        .limit(AT_ONCE)
        .execution_options(populate_existing=True)
    )
    if last is not None:
        place = (from_us(last.submission.achieved_at), last.submission.event_id)
        query = query.where(tuple_(ScoreAttempt.achieved_at, ScoreAttempt.event_id) > place)
    return [
        PastAttempt(submission(row, window.mode), row.fraud_state, row.fraud_reasons)
        for row in db.session.scalars(query)
    ]


def is_decided_by_person(event_id: UUID) -> bool:
    """Whether a person has decided about the attempt: no layer overrules that."""
    return db.session.scalar(_decisions_by_people(event_id).limit(1)) is not None


def _decisions_by_people(event_id: UUID | InstrumentedAttribute[UUID]) -> Select[int]:
    return select(ScoreCorrection.id).where(
        ScoreCorrection.event_id == event_id,
        or_(ScoreCorrection.member_id.is_not(None), ScoreCorrection.action.in_(_BY_PEOPLE)),
    )


class StoredSightings:
    """The sightings of a mode from its stored attempts; those of Redis end after two hours."""

    def __init__(self, mode_id: UUID) -> None:
        self._mode_id = mode_id

    def note(
        self, sightings: Mapping[Place, Sequence[Sighting]]
    ) -> Mapping[Place, Sequence[Sighting]]:
        """Return all sightings of these places, by time. They are stored already."""
        times = [sighting.at for new in sightings.values() for sighting in new]
        values: dict[str, list[str]] = {"player": [], "device": [], "address": []}
        for _, by, value in sightings:
            values[by].append(value)
        rows = db.session.execute(
            _SIGHTINGS,
            {
                "mode": self._mode_id,
                "first": from_us(min(times)) - timedelta(seconds=LONGEST),
                "last": from_us(max(times)),
                "players": [UUID(player) for player in values["player"]],
                "devices": values["device"],
                "addresses": values["address"],
            },
        )
        stored: dict[Place, list[Sighting]] = {place: [] for place in sightings}
        mode = str(self._mode_id)
        for row in rows:
            sighting = Sighting(to_us(row.achieved_at), str(row.event_id), str(row.player_id))
            for by, value in (
                ("player", sighting.player),
                ("device", row.device),
                ("address", row.address),
            ):
                if (place := (mode, by, value)) in stored:
                    stored[place].append(sighting)
        return {place: sorted(of_place) for place, of_place in stored.items()}
