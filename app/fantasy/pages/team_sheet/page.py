"""The team sheet editor as its template needs it: places, sums, and the market's rows. Pure.

A draft lives in the address of the page; nothing of it is stored. sheets/rules.py decides what may
be saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.core.http.pagination import page_count
from app.core.refusals import Refusal
from app.fantasy.amounts import decimal_points, tenths_words
from app.fantasy.market.formats import Format
from app.fantasy.market.listing import PAGE_ROWS, SORTS, Filter, Fixture, Listed
from app.fantasy.pages.short_names import split_name
from app.fantasy.pages.team_sheet.words import (
    STATUS_WORDS,
    fixture_words,
    share_words,
    slot_words,
    transfer_words,
)
from app.fantasy.projections.rules import Projection
from app.fantasy.projections.words import projected_words
from app.fantasy.sheets.fitting import can_swap, fitting
from app.fantasy.sheets.transfers import (
    Candidate,
    Costs,
    Draft,
    SheetContext,
    costs_of,
    worth,
)


@dataclass(frozen=True)
class PlayerRow:
    """A footballer on a row.

    `price`: what they bring or cost this member now. `alert`: why they may not play. `projection`:
    the points that they are expected to have at the end of the gameweek. `is_live`: whether their
    game is being played.
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
    projection: str
    is_live: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """The given name, which a tile leaves out, and the rest."""
        return split_name(self.name, self.position)


@dataclass(frozen=True)
class Place:
    """A place of the team.

    Attributes:
        number: The number of the place, from 1.
        is_locked: Whether the footballer's game has begun.
        is_new: Whether the footballer was not in last gameweek's team.
        points: What the footballer has earned in this gameweek; empty before their game.
        swaps: The places, from 1, whose players may change places with this one.
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
    points: str = ""
    swaps: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The footballer's name, or "nobody"."""
        return self.player.name if self.player else "nobody"


@dataclass(frozen=True)
class Sums:
    """Money, places and transfers of a draft.

    Attributes:
        is_over: Whether the team costs more than there is.
        transfers: The transfers in words; empty before there can be any.
        clubs_over: Clubs with too many footballers, in words.
    """

    bank: str
    is_over: bool
    filled: int
    places: int
    transfers: str
    clubs_over: tuple[str, ...]
    exchanges: tuple[Transfer, ...] = ()


@dataclass(frozen=True)
class Transfer:
    """A footballer who leaves for another; in an incomplete draft a side may be empty.

    `price`: what the one brings and the other costs, in words.
    """

    leaves: str
    comes: str
    price: str


@dataclass(frozen=True)
class Offer:
    """A row of the market.

    Attributes:
        action: pick, swap, replace (with the team full, the next page asks for whom), here (in
            the chosen place already), in, or locked (their game, or everybody whom they could
            replace).
        excess: By how much the team would be too expensive; empty if it would not.
    """

    player: PlayerRow
    action: str
    excess: str


@dataclass(frozen=True)
class Newcomer:
    """A footballer for a full team. `places`: those whose players they can replace."""

    player: PlayerRow
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Market:
    """A page of the market, for all places or for a chosen one.

    Attributes:
        place: The chosen place; 0 for none.
        takes: The positions that it takes, unless the slot's name says it.
        partners: The places whose players may change places with the occupant.
        newcomer: Who is to come into the full team for somebody; None for nobody.
        any_words: What the list shows if no position is chosen.
    """

    place: int
    slot: str
    takes: str
    chosen: Place | None
    newcomer: Newcomer | None
    partners: tuple[Place, ...]
    any_words: str
    offers: tuple[Offer, ...]
    count: int
    page: int
    pages: int


