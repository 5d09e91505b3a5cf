"""The words of the team sheet editor. Pure: values in, words out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from app.core.bidi import with_period
from app.core.numbers import whole_number
from app.fantasy.amounts import decimal_points
from app.fantasy.market.formats import IDP, Format, Slot
from app.fantasy.market.listing import Fixture
from app.fantasy.sheets.transfers import Draft

MOST_LISTED = 4  # positions of a slot
STATUS_WORDS = {
    "questionable": "Questionable",
    "doubtful": "Doubtful",
    "out": "Out",
    "injured": "Injured",
    "suspended": "Suspended",
    "left": "Left",
}


def transfer_words(number: int, free: int | None, cost: int) -> str:
    """How many free transfers are left, or how many more were made and what they cost.

    It is empty if all are free, as in a draft league.

    >>> transfer_words(0, 2, 0), transfer_words(1, 2, 0), transfer_words(3, 1, 8000)
    ('2 free transfers', '1 free transfer', '2 extra transfers, -8.00 points')
    >>> transfer_words(1, None, 0)
    ''
    """
    if free is None:
        return ""
    if number <= free:
        return _many(free - number, "free transfer")
    return f"{_many(number - free, 'extra transfer')}, -{decimal_points(cost)} points"


def position_choices(team_format: Format, chosen: int) -> list[tuple[str, str]]:
    """Value and words of each position filter for a place, or for all with place 0.

    All positions of individual defence are one choice.
    """
    takes = team_format.places[chosen - 1].accepts if chosen else team_format.positions
    choices = [(position, position) for position in takes if position not in IDP]
    return choices + ([("IDP", "Defense")] if any(position in IDP for position in takes) else [])


def time_left(moment: datetime, now: datetime) -> str:
    """The time until a moment, in its two largest units.

    >>> at = datetime(2026, 9, 10)
    >>> [time_left(at + timedelta(seconds=s), at) for s in (200_000, 7_000, 125, 59, 0)]
    ['2 days 7 hours', '1 hour 56 minutes', '2 minutes', 'less than a minute', 'no time']
    """
    left = int((moment - now) / timedelta(seconds=1))
    if left <= 0:
        return "no time"
    days, hours, minutes = left // 86_400, left % 86_400 // 3600, left % 3600 // 60
    if days:
        return f"{_many(days, 'day')} {_many(hours, 'hour')}"
    if hours:
        return f"{_many(hours, 'hour')} {_many(minutes, 'minute')}"
    return _many(minutes, "minute") if minutes else "less than a minute"


def slot_words(slot: Slot) -> str:
    """The positions that a slot takes: `RB, WR, TE`, or in words if they are many.

    It is empty if the slot's name says it.
    """
    if slot.accepts == (slot.name,):
        return ""
    if len(slot.accepts) <= MOST_LISTED:
        return ", ".join(slot.accepts)
    return "any position" if "QB" in slot.accepts else "any defender"


def share_words(thousandths: int) -> str:
    """Thousandths as a percentage.

    >>> share_words(512), share_words(0), share_words(1000)
    ('51.2', '0.0', '100.0')
    """
    whole, tenth = divmod(thousandths, 10)
    return f"{whole}.{tenth}"


def fixture_words(fixture: Fixture | None) -> str:
    """The opponent: `v SUM`, `at SUM`, or `v SUM + 1` with a second game in the gameweek.

    A game that is off is `v SUM, postponed`. The kickoff is shown beside it.
    """
    if fixture is None:
        return "no game"
    more = f" + {fixture.games - 1}" if fixture.games > 1 else ""
    off = f", {fixture.status}" if fixture.is_off else ""
    return f"{'vs' if fixture.is_home else 'at'} {fixture.opponent_id}{more}{off}"


def draft_words(draft: Draft) -> str:
    """A team as one line, which tells editor.js whether the team on the page differs.

    >>> draft_words(Draft(("a", "", "b"), 1, 3, 0))
    'a,,b|1|3'
    """
    return f"{','.join(draft.picks)}|{draft.captain}|{draft.vice_captain}"


def read_draft(line: str, size: int) -> Draft | None:
    """Read the line of `draft_words`; None if it isn't a team of so many players.

    >>> read_draft("a,,b|1|3", 3)
    Draft(picks=('a', '', 'b'), captain=1, vice_captain=3, version=None, base=None)
    >>> read_draft("a,b|1|3", 3), read_draft("a,,b|1|4", 3), read_draft("", 3)
    (None, None, None)
    """
    names, *places = line.split("|")
    picks, captains = tuple(names.split(",")), [whole_number(place, most=size) for place in places]
    match captains:
        case [int(captain), int(vice_captain)] if len(picks) == size:
            return Draft(picks, captain, vice_captain)
    return None


def change_words(before: Sequence[str], after: Sequence[str], names: Mapping[str, str]) -> str:
    """What an act changed, in a sentence; empty if it changed nobody.

    >>> names = {"a": "Ann", "b": "Bob", "c": "Cid"}
    >>> change_words(("a", "b", ""), ("b", "a", ""), names)
    'Swapped Ann and Bob.'
    >>> change_words(("a", ""), ("c", ""), names), change_words(("", "b"), ("a", "b"), names)
    ('Cid in for Ann.', 'Ann added.')
    >>> change_words(("a", "b"), ("a", ""), names), change_words(("a",), ("a",), names)
    ('Bob removed.', '')
    """
    leavers = [names.get(pick, pick) for pick in before if pick and pick not in after]
    arrivals = [names.get(pick, pick) for pick in after if pick and pick not in before]
    if arrivals and leavers:
        return with_period(f"{', '.join(arrivals)} in for {', '.join(leavers)}")
    if arrivals:
        return f"{arrivals[0]} added."
    if leavers:
        return f"{leavers[0]} removed."
    moved = [names.get(old, old) for old, new in zip(before, after, strict=True) if old != new]
    return with_period(f"Swapped {' and '.join(name for name in moved if name)}") if moved else ""


def armband_words(before: Draft, after: Draft, names: Mapping[str, str]) -> str:
    """What an act changed about the captains, in a sentence; empty if it changed nothing.

    >>> names = {"a": "Ann", "b": "Bob"}
    >>> armband_words(Draft(("a", "b"), 1, 2), Draft(("a", "b"), 2, 1), names)
    'Bob is captain, Ann is vice-captain.'
    >>> armband_words(Draft(("a", "b"), 1, 0), Draft(("a", "b"), 1, 2), names)
    'Bob is vice-captain.'
    """
    changed = [
        f"{names.get(after.picks[new - 1], 'Nobody')} is {word}"
        for old, new, word in (
            (before.captain, after.captain, "captain"),
            (before.vice_captain, after.vice_captain, "vice-captain"),
        )
        if new and old != new
    ]
    return f"{', '.join(changed)}." if changed else ""


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
