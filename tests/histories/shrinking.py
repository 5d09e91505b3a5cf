"""The shortest schedule that still differs.

Acts are left out, and faults forgotten, as long as it does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.histories.schedule import Act, Enter, Lock, Schedule

# Without these a history does not come to rest.
_NEEDED = ("start", "end", "final")


def shrink(schedule: Schedule, fails: Callable[[Schedule], bool], seconds: float) -> Schedule:
    """`fails`: whether a schedule still differs.

    Ends after so many seconds with the shortest found until then.
    """
    ends = time.monotonic() + seconds
    acts = list(schedule.acts)
    size = len(acts) // 2
    while size >= 1:
        place = 0
        while place < len(acts):
            if time.monotonic() > ends:
                return schedule.of(acts)
            shorter = _without(acts, place, place + size)
            if len(shorter) < len(acts) and fails(schedule.of(shorter)):
                acts = shorter
            else:
                place += size
        size //= 2
    for place, act in enumerate(acts):
        calmer = [*acts[:place], replace(act, fault=None, again=0), *acts[place + 1 :]]
        if calmer != acts and time.monotonic() < ends and fails(schedule.of(calmer)):
            acts = calmer
    return schedule.of(acts)


def _without(acts: Sequence[Act], begin: int, end: int) -> list[Act]:
    return [act for place, act in enumerate(acts) if not begin <= place < end or _is_needed(act)]


def _is_needed(act: Act) -> bool:
    return isinstance(act, Lock) or (isinstance(act, Enter) and act.key in _NEEDED)
