"""The schedule of a regular season, all of it at once. Pure.

Everybody meets everybody else once before anybody meets again: the rounds of a round robin
(standings/fixtures.py). With divisions, the gameweeks after that are rounds within the divisions.
With an odd number of franchises one of them plays against the average of each gameweek, everybody
equally often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.fantasy.standings.fixtures import Pair, pairings

Rivals = Sequence[tuple[int, int]]


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
    season = []
    for week in range(weeks):
        lap, number = divmod(week, length)
        if lap == 0 or not groups:
            pairs = rounds[number]
            season.append([_exchanged(pair) for pair in pairs] if lap % 2 else list(pairs))
        else:
            season.append(_division_round(groups, week - length))
    return season


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


def _division_round(groups: Sequence[Sequence[int]], number: int) -> list[Pair]:
    """A round within divisions; those who are left over in odd ones meet each other."""
    pairs: list[Pair] = []
    alone: list[int] = []
    for group in groups:
        for home, away in pairings(group, number):
            if away is None:
                alone.append(home)
            else:
                pairs.append((home, away))
    pairs += list(zip(alone[::2], alone[1::2], strict=False))
    if len(alone) % 2:
        pairs.append((alone[-1], None))
    return pairs


def _exchanged(pair: Pair) -> Pair:
    home, away = pair
    return (home, None) if away is None else (away, home)
