"""A competition as data: what an integrator declares, its faults, and its windows. Pure values.

How a window is settled is in rules.py, the tables are in models.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from app.core.refusals import Refusal

MOST_WINDOWS = 520  # ten years of weeks
MOST_COHORT = 1000
SHORTEST = timedelta(minutes=5)
FIRST_YEAR, LAST_YEAR = 1971, 2199
_FIXED = {"minutes": timedelta(minutes=1), "hours": timedelta(hours=1)}
_DAYS = {"days": 1, "weeks": 7}
LAST_SAFE_DAY = 28  # later days are not in every month

# As for titles in the API (app/api/shapes.py): one line, no space at either end.
PLAIN = r"^[^\s\x00-\x1f\x7f\x85]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f\x85])?$"

Unit = Literal["minutes", "hours", "days", "weeks", "months"]
JoinBy = Literal["open", "invited", "server"]
TierNumber = Annotated[int, Meta(ge=1, le=20)]


class Schedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Consecutive windows of equal length.

    Days, weeks and months follow the mode's time zone, so a midnight stays a midnight.
    """

    starts_at: Annotated[
        datetime, Meta(tz=True, description="When the first window starts (RFC 3339).")
    ]
    length: Annotated[
        int, Meta(ge=1, le=100_000, description="The length of each window, in `unit`.")
    ]
    unit: Unit
    windows: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=MOST_WINDOWS,
                description="The number of windows. Leave it out if you give `until`.",
            ),
        ]
        | None
    ) = None
    until: (
        Annotated[
            datetime,
            Meta(
                tz=True,
                description=(
                    "Create all windows that end by this time. Leave it out if you give `windows`."
                ),
            ),
        ]
        | None
    ) = None


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tier. `promote` and `relegate`: how many players of each cohort move up and down.

    Players with fewer than `promote` players ahead of them move up, so equal scores at the line all
    move up. Players with at most `relegate` players level or behind (themselves included) move
    down, so equal scores at the line all stay. A player who joined and has no score is behind
    everybody else, and moves down if anybody does.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80, pattern=PLAIN)]
    promote: Annotated[int, Meta(ge=0, le=MOST_COHORT)] = 0
    relegate: Annotated[int, Meta(ge=0, le=MOST_COHORT)] = 0


class Grant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An amount of a reward. The integrator chooses the reward's name."""

    reward: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$",
            description="1 to 60 lowercase letters, digits and dashes.",
        ),
    ]
    amount: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 1


class Band(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A range of ranks in a cohort, and what each player in it gets.

    If a player is in several bands, the first one counts.
    """

    grants: Annotated[list[Grant], Meta(min_length=1, max_length=10)]
    from_rank: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 1
    to_rank: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1_000_000_000,
                description="The last rank of the band. Leave it out if you give `top_percent`.",
            ),
        ]
        | None
    ) = None
    top_percent: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=100,
                description=(
                    "The band's share of the cohort's players with a score, in percent. It "
                    "is rounded up to at least one player. Leave it out if you give "
                    "`to_rank`."
                ),
            ),
        ]
        | None
    ) = None
    tiers: Annotated[
        list[TierNumber],
        Meta(
            max_length=20, description="The tiers in which the band applies. Empty for all tiers."
        ),
    ] = []


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that decides what a competition does. Ranks and ties follow the mode."""

    schedule: Schedule
    join: Annotated[
        JoinBy,
        Meta(
            description=(
                "Who can join: any player (`open`), invited players (`invited`), or "
                "players that your server adds (`server`)."
            )
        ),
    ] = "open"
    join_minutes: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1_000_000,
                description=(
                    "How many minutes after its start players can join a window. Null means "
                    "until its end."
                ),
            ),
        ]
        | None
    ) = None
    attempts: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1000,
                description=(
                    "The number of attempts per player and window. Only attempts issued for the "
                    "competition count. If null, every score of the mode counts once the player "
                    "has joined."
                ),
            ),
        ]
        | None
    ) = None
    cohort_size: (
        Annotated[
            int,
            Meta(
                ge=2,
                le=MOST_COHORT,
                description="The number of players per cohort. Null means one cohort per tier.",
            ),
        ]
        | None
    ) = None
    tiers: Annotated[
        Sequence[Tier], Meta(min_length=1, max_length=20, description="The tiers, lowest first.")
    ] = (Tier("All"),)
    rewards: Annotated[list[Band], Meta(max_length=100)] = []
    settle_minutes: Annotated[
        int,
        Meta(
            ge=1,
            le=1440,
            description=(
                "How many minutes after a window's end it is settled. Leave time for the "
                "last scores to be checked."
            ),
        ),
    ] = 5
    corrections_days: Annotated[
        int,
        Meta(
            ge=0,
            le=366,
            description=(
                "For how many days after its end a window is settled again if scores are corrected."
            ),
        ),
    ] = 30


