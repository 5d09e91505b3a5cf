"""View models of a draft: the board, a team, and the footballers left. The turn is in turn.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.places import accepts, seated
from app.draft_leagues.drafts.queries import Snapshot
from app.draft_leagues.drafts.ranked import Draftable
from app.draft_leagues.drafts.rules import Draft, Pick

ROWS = 60  # footballers of a list
# The filters of a list, in the order in which line-ups name them.
FILTERS = ("QB", "RB", "WR", "TE", "K", "DST", "DL", "LB", "DB")


@dataclass(frozen=True)
class Cell:
    """A place on the board.

    Attributes:
        key: `COLUMN-ROUND`, unique on the board.
        label: The pick's round and place in it, such as `2.05`; of an auction the round.
        owner: Who picks, if the pick was traded.
    """

    key: str
    label: str
    number: int | None = None
    owner: str = ""
    footballer: Draftable | None = None
    footballer_id: str = ""
    price: int = 0
    is_keeper: bool = False

    @property
    def is_taken(self) -> bool:
        """Whether somebody was picked."""
        return bool(self.footballer_id)


@dataclass(frozen=True)
class Column:
    """A franchise on the board.

    `is_automatic`: its member is away, and it is drafted for. `budget` and `most`, which it can bid
    for one player: None unless it is an auction.
    """

    franchise: int
    name: str
    colour: int
    is_automatic: bool
    budget: int | None
    most: int | None


@dataclass(frozen=True)
class Board:
    """The board: a column for each franchise in draft order, a row for each round."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class TeamPlace:
    """A place of a team with its footballer."""

    slot: str
    footballer: Draftable | None


@dataclass(frozen=True)
class TeamView:
    """A franchise's footballers in the places that they would fill.

    `picks_left`: how many footballers it can still draft.
    """

    franchise: int
    name: str
    places: Sequence[TeamPlace]
    bench: Sequence[Draftable]
    picks_left: int
    budget: int | None
    most: int | None
    is_automatic: bool


@dataclass(frozen=True)
class ListFilter:
    """Which footballers to list, and in which order.

    `position`: one of FILTERS, or '' for all. `sort`: `rank`, by value to a team, or `points`.
    """

    search: str = ""
    position: str = ""
    sort: str = "rank"


def board_of(snapshot: Snapshot) -> Board:
    """The board of the draft."""
    draft = snapshot.draft
    not_bots = {seat.franchise for seat in snapshot.seats if seat.member_id is not None}
    not_bots |= draft.vacated
    columns = [
        Column(
            franchise,
            snapshot.name_of(franchise),
            snapshot.colour_of(franchise),
            draft.status != "completed" and franchise in draft.autopilots and franchise in not_bots,
            draft.budget(franchise) if draft.plan.is_auction else None,
            draft.most(franchise) if draft.plan.is_auction else None,
        )
        for franchise in draft.plan.order
    ]
    cells = {cell.key: cell for cell in cells_of(snapshot)}
    rounds = draft.plan.places if draft.plan.is_auction else draft.plan.rounds
    rows = [
        [cells[f"{column.franchise}-{number}"] for column in columns]
        for number in range(1, rounds + 1)
    ]
    return Board(columns, rows)


def cells_of(snapshot: Snapshot) -> Iterator[Cell]:
    """Every place on the board."""
    draft = snapshot.draft
    if draft.plan.is_auction:
        bought = {(pick.franchise, pick.round): pick for pick in draft.picks.values()}
        for franchise in draft.plan.order:
            for number in range(1, draft.plan.places + 1):
                pick = bought.get((franchise, number))
                yield _filled(snapshot, Cell(f"{franchise}-{number}", str(number)), pick)
        return
    for slot in draft.slots:
        owner = "" if slot.owner == slot.original else snapshot.name_of(slot.owner)
        label = pick_label(len(draft.plan.order), slot.number)
        cell = Cell(f"{slot.original}-{slot.round}", label, slot.number, owner)
        yield _filled(snapshot, cell, draft.picks.get(slot.number))


def team_of(snapshot: Snapshot, franchise: int) -> TeamView:
    """The franchise's team as it is."""
    draft = snapshot.draft
    footballers = [
        footballer
        for footballer_id in draft.footballers_of(franchise)
        if (footballer := snapshot.pool.market.get(footballer_id))
    ]
    places, bench = seated(draft.plan.starters, [each.position for each in footballers])
    return TeamView(
        franchise,
        snapshot.name_of(franchise),
        [TeamPlace(slot, None if index is None else footballers[index]) for slot, index in places],
        [footballers[index] for index in bench],
        picks_left(draft, franchise),
        draft.budget(franchise) if draft.plan.is_auction else None,
        draft.most(franchise) if draft.plan.is_auction else None,
        franchise in draft.autopilots,
    )


def picks_left(draft: Draft, franchise: int) -> int:
    """How many footballers the franchise can still draft."""
    if draft.plan.is_auction:
        return draft.open_places(franchise)
    return sum(slot.owner == franchise for slot in draft.coming(len(draft.slots)))


def footballers_left(snapshot: Snapshot, chosen: ListFilter) -> list[Draftable]:
    """The best of those who are left."""
    taken = snapshot.draft.taken
    search = chosen.search.casefold().strip()
    positions = accepts(chosen.position) if chosen.position in FILTERS else None
    ranking = snapshot.pool.footballers
    if chosen.sort == "points":
        ranking = sorted(ranking, key=lambda footballer: (-footballer.points, footballer.rank))
    left = (
        footballer
        for footballer in ranking
        if footballer.id not in taken
        and (positions is None or footballer.position in positions)
        and search in footballer.name.casefold()
    )
    return [footballer for footballer, _ in zip(left, range(ROWS), strict=False)]


def filters_of(snapshot: Snapshot) -> list[str]:
    """The positions that can be filtered by."""
    positions = {footballer.position for footballer in snapshot.pool.footballers}
    return [name for name in FILTERS if positions & accepts(name)]


def queued(snapshot: Snapshot, queue: Iterable[str]) -> list[Draftable]:
    """Those of the queue who are left, in order."""
    return [
        footballer
        for footballer_id in queue
        if footballer_id not in snapshot.draft.taken
        and (footballer := snapshot.pool.by_id.get(footballer_id))
    ]


def _filled(snapshot: Snapshot, cell: Cell, pick: Pick | None) -> Cell:
    """The place with the footballer who was picked, if anybody was."""
    if pick is None:
        return cell
    return replace(
        cell,
        number=pick.number,
        footballer=snapshot.pool.by_id.get(pick.footballer_id),
        footballer_id=pick.footballer_id,
        price=pick.price,
        is_keeper=pick.by == "keeper",
    )
