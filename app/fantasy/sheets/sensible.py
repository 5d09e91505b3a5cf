"""A sensible team to start from.

Legal, within the budget, the best that the money buys without looking ahead. Pure.

The rule: every empty place first gets the cheapest player it takes; then, as long as there is
money, the exchange that adds most for what it costs is made. Substitutes count a tenth, so that the
money goes to those who play; the bench is of different positions, those first that most starting
places take (so never three kickers). Nothing is drawn by lot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import Format

STARTER, SUBSTITUTE = 10, 1  # how much a place counts
CONSIDERED = 50  # of each position the best and the cheapest so many


@dataclass(frozen=True)
class Option:
    """A player who can be had. `price` in tenths of a million; `rating`: the more, the better."""

    id: str
    position: str
    club_id: str
    price: int
    rating: int


@dataclass(frozen=True)
class Team:
    """Picks by place; captain and vice-captain as places from 1.

    The best and the second best starter.
    """

    picks: tuple[str, ...]
    captain: int
    vice_captain: int


def sensible_team(
    team_format: Format,
    budget: int,
    club_limit: int,
    options: Sequence[Option],
    kept: Sequence[str] = (),
) -> Team | None:
    """The team; None when these options fill no legal one.

    `kept`: picks by place that stay ('' for an empty place).
    """
    known = {one.id: one for one in options}
    kept = [*kept, *[""] * (len(team_format.places) - len(kept))]
    if any(one and one not in known for one in kept):
        return None
    team = [known.get(one) for one in kept]
    takes = _positions(team_format, team)
    pools = {
        position: _considered(options, position) for positions in takes for position in positions
    }
    empty = [place for place, one in enumerate(team) if one is None]
    for place in sorted(
        empty, key=lambda place: (sum(len(pools[one]) for one in takes[place]), place)
    ):
        cheapest = (
            one
            for position in takes[place]
            for one in pools[position]
            if one not in team and _fits(one, None, team, club_limit)
        )
        team[place] = min(cheapest, key=lambda one: (one.price, -one.rating, one.id), default=None)
        if team[place] is None:
            return None
    chosen = [one for one in team if one is not None]
    if sum(one.price for one in chosen) > budget:
        return None
    _improve(chosen, empty, takes, pools, len(team_format.starters), budget, club_limit)
    best = sorted(
        range(len(team_format.starters)), key=lambda place: (-chosen[place].rating, place)
    )
    return Team(tuple(one.id for one in chosen), best[0] + 1, best[1] + 1)


def _improve(
    team: list[Option],
    places: Sequence[int],
    takes: Sequence[tuple[str, ...]],
    pools: dict[str, list[Option]],
    starters: int,
    budget: int,
    club_limit: int,
) -> None:
    """Makes the best exchange for its cost until there is none.

    Each one adds to the team, so this ends.
    """
    while True:
        left = budget - sum(one.price for one in team)
        best: tuple[float, int, int, str] | None = None
        change: tuple[int, Option] | None = None
        for place in places:
            old, counts = team[place], STARTER if place < starters else SUBSTITUTE
            for position in takes[place]:
                for new in pools[position]:
                    cost, gain = new.price - old.price, (new.rating - old.rating) * counts
                    if (
                        gain <= 0
                        or cost > left
                        or new in team
                        or not _fits(new, old, team, club_limit)
                    ):
                        continue
                    rank = (gain / cost if cost > 0 else float("inf"), gain, -place, new.id)
                    if best is None or rank > best:
                        best, change = rank, (place, new)
        if change is None:
            return
        team[change[0]] = change[1]


def _fits(new: Option, old: Option | None, team: Sequence[Option | None], club_limit: int) -> bool:
    same = sum(one is not None and one is not old and one.club_id == new.club_id for one in team)
    return not new.club_id or same < club_limit


def _considered(options: Sequence[Option], position: str) -> list[Option]:
    pool = [one for one in options if one.position == position]
    best = sorted(pool, key=lambda one: (-one.rating, one.id))[:CONSIDERED]
    cheapest = sorted(pool, key=lambda one: (one.price, one.id))[:CONSIDERED]
    return list(dict.fromkeys((*best, *cheapest)))


def _positions(team_format: Format, team: Sequence[Option | None]) -> list[tuple[str, ...]]:
    """Which positions each place is to be filled with.

    Of a squad with fixed numbers what is missing, on the bench one that is not there yet.
    """
    taking = Counter(position for slot in team_format.starters for position in slot.accepts)
    missing = Counter(team_format.squad)
    missing.subtract(one.position for one in team if one is not None)
    for slot, one in zip(team_format.places, team, strict=True):
        if one is None and len(slot.accepts) == 1:
            missing[slot.accepts[0]] -= 1
    wanted: list[tuple[str, ...]] = []
    bench: Counter[str] = Counter()
    for place, (slot, one) in enumerate(zip(team_format.places, team, strict=True)):
        takes = slot.accepts
        if one is None and len(takes) > 1 and team_format.squad:
            takes = (
                max(takes, key=lambda position: (missing[position], -slot.accepts.index(position))),
            )
            missing[takes[0]] -= 1
        elif one is None and len(takes) > 1 and place >= len(team_format.starters):
            order = team_format.positions.index
            takes = (
                min(
                    takes,
                    key=lambda position: (bench[position], -taking[position], order(position)),
                ),
            )
        if place >= len(team_format.starters):
            bench[one.position if one else takes[0]] += 1
        wanted.append(takes)
    return wanted
