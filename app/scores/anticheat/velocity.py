"""Layer: too many scores from one player, device or address, or players who share a device.

Sightings are counted by event and by the time of the score: an event seen twice changes nothing,
and a score is judged by those up to it, so a replay of the log gives the same verdicts. Nobody who
keeps to the limits is ever held: a limit looks back SLACK seconds less than it says, because a
score gets its time a little after the API has counted it. stores.py keeps the sightings;
submission.py has the promised limits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from app.scores.anticheat.submission import FLAGGED, Limits, Submission, Verdict

SECOND = 1_000_000
LONGEST = 3600
# the most seconds between the API's count and the score's time; longer requests have timed out
SLACK = 8
ADDRESS_PER_MINUTE = 600  # as in the API (app/api/scores.py)


@dataclass(frozen=True)
class Limit:
    """More than `most` scores (or different players) of one `by` within `seconds` are too many."""

    by: str  # player, device, address
    seconds: int
    most: int
    players: bool = False

    @property
    def reason(self) -> str:
        """The reason given in a verdict."""
        return f"{self.by}_shared" if self.players else f"{self.by}_too_fast"


@lru_cache(maxsize=256)
def limits_of(mode: Limits) -> tuple[Limit, ...]:
    """Derive the limits of a player, a device (two players) and an address (a school)."""
    return (
        Limit("player", 60, mode.per_minute),
        Limit("player", LONGEST, mode.per_hour),
        Limit("device", 60, 2 * mode.per_minute),
        Limit("device", LONGEST, 2 * mode.per_hour),
        Limit("device", LONGEST, 8, players=True),  # a family's tablet has fewer
        Limit("address", 60, max(ADDRESS_PER_MINUTE, 10 * mode.per_minute)),
    )


class Sighting(NamedTuple):
    """A score was seen; `at` is in microseconds."""

    at: int
    event: str
    player: str


Place = tuple[str, str, str]  # mode, what is counted, its value


class SightingsUnavailableError(Exception):
    """The store of the sightings does not answer."""


class Sightings(Protocol):
    """Keeps sightings for at least LONGEST seconds before the newest, which every limit needs."""

    def note(
        self, sightings: Mapping[Place, Sequence[Sighting]]
    ) -> Mapping[Place, Sequence[Sighting]]:
        """Record sightings, each event once, and return all sightings of these places by time.

        Raises:
            SightingsUnavailableError: The store does not answer.
        """
        ...


class MemorySightings:
    """Sightings of one process, for the simulation."""

    def __init__(self) -> None:
        self._held: dict[Place, set[Sighting]] = defaultdict(set)

    def note(
        self, sightings: Mapping[Place, Sequence[Sighting]]
    ) -> Mapping[Place, Sequence[Sighting]]:
        """Record sightings and return those that matter for each place."""
        sightings_by_place = {}
        for place, new in sightings.items():
            remembered = self._held[place]
            remembered.update(new)
            oldest = min(sighting.at for sighting in new) - LONGEST * SECOND
            self._held[place] = {sighting for sighting in remembered if sighting.at > oldest}
            sightings_by_place[place] = sorted(self._held[place])
        return sightings_by_place


class Velocity:
    """Flags more scores, or players on a device, than the limits allow."""

    name = "velocity"

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings

    def judge(self, batch: Sequence[Submission], _now: int) -> list[Verdict]:
        """Flag `<by>_too_fast` and `device_shared`.

        Raises:
            SightingsUnavailableError: The store does not answer.
        """
        new: dict[Place, list[Sighting]] = defaultdict(list)
        places = [_places(submission) for submission in batch]
        for submission, its_places in zip(batch, places, strict=True):
            sighting = Sighting(
                submission.achieved_at, str(submission.event_id), str(submission.player_id)
            )
            for place in its_places.values():
                new[place].append(sighting)
        sightings = self._sightings.note(new) if new else {}
        return [
            self._one(submission, its_places, sightings)
            for submission, its_places in zip(batch, places, strict=True)
        ]

    def _one(
        self,
        submission: Submission,
        places: Mapping[str, Place],
        sightings: Mapping[Place, Sequence[Sighting]],
    ) -> Verdict:
        reasons = [
            limit.reason
            for limit in limits_of(submission.limits)
            if limit.by in places
            and is_over(limit, sightings[places[limit.by]], submission.achieved_at)
        ]
        return Verdict(FLAGGED, tuple(dict.fromkeys(reasons))) if reasons else Verdict()


def is_over(limit: Limit, sightings: Sequence[Sighting], at: int) -> bool:
    """Whether the sightings in the limit's seconds up to and including `at` exceed it.

    `sightings` are ordered by time.
    """
    first = bisect_right(sightings, at - (limit.seconds - SLACK) * SECOND, key=_time)
    recent = sightings[first : bisect_right(sightings, at, key=_time)]
    return len({sighting.player for sighting in recent} if limit.players else recent) > limit.most


def _time(sighting: Sighting) -> int:
    return sighting.at


def _places(submission: Submission) -> dict[str, Place]:
    values = {
        "player": str(submission.player_id),
        "device": submission.device,
        "address": submission.address,
    }
    return {by: (str(submission.mode_id), by, value) for by, value in values.items() if value}
