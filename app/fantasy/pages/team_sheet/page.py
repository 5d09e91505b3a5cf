"""The team sheet editor as its template needs it.

A draft lives in the page's address, nothing of it is stored.

Lives here: places, sums, the market's rows and what they would do to the draft, as frozen rows with
their words. Not here: what may be saved (sheets/rules.py), reading and writing (sheets/services.py,
market/listing.py), requests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.http.pagination import page_count
from app.core.refusals import Refusal
from app.fantasy.amounts import decimal_points, tenths_words
from app.fantasy.market.formats import Format
from app.fantasy.market.listing import PAGE_ROWS, SORTS, Filter, Fixture, Listed
from app.fantasy.pages.team_sheet.words import (
    STATUS_WORDS,
    fixture_words,
    share_words,
    slot_words,
    transfer_words,
)
from app.fantasy.sheets.fitting import can_swap
from app.fantasy.sheets.transfers import (
    Candidate,
    Costs,
    SheetContext,
    Wanted,
    costs_of,
    sale_price,
)


@dataclass(frozen=True)
class PlayerRow:
    """A player on a row.

    `price`: what they bring or cost this member now. `alert`: why they may not play.
    """

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
    kickoff: datetime | None
    alert: str
    news: str


@dataclass(frozen=True)
class Place:
    """`number` from 1.

    `is_locked`: the player's game has begun. `is_new`: not in last gameweek's team.
    """

    number: int
    slot: str
    takes: str
    player: PlayerRow | None
    is_captain: bool
    is_vice_captain: bool
    is_locked: bool
    is_new: bool
    faults: tuple[str, ...]

    @property
    def name(self) -> str:
        """The player's name, or that nobody stands here."""
        return self.player.name if self.player else "nobody"


@dataclass(frozen=True)
class Sums:
    """`share`: how much of the money is spent, 0 to 1000.

    `transfers` is empty before there can be any.
    """

    bank: str
    budget: str
    share: int
    is_over: bool
    filled: int
    places: int
    transfers: str
    clubs_over: tuple[str, ...]
    exchanges: tuple[Transfer, ...] = ()


@dataclass(frozen=True)
class Transfer:
    """Who leaves for whom; `price`: what the one brings and the other costs.

    An incomplete draft may lack a side.
    """

    leaves: str
    comes: str
    price: str


@dataclass(frozen=True)
class Offer:
    """A row of the market.

    `action`: pick, swap, here (in the chosen place already), in, full or begun.

    `over`: by how much the team would be too expensive; empty: it would not.
    """

    player: PlayerRow
    action: str
    over: str


@dataclass(frozen=True)
class Market:
    """`place`: the one that is chosen, 0: none.

    `takes`: who may stand there, where the slot's name does not say it.

    `any_words`: what the list is when no position is chosen.
    """

    place: int
    slot: str
    takes: str
    occupant: str
    any_words: str
    offers: tuple[Offer, ...]
    count: int
    page: int
    pages: int


@dataclass(frozen=True)
class Editor:
    """`state`: new, carried or saved.

    `closed`: why nothing can be saved, in a sentence; empty: it can. `may_fill`: a first team that
    has empty places yet, which can start from a sensible one.
    """

    starters: tuple[Place, ...]
    substitutes: tuple[Place, ...]
    sums: Sums
    market: Market
    refusals: tuple[Refusal, ...]
    state: str
    closed: str
    may_fill: bool
    captain_is_fixed: bool
    vice_captain_is_fixed: bool


@dataclass(frozen=True)
class Board:
    """What the rows are made of: the market's entries of all who are named, and who plays whom."""

    listed: Mapping[str, Listed]
    fixtures: Mapping[str, Fixture]


@dataclass(frozen=True)
class Search:
    """What the market shows.

    `found`: a page of it and how many match; `chosen`: the place to fill, 0: none.
    """

    found: tuple[Sequence[Listed], int]
    chosen: int
    filter: Filter
    any_words: str


@dataclass(frozen=True)
class Deadline:
    """When the sheet locks.

    Attributes:
        left: The time until then, in words.
        undated: What is said of games without a date; empty for nothing.
    """

    locks_at: datetime
    is_past: bool
    left: str
    undated: str


