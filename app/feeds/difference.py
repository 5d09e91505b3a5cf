"""Works out the events that turn a game as a feed entered it into the game as its file has it now.

Both are sequences of groups: the events of one play of the publisher, or an event of the course of
the game. A group that is new is entered, one that changed is corrected in the fewest events, and
one that is gone is nullified. Pure, except that it reads the fold of accepted events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile

import msgspec

from app.record import events as ev
from app.record.finality import may_follow_final
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.effective_events import Fold
from scorer_console.record.numbering import Entry

PREFIX = "feed:"  # of the idempotency keys of a feed's events, before group and event number
CHANGED, REMOVED = "The league corrected the play-by-play", "No longer in the play-by-play"
_FINAL, _ENDED = "final", "ended"
_MOST_NULLIFIED = 100  # events of one nullify
_TOO_DEAR = 1_000_000
_CREDIT = ev.Tackle | ev.Credit
_ALONE = ev.Snap | ev.Timeout | ev.Period | ev.GameStarted | ev.GameEnded | ev.Final | ev.Penalty


@dataclass(frozen=True)
class Group:
    """Events of the file that belong together: those of a play, or one of the course of the game.

    `key`: the publisher's play id, or what the event is; it never has a colon.
    """

    key: str
    bodies: tuple[ev.Body, ...]


@dataclass(frozen=True)
class EnteredGroup:
    """What the feed entered of a group: the number and body of each event that counts, in order.

    `play_number`: the record's play that the events belong to.
    """

    play_number: int
    events: tuple[tuple[int, ev.Body], ...]


@dataclass
class Difference:
    """The entries that turn the record into the file, and what they are.

    Attributes:
        entered: How many plays are new; `corrected` and `removed` likewise.
        declares_final: Whether the final score is declared.
    """

    entries: list[Entry] = field(default_factory=list)
    entered: int = 0
    corrected: int = 0
    removed: int = 0
    declares_final: bool = False


def groups_of(steps: Iterable[tuple[int | None, ev.Body]]) -> list[Group]:
    """Group a game's events, each with its publisher's play id, in the order of the game."""
    keys = _keys(steps)
    groups = []
    for key, pairs in groupby(keys, key=lambda pair: pair[0]):
        groups.append(Group(key, tuple(body for _, body in pairs)))
    return groups


def _keys(steps: Iterable[tuple[int | None, ev.Body]]) -> Iterator[tuple[str, ev.Body]]:
    snaps: dict[int | None, int] = {}
    for play_id, body in steps:
        match body:
            case ev.GameStarted():
                yield "started", body
            case ev.Period():
                yield f"period {body.period} {body.phase}", body
            case ev.GameEnded():
                yield _ENDED, body
            case ev.Final():
                yield _FINAL, body
            case _:
                # A score that the file has no play for is a second play of the same id.
                snaps[play_id] = snaps.get(play_id, 0) + isinstance(body, ev.Snap)
                again = snaps[play_id]
                yield f"{play_id}" if again < 2 else f"{play_id} {again}", body  # noqa: PLR2004


def entered_groups(accepted: AcceptedEvents) -> dict[str, EnteredGroup]:
    """What the feed has entered of each group so far, by key; also of groups that it took back."""
    fold = accepted.fold
    numbers: dict[str, list[ev.GameEvent]] = {}
    for entry, event in zip(accepted.entries, fold.entered, strict=True):
        if entry.startswith(PREFIX) and not isinstance(event.body, ev.Correction):
            numbers.setdefault(entry.removeprefix(PREFIX), []).append(event)
    return {
        key: EnteredGroup(events[-1].play_number, tuple(_standing(fold, events)))
        for key, events in numbers.items()
    }


def _standing(fold: Fold, events: Sequence[ev.GameEvent]) -> Iterator[tuple[int, ev.Body]]:
    bodies = [(event.event_number, fold.body(event.event_number)) for event in events]
    counted = [(number, body) for number, body in bodies if body is not None]
    yield from sorted(counted, key=lambda pair: (_place(*pair), pair[0]))


def is_foreign(entry: str) -> bool:
    """Whether an entry of a game is of somebody else, who decides about the game from then on.

    A status that a schedule or an operator declares belongs to no scorer.
    """
    return not entry.startswith((PREFIX, "declaring-"))


def difference(groups: Sequence[Group], accepted: AcceptedEvents) -> Difference:
    """The entries that make the record say what the groups say; none if it does already."""
    return _Comparison(groups, accepted).compare()


class _Comparison:
    """One comparison; used once.

    `number` and `last_play` are the last numbers so far, `play` the record's play of the group
    before, and `places` where moved plays stand.
    """

    def __init__(self, groups: Sequence[Group], accepted: AcceptedEvents) -> None:
        self.groups = groups
        self.entered = entered_groups(accepted)
        self.number = accepted.last_number
        self.last_play = max((event.play_number for event in accepted.fold.entered), default=0)
        self.play = 0
        self.places: dict[int, float] = dict(accepted.fold.play_places)
        self.is_formal = bool(self._standing(_FINAL))
        self.result = Difference()

    def compare(self) -> Difference:
        reopens = self.is_formal and any(not may_follow_final(body) for body in self._new_bodies())
        if reopens:
            self._take_out([_FINAL])
        for place, group in enumerate(self.groups):
            self._take_out(
                [other.key for other in takewhile(self._is_overtaken, self.groups[place:])]
            )
            standing = self._standing(group.key)
            if not standing:
                self._enter(group, self._next_place(place))
            elif _begins_with_snap(group.bodies) and not _has_snap(standing):
                # What was no play is one now.
                self._nullify(group.key, [number for number, _ in standing])
                self._enter(group, self._next_place(place))
            else:
                self._correct(group, standing)
        keys = {group.key for group in self.groups}
        for key in self.entered:
            if key not in keys and (standing := self._standing(key)):
                self._nullify(key, [number for number, _ in standing])
                self.result.removed += _has_snap(standing)
        return self.result

    def _standing(self, key: str) -> tuple[tuple[int, ev.Body], ...]:
        entered = self.entered.get(key)
        return entered.events if entered else ()

    def _is_overtaken(self, group: Group) -> bool:
        """Whether it is an event between plays that stands before the play it comes after now."""
        entered = self.entered.get(group.key)
        if entered is None or not entered.events or _has_snap(entered.events):
            return False
        return self._place_of(entered.play_number) < self._place_of(self.play)

    def _take_out(self, keys: Sequence[str]) -> None:
        """Nullify what stands of these groups, which are entered again."""
        numbers = [number for key in keys for number, _ in self._standing(key)]
        if numbers:
            self._nullify(keys[0], numbers)
        for key in keys:
            self.entered.pop(key, None)

    def _place_of(self, play: int) -> float:
        return self.places.get(play, play)

    def _new_bodies(self) -> Iterator[ev.Body]:
        """The bodies that have to be new events, apart from the final score."""
        for group in self.groups:
            if group.key == _FINAL:
                continue
            pairs = align(_bodies(self._standing(group.key)), group.bodies)
            matched = {place for _, place in pairs}
            for place, body in enumerate(group.bodies):
                if place not in matched:
                    yield body

    def _next_place(self, place: int) -> float | None:
        """The place of the next play that the feed entered before; None if there is none."""
        for group in self.groups[place + 1 :]:
            if _has_snap(self._standing(group.key)):
                return self._place_of(self.entered[group.key].play_number)
        return None

    def _enter(self, group: Group, next_place: float | None) -> None:
        """Enter a group that is new: after all others, or before the play at `next_place`."""
        for body in group.bodies:
            if isinstance(body, ev.Snap):
                place = None
                if next_place is not None:
                    place = (self._place_of(self.play) + next_place) / 2
                self._add(group.key, msgspec.structs.replace(body, play_place=place), None)
            else:
                self._add(group.key, body, self.play)
        self.result.entered += _begins_with_snap(group.bodies)
        self.result.declares_final |= group.key == _FINAL

    def _correct(self, group: Group, standing: Sequence[tuple[int, ev.Body]]) -> None:
        """Turn what stands of a group into its bodies."""
        count = len(self.result.entries)
        self.play = self.entered[group.key].play_number
        alignment = {place: was_at for was_at, place in align(_bodies(standing), group.bodies)}
        matched = set(alignment.values())
        self._nullify(
            group.key,
            [number for place, (number, _) in enumerate(standing) if place not in matched],
        )
        places = [
            _place(*standing[alignment[place]]) if place in alignment else None
            for place in range(len(group.bodies))
        ]
        for place, body in enumerate(group.bodies):
            if place in alignment:
                number, was = standing[alignment[place]]
                if not _is_same(was, body):
                    self._add(group.key, self._correction(number, body), self.play)
                continue
            inserted = _between(places, place)
            if inserted is not None:
                body = msgspec.structs.replace(body, place=inserted)
            self._add(group.key, body, self.play)
            places[place] = inserted if inserted is not None else self.number
        if len(self.result.entries) > count:
            self.result.corrected += 1

    def _correction(self, number: int, ruling: ev.Body) -> ev.Body:
        assert isinstance(ruling, ev.Fact)
        if self.is_formal:
            return ev.StatCorrection(event=number, ruling=ruling, reason=CHANGED)
        return ev.Overturn(event=number, ruling=ruling, by_scorer=True)

    def _nullify(self, key: str, numbers: Sequence[int]) -> None:
        for first in range(0, len(numbers), _MOST_NULLIFIED):
            events = tuple(numbers[first : first + _MOST_NULLIFIED])
            self._add(key, ev.Nullify(events=events, reason=REMOVED), self.play)

    def _add(self, key: str, body: ev.Body, play_number: int | None) -> None:
        """Add an entry. With `play_number` None it is a snap, which begins the next play."""
        self.number += 1
        self.result.entries.append(
            Entry(body, f"{PREFIX}{key}:{self.number}", play_number, number=self.number)
        )
        if play_number is None:
            self.last_play += 1
            self.play = self.last_play
            if isinstance(body, ev.Snap) and body.play_place is not None:
                self.places[self.play] = body.play_place


def align(was: Sequence[ev.Body], becomes: Sequence[ev.Body]) -> list[tuple[int, int]]:
    """Pair what stands with what it becomes, so that the fewest events are needed.

    An unequal pair costs an event, and so does each new body. All that is removed costs one event
    together. Among equally cheap ways, pairs of the same kind are preferred.

    Returns:
        Places in `was` and `becomes`, in order.
    """
    removing = _cheapest(was, becomes, price_of_removing=0)
    keeping = _cheapest(was, becomes, price_of_removing=_TOO_DEAR)
    one_nullify = 1 if len(removing.pairs) < len(was) else 0
    is_cheaper = (keeping.events, keeping.kinds) <= (removing.events + one_nullify, removing.kinds)
    return list((keeping if is_cheaper else removing).pairs)


@dataclass(frozen=True)
class _Alignment:
    """Pairs, the number of events that they cost, and how many pair different kinds."""

    events: int = 0
    kinds: int = 0
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def order(self) -> tuple[int, int]:
        return self.events, self.kinds


def _cheapest(
    was: Sequence[ev.Body], becomes: Sequence[ev.Body], price_of_removing: int
) -> _Alignment:
    """The cheapest alignment, if removing a body costs so many events."""
    table: dict[tuple[int, int], _Alignment] = {}
    for i in range(len(was), -1, -1):
        for j in range(len(becomes), -1, -1):
            options = []
            if i < len(was) and j < len(becomes) and _may_become(was[i], becomes[j]):
                cheapest = table[i + 1, j + 1]
                unequal = not _is_same(was[i], becomes[j])
                other_kind = type(was[i]) is not type(becomes[j])
                options.append(
                    _Alignment(
                        cheapest.events + unequal,
                        cheapest.kinds + other_kind,
                        ((i, j), *cheapest.pairs),
                    )
                )
            if i < len(was):
                cheapest = table[i + 1, j]
                options.append(replace(cheapest, events=cheapest.events + price_of_removing))
            if j < len(becomes):
                cheapest = table[i, j + 1]
                options.append(replace(cheapest, events=cheapest.events + 1))
            table[i, j] = min(options, key=lambda option: option.order, default=_Alignment())
    return table[0, 0]


def _may_become(was: ev.Body, becomes: ev.Body) -> bool:
    """Whether an event can stay as it is, or be corrected to the other body.

    Reviews cannot be corrected, a snap stays a snap, and a movement of the ball never becomes a
    credit.
    """
    if _is_same(was, becomes):
        return True
    if not (isinstance(was, ev.Fact) and isinstance(becomes, ev.Fact)):
        return False
    if isinstance(was, _ALONE) or isinstance(becomes, _ALONE):
        return type(was) is type(becomes)
    return isinstance(was, _CREDIT) == isinstance(becomes, _CREDIT)


def _is_same(was: ev.Body, becomes: ev.Body) -> bool:
    """Whether both say the same, wherever they stand in the order of the game."""
    return _unplaced(was) == _unplaced(becomes)


def _unplaced(body: ev.Body) -> ev.Body:
    if isinstance(body, ev.Snap):
        return msgspec.structs.replace(body, place=None, play_place=None)
    return msgspec.structs.replace(body, place=None)


def _place(number: int, body: ev.Body) -> float:
    return number if body.place is None else body.place


def _between(places: Sequence[float | None], at: int) -> float | None:
    """A place between the neighbours of a new event; None for one after all others."""
    later = next((place for place in places[at + 1 :] if place is not None), None)
    if later is None:
        return None
    earlier = next((place for place in reversed(places[:at]) if place is not None), later - 1)
    return (earlier + later) / 2


def _bodies(standing: Iterable[tuple[int, ev.Body]]) -> list[ev.Body]:
    return [body for _, body in standing]


def _begins_with_snap(bodies: Sequence[ev.Body]) -> bool:
    return bool(bodies) and isinstance(bodies[0], ev.Snap)


def _has_snap(standing: Iterable[tuple[int, ev.Body]]) -> bool:
    return any(isinstance(body, ev.Snap) for _, body in standing)
