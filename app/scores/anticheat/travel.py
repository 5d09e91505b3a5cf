"""Layer: impossible travel, two scores of a player from places too far apart for the time between.

Stops are counted by event and by the time of the score, so a replay of the log gives the same
verdicts. A score is compared with the one before it. app/scores/submission/locations.py locates
addresses; stores.py keeps the stops.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt
from typing import Protocol

from app.scores.anticheat.submission import FLAGGED, Location, Submission, Verdict

EARTH_KM = 6371.0
FASTEST_KM_PER_HOUR = 1_000.0  # the speed of an airliner
NEAR_KM = 500.0  # public tables of addresses are often wrong by this much
REMEMBERED_HOURS = 24  # in this time an airliner reaches every place on Earth
MICROSECONDS_PER_HOUR = 3_600_000_000


@dataclass(frozen=True, order=True)
class Stop:
    """A player's score came from this place; `at` is in microseconds."""

    at: int
    event: str
    location: Location


class Stops(Protocol):
    """Keeps the stops of each player for REMEMBERED_HOURS."""

    def note(self, stops: Mapping[str, Sequence[Stop]]) -> Mapping[str, Sequence[Stop]]:
        """Add stops by player, each event once; return all of these players by time.

        Raises SightingsUnavailableError.
        """
        ...


class Travel:
    """Flags impossible travel between two scores of a player."""

    name = "travel"

    def __init__(self, stops: Stops) -> None:
        self._stops = stops

    def judge(self, batch: Sequence[Submission], _now: int) -> list[Verdict]:
        """Flag `impossible_travel`; a score without a location passes.

        Raises:
            SightingsUnavailableError: Redis is away.
        """
        new: dict[str, list[Stop]] = defaultdict(list)
        for submission in batch:
            if (stop := _stop_of(submission)) is not None:
                new[str(submission.player_id)].append(stop)
        known = self._stops.note(new) if new else {}
        return [self._judge_one(submission, known) for submission in batch]

    def _judge_one(self, submission: Submission, known: Mapping[str, Sequence[Stop]]) -> Verdict:
        stop = _stop_of(submission)
        if stop is None:
            return Verdict()
        stops = known[str(submission.player_id)]
        place = bisect_left(stops, stop)
        if place > 0 and is_impossible(stops[place - 1], stop):
            return Verdict(FLAGGED, ("impossible_travel",))
        return Verdict()


def is_impossible(before: Stop, after: Stop) -> bool:
    """Whether nobody can get from one stop to the other in the time between them."""
    kilometres = distance_km(before.location, after.location)
    hours = (after.at - before.at) / MICROSECONDS_PER_HOUR
    return kilometres > NEAR_KM and kilometres > FASTEST_KM_PER_HOUR * hours


def distance_km(start: Location, end: Location) -> float:
    """Return the great-circle distance (haversine) of two (latitude, longitude) pairs."""
    latitude, end_latitude = radians(start[0]), radians(end[0])
    half_latitudes = (end_latitude - latitude) / 2
    half_longitudes = radians(end[1] - start[1]) / 2
    chord = sin(half_latitudes) ** 2 + cos(latitude) * cos(end_latitude) * sin(half_longitudes) ** 2
    return 2 * EARTH_KM * asin(sqrt(min(1.0, chord)))


def _stop_of(submission: Submission) -> Stop | None:
    if submission.location is None:
        return None
    return Stop(submission.achieved_at, str(submission.event_id), submission.location)
