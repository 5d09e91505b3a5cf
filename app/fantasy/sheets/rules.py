"""What a team sheet must keep (PRODUCT B2, G6). Pure: values in, values out.

Lives here: every refusal of a team sheet, and what a pick does to a draft. Not here: money and transfers
(transfers.py), where the values come from and who writes (services.py), what the places are (market/formats.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.fantasy.amounts import tenths_words
from app.fantasy.sheets.transfers import Situation, Wanted, account


@dataclass(frozen=True)
class Refusal:
    """A reason why a team sheet is not saved. `message`: a sentence that says what to change.

    `field`: picks, captain, vice_captain, budget, deadline or edition; `place`: from 1, where it is about one.
    `is_overridable`: whether a commissioner's word could stand against it (never about time or who stands where).
    """

    code: str
    message: str
    field: str = "picks"
    place: int | None = None
    is_overridable: bool = False


def refusals(wanted: Wanted, situation: Situation) -> list[Refusal]:
    """Every reason at once why this team sheet cannot be saved; empty: it can.

    In the order in which a person mends them: time, places one by one, the whole squad, money, captains. Where it is
    too late for any sheet, that alone is said: nothing else could be mended.
    """
    found = list(_of_time(wanted, situation))
    if situation.closed:
        return found
    if len(wanted.picks) != len(situation.format.places):
        count = len(situation.format.places)
        found.append(
            Refusal("count", f"The team sheet has {len(wanted.picks)} places; {situation.format.title} has {count}.")
        )
        return found
    found += _of_places(wanted, situation)
    found += _of_squad(wanted, situation)
    found += _of_money(wanted, situation)
    found += _of_captains(wanted, situation)
    if situation.locks_each:
        found += _of_kickoffs(wanted, situation)
    return found


def placed(picks: Sequence[str], place: int, footballer: str) -> tuple[str, ...]:
    """The picks with this footballer in this place, from 1. If he stands elsewhere, the two change places.

    >>> placed(("a", "b", ""), 3, "c"), placed(("a", "b", ""), 1, "b"), placed(("a", "b", ""), 1, "")
    (('a', 'b', 'c'), ('b', 'a', ''), ('', 'b', ''))
    """
    changed = list(picks)
    if footballer and footballer in changed:
        changed[changed.index(footballer)] = changed[place - 1]
    changed[place - 1] = footballer
    return tuple(changed)


def _of_time(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    if situation.closed:
        yield Refusal("deadline", situation.closed, "deadline")
        return
    saved = situation.present.edition if situation.present else 0
    if wanted.edition is not None and wanted.edition != saved:
        yield Refusal(
            "edition",
            "This team sheet was saved elsewhere meanwhile: load the page again and make your changes there.",
            "edition",
        )


def _of_places(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    seen: dict[str, int] = {}
    kept = set(situation.before.picks) if situation.before else set()
    for place, (slot, one) in enumerate(zip(situation.format.places, wanted.picks, strict=True), start=1):
        where = f"{slot.name} (place {place})"
        if not one:
            yield Refusal("empty", f"{where} is empty: choose {_one_of(slot.accepts)}.", place=place)
            continue
        man = situation.market.get(one)
        if man is None:
            yield Refusal("unknown", f"{where}: there is no footballer {one!r}; choose another.", place=place)
            continue
        if one in seen:
            yield Refusal(
                "twice",
                f"{man.name} is in place {seen[one]} and in place {place}: choose another for one.",
                place=place,
            )
        seen.setdefault(one, place)
        if not man.is_for_sale and one not in kept:
            yield Refusal("market", f"{man.name} is not on this season's market: choose another.", place=place)
        if man.position not in slot.accepts:
            yield Refusal(
                "position", f"{man.name} plays {man.position}; {where} takes {_one_of(slot.accepts)}.", place=place
            )


def _of_squad(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    men = [situation.market[one] for one in dict.fromkeys(wanted.picks) if one in situation.market]
    if all(wanted.picks):  # an empty place says enough of what is missing
        count = Counter(man.position for man in men)
        for position, size in situation.format.squad.items():
            if count[position] != size:
                change = (
                    f"{size - count[position]} more" if count[position] < size else f"{count[position] - size} fewer"
                )
                yield Refusal(
                    "squad",
                    f"The squad has {count[position]} {position}, it needs {size}: take {change}.",
                    is_overridable=True,
                )
    limit = situation.limits.club_limit
    clubs = Counter(man.club_id for man in men if man.club_id)
    for club_id, number in clubs.items():
        if number > limit:
            club = next(man.club for man in men if man.club_id == club_id)
            names = ", ".join(man.name for man in men if man.club_id == club_id)
            yield Refusal(
                "club",
                f"{number} of {club} ({names}), at most {limit} of a club: replace {number - limit}.",
                is_overridable=True,
            )


def _of_money(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    bank = account(wanted.picks, situation).bank
    if bank < 0:
        yield Refusal(
            "budget",
            f"The team costs {tenths_words(-bank)} more than you have: choose somebody cheaper.",
            "budget",
            is_overridable=True,
        )


def _of_captains(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    starters = len(situation.format.starters)
    for field, place, word in (
        ("captain", wanted.captain, "captain"),
        ("vice_captain", wanted.vice_captain, "vice-captain"),
    ):
        if place == 0:
            yield Refusal(f"{field}_missing", f"There is no {word}: choose one of the starters.", field)
        elif not 1 <= place <= starters:
            yield Refusal(
                f"{field}_not_starter", f"The {word} has to start: choose one of places 1 to {starters}.", field, place
            )
    if wanted.captain == wanted.vice_captain and 1 <= wanted.captain <= starters:
        yield Refusal(
            "same_captain",
            "Captain and vice-captain are the same: choose another vice-captain.",
            "vice_captain",
            wanted.vice_captain,
        )


def _of_kickoffs(wanted: Wanted, situation: Situation) -> Iterator[Refusal]:
    """Who has begun stays where he is, in the team or out of it, captain or not."""
    present = situation.present
    was = present.picks if present else ("",) * len(wanted.picks)
    told: set[str] = set()
    for place, (old, new) in enumerate(zip(was, wanted.picks, strict=True), start=1):
        for one, act in ((old, "leave"), (new, "come into")):
            if old != new and one not in told and _has_begun(one, situation):
                told.add(one)
                yield Refusal(
                    "begun",
                    f"{situation.market[one].name}'s game has begun: he cannot {act} place {place} any more.",
                    place=place,
                )
    old_places = (present.captain, present.vice_captain) if present else (0, 0)
    for field, word, old_place, new_place in (
        ("captain", "captain", old_places[0], wanted.captain),
        ("vice_captain", "vice-captain", old_places[1], wanted.vice_captain),
    ):
        before = was[old_place - 1] if old_place else ""
        after = wanted.picks[new_place - 1] if 1 <= new_place <= len(wanted.picks) else ""
        for one in (before, after) if before != after else ():
            if _has_begun(one, situation):
                yield Refusal(
                    f"{field}_begun",
                    f"{situation.market[one].name}'s game has begun: the {word} can no longer change from or to him.",
                    field,
                    new_place,
                )


def _has_begun(one: str, situation: Situation) -> bool:
    return one in situation.market and situation.market[one].has_begun


def _one_of(positions: tuple[str, ...]) -> str:
    """`QB`, `RB, WR or TE`; long lists in words."""
    if len(positions) > 5:
        return "anybody" if "QB" in positions else "a defensive player"
    return positions[0] if len(positions) == 1 else f"{', '.join(positions[:-1])} or {positions[-1]}"


def closed_words(now: datetime, locks_at: datetime, words: str, earlier: str, later: str) -> str:
    """Why a gameweek takes no team sheet at `now`; empty when it does. `words`: the deadline as people read it.

    Gameweeks are picked one after the other, since each is reckoned from the one before: not while an `earlier` one is
    open, nor when a `later` one is saved already.
    """
    if now >= locks_at:
        return f"The deadline was {words}: this team sheet is locked, what was saved before it counts."
    if earlier:
        return f"{earlier} is still open: save that team sheet; this one opens at its deadline."
    if later:
        return f"Your team sheet for {later} is saved already: change that one."
    return ""
