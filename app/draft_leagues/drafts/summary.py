"""What a team is told when its draft is over: how it is projected, and its best pick. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.draft_leagues.drafts.order import pick_label
from app.draft_leagues.drafts.places import seated
from app.draft_leagues.drafts.ranked import Draftable, Pool
from app.draft_leagues.drafts.rules import Draft, Pick
from app.fantasy.notices.words import ordinal


@dataclass(frozen=True)
class BestPick:
    """The pick that was made the furthest after its rank, among everybody who was drafted.

    Attributes:
        label: The pick, such as `4.07`; of an auction the price.
        gain: How many places later than its rank; of an auction, how many places cheaper.
    """

    footballer: Draftable
    label: str
    gain: int


@dataclass(frozen=True)
class DraftSummary:
    """A team after its draft.

    Attributes:
        points: Projected for its starters, in thousandths.
        place: Among the teams of the draft by these points, such as `2nd`; ties share a place.
        best: None if none of its picks was made after its rank.
    """

    points: int
    place: str
    teams: int
    best: BestPick | None


def summary_of(draft: Draft, pool: Pool, franchise: int) -> DraftSummary:
    """How the franchise did in the draft."""
    order = draft.plan.order
    points = {number: _starters_points(draft, pool, number) for number in order}
    place = 1 + sum(total > points[franchise] for total in points.values())
    best = _best_pick(draft, pool, franchise)
    return DraftSummary(points[franchise], ordinal(place), len(order), best)


def _starters_points(draft: Draft, pool: Pool, franchise: int) -> int:
    """The projected points of the franchise's best starters."""
    footballers = [
        footballer
        for footballer_id in draft.footballers_of(franchise)
        if (footballer := pool.market.get(footballer_id))
    ]
    footballers.sort(key=lambda footballer: (-footballer.points, footballer.rank))
    positions = [footballer.position for footballer in footballers]
    places, _ = seated(draft.plan.starters, positions)
    return sum(footballers[index].points for _, index in places if index is not None)


def _best_pick(draft: Draft, pool: Pool, franchise: int) -> BestPick | None:
    """The franchise's pick with the largest gain, the earliest of equals."""
    drafted = _drafted(draft, pool)
    by_rank = sorted(drafted, key=lambda drafted_pick: drafted_pick[1].rank)
    best: BestPick | None = None
    for place, (pick, footballer) in enumerate(drafted):
        gain = place - by_rank.index((pick, footballer))
        if pick.franchise == franchise and gain > (best.gain if best else 0):
            best = BestPick(footballer, _label(draft, pick), gain)
    return best


def _drafted(draft: Draft, pool: Pool) -> Sequence[tuple[Pick, Draftable]]:
    """Everybody who was drafted, in the order of the picks; in an auction the dearest first."""
    picks = sorted(draft.picks.values(), key=lambda pick: (-pick.price, pick.number))
    return [
        (pick, footballer)
        for pick in picks
        if pick.by != "keeper" and (footballer := pool.by_id.get(pick.footballer_id))
    ]


def _label(draft: Draft, pick: Pick) -> str:
    if draft.plan.is_auction:
        return str(pick.price)
    return pick_label(len(draft.plan.order), pick.number)
