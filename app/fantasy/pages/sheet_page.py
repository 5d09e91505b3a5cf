"""The team sheet editor as its template needs it. A draft lives in the page's address, nothing of it is stored.

Lives here: places, sums, the market's rows and what they would do to the draft, as frozen rows with their words.
Not here: what may be saved (sheets/rules.py), reading and writing (sheets/services.py, market/listing.py), requests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.fantasy.amounts import decimal_points, tenths_words
from app.fantasy.market.formats import IDP, Format, Slot
from app.fantasy.market.listing import PAGE_ROWS, Filter, Fixture, Listed
from app.fantasy.market.models import Gameweek
from app.fantasy.sheets.rules import Refusal
from app.fantasy.sheets.transfers import Candidate, Situation, Wanted, account, sale_price

STATUS_WORDS = {"doubtful": "Doubtful", "injured": "Injured", "suspended": "Suspended", "left": "Left"}


@dataclass(frozen=True)
class Man:
    """A footballer on a row. `price`: what he brings or costs this gamer now. `alert`: why he may not play."""

    id: str
    name: str
    position: str
    club_id: str
    club: str
    price: str
    points: str
    form: str
    selected: str
    fixture: str
    alert: str
    news: str


@dataclass(frozen=True)
class Place:
    """`number` from 1. `is_locked`: his game has begun. `is_new`: he was not in last gameweek's team."""

    number: int
    slot: str
    takes: str
    man: Man | None
    is_captain: bool
    is_vice_captain: bool
    is_locked: bool
    is_new: bool
    faults: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.man.name if self.man else "nobody"


@dataclass(frozen=True)
class Sums:
    """`share`: how much of the money is spent, 0 to 1000. `transfers` is empty before there can be any."""

    bank: str
    budget: str
    share: int
    is_over: bool
    filled: int
    places: int
    transfers: str
    clubs_over: tuple[str, ...]


@dataclass(frozen=True)
class Offer:
    """A row of the market. `action`: pick, swap, here (he stands in the chosen place), in, full or begun.

    `over`: by how much the team would be too dear; empty: it would not.
    """

    man: Man
    action: str
    over: str


@dataclass(frozen=True)
class Market:
    """`place`: the one that is chosen, 0: none; `takes`: who may stand there, where the slot's name does not say it."""

    place: int
    slot: str
    takes: str
    occupant: str
    offers: tuple[Offer, ...]
    count: int
    page: int
    pages: int


@dataclass(frozen=True)
class Editor:
    """`state`: new, carried or saved. `closed`: why nothing can be saved, in a sentence; empty: it can."""

    starters: tuple[Place, ...]
    substitutes: tuple[Place, ...]
    sums: Sums
    market: Market
    refusals: tuple[Refusal, ...]
    state: str
    closed: str
    captain_is_fixed: bool
    vice_captain_is_fixed: bool


@dataclass(frozen=True)
class Board:
    """What the rows are made of: the market's entries of all who are named, and who plays whom, in this time zone."""

    listed: Mapping[str, Listed]
    fixtures: Mapping[str, Fixture]
    time_zone: str


def editor(
    draft: Wanted,
    situation: Situation,
    board: Board,
    gameweek: Gameweek,
    offers: tuple[Sequence[Listed], int],
    chosen: int,
    wanted: Filter,
    refusals: Sequence[Refusal],
) -> Editor:
    """The page of this draft. `offers`: a page of the market and how many match."""
    format, present = situation.format, situation.present
    places = tuple(
        _place(number, slot, one, draft, situation, board, refusals)
        for number, (slot, one) in enumerate(zip(format.places, draft.picks, strict=True), start=1)
    )
    state = "new" if present is None else "saved" if present.edition else "carried"
    starting = len(format.starters)
    return Editor(
        places[:starting],
        places[starting:],
        sums(draft, situation),
        _market(draft, situation, board, offers, chosen, wanted),
        tuple(refusals),
        state,
        situation.closed,
        _is_fixed(situation, present.captain if present else 0),
        _is_fixed(situation, present.vice_captain if present else 0),
    )


