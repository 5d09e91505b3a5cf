"""The fixtures of a head-to-head league's season: a fair round robin, kept through every change of
its members. Pure.

Lives here: who plays whom and when. Not here: storing it (schedules.py), who wins (matchups.py).

While nobody has come or gone since the first gameweek, everybody meets everybody else once in n - 1
gameweeks (n, when n is odd), and then again with home and away exchanged. After a change the
gameweeks to come are mended: what can stay stays, nobody meets the opponent of the week before or
after while there is another, and all pairs of the season have met as evenly as local exchanges make
it. Equal input gives equal fixtures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

Pair = tuple[int, int | None]
Round = Sequence[Pair]
_Met = frozenset[int | None]


def pairings(members: Sequence[int], round: int) -> list[Pair]:
    """The pairs of a round, counted from 0 without end, of a round robin in the given order (the
    circle method).

    Of n members everybody meets everybody else once in n - 1 rounds (n, when n is odd); then it
    begins again with home and away exchanged. When n is odd one member plays against the average
    (None) each round, everybody once. Fewer than two members: nobody plays.

    >>> [pairings([1, 2, 3, 4], round) for round in range(3)]
    [[(1, 4), (2, 3)], [(3, 1), (2, 4)], [(1, 2), (3, 4)]]
    >>> pairings([1, 2, 3], 0)
    [(1, None), (2, 3)]
    """
    if len(members) < 2:
        return []
    circle: list[int | None] = [*members, None] if len(members) % 2 else [*members]
    first, others = circle[0], circle[1:]
    lap, turn = divmod(round, len(others))
    # The first stays in place; all the others move on by one place per round.
    seats = [first, *others[len(others) - turn :], *others[: len(others) - turn]]
    half = len(seats) // 2
    pairs = zip(seats[:half], reversed(seats[half:]), strict=True)
    return [_sided(member, other, (turn + lap) % 2 == 1) for member, other in pairs]


def _sided(member: int | None, other: int | None, exchanged: bool) -> Pair:
    """Home and away; against the average the member is at home."""
    if member is None or other is None:
        playing = other if member is None else member
        assert playing is not None
        return playing, None
    return (other, member) if exchanged else (member, other)


def fixtures(
    members: Sequence[int], played: Sequence[Round], planned: Sequence[Round]
) -> list[list[Pair]]:
    """The rounds to come, as many as `planned` has, of these members in the order in which they
    joined.

    `played`: the rounds that are fixed, in order; `planned`: what was to come so far, where a round
    may be empty. Until a round is fixed the season is drawn anew, so that it is as even as can be.

    >>> fixtures([1, 2, 3], [], [[], []])
    [[(1, None), (2, 3)], [(3, 1), (2, None)]]
    >>> fixtures([1, 3, 4], [[(1, 4), (2, 3)]], [[(3, 1), (2, 4)], [(1, 2), (3, 4)]])
    [[(3, 1), (4, None)], [(3, 4), (1, None)]]
    """
    if not played or len(members) < 2:
        return [pairings(members, len(played) + number) for number in range(len(planned))]
    season = _Season(members, played, planned)
    while season.improve():
        pass
    return season.rounds[len(played) :]


def draw(members: Sequence[int], number: int, last: Round) -> list[Pair]:
    """One round of a league too large to be planned: the round robin's, where nobody meets the
    opponent of the `last` round while there is another.

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
    """All rounds, of which those from `first` on may be changed, and how often each pair has met in
    them.
    """

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
        """Makes every exchange between two pairs of a round that makes the season better, and
        between three where two are not enough; whether there was one.
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
            # Repeats, and what they add to the sum of the squares of how often each pair meets,
            # which is least where all meet equally often.
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
        """Who met in the round before, and meets in the round after."""
        around = self.rounds[number - 1 : number] + self.rounds[number + 1 : number + 2]
        return {_met(pair) for pairs in around for pair in pairs}


def _at_home(pair: _Met, homes: Counter[int]) -> Pair:
    """At home is whoever has fewer games at home, then the lower id."""
    members = (member for member in pair if member is not None)
    home, *others = sorted(members, key=lambda member: (homes[member], member))
    return home, others[0] if others else None


def _completed(members: Sequence[int], pairs: Round) -> list[Pair]:
    """A round of these members alone: pairs that are whole stay, those who lost their opponent meet
    each other.
    """
    here: set[int | None] = {*members, None} if len(members) % 2 else {*members}
    kept = [pair for pair in pairs if here.issuperset(pair)]
    playing = {member for pair in kept for member in pair}
    alone = [member for member in members if member not in playing]
    if len(members) % 2 and None not in playing:
        alone_with_average: list[int | None] = [*alone, None]
    else:
        alone_with_average = [*alone]
    return kept + [
        _sided(member, other, False)
        for member, other in zip(alone_with_average[::2], alone_with_average[1::2], strict=True)
    ]


def _exchanges(pairs: Sequence[Pair]) -> Iterator[list[_Met]]:
    """The other ways in which the members of two or three pairs meet, where nobody keeps their
    opponent.
    """
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
