"""The state of a draft: the fold of its events. Pure; who asked for an event is checked before.

`settling` says what the clock decides, `acts` what members and the commissioner may do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from app.draft_leagues.drafts import auction, events
from app.draft_leagues.drafts.auction import Offer, Standing
from app.draft_leagues.drafts.clock import Hours
from app.draft_leagues.drafts.events import Event
from app.draft_leagues.drafts.order import Slot, slots_of
from app.draft_leagues.drafts.plan import DraftPlan

Status = Literal["waiting", "running", "paused", "completed"]
By = Literal["member", "automatic", "commissioner", "keeper"]
MISSES_UNTIL_AUTOPILOT = 2
NO_PICK = 0  # in place of a pick's number


@dataclass(frozen=True)
class Pick:
    """A footballer whom a franchise has. `price` is 0 unless it is an auction.

    Attributes:
        number: Of the pick, or of the sale, from 1.
        round: Of an auction: the how manieth footballer of the franchise.
        nominator: Of an auction: who put the footballer up.
    """

    number: int
    round: int
    franchise: int
    footballer_id: str
    by: By
    at: datetime | None
    price: int = 0
    nominator: int | None = None


@dataclass
class Lot:
    """The footballer who is up for auction.

    Attributes:
        offers: Secret maximums, in order of time.
        opened_at: When the footballer was nominated.
    """

    footballer_id: str
    nominator: int
    opened_at: datetime
    offers: list[Offer] = field(default_factory=list)

    @property
    def standing(self) -> Standing:
        """Who leads at which price."""
        return auction.standing(self.offers)

    def maximum_of(self, franchise: int) -> int | None:
        """The franchise's own secret maximum; None if it has said nothing."""
        maximums = [offer.maximum for offer in self.offers if offer.franchise == franchise]
        return maximums[-1] if maximums else None