def sums(draft: Wanted, situation: Situation) -> Sums:
    """Money, places and transfers of a draft, whether it could be saved or not."""
    total = account(draft.picks, situation)
    limits = situation.limits
    worth = sum(_worth(situation.market[one], situation) for one in set(draft.picks) if one in situation.market)
    everything = worth + total.bank
    clubs = Counter(
        situation.market[one].club for one in set(draft.picks) if one in situation.market and situation.market[one].club
    )
    return Sums(
        bank=tenths_words(total.bank),
        budget=tenths_words(everything),
        share=max(0, min(1000, worth * 1000 // everything)) if everything > 0 else 1000,
        is_over=total.bank < 0,
        filled=sum(1 for one in draft.picks if one),
        places=len(draft.picks),
        transfers=transfer_words(total.transfers, total.free_transfers, total.cost) if situation.before else "",
        clubs_over=tuple(f"{club} {n} of {limits.club_limit}" for club, n in clubs.items() if n > limits.club_limit),
    )


def transfer_words(made: int, free: int | None, cost: int) -> str:
    """
    >>> transfer_words(0, 2, 0), transfer_words(3, 1, 8000), transfer_words(1, None, 0)
    ('0 of 2 free', '3 of 1 free, -8.00 points', '1, without limit')
    """
    if free is None:
        return f"{made}, without limit"
    return f"{made} of {free} free" + (f", -{decimal_points(cost)} points" if cost else "")


def first_free(format: Format, picks: Sequence[str], position: str) -> int:
    """The first empty place that takes the position, from 1; 0: there is none."""
    pairs = enumerate(zip(format.places, picks, strict=True), start=1)
    return next((number for number, (slot, one) in pairs if not one and position in slot.accepts), 0)


def next_empty(picks: Sequence[str], after: int) -> int:
    """The next empty place after this one, round to the first; 0: all are taken."""
    count = len(picks)
    order = [*range(after, count), *range(after)]
    return next((index + 1 for index in order if not picks[index]), 0)


def position_choices(format: Format, chosen: int) -> list[tuple[str, str]]:
    """Value and words of the position filter for a place (0: for all); all of individual defence is one choice."""
    takes = format.places[chosen - 1].accepts if chosen else format.positions
    choices = [(one, one) for one in takes if one not in IDP]
    return choices + ([("IDP", "Defence")] if any(one in IDP for one in takes) else [])


def positions_of(choice: str, format: Format, slot: Slot | None) -> tuple[str, ...]:
    """The positions to list: the choice's, as far as the chosen place takes them; the place's where they share none."""
    takes = slot.accepts if slot else format.positions
    named = IDP if choice == "IDP" else (choice,)
    return tuple(one for one in named if one in takes) or takes


def time_left(moment: datetime, now: datetime) -> str:
    """
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


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _place(
    number: int,
    slot: Slot,
    one: str,
    draft: Wanted,
    situation: Situation,
    board: Board,
    refusals: Sequence[Refusal],
) -> Place:
    candidate = situation.market.get(one)
    before = situation.before
    return Place(
        number=number,
        slot=slot.name,
        takes=slot_words(slot),
        man=_man(candidate, situation, board) if candidate else None,
        is_captain=draft.captain == number,
        is_vice_captain=draft.vice_captain == number,
        is_locked=bool(situation.locks_each and _stands_since_kickoff(number, situation)),
        is_new=bool(one and before and one not in before.picks),
        faults=tuple(refusal.message for refusal in refusals if refusal.place == number),
    )


def slot_words(slot: Slot) -> str:
    """`RB, WR, TE`; long lists in words; empty where the slot's name says it."""
    if slot.accepts == (slot.name,):
        return ""
    if len(slot.accepts) <= 4:
        return ", ".join(slot.accepts)
    return "anybody" if "QB" in slot.accepts else "any defensive player"


def _stands_since_kickoff(number: int, situation: Situation) -> bool:
    one = situation.present.picks[number - 1] if situation.present else ""
    return one in situation.market and situation.market[one].has_begun


def _is_fixed(situation: Situation, place: int) -> bool:
    return bool(situation.locks_each and place and _stands_since_kickoff(place, situation))


def _market(
    draft: Wanted,
    situation: Situation,
    board: Board,
    offers: tuple[Sequence[Listed], int],
    chosen: int,
    wanted: Filter,
) -> Market:
    rows, count = offers
    slot = situation.format.places[chosen - 1] if chosen else None
    occupant = draft.picks[chosen - 1] if chosen else ""
    bank = account(draft.picks, situation).bank
    freed = _worth(situation.market[occupant], situation) if occupant in situation.market else 0
    return Market(
        place=chosen,
        slot=slot.name if slot else "",
        takes=slot_words(slot) if slot else "",
        occupant=situation.market[occupant].name if occupant in situation.market else "",
        offers=tuple(_offer(row, draft, situation, board, chosen, bank + freed) for row in rows),
        count=count,
        page=wanted.page,
        pages=max(1, -(-count // PAGE_ROWS)),
    )


def _offer(row: Listed, draft: Wanted, situation: Situation, board: Board, chosen: int, available: int) -> Offer:
    fixture = board.fixtures.get(row.club_id)
    candidate = situation.market[row.id]
    if row.id in draft.picks:
        where = draft.picks.index(row.id) + 1
        action = "here" if where == chosen else "swap" if chosen else "in"
    elif situation.locks_each and candidate.has_begun:
        action = "begun"
    elif not chosen and not first_free(situation.format, draft.picks, row.position):
        action = "full"
    else:
        action = "pick"
    left = available - _worth(candidate, situation)
    over = tenths_words(-left) if action == "pick" and left < 0 else ""
    return Offer(_row(row, fixture, tenths_words(_worth(candidate, situation)), board.time_zone), action, over)


def _man(candidate: Candidate, situation: Situation, board: Board) -> Man:
    row = board.listed.get(candidate.id)
    fixture = board.fixtures.get(candidate.club_id or "")
    price = tenths_words(_worth(candidate, situation))
    if row is not None:
        return _row(row, fixture, price, board.time_zone)
    return Man(
        candidate.id,
        candidate.name,
        candidate.position,
        candidate.club_id or "",
        candidate.club,
        price,
        "0.00",
        "0.0",
        "0",
        fixture_words(fixture, board.time_zone),
        "Not on the market",
        "",
    )


def _row(row: Listed, fixture: Fixture | None, price: str, time_zone: str) -> Man:
    return Man(
        row.id,
        row.name,
        row.position,
        row.club_id,
        row.club,
        price,
        decimal_points(row.points),
        tenths_words(row.form // 100),
        share_words(row.selected),
        fixture_words(fixture, time_zone),
        STATUS_WORDS.get(row.status, ""),
        row.news,
    )


def share_words(thousandths: int) -> str:
    """
    >>> share_words(512), share_words(0), share_words(1000)
    ('51.2', '0', '100')
    """
    whole, tenth = divmod(thousandths, 10)
    return f"{whole}.{tenth}" if tenth else str(whole)


def fixture_words(fixture: Fixture | None, time_zone: str) -> str:
    """`v SUM, Sun 13:00`, `at SUM, Sun 13:00`; with the second game of the gameweek `and one more`."""
    if fixture is None:
        return "no game"
    there = fixture.kickoff.astimezone(ZoneInfo(time_zone))
    more = f" + {fixture.games - 1}" if fixture.games > 1 else ""
    return f"{'v' if fixture.is_home else 'at'} {fixture.opponent_id}, {there:%a %H:%M}{more}"


def _worth(candidate: Candidate, situation: Situation) -> int:
    """What he brings if he is last gameweek's, else what he costs."""
    before = situation.before
    if before is not None and candidate.id in before.picks:
        return sale_price(before.paid[before.picks.index(candidate.id)], candidate.price)
    return candidate.price or 0
