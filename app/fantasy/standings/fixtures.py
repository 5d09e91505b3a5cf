"""The fixtures of a head-to-head league, and their match points. Pure.

Who plays whom and when is decided here, and stored by schedules.py: a round robin that stays fair
as members change. Results are written by results.py.

As long as the members are those of the first gameweek, everybody meets everybody else once in n - 1
gameweeks (n, if n is odd), and then again with home and away exchanged. After a change the
remaining gameweeks are repaired: what can stay stays, nobody meets the opponent of the week before
or after if there is another, and all pairs of the season meet as evenly as local exchanges can make
it. Equal input gives equal fixtures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

Pair = tuple[int, int | None]
Round = Sequence[Pair]
_Met = frozenset[int | None]

WIN, DRAW, LOSS = 3, 1, 0
LEAST_MEMBERS = 2  # with fewer nobody plays


def pairings(members: Sequence[int], number: int) -> list[Pair]:
    """The pairs of a round of a round robin by the circle method. Rounds count from 0 without end.

    n members meet each other once in n - 1 rounds (n, if n is odd); then it begins again with home
    and away exchanged. If n is odd, one member plays against the average (None) in each round,
    everybody once. With fewer than LEAST_MEMBERS nobody plays.

    >>> [pairings([1, 2, 3, 4], number) for number in range(3)]
    [[(1, 4), (2, 3)], [(3, 1), (2, 4)], [(1, 2), (3, 4)]]
    >>> pairings([1, 2, 3], 0)
    [(1, None), (2, 3)]
    """
    if len(members) < LEAST_MEMBERS:
        return []
    circle: list[int | None] = [*members, None] if len(members) % 2 else [*members]
    first, others = circle[0], circle[1:]
    lap, turn = divmod(number, len(others))
    # The first member stays in place, the others move on by one place per round.
    seats = [first, *others[len(others) - turn :], *others[: len(others) - turn]]
    half = len(seats) // 2
    pairs = zip(seats[:half], reversed(seats[half:]), strict=True)
    return [_sided(member, other, (turn + lap) % 2 == 1) for member, other in pairs]


def _sided(member: int | None, other: int | None, exchanged: bool) -> Pair:
    """The pair with home first; against the average the member is at home."""
    if member is None or other is None:
        playing = other if member is None else member
        assert playing is not None
        return playing, None
    return (other, member) if exchanged else (member, other)


def fixtures(
    members: Sequence[int], played: Sequence[Round], planned: Sequence[Round]
) -> list[list[Pair]]:
    """The remaining rounds of a season. Until a round is fixed, the whole season is drawn again.

    Args:
        members: In the order in which they joined.
        played: The rounds that are fixed, in order.
        planned: The remaining rounds so far; a round may be empty.

    Returns:
        As many rounds as `planned` has.

    >>> fixtures([1, 2, 3], [], [[], []])
    [[(1, None), (2, 3)], [(3, 1), (2, None)]]
    >>> fixtures([1, 3, 4], [[(1, 4), (2, 3)]], [[(3, 1), (2, 4)], [(1, 2), (3, 4)]])
    [[(3, 1), (4, None)], [(3, 4), (1, None)]]
    """
    if not played or len(members) < LEAST_MEMBERS:
        return [pairings(members, len(played) + number) for number in range(len(planned))]
    season = _Season(members, played, planned)
    while season.improve():
        pass
    return season.rounds[len(played) :]


def draw(members: Sequence[int], number: int, last: Round) -> list[Pair]:
    """One round of a league that is too large to plan a season for.

    It is the round robin's, changed so that nobody meets the opponent of the `last` round if there
    is another.

    >>> draw([1, 2, 3, 4], 1, [(1, 3), (2, 4)])
    [(2, 3), (1, 4)]
    """
    pairs = pairings(members, number)
    near = {_met(pair) for pair in last}
    for place, pair in enumerate(pairs):
        if _met(pair) not in near:
            continue
        for other in range(len(pairs)):
            exchanges = [] if other == place else list(_exchanges([pair, pairs[other]]))
            chosen = next((new for new in exchanges if near.isdisjoint(new)), None)
            if chosen is not None:
                pairs[place], pairs[other] = (_at_home(new, Counter()) for new in chosen)
                break
    return pairs


class _Season:
    """All rounds of a season, and how often each pair meets. Rounds from `first` on may change."""

    def __init__(
        self, members: Sequence[int], played: Sequence[Round], planned: Sequence[Round]
    ) -> None:
        self.first = len(played)
        self.rounds: list[list[Pair]] = [list(pairs) for pairs in played]
        for number, pairs in enumerate(planned, start=self.first):
            self.rounds.append(_completed(members, pairs or pairings(members, number)))
        self.met = Counter(_met(pair) for pairs in self.rounds for pair in pairs)
        self.homes = Counter(
            home for pairs in self.rounds for home, away in pairs if away is not None
        )

    def improve(self) -> bool:
        """Exchange members between two pairs of a round, or else three, if that is an improvement.

        Returns:
            Whether anything was exchanged.
        """
        return self._exchange_all(2) or self._exchange_all(3)

    def _exchange_all(self, size: int) -> bool:
        changed = False
        for number in range(self.first, len(self.rounds)):
            for places in combinations(range(len(self.rounds[number])), size):
                changed |= self._exchange(number, places)
        return changed

    def _exchange(self, number: int, places: tuple[int, ...]) -> bool:
        pairs = self.rounds[number]
        old = [_met(pairs[place]) for place in places]
        near = self._near(number)
        before = sum(pair in near for pair in old), sum(self.met[pair] - 1 for pair in old)
        best, chosen = before, None
        for new in _exchanges([pairs[place] for place in places]):
            # Repeats, and what they add to the sum of squares of how often each pair meets, which
            # is least if all pairs meet equally often.
            after = sum(pair in near for pair in new), sum(self.met[pair] for pair in new)
            if after < best:
                best, chosen = after, new
        if chosen is None:
            return False
        self.met.subtract(old)
        self.met.update(chosen)
        for place, pair in zip(places, chosen, strict=True):
            pairs[place] = _at_home(pair, self.homes)
        return True

    def _near(self, number: int) -> set[_Met]:
        """The pairs of the round before and the round after."""
        around = self.rounds[number - 1 : number] + self.rounds[number + 1 : number + 2]
        return {_met(pair) for pairs in around for pair in pairs}


def _at_home(pair: _Met, homes: Counter[int]) -> Pair:
    """The pair with the member at home who has fewer home games, then the lower id."""
    members = (member for member in pair if member is not None)
    home, *others = sorted(members, key=lambda member: (homes[member], member))
    return home, others[0] if others else None


def _completed(members: Sequence[int], pairs: Round) -> list[Pair]:
    """The round with these members only: those who have lost their opponent meet each other."""
    present: set[int | None] = {*members, None} if len(members) % 2 else {*members}
    complete = [pair for pair in pairs if present.issuperset(pair)]
    playing = {member for pair in complete for member in pair}
    alone: list[int | None] = [member for member in members if member not in playing]
    if len(members) % 2 and None not in playing:
        alone.append(None)
    pairs_of_alone = zip(alone[::2], alone[1::2], strict=True)
    return complete + [_sided(member, other, False) for member, other in pairs_of_alone]


def _exchanges(pairs: Sequence[Pair]) -> Iterator[list[_Met]]:
    """The other ways to pair the members of two or three pairs: nobody keeps their opponent."""
    (a, b), (c, d), *third = pairs
    for x, y in ((c, d), (d, c)):
        if not third:
            yield [frozenset((a, x)), frozenset((b, y))]
            continue
        e, f = third[0]
        for u, v in ((e, f), (f, e)):
            yield [frozenset((a, x)), frozenset((y, u)), frozenset((v, b))]
            yield [frozenset((a, u)), frozenset((v, x)), frozenset((y, b))]


def _met(pair: Pair) -> _Met:
    return frozenset(pair)


def match_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> dict[int, int]:
    """Match points by member: three for a win, one for a draw, none for a loss.

    A member without a score has 0 points.

    >>> match_points({1: 9000, 2: 8000, 3: 8500}, [(1, 2), (3, None)])
    {1: 3, 2: 0, 3: 1}
    """
    average = average_points(scores, pairs)
    won: dict[int, int] = {}
    for home, away in pairs:
        home_score = scores.get(home, 0)
        if away is None:
            won[home] = _result(home_score, average)
        else:
            away_score = scores.get(away, 0)
            won[home] = _result(home_score, away_score)
            won[away] = _result(away_score, home_score)
    return won


def average_points(scores: Mapping[int, int], pairs: Sequence[Pair]) -> Fraction:
    """The exact average of everybody in `pairs`, in thousandths.

    A member without an opponent plays against it, and is included. Members who joined after the
    pairs were drawn are not.

    >>> average_points({1: 10, 2: 20, 3: 31, 9: 999}, [(1, 2), (3, None)])
    Fraction(61, 3)
    """
    playing = [member for pair in pairs for member in pair if member is not None]
    return Fraction(sum(scores.get(member, 0) for member in playing), len(playing) or 1)


def _result(score: int, opponent: int | Fraction) -> int:
    if score == opponent:
        return DRAW
    return WIN if score > opponent else LOSS
