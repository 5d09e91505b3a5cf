"""A sensible team to start from: legal, within the budget, and good without looking ahead. Pure.

Every empty place first gets the cheapest footballer that it takes. Then, as long as there is money,
the exchange that adds most for its cost is made. Substitutes count a tenth, so that the money goes
to those who play. The bench has different positions, first those that most starting places take, so
it never has three kickers. Nothing is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.fantasy.market.formats import Format

STARTER, SUBSTITUTE = 10, 1  # how much a place counts
CONSIDERED = 50  # how many of the best and of the cheapest are considered for each position


@dataclass(frozen=True)
class Option:
    """A footballer to pick. `price` in tenths of a million; a higher `rating` is better."""

    id: str
    position: str
    club_id: str
    price: int
    rating: int


@dataclass(frozen=True)
class Team:
    """A team. `captain` and `vice_captain`: the places, from 1, of the two best starters."""

    picks: tuple[str, ...]
    captain: int
    vice_captain: int


@dataclass(frozen=True)
class _EmptyPlace:
    """A place to be filled: its index, the footballers it takes, and how much it counts."""

    index: int
    options: Sequence[Option]
    weight: int


def sensible_team(
    team_format: Format,
    budget: int,
    club_limit: int,
    options: Sequence[Option],
    picks: Sequence[str] = (),
) -> Team | None:
    """Return a team of these options, or None if they make no legal one.

    `picks`: footballers by place who stay in the team; '' for an empty place.
    """
    by_id = {option.id: option for option in options}
    picks = [*picks, *[""] * (len(team_format.places) - len(picks))]
    if any(pick and pick not in by_id for pick in picks):
        return None
    partial = [by_id.get(pick) for pick in picks]
    places = _empty_places(team_format, partial, options)
    team = _cheapest_team(partial, places, club_limit)
    if team is None or sum(option.price for option in team) > budget:
        return None
    _improve(team, places, budget, club_limit)
    best = sorted(range(len(team_format.starters)), key=lambda place: (-team[place].rating, place))
    return Team(tuple(option.id for option in team), best[0] + 1, best[1] + 1)


def _empty_places(
    team_format: Format, team: Sequence[Option | None], options: Sequence[Option]
) -> list[_EmptyPlace]:
    starters = len(team_format.starters)
    return [
        _EmptyPlace(
            index,
            [option for position in positions for option in _considered(options, position)],
            STARTER if index < starters else SUBSTITUTE,
        )
        for index, positions in enumerate(_positions(team_format, team))
        if team[index] is None
    ]


def _cheapest_team(
    partial: Sequence[Option | None], places: Sequence[_EmptyPlace], club_limit: int
) -> list[Option] | None:
    """Fill the places, those with the fewest options first; None if one cannot be filled."""
    team = list(partial)
    for place in sorted(places, key=lambda place: (len(place.options), place.index)):
        candidates = (
            option
            for option in place.options
            if option not in team and _fits(option, None, team, club_limit)
        )
        cheapest = min(
            candidates, key=lambda option: (option.price, -option.rating, option.id), default=None
        )
        if cheapest is None:
            return None
        team[place.index] = cheapest
    return [option for option in team if option is not None]


def _improve(
    team: list[Option], places: Sequence[_EmptyPlace], budget: int, club_limit: int
) -> None:
    """Make the best exchange for its cost until there is none.

    This ends because each exchange makes the team better.
    """
    while True:
        money = budget - sum(option.price for option in team)
        best: tuple[float, int, int, str] | None = None
        change: tuple[int, Option] | None = None
        for place in places:
            old = team[place.index]
            for new in place.options:
                cost, gain = new.price - old.price, (new.rating - old.rating) * place.weight
                if (
                    gain <= 0
                    or cost > money
                    or new in team
                    or not _fits(new, old, team, club_limit)
                ):
                    continue
                rank = (gain / cost if cost > 0 else float("inf"), gain, -place.index, new.id)
                if best is None or rank > best:
                    best, change = rank, (place.index, new)
        if change is None:
            return
        team[change[0]] = change[1]


def _fits(new: Option, old: Option | None, team: Sequence[Option | None], club_limit: int) -> bool:
    """Whether the club limit allows `new` in the place of `old`."""
    team_mates = sum(
        option is not None and option is not old and option.club_id == new.club_id
        for option in team
    )
    return not new.club_id or team_mates < club_limit


def _considered(options: Sequence[Option], position: str) -> list[Option]:
    pool = [option for option in options if option.position == position]
    best = sorted(pool, key=lambda option: (-option.rating, option.id))[:CONSIDERED]
    cheapest = sorted(pool, key=lambda option: (option.price, option.id))[:CONSIDERED]
    return list(dict.fromkeys((*best, *cheapest)))


def _positions(team_format: Format, team: Sequence[Option | None]) -> list[tuple[str, ...]]:
    """The positions that each place is filled with.

    In a squad with fixed numbers these are the positions that are missing; on any other bench one
    that the bench does not have yet.
    """
    starters = len(team_format.starters)
    demand = Counter(position for slot in team_format.starters for position in slot.accepts)
    missing = Counter(team_format.squad)
    missing.subtract(option.position for option in team if option is not None)
    for slot, option in zip(team_format.places, team, strict=True):
        if option is None and len(slot.accepts) == 1:
            missing[slot.accepts[0]] -= 1
    by_place: list[tuple[str, ...]] = []
    bench: Counter[str] = Counter()
    for place, (slot, option) in enumerate(zip(team_format.places, team, strict=True)):
        takes = slot.accepts
        if option is None and len(takes) > 1:
            if team_format.squad:
                takes = (_most_missing(takes, missing),)
                missing[takes[0]] -= 1
            elif place >= starters:
                takes = (_best_for_bench(takes, bench, demand, team_format),)
        if place >= starters:
            bench[option.position if option else takes[0]] += 1
        by_place.append(takes)
    return by_place


def _most_missing(takes: Sequence[str], missing: Counter[str]) -> str:
    return max(takes, key=lambda position: (missing[position], -takes.index(position)))


def _best_for_bench(
    takes: Sequence[str], bench: Counter[str], demand: Counter[str], team_format: Format
) -> str:
    """The position that is rarest on the bench, then the one that most starting places take."""
    order = team_format.positions.index
    return min(takes, key=lambda position: (bench[position], -demand[position], order(position)))