@dataclass(frozen=True)
class Editor:
    """The editor.

    Attributes:
        state: new, carried or saved.
        closed: Why nothing can be saved, in a sentence; empty if it can.
        may_fill: Whether it is a first team with empty places, which a sensible team can fill.
        is_lineup: Whether it is the line-up of a draft league: it has neither captains nor money,
            and its market is the roster.
        closed_title: The heading of `closed`.
        substitutes_come_on: Whether the bench replaces starters who did not play.
        late_moves: Why changes are not in the draft any more: each came after a kickoff.
        is_changed: Whether the draft differs from what would play without another save.
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
    is_lineup: bool = False
    substitutes_come_on: bool = True
    closed_title: str = "Locked"
    late_moves: tuple[str, ...] = ()
    is_changed: bool = False


@dataclass(frozen=True)
class Notes:
    """What the page says about the draft besides showing it; fields as those of `Editor`."""

    refusals: tuple[Refusal, ...] = ()
    late_moves: tuple[str, ...] = ()
    is_changed: bool = False


@dataclass(frozen=True)
class Board:
    """What is known of the footballers in the draft.

    Attributes:
        listed: Their entries on the market.
        fixtures: The fixtures of their clubs.
        projections: What they are expected to have at the end of the gameweek, and have so far;
            also of the players on the market's page.
    """

    listed: Mapping[str, Listed]
    fixtures: Mapping[str, Fixture]
    projections: Mapping[str, Projection] = field(default_factory=dict)


@dataclass(frozen=True)
class Search:
    """What the market shows.

    Attributes:
        rows: A page of the footballers that match.
        count: How many match.
        chosen: The place to fill; 0 for none.
        any_words: What the list shows if no position is chosen.
        newcomer: Who is to come into the full team for somebody; empty for nobody.
    """

    rows: Sequence[Listed]
    count: int
    chosen: int
    filter: Filter
    any_words: str
    newcomer: str = ""


@dataclass(frozen=True)
class Deadline:
    """When the sheet locks.

    Attributes:
        left: The time until then, in words.
        undated: Says that games have no date; empty if all have one.
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
        is_affordable_only: Players who are too dear are left out.
        positions: Value and words of each position that can be chosen.
        clubs: Id and name of each club that can be chosen.
    """

    filter: Filter
    fault: str
    position: str
    max_price: str
    is_affordable_only: bool
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
        projected: What the team is expected to have in the end; empty if nobody knows.
        saved_draft: The saved sheet as words.draft_words has it.
        saved_version: The version that the next save should name.
        is_saved: The member has just saved the sheet.
        cannot_fill: Nobody on the market makes a legal team of the empty places.
        change: What the act of this request changed; None for none.
        expires_at: When the page changes merely because time passes.
    """

    draft: Draft
    editor: Editor
    deadline: Deadline
    filters: MarketFilters
    projected: str
    saved_draft: str
    saved_version: int
    is_saved: bool
    cannot_fill: bool
    change: Change | None
    expires_at: datetime


@dataclass(frozen=True)
class Change:
    """What an act changed in a draft, in a sentence, and the draft before it."""

    words: str
    before: Draft


def editor(
    draft: Draft, context: SheetContext, board: Board, search: Search, notes: Notes
) -> Editor:
    """The editor with this draft."""
    team_format, current = context.format, context.current
    costs = costs_of(draft.picks, context)
    # a late move is not in the draft any more, so no place is marked for it
    refusals = [each for each in notes.refusals if each.text not in notes.late_moves]
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
        _market(places, draft, context, board, search),
        notes.refusals,
        state,
        context.closed,
        context.previous is None and not all(draft.picks) and not team_format.is_draft,
        _is_fixed(context, current.captain if current else 0),
        _is_fixed(context, current.vice_captain if current else 0),
        team_format.is_draft,
        team_format.substitutes_come_on,
        "Best ball" if team_format.is_best_ball else "Locked",
        notes.late_moves,
        notes.is_changed,
    )


def sums(draft: Draft, context: SheetContext, costs: Costs) -> Sums:
    """Money, places and transfers of a draft, whether it could be saved or not."""
    limits, market = context.limits, context.market
    footballers = {pick for pick in draft.picks if pick in market}
    clubs = Counter(
        market[footballer_id].club for footballer_id in footballers if market[footballer_id].club
    )
    return Sums(
        bank=tenths_words(costs.bank),
        is_over=costs.bank < 0,
        filled=sum(1 for pick in draft.picks if pick),
        places=len(draft.picks),
        transfers=transfer_words(costs.transfers, costs.free_transfers, costs.transfer_cost)
        if context.previous
        else "",
        exchanges=_exchanges(draft, context),
        clubs_over=tuple(
            f"{n} from {club} (max {limits.club_limit})"
            for club, n in clubs.items()
            if n > limits.club_limit
        ),
    )


