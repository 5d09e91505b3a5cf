"""The declaration of a mode, and everything that can be wrong with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from zoneinfo import available_timezones

from app.boards.catalogue import titles
from app.boards.catalogue.titles import WRONG
from app.boards.order import Best, order_of
from app.boards.rules import EXACT_BITS, SUMMED, Aggregation, Ties, bound_limit
from app.boards.spec import HASH, LAYOUTS
from app.boards.windows import custom as custom_windows
from app.boards.windows.retention import KEEP_DAYS, MOST_OF_HOURS, live_of_hours
from app.boards.windows.rules import ALL_TIME, CUSTOM, KINDS
from app.core.refusals import Refusal

MAX_SHARDS = 1024
MAX_DECIMALS = 3
MAX_KEEP_DAYS = 36_500
LATE_HOURS, MOST_LATE_HOURS = 24, 366 * 24  # the latest a trusted server's score may arrive
MOST_UPDATE_SECONDS = 3600  # between two updates of a mode's boards
TAKEN = "taken"  # refusal code: the name is in use


@dataclass(frozen=True)
class NewMode:
    """A mode to be created.

    Scores and bounds are in units of 10^-`decimals` points. `keep_days` is by kind of window,
    `custom_windows` as windows/custom.py stores them, and `subscore` has min, max, order and title.
    """

    slug: str
    title: str
    aggregation: str
    ties: str
    min_score: int
    max_score: int
    time_zone: str = "UTC"
    decimals: int = 0
    windows: Sequence[str] = (ALL_TIME,)
    keep_days: Mapping[str, int] = field(default_factory=dict)
    layout: str = HASH
    shards: int = 1
    late_hours: int = LATE_HOURS
    update_seconds: int = 0
    private: bool = False
    custom_windows: Sequence[Mapping[str, str]] = ()
    order: str = Best.HIGHEST
    subscore: Mapping[str, Any] | None = None
    takes_metadata: bool = False


def mode_faults(new: NewMode) -> list[Refusal]:
    """Find everything that is wrong with a mode, in the order of its fields."""
    faults = chain(
        _counting_faults(new),
        _window_faults(new),
        _score_faults(new),
        _storage_faults(new),
    )
    return [
        *titles.name_faults(new.slug, new.title),
        *(Refusal(WRONG, field_name, fault) for field_name, fault in faults),
    ]


def _counting_faults(new: NewMode) -> Iterator[tuple[str, str]]:
    if new.aggregation not in list(Aggregation):
        yield "aggregation", f"{new.aggregation!r} is not one of {', '.join(Aggregation)}."
    if new.ties not in list(Ties):
        yield "ties", f"{new.ties!r} is not one of {', '.join(Ties)}."
    if new.time_zone not in available_timezones():
        yield (
            "time_zone",
            f"{new.time_zone!r} is not a time zone. Use one like Europe/Berlin or UTC.",
        )
    if not 0 <= new.decimals <= MAX_DECIMALS:
        yield "decimals", f"{new.decimals} is not between 0 and {MAX_DECIMALS}."


def _window_faults(new: NewMode) -> Iterator[tuple[str, str]]:
    unknown = [kind for kind in new.windows if kind not in KINDS]
    if unknown or not new.windows:
        instead = f", not {unknown[0]!r}." if unknown else "."
        yield "windows", f"Name at least one of {', '.join(KINDS)}{instead}"
    for kind, days in new.keep_days.items():
        if kind not in KEEP_DAYS or not 1 <= days <= MAX_KEEP_DAYS:
            yield (
                "keep_days",
                f"{kind}: {days} must be 1 to {MAX_KEEP_DAYS} days, for {', '.join(KEEP_DAYS)}.",
            )
    if (live := live_of_hours(new.windows, new.keep_days)) > MOST_OF_HOURS:
        yield (
            "keep_days",
            f"{live} hourly windows would exist at once. The limit is {MOST_OF_HOURS}: keep "
            "them for fewer days, or use fewer kinds.",
        )
    if CUSTOM in new.windows and len(set(new.windows)) == 1:
        yield (
            "windows",
            f"Between two {CUSTOM} windows a score would not count anywhere. Add another "
            "kind of window.",
        )
    if new.custom_windows and CUSTOM not in new.windows:
        yield (
            "custom_windows",
            f"The mode has no {CUSTOM} windows. Add {CUSTOM} to its windows.",
        )
    for fault in custom_windows.faults(new.custom_windows):
        yield "custom_windows", fault


def _score_faults(new: NewMode) -> Iterator[tuple[str, str]]:
    if new.min_score > new.max_score:
        yield "max_score", f"{new.max_score} is below min_score ({new.min_score})."
    yield from bound_faults(new.aggregation, new.order, new.min_score, new.max_score, new.subscore)


def _storage_faults(new: NewMode) -> Iterator[tuple[str, str]]:
    if new.layout not in LAYOUTS:
        yield "layout", f"{new.layout!r} is not one of {', '.join(LAYOUTS)}."
    if not 1 <= new.shards <= MAX_SHARDS:
        yield "shards", f"{new.shards} is not between 1 and {MAX_SHARDS}."
    if not 0 <= new.late_hours <= MOST_LATE_HOURS:
        yield "late_hours", f"{new.late_hours} is not between 0 and {MOST_LATE_HOURS}."
    if not 0 <= new.update_seconds <= MOST_UPDATE_SECONDS:
        yield "update_seconds", f"{new.update_seconds} is not between 0 and {MOST_UPDATE_SECONDS}."


MAX_SUBSCORE_TITLE = 40


def bound_faults(
    aggregation: str, order: str, low: int, high: int, subscore: Mapping[str, Any] | None
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the bounds of a mode: the field, and what to do about it."""
    if order not in list(Best):
        yield "order", f"{order!r} is not one of {', '.join(Best)}."
    limit = bound_limit(aggregation)
    fits = True
    for name, score in (("min_score", low), ("max_score", high)):
        if abs(score) <= limit:
            continue
        fits = False
        text = f"{score} is outside ±{limit}"
        if aggregation == Aggregation.SUM:
            text += f": a player's sum of {SUMMED:,} such scores would no longer be exact."
            yield name, f"{text} Use a bound within it, or fewer decimals."
        else:
            yield name, f"{text}, the range in which a board is exact. Use a bound within it."
    fault = (
        _subscore_fault(aggregation, order, low, high, subscore)
        if fits and order in list(Best) and subscore is not None
        else None
    )
    if fault is not None:
        yield "subscore", fault


def _subscore_fault(
    aggregation: str, best: str, low: int, high: int, subscore: Mapping[str, Any]
) -> str | None:
    least, most, order, title = (subscore[name] for name in ("min", "max", "order", "title"))
    if aggregation == Aggregation.SUM:
        return (
            "A sum can't have a subscore, because each of its scores would have a "
            "different one. Leave it out, or count the highest or latest score."
        )
    if order not in list(Best):
        return f"order: {order!r} is not one of {', '.join(Best)}."
    if not 1 <= len(title.strip()) <= MAX_SUBSCORE_TITLE:
        return f"title: use 1 to {MAX_SUBSCORE_TITLE} characters."
    if least > most:
        return f"max: {most} is below min ({least})."
    if (bits := order_of(best, subscore).bits(low, high)) > EXACT_BITS:
        return (
            f"Scores of {low} to {high} with {most - least + 1:,} subscores each need "
            f"{bits} bits, but a board has {EXACT_BITS}. Use narrower bounds or coarser "
            "units."
        )
    return None
