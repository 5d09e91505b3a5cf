"""The schedule of a regular season, all of it at once. Pure.

Everybody meets everybody else once before anybody meets again: the rounds of a round robin
(standings/fixtures.py). With divisions, the gameweeks after that are rounds within the divisions,
unless somebody would then have the same opponent two weeks running (divisions of two), or play
against the average more often than others: then the round robin goes on. With an odd number of
franchises one of them plays against the average of each gameweek, everybody equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise, product

from app.fantasy.standings.fixtures import Pair, pairings

Rivals = Sequence[tuple[int, int]]

MOST_ROTATIONS = 1_000  # of divisions that are tried; nearly always the first one fits


def regular_season(
    franchises: int,
    weeks: int,
    divisions: Mapping[int, int],
    *,
    rivals: Rivals = (),
    rivals_week: int | None = None,
) -> list[list[Pair]]:
    """The pairs of each week, as many rounds as `weeks`.

    Args:
        franchises: How many there are; they are numbered from 1.
        weeks: How many weeks the regular season has.
        divisions: The division of each franchise; equal or empty without divisions.
        rivals: Pairs who meet in `rivals_week`, each franchise at most once.
        rivals_week: From 1. With an odd number of franchises, and after a whole round robin, the
            wish cannot always be kept.

    >>> regular_season(4, 3, {}, rivals=[(1, 2)], rivals_week=2)[1]
    [(1, 2), (3, 4)]
    """
    circle = _circle(franchises, rivals)
    length = franchises - 1 if franchises % 2 == 0 else franchises
    shift = (rivals_week - 1) % length if rivals and rivals_week else 0
    rounds = [pairings(circle, (number - shift) % length) for number in range(length)]
    groups = _groups(franchises, divisions)
    if groups and weeks > length:
        for division_rounds in _division_seasons(groups, weeks - length):
            if _is_even([*rounds, *division_rounds], franchises):
                return [*rounds, *division_rounds]
    season = []
    for week in range(weeks):
        lap, number = divmod(week, length)
        pairs = rounds[number]
        season.append([_exchanged(pair) for pair in pairs] if lap % 2 else list(pairs))
    return season


def _is_even(season: Sequence[Sequence[Pair]], franchises: int) -> bool:
    """Whether nobody has an opponent two weeks running, and the average comes equally often."""
    if any(
        set(map(frozenset, week)) & set(map(frozenset, after)) for week, after in pairwise(season)
    ):
        return False
    byes = Counter(home for week in season for home, away in week if away is None)
    counts = [byes[number] for number in range(1, franchises + 1)]
    return max(counts) - min(counts) <= 1


def _circle(franchises: int, rivals: Rivals) -> list[int]:
    """The franchises in an order in which the rivals meet in the first round."""
    unpaired = [
        number for number in range(1, franchises + 1) if not any(number in pair for pair in rivals)
    ]
    half = (franchises + 1) // 2
    pairs = [*rivals, *zip(unpaired[::2], unpaired[1::2], strict=False)]
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if franchises % 2 == 0:
        return first + second[::-1]
    # The circle method pairs the first with nobody in the first round.
    alone = next(number for number in range(1, franchises + 1) if number not in {*first, *second})
    return [alone, *first, *second[::-1]][: 2 * half]


def _groups(franchises: int, divisions: Mapping[int, int]) -> list[list[int]]:
    """The franchises of each division; none without at least two divisions of two."""
    groups: dict[int, list[int]] = {}
    for number in range(1, franchises + 1):
        groups.setdefault(divisions.get(number, 0), []).append(number)
    return list(groups.values()) if len(groups) > 1 and min(map(len, groups.values())) > 1 else []


def _division_seasons(groups: Sequence[Sequence[int]], weeks: int) -> Iterator[list[list[Pair]]]:
    """The rounds within divisions, once for each round with which each division can begin."""
    starts = product(*(range(len(group)) for group in groups))
    for firsts in islice(starts, MOST_ROTATIONS):
        byes = Counter[int]()
        yield [
            _division_round(groups, [first + week for first in firsts], byes)
            for week in range(weeks)
        ]


def _division_round(
    groups: Sequence[Sequence[int]], numbers: Sequence[int], byes: Counter[int]
) -> list[Pair]:
    """A round within divisions; those who are left over in odd ones meet each other.

    If their number is odd, whoever of them has played against the average least often does so.
    """
    pairs: list[Pair] = []
    alone: list[int] = []
    for group, number in zip(groups, numbers, strict=True):
        for home, away in pairings(group, number):
            if away is None:
                alone.append(home)
            else:
                pairs.append((home, away))
    if len(alone) % 2:
        last = min(alone, key=lambda franchise: byes[franchise])
        byes[last] += 1
        alone.remove(last)
        pairs.append((last, None))
    return [*pairs, *zip(alone[::2], alone[1::2], strict=True)]


def _exchanged(pair: Pair) -> Pair:
    home, away = pair
    return (home, None) if away is None else (away, home)
