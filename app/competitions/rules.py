"""Settles the table of a cohort: ranks, promotions and relegations, rewards. Pure.

Settlement and preview share these rules, so a preview shows what a settlement would do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal
from uuid import UUID

from app.boards.order import Order
from app.boards.ranking import Place, rows
from app.boards.rules import Ties
from app.competitions.declaration import Declaration, last_rank

Outcome = Literal["promoted", "relegated", "stays"]


@dataclass(frozen=True)
class Entrant:
    """A player of a cohort.

    `score`: None if none counts. `key`: what the score is ranked by (app/boards/order.py), None for
    the score itself.
    """

    player_id: UUID
    score: int | None
    key: int | None = None


@dataclass(frozen=True)
class Result:
    """A player's result. `band`: its index in the declaration; `grants`: amounts by reward."""

    player_id: UUID
    rank: int | None
    score: int | None
    outcome: Outcome
    next_tier: int
    band: int | None = None
    grants: Mapping[str, int] = field(default_factory=dict)


def settle_cohort(
    declaration: Declaration, ties: Ties, tier: int, entrants: Sequence[Entrant]
) -> list[Result]:
    """The result of each player, in the same order.

    `entrants` come in the board's order, those without a score last.
    """
    scored = [
        (str(entrant.player_id), entrant.score if entrant.key is None else entrant.key)
        for entrant in entrants
        if entrant.score is not None
    ]
    ranked = rows(ties, Order(), scored, Place(0, 0, 0))
    ahead = _ahead(ties, [key for _, key in scored])
    rules, top = declaration.tiers[tier - 1], len(declaration.tiers)
    results = []
    for number, entrant in enumerate(entrants):
        if number >= len(ranked):
            down = rules.relegate > 0
            results.append(
                Result(entrant.player_id, None, None, *_move(tier, top, up=False, down=down))
            )
            continue
        rank = ranked[number].rank
        up = ahead[number] < rules.promote
        down = not up and len(entrants) - ahead[number] <= rules.relegate
        band = _band(declaration, tier, rank, len(ranked))
        grants = (
            {}
            if band is None
            else {grant.reward: grant.amount for grant in declaration.rewards[band].grants}
        )
        outcome, next_tier = _move(tier, top, up=up, down=down)
        results.append(
            Result(entrant.player_id, rank, entrant.score, outcome, next_tier, band, grants)
        )
    return results


def _ahead(ties: Ties, keys: Sequence[int]) -> list[int]:
    """How many players are strictly ahead of each."""
    if ties is Ties.EARLIEST:
        return list(range(len(keys)))
    ahead: list[int] = []
    for _, group in groupby(keys):
        ahead += [len(ahead)] * len(list(group))
    return ahead


def _move(tier: int, top: int, *, up: bool, down: bool) -> tuple[Outcome, int]:
    if up and tier < top:
        return "promoted", tier + 1
    if down and tier > 1:
        return "relegated", tier - 1
    return "stays", tier


def _band(declaration: Declaration, tier: int, rank: int, ranked: int) -> int | None:
    for number, band in enumerate(declaration.rewards):
        if band.tiers and tier not in band.tiers:
            continue
        if band.from_rank <= rank <= last_rank(band, ranked):
            return number
    return None


@dataclass(frozen=True)
class Seat:
    """A place in a window: `number` counts from 1 in the tier."""

    player_id: UUID
    tier: int
    number: int
    cohort: int


def carried_on(
    size: int | None, results: Iterable[tuple[int, int, Result]], taken: Mapping[int, int]
) -> list[Seat]:
    """Assign seats of the next window to everybody who has a score, in their current tier.

    Players of higher tiers come first, then better ranks, then lower cohorts, after the seats that
    are taken.

    Args:
        size: The size of a cohort.
        results: Each with the tier and cohort that its players come from.
        taken: The last seat taken in each tier.
    """
    played = [(tier, cohort, result) for tier, cohort, result in results if result.rank is not None]
    played.sort(key=lambda row: (-row[0], row[2].rank, row[1], str(row[2].player_id)))
    seats = dict(taken)
    return [take_seat(size, seats, result.player_id, result.next_tier) for _, _, result in played]


def take_seat(size: int | None, seats: dict[int, int], player_id: UUID, tier: int) -> Seat:
    """Take the next seat of the tier; `seats` has the last seat taken in each tier."""
    seats[tier] = seats.get(tier, 0) + 1
    return Seat(player_id, tier, seats[tier], cohort_of(size, seats[tier]))


def cohort_of(size: int | None, seat: int) -> int:
    """The cohort of a seat: seats of a tier are taken from 1, and `size` of them make a cohort.

    >>> cohort_of(3, 3), cohort_of(3, 4), cohort_of(None, 4)
    (1, 2, 1)
    """
    return 1 if size is None else (seat - 1) // size + 1
