"""Whom the clock and the bots choose, and what bots bid. Pure.

First the queue of the member, then the ranking. The ranking gives way to need: starting places come
before the bench. Kickers and team defences are taken only when a team has only as many places left
as starters missing, and of no position more than twice as many as it could start.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from app.draft_leagues.drafts.places import Lineup, accepts, positions_of
from app.draft_leagues.drafts.ranked import Draftable, Pool
from app.draft_leagues.drafts.rules import Draft

LAST_POSITIONS = frozenset({"K", "DST"})
# How likely a bot takes the first, second, ... of the best that it could take.
BOT_WEIGHTS = (8, 4, 2, 1)
BOT_PRICES = (80, 115)  # per cent of a footballer's price that a bot pays at most


@dataclass(frozen=True)
class Helper:
    """What is known about whoever cannot choose.

    Attributes:
        queue: The ids of the footballers whom the member wants, the first first.
        order: The ids of those whom the member ranks above the ranking, the best first.
        is_bot: Whether its choices vary a little.
    """

    queue: Sequence[str] = ()
    order: Sequence[str] = ()
    is_bot: bool = False


@dataclass(frozen=True)
class Choosing:
    """The choice of one franchise."""

    draft: Draft
    pool: Pool
    franchise: int
    helper: Helper = field(default_factory=Helper)


def choose(choosing: Choosing) -> Draftable | None:
    """Return the footballer for this franchise; None if nobody is left whom it could take."""
    queued = _available(
        choosing.draft,
        (
            footballer
            for footballer_id in choosing.helper.queue
            if (footballer := choosing.pool.by_id.get(footballer_id))
        ),
    )
    if (first := next(queued, None)) is not None:
        return first
    candidates = _by_need(choosing)
    if not choosing.helper.is_bot:
        return next(candidates, None)
    best = list(islice(candidates, len(BOT_WEIGHTS)))
    if not best:
        return None
    return _luck(choosing).choices(best, BOT_WEIGHTS[: len(best)])[0]


def bot_maximum(choosing: Choosing, footballer: Draftable, prices: Mapping[str, int]) -> int:
    """Return what a bot would pay for the footballer; 0 if it does not want them."""
    most = choosing.draft.most(choosing.franchise)
    if most < 1 or not _wants(choosing, footballer):
        return 0
    low, high = BOT_PRICES
    chance = random.Random(  # noqa: S311 (variety, not a secret)
        f"{choosing.draft.plan.seed}:{footballer.id}:{choosing.franchise}"
    )
    return min(most, max(1, prices.get(footballer.id, 1) * chance.randint(low, high) // 100))


def auction_prices(pool: Pool, draft: Draft) -> dict[str, int]:
    """Return what each footballer is worth, so that all prices together use up all budgets.

    Everybody who is bought costs 1; the money above that is shared in proportion to value.
    """
    plan = draft.plan
    bought = len(plan.order) * plan.places
    money = max(0, len(plan.order) * plan.budget - bought)
    best = [footballer for footballer in pool.footballers[:bought] if footballer.value > 0]
    total = sum(footballer.value for footballer in best) or 1
    return {footballer.id: 1 + money * footballer.value // total for footballer in best}


def _available(draft: Draft, footballers: Iterable[Draftable]) -> Iterator[Draftable]:
    positions = positions_of(draft.plan.starters)
    return (
        footballer
        for footballer in footballers
        if footballer.id not in draft.taken and footballer.position in positions
    )


def _by_need(choosing: Choosing) -> Iterator[Draftable]:
    """Who would start, by rank; then who would help the team; then everybody else who is left.

    In a rookie draft, on top of whole rosters, the best come first whatever a team needs.
    """
    available = list(_available(choosing.draft, _in_order(choosing)))
    if choosing.draft.plan.is_rookie_draft:
        yield from available
        return
    need = _Need(choosing)
    # The sort keeps the order of those who are needed alike.
    yield from sorted(available, key=need.urgency)


def _in_order(choosing: Choosing) -> Iterable[Draftable]:
    """Everybody, those of the member's own order first."""
    pool, first = choosing.pool, dict.fromkeys(choosing.helper.order)
    yield from (pool.by_id[each] for each in first if each in pool.by_id)
    yield from (each for each in pool.footballers if each.id not in first)


def _wants(choosing: Choosing, footballer: Draftable) -> bool:
    need = _Need(choosing)
    return need.allows(footballer) or need.is_missing(footballer.position)


class _Need:
    """What a team still needs."""

    def __init__(self, choosing: Choosing) -> None:
        draft, pool = choosing.draft, choosing.pool
        positions = [
            pool.market[footballer_id].position
            for footballer_id in draft.footballers_of(choosing.franchise)
            if footballer_id in pool.market
        ]
        lineup = Lineup(draft.plan.starters, positions)
        self._counts = Counter(positions)
        self._starters = draft.plan.starters
        self._missing = {
            position for position in positions_of(draft.plan.starters) if lineup.needs(position)
        }
        self._only_missing = lineup.lacking >= draft.open_places(choosing.franchise)

    def is_missing(self, position: str) -> bool:
        """Whether a starting place lacks this position."""
        return position in self._missing

    def urgency(self, footballer: Draftable) -> int:
        """0 for somebody who would start, 1 for the bench, 2 for anybody else."""
        if not self.allows(footballer):
            return 2
        return 0 if self._only_missing or self.is_missing(footballer.position) else 1

    def allows(self, footballer: Draftable) -> bool:
        """Whether the team would take the footballer by rank."""
        position = footballer.position
        if self._only_missing:
            return position in self._missing
        if position in LAST_POSITIONS:
            return False
        places = sum(each.count for each in self._starters if position in accepts(each.slot))
        return self._counts[position] < 2 * places


def _luck(choosing: Choosing) -> random.Random:
    seed = f"{choosing.draft.plan.seed}:{choosing.draft.expected}"
    return random.Random(seed)  # noqa: S311 (variety, not a secret)
