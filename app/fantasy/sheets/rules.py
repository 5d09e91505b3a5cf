"""What a team sheet must keep (PRODUCT B2, G6). Pure: values in, values out.

Lives here: every refusal of a team sheet, and what a pick does to a draft. Not here: money and
transfers (transfers.py), where the values come from and who writes (services.py), what the places
are (market/formats.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from app.core.refusals import Refusal
from app.fantasy.amounts import tenths_words
from app.fantasy.sheets.transfers import Costs, SheetContext, Wanted


def refusals(wanted: Wanted, context: SheetContext, costs: Costs) -> list[Refusal]:
    """Every reason at once why this team sheet cannot be saved; empty: it can.

    In the order in which a person corrects them: time, places one by one, the whole squad, money,
    captains. Where it is too late for any sheet, that is the only one: nothing else could be
    corrected.
    """
    found = list(_of_time(wanted, context))
    if context.closed:
        return found
    if len(wanted.picks) != len(context.format.places):
        count = len(context.format.places)
        found.append(
            Refusal(
                "count",
                "picks",
                f"The team sheet has {len(wanted.picks)} places; {context.format.title} has "
                f"{count}.",
            )
        )
        return found
    found += _of_places(wanted, context)
    found += _of_squad(wanted, context)
    found += _of_money(costs)
    found += _of_captains(wanted, context)
    if context.locks_each:
        found += _of_kickoffs(wanted, context)
    return found


def placed(picks: Sequence[str], place: int, footballer: str) -> tuple[str, ...]:
    """The picks with this player in this place, from 1.

    If they are in another place, the two change places.

    >>> picks = ("a", "b", "")
    >>> placed(picks, 3, "c"), placed(picks, 1, "b"), placed(picks, 1, "")
    (('a', 'b', 'c'), ('b', 'a', ''), ('', 'b', ''))
    """
    changed = list(picks)
    if footballer and footballer in changed:
        changed[changed.index(footballer)] = changed[place - 1]
    changed[place - 1] = footballer
    return tuple(changed)


def _of_time(wanted: Wanted, context: SheetContext) -> Iterator[Refusal]:
    if context.closed:
        yield Refusal("deadline", "deadline", context.closed)
        return
    saved = context.current.version if context.current else 0
    if wanted.version is not None and wanted.version != saved:
        yield Refusal(
            "version",
            "version",
            "This team sheet was saved elsewhere meanwhile: load the page again and make your "
            "changes there.",
        )


def _of_places(wanted: Wanted, context: SheetContext) -> Iterator[Refusal]:
    seen: dict[str, int] = {}
    kept = set(context.previous.picks) if context.previous else set()
    for place, (slot, one) in enumerate(
        zip(context.format.places, wanted.picks, strict=True), start=1
    ):
        where = f"{slot.name} (place {place})"
        if not one:
            yield Refusal(
                "empty", "picks", f"{where} is empty: choose {_one_of(slot.accepts)}.", place=place
            )
            continue
        player = context.market.get(one)
        if player is None:
            yield Refusal(
                "unknown",
                "picks",
                f"{where}: there is no footballer {one!r}; choose another.",
                place=place,
            )
            continue
        if one in seen:
            yield Refusal(
                "twice",
                "picks",
                f"{player.name} is in place {seen[one]} and in place {place}: choose another for "
                "one.",
                place=place,
            )
        seen.setdefault(one, place)
        if not player.is_for_sale and one not in kept:
            yield Refusal(
                "market",
                "picks",
                f"{player.name} is not on this season's market: choose another.",
                place=place,
            )
        if player.position not in slot.accepts:
            yield Refusal(
                "position",
                "picks",
                f"{player.name} plays {player.position}; {where} takes {_one_of(slot.accepts)}.",
                place=place,
            )


def _of_squad(wanted: Wanted, context: SheetContext) -> Iterator[Refusal]:
    players = [context.market[one] for one in dict.fromkeys(wanted.picks) if one in context.market]
    if all(wanted.picks):  # an empty place says enough of what is missing
        count = Counter(player.position for player in players)
        for position, size in context.format.squad.items():
            if count[position] != size:
                change = (
                    f"{size - count[position]} more"
                    if count[position] < size
                    else f"{count[position] - size} fewer"
                )
                yield Refusal(
                    "squad",
                    "picks",
                    f"The squad has {count[position]} {position}, it needs {size}: take {change}.",
                    is_overridable=True,
                )
    limit = context.limits.club_limit
    clubs = Counter(player.club_id for player in players if player.club_id)
    for club_id, number in clubs.items():
        if number > limit:
            club = next(player.club for player in players if player.club_id == club_id)
            names = ", ".join(player.name for player in players if player.club_id == club_id)
            yield Refusal(
                "club",
                "picks",
                f"{number} of {club} ({names}), at most {limit} of a club: replace "
                f"{number - limit}.",
                is_overridable=True,
            )


def _of_money(costs: Costs) -> Iterator[Refusal]:
    if costs.bank < 0:
        yield Refusal(
            "budget",
            "budget",
            f"The team costs {tenths_words(-costs.bank)} more than you have: choose somebody "
            "cheaper.",
            is_overridable=True,
        )


def _of_captains(wanted: Wanted, context: SheetContext) -> Iterator[Refusal]:
    starters = len(context.format.starters)
    for field, place, word in (
        ("captain", wanted.captain, "captain"),
        ("vice_captain", wanted.vice_captain, "vice-captain"),
    ):
        if place == 0:
            yield Refusal(
                f"{field}_missing", field, f"There is no {word}: choose one of the starters."
            )
        elif not 1 <= place <= starters:
            yield Refusal(
                f"{field}_not_starter",
                field,
                f"The {word} has to start: choose one of places 1 to {starters}.",
                place=place,
            )
    if wanted.captain == wanted.vice_captain and 1 <= wanted.captain <= starters:
        yield Refusal(
            "same_captain",
            "vice_captain",
            "Captain and vice-captain are the same: choose another vice-captain.",
            place=wanted.vice_captain,
        )


def _of_kickoffs(wanted: Wanted, context: SheetContext) -> Iterator[Refusal]:
    """Whose game has begun stays in their place, in the team or out of it, captain or not."""
    current = context.current
    was = current.picks if current else ("",) * len(wanted.picks)
    named: set[str] = set()
    for place, (old, new) in enumerate(zip(was, wanted.picks, strict=True), start=1):
        for one, act in ((old, "leave"), (new, "come into")):
            if old != new and one not in named and _has_begun(one, context):
                named.add(one)
                yield Refusal(
                    "begun",
                    "picks",
                    f"{context.market[one].name}'s game has begun: they cannot {act} place {place} "
                    "any more.",
                    place=place,
                )
    old_places = (current.captain, current.vice_captain) if current else (0, 0)
    for field, word, old_place, new_place in (
        ("captain", "captain", old_places[0], wanted.captain),
        ("vice_captain", "vice-captain", old_places[1], wanted.vice_captain),
    ):
        before = was[old_place - 1] if old_place else ""
        after = wanted.picks[new_place - 1] if 1 <= new_place <= len(wanted.picks) else ""
        for one in (before, after) if before != after else ():
            if _has_begun(one, context):
                yield Refusal(
                    f"{field}_begun",
                    field,
                    f"{context.market[one].name}'s game has begun: the {word} can no longer change "
                    "from or to them.",
                    place=new_place,
                )


def _has_begun(one: str, context: SheetContext) -> bool:
    return one in context.market and context.market[one].has_begun


def _one_of(positions: tuple[str, ...]) -> str:
    """`QB`, `RB, WR or TE`; long lists in words."""
    if len(positions) > 5:
        return "anybody" if "QB" in positions else "a defensive player"
    return (
        positions[0] if len(positions) == 1 else f"{', '.join(positions[:-1])} or {positions[-1]}"
    )


def closed_words(now: datetime, locks_at: datetime, words: str, earlier: str, later: str) -> str:
    """Why a gameweek takes no team sheet at `now`; empty when it does.

    `words`: the deadline as people read it.

    Gameweeks are picked one after the other, since each is computed from the one before: not while
    an `earlier` one is open, nor when a `later` one is saved already.
    """
    if now >= locks_at:
        return (
            f"The deadline was {words}: this team sheet is locked, what was saved before it counts."
        )
    if earlier:
        return f"{earlier} is still open: save that team sheet; this one opens at its deadline."
    if later:
        return f"Your team sheet for {later} is saved already: change that one."
    return ""
