"""The table of a draft league: records, tie-breaks, and the reason for each place. Pure.

Franchises rank by the share of games won, a tie counting half. Equal ones are separated as in the
NFL's procedure: the first rule of the chain that separates them decides who comes first; if several
are still level, the chain starts anew among them, and then anew among the others. A coin, the last
resort, is a hash that anybody can compute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from statistics import median

from app.draft_leagues.settings import TieBreak
from app.fantasy.standings.fixtures import Pair

HALF = Fraction(1, 2)
Points = Mapping[int, int]
"""Points of a week by franchise, in thousandths."""


@dataclass(frozen=True)
class Week:
    """A settled gameweek of the regular season: who met whom, and what everybody scored."""

    pairs: Sequence[Pair]
    points: Points


@dataclass
class Record:
    """What a franchise has won so far. Points are thousandths.

    `between`: won and played against each other franchise.
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0
    points_for: int = 0
    points_against: Fraction = Fraction(0)
    between: dict[int, tuple[Fraction, int]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """How many games there were, those against the median included."""
        return self.wins + self.losses + self.ties

    @property
    def share(self) -> Fraction:
        """The share of games won, a tie counting half; a half before the first game."""
        return (self.wins + HALF * self.ties) / self.games if self.games else HALF


@dataclass(frozen=True)
class Place:
    """A place of the table.

    `reason`: the rule that put the franchise before the next one; empty if its record did.
    """

    place: int
    franchise: int
    record: Record
    reason: str = ""


TIE_BREAK_WORDS: Mapping[TieBreak, str] = {
    "result_between": "head-to-head record",
    "division_record": "division record",
    "points_for": "points for",
    "points_against": "points against",
    "all_play": "all-play record",
    "coin": "coin flip",
}


def records(
    franchises: int, weeks: Sequence[Week], *, median_game: bool = False
) -> dict[int, Record]:
    """The record of every franchise, by number.

    With `median_game` everybody also plays against the median of each gameweek.
    """
    table = {number: Record() for number in range(1, franchises + 1)}
    for week in weeks:
        scores = {number: week.points.get(number, 0) for number in table}
        average = Fraction(sum(scores.values()), len(scores))
        middle = Fraction(median(map(Fraction, scores.values())))
        for home, away in week.pairs:
            against = average if away is None else Fraction(scores[away])
            _play(table[home], scores[home], against, away)
            if away is not None:
                _play(table[away], scores[away], Fraction(scores[home]), home)
        for number, record in table.items():
            record.points_for += scores[number]
            if median_game:
                _count(record, _outcome(scores[number], middle))
    return table


def _play(record: Record, points: int, against: Fraction, opponent: int | None) -> None:
    won = _outcome(points, against)
    _count(record, won)
    record.points_against += against
    if opponent is not None:
        before, played = record.between.get(opponent, (Fraction(0), 0))
        record.between[opponent] = before + won, played + 1


def _outcome(points: int, against: Fraction) -> Fraction:
    """1 for a win, a half for a tie, 0 for a loss."""
    return HALF if points == against else Fraction(points > against)


def _count(record: Record, won: Fraction) -> None:
    if won == HALF:
        record.ties += 1
    elif won:
        record.wins += 1
    else:
        record.losses += 1


@dataclass(frozen=True)
class TableRules:
    """How a table is ordered.

    Attributes:
        chain: What separates equal records; the coin follows after the last.
        divisions: By franchise; empty without divisions.
        coin: What the coin's hash is made of besides the franchise, such as league and season.
        median_game: Whether everybody also plays against the median.
    """

    chain: Sequence[TieBreak]
    divisions: Mapping[int, int] = field(default_factory=dict)
    coin: str = ""
    median_game: bool = False


def table(franchises: int, weeks: Sequence[Week], rules: TableRules) -> list[Place]:
    """The table after these gameweeks, the first place first. No two share a place."""
    by_number = records(franchises, weeks, median_game=rules.median_game)
    judge = _Judge(by_number, weeks, rules)
    shares = sorted({record.share for record in by_number.values()}, reverse=True)
    ordered: list[tuple[int, str]] = []
    for share in shares:
        ordered += judge.separated([n for n, record in by_number.items() if record.share == share])
    return [
        Place(place, number, by_number[number], reason)
        for place, (number, reason) in enumerate(ordered, start=1)
    ]


class _Judge:
    """Separates franchises with equal records."""

    def __init__(
        self, by_number: Mapping[int, Record], weeks: Sequence[Week], rules: TableRules
    ) -> None:
        self.records = by_number
        self.rules = rules
        self.all_play = all_play(len(by_number), weeks)
        self.chain: list[TieBreak] = [*(rule for rule in rules.chain if rule != "coin"), "coin"]
        self.values: Mapping[
            TieBreak, Callable[[Collection[int]], Mapping[int, Fraction] | None]
        ] = {
            "result_between": self._between,
            "division_record": self._within_division,
            "points_for": lambda tied: {n: Fraction(self.records[n].points_for) for n in tied},
            "points_against": lambda tied: {n: self.records[n].points_against for n in tied},
            "all_play": lambda tied: {n: self.all_play[n] for n in tied},
            "coin": lambda tied: {n: Fraction(coin(self.rules.coin, n)) for n in tied},
        }

    def separated(self, tied: Sequence[int]) -> list[tuple[int, str]]:
        """These franchises in order, each with the rule that put it before the next."""
        if len(tied) <= 1:
            return [(number, "") for number in tied]
        for rule in self.chain:
            values = self.values[rule](tied)
            if values is None or len(set(values.values())) == 1:
                continue
            best = max(values.values())
            first = self.separated([number for number in tied if values[number] == best])
            others = self.separated([number for number in tied if values[number] != best])
            number, _ = first[-1]
            return [*first[:-1], (number, TIE_BREAK_WORDS[rule]), *others]
        raise AssertionError("a coin separates everybody")

    def _between(self, tied: Collection[int]) -> Mapping[int, Fraction] | None:
        """The share won against the others; None unless each of them has met one of the others."""
        return self._share_against({number: set(tied) - {number} for number in tied})

    def _within_division(self, tied: Collection[int]) -> Mapping[int, Fraction] | None:
        """The share won within the division; None unless all are of the same one."""
        divisions = self.rules.divisions
        if len({divisions.get(number, 0) for number in tied}) > 1 or not divisions:
            return None
        [division] = {divisions[number] for number in tied}
        members = {number for number, each in divisions.items() if each == division}
        return self._share_against({number: members - {number} for number in tied})

    def _share_against(
        self, opponents: Mapping[int, Collection[int]]
    ) -> Mapping[int, Fraction] | None:
        shares = {}
        for number, others in opponents.items():
            games = [self.records[number].between.get(other, (Fraction(0), 0)) for other in others]
            played = sum(count for _, count in games)
            if not played:
                return None
            shares[number] = sum((won for won, _ in games), Fraction(0)) / played
        return shares


def all_play(franchises: int, weeks: Sequence[Week]) -> dict[int, Fraction]:
    """The share each franchise would have won if everybody had met everybody in each gameweek."""
    won = dict.fromkeys(range(1, franchises + 1), Fraction(0))
    for week in weeks:
        scores = {number: week.points.get(number, 0) for number in won}
        for number in won:
            won[number] += sum(
                (
                    _outcome(scores[number], Fraction(other_score))
                    for other, other_score in scores.items()
                    if other != number
                ),
                Fraction(0),
            )
    games = len(weeks) * (franchises - 1)
    return {number: wins / games if games else HALF for number, wins in won.items()}


def strength_of_schedule(
    by_number: Mapping[int, Record], pairs: Sequence[Sequence[Pair]]
) -> dict[int, Fraction]:
    """The mean share that the opponents of each franchise have won, over these rounds.

    A round against the average is left out; without opponents it is a half.
    """
    met: dict[int, list[Fraction]] = {number: [] for number in by_number}
    for games in pairs:
        for home, away in games:
            if away is not None:
                met[home].append(by_number[away].share)
                met[away].append(by_number[home].share)
    return {
        number: sum(shares, Fraction(0)) / len(shares) if shares else HALF
        for number, shares in met.items()
    }


def coin(names: str, franchise: int) -> int:
    """The lot of a franchise: SHA-256 of `names:franchise` as a number. The highest comes first.

    >>> coin("league 7, 2026", 3) > coin("league 7, 2026", 4)
    False
    """
    return int.from_bytes(sha256(f"{names}:{franchise}".encode()).digest())
