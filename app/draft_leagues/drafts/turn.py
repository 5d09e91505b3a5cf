"""View models of a draft's turn: whose it is, the picks around it, and what each team reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core import clock
from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.queries import Snapshot
from app.draft_leagues.drafts.ranked import Draftable
from app.draft_leagues.drafts.rules import Draft, Pick

LATEST = 5  # picks that the strip shows before the present one
COMING = 8  # picks that the strip shows from the present one on
RUN_LOOKS_AT, RUN_LEAST = 8, 4  # so many of the latest picks of one position are a run


@dataclass(frozen=True)
class LatestPick:
    """A pick that was made lately. `colour`: of the team. `text`: as it is announced."""

    number: int
    label: str
    colour: int
    team: str
    footballer: Draftable | None
    text: str


@dataclass(frozen=True)
class ComingPick:
    """A pick that will be made, or the next nomination. `label`: as on the board."""

    label: str
    colour: int
    team: str


@dataclass(frozen=True)
class LotView:
    """The footballer who is up for auction."""

    footballer: Draftable | None
    leader: str
    leader_franchise: int
    price: int


@dataclass(frozen=True)
class DraftTurn:
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
    latest: Sequence[LatestPick]
    run: str
    picks_made: int
    picks_in_all: int


def turn_of(snapshot: Snapshot, now: datetime) -> DraftTurn:
    """Whose turn it is."""
    draft, slot = snapshot.draft, snapshot.draft.slot
    franchise, teams = draft.on_turn, len(draft.plan.order)
    return DraftTurn(
        status=draft.status,
        is_auction=draft.plan.is_auction,
        franchise=franchise,
        name=snapshot.name_of(franchise) if franchise else "",
        label=pick_label(teams, slot.number) if slot else "",
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
        picks_in_all=len(draft.slots) or teams * draft.plan.places,
    )


def coming_of(snapshot: Snapshot) -> list[ComingPick]:
    """The next picks that the strip shows; before the draft the whole first round."""
    draft, row = snapshot.draft, snapshot.row
    is_undrawn = row.lottery_seed is not None and row.drawn_at is None
    if draft.status == "completed" or is_undrawn:
        return []
    is_waiting, teams = draft.status == "waiting", len(draft.plan.order)
    if draft.plan.is_auction:
        turns = enumerate(draft.plan.order, start=1) if is_waiting else [(0, draft.on_turn)]
        return [
            _coming(snapshot, str(number or ""), franchise)
            for number, franchise in turns
            if franchise is not None
        ]
    return [
        _coming(snapshot, pick_label(teams, slot.number), slot.owner)
        for slot in draft.coming(teams if is_waiting else COMING)
    ]


def latest_of(snapshot: Snapshot, announced: Iterable[int] = ()) -> list[LatestPick]:
    """The latest picks, the latest first; without those whose numbers were announced already."""
    announced_numbers = set(announced)
    new_picks = [
        pick
        for pick in snapshot.draft.picks.values()
        if pick.by != "keeper" and pick.number not in announced_numbers
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


def _coming(snapshot: Snapshot, label: str, franchise: int) -> ComingPick:
    return ComingPick(label, snapshot.colour_of(franchise), snapshot.name_of(franchise))


def _latest(snapshot: Snapshot, pick: Pick) -> LatestPick:
    footballer = snapshot.pool.by_id.get(pick.footballer_id)
    team = snapshot.name_of(pick.franchise)
    name = f"{footballer.name}, {footballer.position}" if footballer else "a player"
    if snapshot.draft.plan.is_auction:
        label = str(pick.price)
        text = f"{team} buys {name} for {pick.price}."
    else:
        label = pick_label(len(snapshot.draft.plan.order), pick.number)
        what = f"{team} auto-picks {name}" if pick.by == "automatic" else f"{team} takes {name}"
        text = f"Pick {label}: {what}."
    colour = snapshot.colour_of(pick.franchise)
    return LatestPick(pick.number, label, colour, team, footballer, text)


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
