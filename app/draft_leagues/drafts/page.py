"""View models of a draft: the board, whose turn it is, a team, and the footballers left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.core import clock
from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.places import accepts, seated
from app.draft_leagues.drafts.queries import Snapshot
from app.draft_leagues.drafts.ranked import Draftable
from app.draft_leagues.drafts.rules import Draft, Pick

LATEST = 5  # picks that the strip shows before the present one
COMING = 8  # picks that the strip shows from the present one on
RUN_LOOKS_AT, RUN_LEAST = 8, 4  # so many of the latest picks of one position are a run
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
    is_automatic: bool
    budget: int | None
    most: int | None


@dataclass(frozen=True)
class Board:
    """The board: a column for each franchise in draft order, a row for each round."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Latest:
    """A pick that was made lately. `text`: as it is announced."""

    number: int
    label: str
    franchise: int
    team: str
    footballer: Draftable | None
    text: str


@dataclass(frozen=True)
class ComingPick:
    """A pick that will be made, or the next nomination. `label`: as on the board."""

    label: str
    franchise: int
    team: str


@dataclass(frozen=True)
class LotView:
    """The footballer who is up for auction."""

    footballer: Draftable | None
    leader: str
    leader_franchise: int
    price: int


@dataclass(frozen=True)
class Turn:
    """Whose turn it is, the same for everybody.

    Attributes:
        deadline: In milliseconds since 1970; None while no clock runs.
        remaining: While paused: seconds that the clock had left.
        slot: The key of the cell on the board that is filled next; '' in an auction.
        coming: The next picks, the present one first; none while a lottery will set the order.
        run: A sentence about a run on a position; '' if there is none.
    """

    status: str
    is_auction: bool
    franchise: int | None
    name: str
    label: str
    expected: int
    deadline: int | None
    remaining: int | None
    is_night: bool
    slot: str
    coming: Sequence[ComingPick]
    lot: LotView | None
    latest: Sequence[Latest]
    run: str
    picks_made: int
    picks_in_all: int


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
    manned = {seat.franchise for seat in snapshot.seats if seat.member_id is not None}
    columns = [
        Column(
            franchise,
            snapshot.name_of(franchise),
            draft.status != "completed" and franchise in draft.autopilots and franchise in manned,
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
        key, label = f"{slot.original}-{slot.round}", _label(draft, slot.number)
        cell = Cell(key, label, slot.number, owner)
        yield _filled(snapshot, cell, draft.picks.get(slot.number))


def turn_of(snapshot: Snapshot, now: datetime) -> Turn:
    """Whose turn it is."""
    draft, slot = snapshot.draft, snapshot.draft.slot
    franchise = draft.on_turn
    return Turn(
        status=draft.status,
        is_auction=draft.plan.is_auction,
        franchise=franchise,
        name=snapshot.name_of(franchise) if franchise else "",
        label=_label(draft, slot.number) if slot else "",
        expected=draft.expected,
        deadline=clock.to_ms(draft.deadline) if draft.deadline else None,
        remaining=round(draft.remaining) if draft.remaining is not None else None,
        is_night=draft.hours.is_night(now),
        slot=f"{slot.original}-{slot.round}" if slot and draft.on_turn is not None else "",
        coming=coming_of(snapshot),
        lot=_lot(snapshot),
        latest=latest_of(snapshot),
        run=run_of(snapshot),
        picks_made=len(draft.picks),
        picks_in_all=len(draft.slots) or len(draft.plan.order) * draft.plan.places,
    )


def coming_of(snapshot: Snapshot) -> list[ComingPick]:
    """The next picks that the strip shows; before the draft the whole first round."""
    draft, row = snapshot.draft, snapshot.row
    is_undrawn = row.lottery_seed is not None and row.drawn_at is None
    if draft.status == "completed" or is_undrawn:
        return []
    is_waiting = draft.status == "waiting"
    if draft.plan.is_auction:
        turns = enumerate(draft.plan.order, start=1) if is_waiting else [(0, draft.on_turn)]
        return [
            ComingPick(str(number or ""), franchise, snapshot.name_of(franchise))
            for number, franchise in turns
            if franchise is not None
        ]
    return [
        ComingPick(_label(draft, slot.number), slot.owner, snapshot.name_of(slot.owner))
        for slot in draft.coming(len(draft.plan.order) if is_waiting else COMING)
    ]


def latest_of(snapshot: Snapshot, after: Iterable[int] = ()) -> list[Latest]:
    """The latest picks, the latest first; without those whose numbers are in `after`."""
    known = set(after)
    new_picks = [
        pick
        for pick in snapshot.draft.picks.values()
        if pick.by != "keeper" and pick.number not in known
    ]
    return [_latest(snapshot, pick) for pick in reversed(new_picks[-LATEST:])]


def run_of(snapshot: Snapshot) -> str:
    """A sentence about a run on a position; '' if there is none."""
    picks = [pick for pick in snapshot.draft.picks.values() if pick.by != "keeper"]
    positions = Counter(
        position
        for pick in picks[-RUN_LOOKS_AT:]
        if (position := snapshot.pool.position_of(pick.footballer_id))
    )
    if not positions:
        return ""
    position, count = positions.most_common(1)[0]
    if count < RUN_LEAST:
        return ""
    return f"Run on {position}: {count} of the last {min(len(picks), RUN_LOOKS_AT)} picks"


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


def picks_until(draft: Draft, franchise: int) -> int | None:
    """How many others pick before the franchise; None if it picks no more, or in an auction."""
    for count, slot in enumerate(draft.coming(len(draft.slots))):
        if slot.owner == franchise:
            return count
    return None


def is_turn_of(draft: Draft, franchise: int) -> bool:
    """Whether the franchise can pick or nominate now."""
    return draft.status == "running" and draft.on_turn == franchise and draft.lot is None


def notes_of(draft: Draft) -> dict[int, str]:
    """What each franchise reads about its own next turn; '' if there is nothing to say."""
    return {franchise: _note(draft, franchise) for franchise in draft.plan.order}


def _note(draft: Draft, franchise: int) -> str:
    if draft.status != "running":
        return ""
    if franchise in draft.autopilots:
        return "On autopilot"
    if draft.plan.is_auction:
        is_mine = is_turn_of(draft, franchise)
        return "Your nomination" if is_mine else f"{draft.budget(franchise)} left"
    picks_before = picks_until(draft, franchise)
    if picks_before is None:
        return "No picks left"
    if picks_before == 0:
        return "Your pick"
    return "You pick next" if picks_before == 1 else f"You pick in {picks_before}"


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


def _label(draft: Draft, number: int) -> str:
    return pick_label(len(draft.plan.order), number)


def _latest(snapshot: Snapshot, pick: Pick) -> Latest:
    footballer = snapshot.pool.by_id.get(pick.footballer_id)
    team = snapshot.name_of(pick.franchise)
    name = f"{footballer.name}, {footballer.position}" if footballer else "a player"
    if snapshot.draft.plan.is_auction:
        label = str(pick.price)
        text = f"{team} buys {name} for {pick.price}."
    else:
        label = _label(snapshot.draft, pick.number)
        what = (
            f"{name} goes to {team} automatically"
            if pick.by == "automatic"
            else f"{team} takes {name}"
        )
        text = f"Pick {label}: {what}."
    return Latest(pick.number, label, pick.franchise, team, footballer, text)


def _lot(snapshot: Snapshot) -> LotView | None:
    lot = snapshot.draft.lot
    if lot is None:
        return None
    standing = lot.standing
    return LotView(
        snapshot.pool.by_id.get(lot.footballer_id),
        snapshot.name_of(standing.leader),
        standing.leader,
        standing.price,
    )