def first_free(team_format: Format, picks: Sequence[str], position: str) -> int:
    """The first empty place that takes the position, from 1; 0 if there is none."""
    pairs = enumerate(zip(team_format.places, picks, strict=True), start=1)
    return next(
        (number for number, (slot, pick) in pairs if not pick and position in slot.accepts), 0
    )


def _exchanges(draft: Draft, context: SheetContext) -> tuple[Transfer, ...]:
    """Pair those who leave last gameweek's team with those who come.

    Footballers of one position are paired if possible. The pairs are in the order of the places.
    """
    before = [pick for pick in context.previous.picks if pick] if context.previous else []
    market = context.market
    leaving = [market[pick] for pick in before if pick not in draft.picks and pick in market]
    coming = (
        [market[pick] for pick in draft.picks if pick and pick not in before and pick in market]
        if before
        else []
    )
    pairs: list[tuple[Candidate | None, Candidate | None]] = []
    for arrival in coming:
        other = next((old for old in leaving if old.position == arrival.position), None)
        if other is not None:
            leaving.remove(other)
        pairs.append((other, arrival))
    unpaired = iter(leaving)
    pairs = [(old or next(unpaired, None), new) for old, new in pairs] + [
        (old, None) for old in unpaired
    ]
    return tuple(
        Transfer(
            old.name if old else "",
            new.name if new else "",
            ", ".join(
                f"{word} {tenths_words(worth(candidate, context))}"
                for word, candidate in (("brings", old), ("costs", new))
                if candidate
            ),
        )
        for old, new in pairs
    )


def next_empty(picks: Sequence[str], after: int) -> int:
    """The next empty place after this one, or before it; 0 if there is none."""
    count = len(picks)
    order = [*range(after, count), *range(after)]
    return next((index + 1 for index in order if not picks[index]), 0)


def _place(
    number: int, draft: Draft, context: SheetContext, board: Board, refusals: Sequence[Refusal]
) -> Place:
    slot, footballer_id = context.format.places[number - 1], draft.picks[number - 1]
    candidate = context.market.get(footballer_id)
    previous = context.previous
    is_playing = candidate is not None and candidate.has_begun
    return Place(
        number=number,
        slot=slot.name,
        takes=slot_words(slot),
        player=_player_row(candidate, context, board) if candidate else None,
        is_captain=draft.captain == number,
        is_vice_captain=draft.vice_captain == number,
        is_locked=_is_locked(number, context),
        is_new=bool(footballer_id and previous and footballer_id not in previous.picks),
        faults=tuple(refusal.text for refusal in refusals if refusal.place == number),
        points=_points_so_far(footballer_id, board) if is_playing else "",
        swaps=_swaps(number, draft, context),
    )


def _points_so_far(footballer_id: str, board: Board) -> str:
    projection = board.projections.get(footballer_id)
    return decimal_points(projection.scored if projection else 0)


def _swaps(number: int, draft: Draft, context: SheetContext) -> tuple[int, ...]:
    """The places whose players may change places with this one's, without locked ones."""
    if context.closed or _is_locked(number, context):
        return ()
    positions = {
        footballer_id: candidate.position for footballer_id, candidate in context.market.items()
    }
    return tuple(
        other
        for other in range(1, len(draft.picks) + 1)
        if other != number
        and draft.picks[other - 1]
        and not _is_locked(other, context)
        and can_swap(context.format, draft.picks, positions, number, other)
    )


def _is_locked(number: int, context: SheetContext) -> bool:
    return context.locks_each and _stands_since_kickoff(number, context)


def _stands_since_kickoff(number: int, context: SheetContext) -> bool:
    footballer_id = context.current.picks[number - 1] if context.current else ""
    return footballer_id in context.market and context.market[footballer_id].has_begun


