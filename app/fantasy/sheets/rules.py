"""Every rule that refuses a team sheet, and what a pick does to a draft (PRODUCT B2, G6). Pure.

Money and transfers are in transfers.py, the places of a team in market/formats.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.core.refusals import Refusal
from app.fantasy.amounts import tenths_words
from app.fantasy.sheets.transfers import Costs, Draft, SheetContext

MOST_LISTED = 5  # positions of a place


def refusals(draft: Draft, context: SheetContext, costs: Costs) -> list[Refusal]:
    """Every reason at once why this team sheet cannot be saved; none if it can.

    They are in the order in which a person corrects them: time, places one by one, the whole squad,
    money, captains. If it is too late for any sheet, that is the only reason, because nothing else
    could be corrected.
    """
    faults = list(_of_time(draft, context))
    if context.closed:
        return faults
    if len(draft.picks) != len(context.format.places):
        count = len(context.format.places)
        faults.append(
            Refusal(
                "count",
                "picks",
                f"The lineup has {len(draft.picks)} slots, but {context.format.title} has {count}.",
            )
        )
        return faults
    faults += _of_places(draft, context)
    if not context.format.is_draft:
        faults += _of_squad(draft, context)
        faults += _of_money(costs)
        faults += _of_captains(draft, context)
    if context.locks_each:
        faults += kickoff_refusals(draft, context)
    return faults


def placed(picks: Sequence[str], place: int, footballer: str) -> tuple[str, ...]:
    """The picks with this footballer in this place, from 1.

    A footballer who is in another place swaps places.

    >>> picks = ("a", "b", "")
    >>> placed(picks, 3, "c"), placed(picks, 1, "b"), placed(picks, 1, "")
    (('a', 'b', 'c'), ('b', 'a', ''), ('', 'b', ''))
    """
    changed = list(picks)
    if footballer and footballer in changed:
        changed[changed.index(footballer)] = changed[place - 1]
    changed[place - 1] = footballer
    return tuple(changed)


@dataclass(frozen=True)
class Conflict:
    """A choice that two sides changed differently; the players are ids, '' for nobody.

    `field`: `picks`, `captain` or `vice_captain`. `slot`: the member's, from 1; 0 for none.
    """

    field: str
    slot: int
    chosen_player: str
    saved_player: str


def merged(base: Draft, edited: Draft, saved: Draft) -> tuple[Draft, list[Conflict]]:
    """Apply what was changed from `base` to `edited` to what is saved now (a three-way merge).

    In a conflict the draft has the member's choice. A new captain is a player, not only a slot: it
    conflicts with another player in that slot.

    >>> base, saved = Draft(("a", "b", "c"), 1, 2), Draft(("x", "b", "c"), 3, 2, version=2)
    >>> draft, conflicts = merged(base, Draft(("a", "b", "y"), 1, 2), saved)
    >>> draft.picks, draft.captain, conflicts
    (('x', 'b', 'y'), 1, [Conflict(field='captain', slot=1, chosen_player='a', saved_player='c')])
    >>> draft, conflicts = merged(base, Draft(("z", "b", "c"), 1, 2), saved)
    >>> draft.picks, draft.captain, conflicts
    (('z', 'b', 'c'), 3, [Conflict(field='picks', slot=1, chosen_player='z', saved_player='x')])
    """
    conflicts: list[Conflict] = []
    picks = list(saved.picks)
    triples = zip(base.picks, edited.picks, saved.picks, strict=True)
    for slot, (base_pick, edited_pick, saved_pick) in enumerate(triples, start=1):
        if edited_pick != base_pick:
            picks[slot - 1] = edited_pick
            if saved_pick not in (base_pick, edited_pick):
                conflicts.append(Conflict("picks", slot, edited_pick, saved_pick))
    captains: dict[str, int] = {}
    for field in ("captain", "vice_captain"):
        old, new, stored = (getattr(sheet, field) for sheet in (base, edited, saved))
        chooser, slot = (saved, stored) if new == old else (edited, new)
        is_replaced = slot != old and _pick_in(picks, slot) != _pick_in(chooser.picks, slot)
        if is_replaced or old != new != stored != old:
            slot = new
            players = _pick_in(edited.picks, new), _pick_in(saved.picks, stored)
            conflicts.append(Conflict(field, new, *players))
        captains[field] = slot
    draft = replace(edited, picks=tuple(picks), **captains, version=saved.version, base=saved)
    return draft, conflicts


def _pick_in(picks: Sequence[str], slot: int) -> str:
    return picks[slot - 1] if 1 <= slot <= len(picks) else ""


def conflict_refusals(conflicts: Sequence[Conflict], context: SheetContext) -> list[Refusal]:
    """Say of each conflict who was chosen, who was saved, and what to do."""
    faults = []
    for conflict in conflicts:
        where = conflict.field.capitalize().replace("_", "-")
        if conflict.field == "picks":
            where = f"{context.format.places[conflict.slot - 1].name} (slot {conflict.slot})"
        chosen, saved = (
            context.market[pick].name if pick in context.market else pick or "nobody"
            for pick in (conflict.chosen_player, conflict.saved_player)
        )
        text = (
            f"{where}: you chose {chosen}, but another tab or device saved {saved}. Save again to "
            f"use {chosen}, or choose someone else."
        )
        faults.append(Refusal("conflict", conflict.field, text, place=conflict.slot or None))
    return faults


def _of_time(draft: Draft, context: SheetContext) -> Iterator[Refusal]:
    if context.closed:
        yield Refusal("deadline", "deadline", context.closed)
        return
    saved = context.current.version if context.current else 0
    if draft.version is not None and draft.version != saved:
        yield Refusal(
            "version",
            "version",
            "This lineup was changed elsewhere. Load the saved one, or save yours over it.",
        )


def _of_places(draft: Draft, context: SheetContext) -> Iterator[Refusal]:
    places_of: dict[str, int] = {}
    previous_picks = set(context.previous.picks) if context.previous else set()
    current_picks = context.current.picks if context.current else ()
    for place, (slot, pick) in enumerate(
        zip(context.format.places, draft.picks, strict=True), start=1
    ):
        where = f"{slot.name} (slot {place})"
        if not pick:
            if not context.format.is_draft:
                yield Refusal(
                    "empty",
                    "picks",
                    f"{where} is empty. Choose {_one_of(slot.accepts)}.",
                    place=place,
                )
            continue
        player = context.market.get(pick)
        if player is None:
            yield Refusal(
                "unknown",
                "picks",
                f"{where}: there is no player {pick!r}. Choose another.",
                place=place,
            )
            continue
        first_place = places_of.setdefault(pick, place)
        if first_place != place:
            yield Refusal(
                "twice",
                "picks",
                f"{player.name} is in slots {first_place} and {place}. Choose another player for "
                "one of them.",
                place=place,
            )
        if context.roster is None and not player.is_for_sale and pick not in previous_picks:
            yield Refusal(
                "market",
                "picks",
                f"{player.name} is not available this season. Choose another player.",
                place=place,
            )
        if context.roster is not None and pick not in {*context.roster, *current_picks}:
            yield Refusal(
                "roster",
                "picks",
                f"{player.name} is not on your active roster. Choose another player.",
                place=place,
            )
        if player.position not in slot.accepts:
            yield Refusal(
                "position",
                "picks",
                f"{player.name} plays {player.position}. {where} takes {_one_of(slot.accepts)}.",
                place=place,
            )


def _of_squad(draft: Draft, context: SheetContext) -> Iterator[Refusal]:
    players = [
        context.market[pick] for pick in dict.fromkeys(draft.picks) if pick in context.market
    ]
    if all(draft.picks):  # otherwise the empty places say what is missing
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
                    f"The team has {count[position]} {position} and needs {size}. Pick {change}.",
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
                f"{number} players from {club} ({names}). The limit is {limit} per club: replace "
                f"{number - limit}.",
                is_overridable=True,
            )


def _of_money(costs: Costs) -> Iterator[Refusal]:
    if costs.bank < 0:
        yield Refusal(
            "budget",
            "budget",
            f"The team is {tenths_words(-costs.bank)}m over budget. Choose a cheaper player.",
            is_overridable=True,
        )


def _of_captains(draft: Draft, context: SheetContext) -> Iterator[Refusal]:
    starters = len(context.format.starters)
    for field, place, word in (
        ("captain", draft.captain, "captain"),
        ("vice_captain", draft.vice_captain, "vice-captain"),
    ):
        if place == 0:
            yield Refusal(
                f"{field}_missing", field, f"You have no {word}. Choose one of your starters."
            )
        elif not 1 <= place <= starters:
            yield Refusal(
                f"{field}_not_starter",
                field,
                f"Your {word} must start. Choose one of slots 1 to {starters}.",
                place=place,
            )
    if draft.captain == draft.vice_captain and 1 <= draft.captain <= starters:
        yield Refusal(
            "same_captain",
            "vice_captain",
            "Captain and vice-captain are the same player. Choose another vice-captain.",
            place=draft.vice_captain,
        )


def kickoff_refusals(draft: Draft, context: SheetContext) -> Iterator[Refusal]:
    """Refuse moves of a footballer whose game has begun, into or out of a place or captaincy."""
    current = context.current
    old_picks = current.picks if current else ("",) * len(draft.picks)
    reported: set[str] = set()
    for place, (old, new) in enumerate(zip(old_picks, draft.picks, strict=True), start=1):
        for pick, act in ((old, "leave"), (new, "move into")):
            if old != new and pick not in reported and _has_begun(pick, context):
                reported.add(pick)
                name = context.market[pick].name
                yield Refusal(
                    "begun",
                    "picks",
                    f"{name}'s game has started, so they can no longer {act} slot {place}.",
                    place=place,
                )
    old_places = (current.captain, current.vice_captain) if current else (0, 0)
    for field, word, old_place, new_place in (
        ("captain", "captain", old_places[0], draft.captain),
        ("vice_captain", "vice-captain", old_places[1], draft.vice_captain),
    ):
        if old_place == new_place:
            continue  # at most its player moved, which is refused above
        old_captain = old_picks[old_place - 1] if old_place else ""
        new_captain = draft.picks[new_place - 1] if 1 <= new_place <= len(draft.picks) else ""
        for pick in (old_captain, new_captain) if old_captain != new_captain else ():
            if _has_begun(pick, context):
                name = context.market[pick].name
                yield Refusal(
                    f"{field}_begun",
                    field,
                    f"{name}'s game has started, so it's too late to change the {word}.",
                    place=new_place,
                )


def without_late_moves(draft: Draft, context: SheetContext) -> Draft:
    """The draft with everybody whose game has begun back where the saved sheet has them.

    Moves of others stay, so that a draft from before a kickoff can still be saved: nothing of it is
    left that `kickoff_refusals` refuses. A place that loses its player this way may be empty.
    """
    current = context.current
    if current is None or len(current.picks) != len(draft.picks):
        return draft
    picks, late = draft.picks, _late_place(draft.picks, context)
    while late:  # a place that has its old player again is not touched any more
        picks = placed(picks, late, current.picks[late - 1])
        late = _late_place(picks, context)
    captain, vice_captain = (
        _armband_place(picks, old_place, new_place, context)
        for old_place, new_place in (
            (current.captain, draft.captain),
            (current.vice_captain, draft.vice_captain),
        )
    )
    return replace(draft, picks=picks, captain=captain, vice_captain=vice_captain)


def _late_place(picks: Sequence[str], context: SheetContext) -> int:
    """The first place, from 1, that somebody left or took after their kickoff; 0 for none."""
    assert context.current is not None
    for place, (old, new) in enumerate(zip(context.current.picks, picks, strict=True), start=1):
        if old != new and (_has_begun(old, context) or _has_begun(new, context)):
            return place
    return 0


def _armband_place(
    picks: Sequence[str], old_place: int, new_place: int, context: SheetContext
) -> int:
    """The place of a captaincy, which stays with its old player if it changed after a kickoff."""
    assert context.current is not None
    old_captain = context.current.picks[old_place - 1] if old_place else ""
    new_captain = picks[new_place - 1] if 1 <= new_place <= len(picks) else ""
    if old_captain == new_captain or not (
        _has_begun(old_captain, context) or _has_begun(new_captain, context)
    ):
        return new_place
    return picks.index(old_captain) + 1 if old_captain in picks and old_captain else 0


def _has_begun(footballer_id: str, context: SheetContext) -> bool:
    return footballer_id in context.market and context.market[footballer_id].has_begun


def _one_of(positions: tuple[str, ...]) -> str:
    """The positions as in `QB` or `RB, WR or TE`; many of them in words."""
    if len(positions) > MOST_LISTED:
        return "any player" if "QB" in positions else "a defender"
    return (
        positions[0] if len(positions) == 1 else f"{', '.join(positions[:-1])} or {positions[-1]}"
    )


def closed_words(now: datetime, locks_at: datetime, words: str, earlier: str, later: str) -> str:
    """Why a gameweek takes no team sheet at `now`; empty if it does.

    Gameweeks are picked one after the other, because each is computed from the one before: not
    while an earlier one is open, nor after a later one is saved.

    Args:
        now: The moment.
        locks_at: The deadline.
        words: The deadline as people read it.
        earlier: The name of an earlier gameweek that is open; empty for none.
        later: The name of a later gameweek with a saved sheet; empty for none.
    """
    if now >= locks_at:
        return f"Locked at {words}. Only a lineup saved before then counts."
    if earlier:
        return (
            f"{earlier} is still open. Edit that lineup first; this week opens once that one locks."
        )
    if later:
        return f"You already saved your {later} lineup. Edit that one."
    return ""