@dataclass(frozen=True)
class Span:
    """A window from `starts` up to, but not including, `ends`; in UTC.

    Numbers start at 1; numbers below 1 are before the first window.
    """

    number: int
    starts: datetime
    ends: datetime


def read(stored: Mapping[str, Any]) -> Declaration:
    """A declaration from its stored form (`plain`)."""
    return msgspec.convert(stored, Declaration)


def plain(declaration: Declaration) -> dict[str, Any]:
    """The declaration as JSON values, for storing."""
    builtins: dict[str, Any] = msgspec.to_builtins(declaration)
    return builtins


def span(schedule: Schedule, zone: str, number: int) -> Span:
    """The window with this number, on the calendar of the time zone.

    Raises OverflowError for a date outside the calendar.
    """
    return Span(number, _start(schedule, zone, number - 1), _start(schedule, zone, number))


def spans(schedule: Schedule, zone: str) -> list[Span]:
    """All windows in order, MOST_WINDOWS + 1 at most."""
    windows = []
    for number in range(1, MOST_WINDOWS + 2):
        if schedule.windows is not None and number > schedule.windows:
            break
        window = span(schedule, zone, number)
        if schedule.until is not None and window.ends > schedule.until:
            break
        windows.append(window)
    return windows


def _start(schedule: Schedule, zone: str, steps: int) -> datetime:
    first, by = schedule.starts_at, schedule.length * steps
    if schedule.unit in _FIXED:
        return first.astimezone(UTC) + by * _FIXED[schedule.unit]
    tz = ZoneInfo(zone)
    local = first.astimezone(tz)
    if schedule.unit in _DAYS:
        moved = local.replace(tzinfo=None, fold=0) + timedelta(days=by * _DAYS[schedule.unit])
    else:
        months = local.year * 12 + local.month - 1 + by
        moved = local.replace(year=months // 12, month=months % 12 + 1, tzinfo=None, fold=0)
    return moved.replace(tzinfo=tz).astimezone(UTC) if steps else first.astimezone(UTC)


def faults(declaration: Declaration, zone: str) -> list[Refusal]:
    """Everything that is wrong with the declaration, field by field, with what to do.

    Empty if the competition can go live.
    """
    return [
        *_schedule_faults(declaration, zone),
        *_tier_faults(declaration),
        *_band_faults(declaration),
    ]


def _schedule_faults(declaration: Declaration, zone: str) -> Iterator[Refusal]:
    schedule = declaration.schedule
    if (schedule.windows is None) == (schedule.until is None):
        yield _wrong(
            "schedule.windows",
            "give either count or until, not both",
        )
        return
    try:
        windows = spans(schedule, zone)
        too_early = schedule.starts_at.year < FIRST_YEAR
        too_late = bool(windows) and windows[-1].ends.year > LAST_YEAR
    except (OverflowError, ValueError):
        windows, too_early, too_late = [], False, True
    if (
        schedule.unit == "months"
        and schedule.starts_at.astimezone(ZoneInfo(zone)).day > LAST_SAFE_DAY
    ):
        yield _wrong(
            "schedule.starts_at",
            f"monthly windows must start by day {LAST_SAFE_DAY}, which every month has",
        )
    elif too_early or too_late:
        yield _wrong(
            "schedule.starts_at",
            f"all windows must be between {FIRST_YEAR} and {LAST_YEAR}: choose fewer",
        )
    elif not windows:
        yield _wrong(
            "schedule.until",
            "no window would end by then: choose a later time or a shorter length",
        )
    elif len(windows) > MOST_WINDOWS:
        yield _wrong(
            "schedule.until",
            f"there would be more than {MOST_WINDOWS} windows: choose an earlier time",
        )
    else:
        shortest = min(window.ends - window.starts for window in windows)
        if shortest < SHORTEST:
            yield _wrong("schedule.length", "a window must last at least five minutes")
        elif (
            declaration.join_minutes is not None
            and timedelta(minutes=declaration.join_minutes) > shortest
        ):
            yield _wrong(
                "join_minutes",
                "is longer than a window: leave it out to let players join until the end",
            )
        if timedelta(minutes=declaration.settle_minutes) >= shortest and len(windows) > 1:
            yield _wrong(
                "settle_minutes",
                "is as long as a window: choose less, or the next window could never be played",
            )


def _tier_faults(declaration: Declaration) -> Iterator[Refusal]:
    tiers, size = declaration.tiers, declaration.cohort_size
    if tiers[-1].promote:
        yield _wrong(
            f"tiers[{len(tiers) - 1}].promote", "there is no tier above the highest: leave it out"
        )
    if tiers[0].relegate:
        yield _wrong("tiers[0].relegate", "there is no tier below the lowest: leave it out")
    for number, tier in enumerate(tiers):
        if size is not None and tier.promote + tier.relegate > size:
            text = (
                f"more players would move up and down than the {size} in a cohort: choose "
                "fewer, or a larger cohort_size"
            )
            yield _wrong(f"tiers[{number}].promote", text)


def _band_faults(declaration: Declaration) -> Iterator[Refusal]:
    for number, band in enumerate(declaration.rewards):
        name = f"rewards[{number}]"
        if (band.to_rank is None) == (band.top_percent is None):
            yield _wrong(
                f"{name}.to_rank",
                "give either to_rank or top_percent, not both",
            )
        elif band.to_rank is not None and band.to_rank < band.from_rank:
            yield _wrong(f"{name}.to_rank", "is better than from_rank: the band would be empty")
        if band.tiers and max(band.tiers) > len(declaration.tiers):
            yield _wrong(
                f"{name}.tiers", f"there are {len(declaration.tiers)} tiers, from 1, the lowest"
            )
        codes = [grant.reward for grant in band.grants]
        if len(set(codes)) < len(codes):
            yield _wrong(
                f"{name}.grants", "a reward is listed twice: list it once with the total amount"
            )


def last_rank(band: Band, ranked: int) -> int:
    """The last rank of the band in a cohort with this many ranked players.

    >>> last_rank(Band([Grant("medal")], top_percent=10), 25)
    3
    """
    return band.to_rank if band.to_rank is not None else -(-(band.top_percent or 0) * ranked // 100)


def band_name(band: Band) -> str:
    """The band in words: `rank 1`, `ranks 2 to 10`, `top 10 %`."""
    if band.to_rank is None:
        return f"top {band.top_percent} %" + (
            f" from rank {band.from_rank}" if band.from_rank > 1 else ""
        )
    if band.to_rank == band.from_rank:
        return f"rank {band.to_rank}"
    return f"ranks {band.from_rank} to {band.to_rank}"


def fixed_changes(before: Declaration, after: Declaration) -> Sequence[str]:
    """The changed fields that are fixed once the competition is live.

    Free are the tiers' titles, the schedule's number of windows or end, and the correction period.
    """
    schedule = ("starts_at", "length", "unit")
    changed = [
        f"schedule.{name}"
        for name in schedule
        if getattr(before.schedule, name) != getattr(after.schedule, name)
    ]
    plain_fields = ("join", "join_minutes", "attempts", "cohort_size", "rewards", "settle_minutes")
    changed += [name for name in plain_fields if getattr(before, name) != getattr(after, name)]
    numbers = [(tier.promote, tier.relegate) for tier in before.tiers]
    return [
        *changed,
        *([] if numbers == [(tier.promote, tier.relegate) for tier in after.tiers] else ["tiers"]),
    ]


def _wrong(field: str, text: str) -> Refusal:
    return Refusal("wrong", field, f"{field}: {text}.")