@dataclass(frozen=True)
class MarketFilters:
    """The fields that filter the market.

    Attributes:
        filter: What the market is filtered by.
        fault: What is wrong with the price, in a sentence.
        position: The chosen position.
        max_price: The highest price as it was typed.
        positions: Value and words of each position that can be chosen.
        clubs: Id and name of each club that can be chosen.
    """

    filter: Filter
    fault: str
    position: str
    max_price: str
    positions: Sequence[tuple[str, str]]
    clubs: Sequence[tuple[str, str]]

    @property
    def sorts(self) -> Mapping[str, str]:
        """Value and words of each order."""
        return SORTS


@dataclass(frozen=True)
class EditorPage:
    """Everything that the page of the editor shows.

    Attributes:
        saved_draft: The saved sheet as words.draft_words has it.
        is_saved: The member has just saved the sheet.
        cannot_fill: Nobody on the market makes a legal team of the empty places.
    """

    draft: Wanted
    editor: Editor
    deadline: Deadline
    filters: MarketFilters
    saved_draft: str
    is_saved: bool
    cannot_fill: bool


def editor(
    draft: Wanted, context: SheetContext, board: Board, search: Search, refusals: Sequence[Refusal]
) -> Editor:
    """The page of this draft."""
    team_format, current = context.format, context.current
    costs = costs_of(draft.picks, context)
    places = tuple(
        _place(number, draft, context, board, refusals)
        for number in range(1, len(team_format.places) + 1)
    )
    state = "new" if current is None else "saved" if current.version else "carried"
    starting = len(team_format.starters)
    return Editor(
        places[:starting],
        places[starting:],
        sums(draft, context, costs),
        _market(draft, context, board, search, costs.bank),
        tuple(refusals),
        state,
        context.closed,
        context.previous is None and not all(draft.picks),
        _is_fixed(context, current.captain if current else 0),
        _is_fixed(context, current.vice_captain if current else 0),
    )