def _is_fixed(context: SheetContext, place: int) -> bool:
    return bool(context.locks_each and place and _stands_since_kickoff(place, context))


def _market(
    places: Sequence[Place], draft: Draft, context: SheetContext, board: Board, search: Search
) -> Market:
    chosen, bank = search.chosen, costs_of(draft.picks, context).bank
    slot = context.format.places[chosen - 1] if chosen else None
    occupant = context.market.get(draft.picks[chosen - 1]) if chosen else None
    freed = worth(occupant, context) if occupant else 0
    takers = _takers(draft, context) if not chosen else {}
    return Market(
        place=chosen,
        slot=slot.name if slot else "",
        takes=slot_words(slot) if slot else "",
        chosen=places[chosen - 1] if chosen else None,
        newcomer=_newcomer(search.newcomer, places, takers, context, board),
        partners=tuple(places[other - 1] for other in places[chosen - 1].swaps) if chosen else (),
        any_words=search.any_words,
        offers=tuple(
            _offer(row, board, _action(row, draft, context, chosen, takers), context, bank + freed)
            for row in search.rows
        ),
        count=search.count,
        page=search.filter.page,
        pages=page_count(search.count, PAGE_ROWS),
    )


def _newcomer(
    footballer_id: str,
    places: Sequence[Place],
    takers: Mapping[str, Sequence[int]],
    context: SheetContext,
    board: Board,
) -> Newcomer | None:
    candidate = context.market.get(footballer_id)
    if candidate is None:
        return None
    replaced = tuple(places[number - 1] for number in takers.get(candidate.position, ()))
    return Newcomer(_player_row(candidate, context, board), replaced)


def _takers(draft: Draft, context: SheetContext) -> dict[str, list[int]]:
    """For each position, the places from 1 in which a newcomer could replace the player."""
    positions = {
        footballer_id: candidate.position for footballer_id, candidate in context.market.items()
    }
    takers: dict[str, list[int]] = {}
    for number, pick in enumerate(draft.picks, start=1):
        if not pick or context.closed or _is_locked(number, context):
            continue
        for position in fitting(context.format, draft.picks, positions, number).positions:
            takers.setdefault(position, []).append(number)
    return takers


def _action(
    row: Listed,
    draft: Draft,
    context: SheetContext,
    chosen: int,
    takers: Mapping[str, Sequence[int]],
) -> str:
    """What the button beside a footballer does; see Offer."""
    if row.id in draft.picks:
        place = draft.picks.index(row.id) + 1
        if place == chosen:
            return "here"
        positions = {
            footballer_id: candidate.position for footballer_id, candidate in context.market.items()
        }
        return "swap" if can_swap(context.format, draft.picks, positions, chosen, place) else "in"
    if context.locks_each and context.market[row.id].has_begun:
        return "locked"
    if chosen or first_free(context.format, draft.picks, row.position):
        return "pick"
    return "replace" if row.position in takers else "locked"


def _offer(row: Listed, board: Board, action: str, context: SheetContext, available: int) -> Offer:
    """A row of the market. `available`: the money for it, in tenths of a million."""
    price = worth(context.market[row.id], context)
    excess = price - available
    return Offer(
        _row(row, board, tenths_words(price)),
        action,
        tenths_words(excess) if action == "pick" and excess > 0 else "",
    )


def _player_row(candidate: Candidate, context: SheetContext, board: Board) -> PlayerRow:
    row = board.listed.get(candidate.id)
    fixture = board.fixtures.get(candidate.club_id or "")
    price = tenths_words(worth(candidate, context))
    if row is not None:
        return _row(row, board, price)
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
        "Not available",
        "",
        "",
    )


def _row(row: Listed, board: Board, price: str) -> PlayerRow:
    fixture, projection = board.fixtures.get(row.club_id), board.projections.get(row.id)
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
        projected_words(projection.points) if projection else "",
        fixture is not None and fixture.status == "live",
    )


def _kickoff(fixture: Fixture | None) -> datetime | None:
    """The kickoff; None for a game that is off, because nobody knows when it is played."""
    return fixture.kickoff if fixture and not fixture.is_off else None