class Draft:
    """The state after some events. `apply` takes the next one.

    Attributes:
        slots: Every pick in order; of an auction none.
        picks: Who has been drafted, by number, in the order of time.
        taken: The number of the pick of each footballer; NO_PICK for those who stay without one.
        lot: Of an auction: who is up; None while a nomination is awaited.
        turn_started_at: When the present turn began, or its clock was started again.
        deadline: When the clock of the present turn runs out; None without a clock.
        remaining: While paused: how many seconds the clock had left.
        autopilots: Since when each franchise is drafted for; None: from the beginning.
        vacated: The franchises that are drafted for because nobody could act for them.
        is_delayed: Whether the present clock was started again after an outage.
        draws: How often a lottery was held: 0 or 1.
        version: How many events there were.
    """

    def __init__(self, plan: DraftPlan) -> None:
        self.plan = plan
        self.hours = Hours(plan.night_pause, plan.time_zone)
        self.slots: tuple[Slot, ...] = () if plan.is_auction else slots_of(plan)
        self.status: Status = "waiting"
        self.picks: dict[int, Pick] = {}
        self.taken: dict[str, int] = {}
        self.lot: Lot | None = None
        self.turn_started_at: datetime | None = None
        self.deadline: datetime | None = None
        self.remaining: float | None = None
        self.autopilots: dict[int, datetime | None] = dict.fromkeys(plan.autopilots)
        self.vacated: set[int] = set()
        self.is_delayed = False
        self.last_at: datetime | None = None
        self.draws = 0
        self.version = 0
        self._sizes: Counter[int] = Counter()
        self._spent: Counter[int] = Counter()
        self._misses: Counter[int] = Counter()
        self._nominator: int | None = None
        self._keep()

    @property
    def on_turn(self) -> int | None:
        """The franchise that picks or nominates; None before the start and at the end."""
        if self.status in ("waiting", "completed"):
            return None
        if self.plan.is_auction:
            return self._nominator
        slot = self.slot
        return slot.owner if slot else None

    @property
    def slot(self) -> Slot | None:
        """The pick whose turn it is. Picks of a full franchise are passed over."""
        for slot in self.slots:
            if slot.number not in self.picks and self.open_places(slot.owner):
                return slot
        return None

    @property
    def expected(self) -> int:
        """The number that the next pick or sale gets; after the last one, one more."""
        if self.plan.is_auction:
            return len(self.picks) + 1
        slot = self.slot
        return slot.number if slot else len(self.slots) + 1

    def open_places(self, franchise: int) -> int:
        """How many footballers the franchise can still take."""
        return max(0, self.plan.places - self._sizes[franchise])

    def budget(self, franchise: int) -> int:
        """What the franchise can still spend."""
        return self.plan.budget - self._spent[franchise]

    def most(self, franchise: int) -> int:
        """The franchise's highest possible bid; 0 if it has no place left."""
        open_places = self.open_places(franchise)
        return auction.most(self.budget(franchise), open_places) if open_places else 0

    def roster(self, franchise: int) -> list[Pick]:
        """The franchise's footballers, in the order in which they came."""
        return [pick for pick in self.picks.values() if pick.franchise == franchise]

    def footballers_of(self, franchise: int) -> list[str]:
        """The ids of everybody whom the franchise has: in a rookie draft first those who stayed."""
        stayed = self.plan.keepers if self.plan.is_rookie_draft else ()
        footballers = [each.footballer_id for each in stayed if each.franchise == franchise]
        return footballers + [pick.footballer_id for pick in self.roster(franchise)]

    def coming(self, limit: int) -> list[Slot]:
        """The next picks, the present one first."""
        open_slots = [
            slot
            for slot in self.slots
            if slot.number not in self.picks and self.open_places(slot.owner)
        ]
        return open_slots[:limit]

    def undoable(self) -> Pick | None:
        """The latest pick or sale, which the commissioner may take back."""
        picks = [pick for pick in self.picks.values() if pick.by != "keeper"]
        return picks[-1] if picks else None

    def apply(self, event: Event) -> None:
        """Take the next event of the draft."""
        self.version += 1
        self.last_at = event.at if self.last_at is None else max(self.last_at, event.at)
        match event:
            case events.Drawn():
                self.draws += 1
            case events.Started():
                self.status = "running"
                self._nominator = self._next_nominator(None)
                self._start_turn(event.at)
            case events.Picked():
                self._pick(event)
            case events.Nominated() | events.Bid() | events.Sold():
                self._auction(event)
            case events.Paused() | events.Resumed() | events.Delayed():
                self._move_clock(event)
            case events.Autopilot():
                self._note_owner(event)
                self._set_autopilot(event.franchise, is_on=event.is_on, at=event.at)
            case events.Undone():
                self._undo(event.at)
            case events.Replaced():
                self._replace(event)
            case events.Traded():
                self._trade(event)
            case events.Completed():
                self.status = "completed"
                self.lot = self.deadline = self.remaining = None

    def _keep(self) -> None:
        if self.plan.is_rookie_draft:
            self.taken |= {keeper.footballer_id: NO_PICK for keeper in self.plan.keepers}
        for slot in self.slots:
            if slot.keeper_id is not None:
                pick = Pick(slot.number, slot.round, slot.owner, slot.keeper_id, "keeper", None)
                self._add(pick)
        if self.plan.is_auction:
            for number, keeper in enumerate(self.plan.keepers_with_picks, start=1):
                round_number = self._sizes[keeper.franchise] + 1
                self._add(
                    Pick(
                        number,
                        round_number,
                        keeper.franchise,
                        keeper.footballer_id,
                        "keeper",
                        None,
                        keeper.price,
                    )
                )

    def _add(self, pick: Pick) -> None:
        self.picks[pick.number] = pick
        self.taken[pick.footballer_id] = pick.number
        self._sizes[pick.franchise] += 1
        self._spent[pick.franchise] += pick.price

    def _pick(self, event: events.Picked) -> None:
        slot = self.slots[event.number - 1]
        self._add(
            Pick(event.number, slot.round, event.franchise, event.footballer_id, event.by, event.at)
        )
        self._note_presence(event.franchise, event.by, event.at)
        self._start_turn(event.at)

    def _auction(self, event: events.Nominated | events.Bid | events.Sold) -> None:
        match event:
            case events.Nominated():
                self.lot = Lot(event.footballer_id, event.franchise, event.at)
                self.lot.offers.append(Offer(event.franchise, event.maximum))
                self._note_presence(event.franchise, event.by, event.at)
                self._start_clock(event.at, self.plan.seconds_per_bid)
            case events.Bid():
                self._bid(event)
            case events.Sold():
                assert self.lot is not None
                round_number = self._sizes[event.franchise] + 1
                nominator = self.lot.nominator
                self._add(
                    Pick(
                        len(self.picks) + 1,
                        round_number,
                        event.franchise,
                        event.footballer_id,
                        "member",
                        event.at,
                        event.price,
                        nominator,
                    )
                )
                self.lot = None
                self._nominator = self._next_nominator(nominator)
                self._start_turn(event.at)

    def _bid(self, event: events.Bid) -> None:
        assert self.lot is not None
        before = self.lot.standing
        self.lot.offers.append(Offer(event.franchise, event.maximum))
        if event.by == "member":
            self._note_presence(event.franchise, event.by, event.at)
        if self.lot.standing != before:
            self._start_clock(event.at, self.plan.seconds_per_bid)

    def _move_clock(self, event: events.Paused | events.Resumed | events.Delayed) -> None:
        match event:
            case events.Paused():
                self.status = "paused"
                if self.deadline is not None:
                    self.remaining = self.hours.seconds_between(event.at, self.deadline)
                self.deadline = None
            case events.Resumed():
                self.status = "running"
                remaining, self.remaining = self.remaining, None
                self.turn_started_at = event.at
                if remaining is not None:
                    self.deadline = self.hours.deadline(event.at, remaining)
            case events.Delayed():
                self._start_clock(event.at, self._turn_seconds())
                self.is_delayed = True

    def _undo(self, at: datetime) -> None:
        if self.lot is not None:
            self.lot = None
        elif (latest := self.undoable()) is not None:
            del self.picks[latest.number]
            del self.taken[latest.footballer_id]
            self._sizes[latest.franchise] -= 1
            self._spent[latest.franchise] -= latest.price
            if latest.nominator is not None:
                self._nominator = latest.nominator
        self._start_turn(at)

    def _replace(self, event: events.Replaced) -> None:
        before = self.picks[event.number]
        del self.taken[before.footballer_id]
        self.taken[event.footballer_id] = event.number
        self.picks[event.number] = Pick(
            before.number,
            before.round,
            before.franchise,
            event.footballer_id,
            "commissioner",
            before.at,
            before.price,
            before.nominator,
        )

    def _trade(self, event: events.Traded) -> None:
        traded = event.round, event.original
        self.slots = tuple(
            replace(slot, owner=event.owner) if (slot.round, slot.original) == traded else slot
            for slot in self.slots
        )

    def _note_presence(self, franchise: int, by: By, at: datetime) -> None:
        """Who acts is here; who lets two clocks run out in a row is drafted for."""
        if by == "member":
            self._misses[franchise] = 0
            self.autopilots.pop(franchise, None)
        elif by == "automatic" and franchise not in self.autopilots:
            self._misses[franchise] += 1
            if self._misses[franchise] >= MISSES_UNTIL_AUTOPILOT:
                self._set_autopilot(franchise, is_on=True, at=at)

    def _note_owner(self, event: events.Autopilot) -> None:
        if event.cause == "vacated":
            self.vacated.add(event.franchise)
        elif event.cause == "taken_over":
            self.vacated.discard(event.franchise)

    def _set_autopilot(self, franchise: int, *, is_on: bool, at: datetime) -> None:
        self._misses[franchise] = 0
        if is_on:
            self.autopilots[franchise] = at
        else:
            self.autopilots.pop(franchise, None)

    def _next_nominator(self, after: int | None) -> int | None:
        """The next franchise in the order that has a place left."""
        if not self.plan.is_auction:
            return None
        order = self.plan.order
        first = 0 if after is None else order.index(after) + 1
        circle = order[first:] + order[:first]
        return next((franchise for franchise in circle if self.open_places(franchise)), None)

    def _start_turn(self, at: datetime) -> None:
        self._start_clock(at, self.plan.seconds_per_pick)

    def _start_clock(self, at: datetime, seconds: float) -> None:
        """Start the clock of a turn. While the draft is paused, it gets all of its time."""
        self.is_delayed = False
        self.turn_started_at = at
        if not self.plan.has_clock:
            return
        if self.status == "paused":
            self.remaining = seconds
        else:
            self.deadline = self.hours.deadline(at, seconds)

    def _turn_seconds(self) -> int:
        return self.plan.seconds_per_bid if self.lot else self.plan.seconds_per_pick


def fold(plan: DraftPlan, happened: Iterable[Event]) -> Draft:
    """Return the state after these events."""
    draft = Draft(plan)
    for event in happened:
        draft.apply(event)
    return draft