def sums(draft: Wanted, context: SheetContext, costs: Costs) -> Sums:
    """Money, places and transfers of a draft, whether it could be saved or not."""
    limits, market = context.limits, context.market
    named = {one for one in draft.picks if one in market}
    worth = sum(_worth(market[one], context) for one in named)
    everything = worth + costs.bank
    clubs = Counter(market[one].club for one in named if market[one].club)
    return Sums(
        bank=tenths_words(costs.bank),
        budget=tenths_words(everything),
        share=max(0, min(1000, worth * 1000 // everything)) if everything > 0 else 1000,
        is_over=costs.bank < 0,
        filled=sum(1 for one in draft.picks if one),
        places=len(draft.picks),
        transfers=transfer_words(costs.transfers, costs.free_transfers, costs.transfer_cost)
        if context.previous
        else "",
        exchanges=_exchanges(draft, context),
        clubs_over=tuple(
            f"{club} {n} of {limits.club_limit}"
            for club, n in clubs.items()
            if n > limits.club_limit
        ),
    )


def first_free(team_format: Format, picks: Sequence[str], position: str) -> int:
    """The first empty place that takes the position, from 1; 0: there is none."""
    pairs = enumerate(zip(team_format.places, picks, strict=True), start=1)
    return next(
        (number for number, (slot, one) in pairs if not one and position in slot.accepts), 0
    )


def _exchanges(draft: Wanted, context: SheetContext) -> tuple[Transfer, ...]:
    """Pair those who leave last gameweek's team with those who come.

    Two of one position are paired where possible. The pairs stand in the order of the places.
    """
    before = [one for one in context.previous.picks if one] if context.previous else []
    market = context.market
    leaving = [market[one] for one in before if one not in draft.picks and one in market]
    coming = (
        [market[one] for one in draft.picks if one and one not in before and one in market]
        if before
        else []
    )
    pairs: list[tuple[Candidate | None, Candidate | None]] = []
    for one in coming:
        other = next((old for old in leaving if old.position == one.position), None)
        if other is not None:
            leaving.remove(other)
        pairs.append((other, one))
    rest = iter(leaving)
    pairs = [(old or next(rest, None), new) for old, new in pairs] + [(old, None) for old in rest]
    return tuple(
        Transfer(
            old.name if old else "",
            new.name if new else "",
            ", ".join(
                f"{word} {tenths_words(_worth(one, context))}"
                for word, one in (("brings", old), ("costs", new))
                if one
            ),
        )
        for old, new in pairs
    )


def next_empty(picks: Sequence[str], after: int) -> int:
    """The next empty place after this one, round to the first; 0: all are taken."""
    count = len(picks)
    order = [*range(after, count), *range(after)]
    return next((index + 1 for index in order if not picks[index]), 0)


def _place(
    number: int, draft: Wanted, context: SheetContext, board: Board, refusals: Sequence[Refusal]
) -> Place:
    slot, one = context.format.places[number - 1], draft.picks[number - 1]
    candidate = context.market.get(one)
    previous = context.previous
    return Place(
        number=number,
        slot=slot.name,
        takes=slot_words(slot),
        player=_player_row(candidate, context, board) if candidate else None,
        is_captain=draft.captain == number,
        is_vice_captain=draft.vice_captain == number,
        is_locked=bool(context.locks_each and _stands_since_kickoff(number, context)),
        is_new=bool(one and previous and one not in previous.picks),
        faults=tuple(refusal.text for refusal in refusals if refusal.place == number),
    )


def _stands_since_kickoff(number: int, context: SheetContext) -> bool:
    one = context.current.picks[number - 1] if context.current else ""
    return one in context.market and context.market[one].has_begun


def _is_fixed(context: SheetContext, place: int) -> bool:
    return bool(context.locks_each and place and _stands_since_kickoff(place, context))


def _market(
    draft: Wanted, context: SheetContext, board: Board, search: Search, bank: int
) -> Market:
    (rows, count), chosen = search.found, search.chosen
    slot = context.format.places[chosen - 1] if chosen else None
    occupant = context.market.get(draft.picks[chosen - 1]) if chosen else None
    freed = _worth(occupant, context) if occupant else 0
    return Market(
        place=chosen,
        slot=slot.name if slot else "",
        takes=slot_words(slot) if slot else "",
        occupant=occupant.name if occupant else "",
        any_words=search.any_words,
        offers=tuple(_offer(row, draft, context, board, chosen, bank + freed) for row in rows),
        count=count,
        page=search.filter.page,
        pages=page_count(count, PAGE_ROWS),
    )


def _offer(
    row: Listed, draft: Wanted, context: SheetContext, board: Board, chosen: int, available: int
) -> Offer:
    fixture = board.fixtures.get(row.club_id)
    candidate = context.market[row.id]
    if row.id in draft.picks:
        where = draft.picks.index(row.id) + 1
        positions = {one: found.position for one, found in context.market.items()}
        swaps = can_swap(context.format, draft.picks, positions, chosen, where)
        action = "here" if where == chosen else "swap" if swaps else "in"
    elif context.locks_each and candidate.has_begun:
        action = "begun"
    elif not chosen and not first_free(context.format, draft.picks, row.position):
        action = "full"
    else:
        action = "pick"
    left = available - _worth(candidate, context)
    over = tenths_words(-left) if action == "pick" and left < 0 else ""
    return Offer(_row(row, fixture, tenths_words(_worth(candidate, context))), action, over)


def _player_row(candidate: Candidate, context: SheetContext, board: Board) -> PlayerRow:
    row = board.listed.get(candidate.id)
    fixture = board.fixtures.get(candidate.club_id or "")
    price = tenths_words(_worth(candidate, context))
    if row is not None:
        return _row(row, fixture, price)
    return PlayerRow(
        candidate.id,
        candidate.name,
        candidate.position,
        candidate.club_id or "",
        candidate.club,
        price,
        "0.00",
        "0.0",
        "0",
        fixture_words(fixture),
        _kickoff(fixture),
        "Not on the market",
        "",
    )


def _row(row: Listed, fixture: Fixture | None, price: str) -> PlayerRow:
    return PlayerRow(
        row.id,
        row.name,
        row.position,
        row.club_id,
        row.club,
        price,
        decimal_points(row.points),
        tenths_words(row.form // 100),
        share_words(row.selected),
        fixture_words(fixture),
        _kickoff(fixture),
        STATUS_WORDS.get(row.status, ""),
        row.news,
    )


def _kickoff(fixture: Fixture | None) -> datetime | None:
    """None for a game that is off: nobody knows when it is played."""
    return fixture.kickoff if fixture and not fixture.is_off else None


def _worth(candidate: Candidate, context: SheetContext) -> int:
    """What a player of last gameweek's team is sold for, else what they cost."""
    previous = context.previous
    if previous is not None and candidate.id in previous.picks:
        return sale_price(
            previous.purchase_prices[previous.picks.index(candidate.id)], candidate.price
        )
    return candidate.price or 0
