"""Points, table and play-offs of a draft league computed a second time, in plain Python.

Nothing is shared with the app: a line-up is filled by search, tables are ordered by repeated
selection, and brackets are played game by game. The worth of each statistic is printed in
tests/fantasy/seasons/plain_rules.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from tests.demo.draft_season.plain_facts import Facts
from tests.fantasy.seasons.plain_rules import KICKS_AND_DEFENCE, NFLVERSE, PRINTED

BACKS = {"RB", "WR", "TE"}
LINE = {"DL", "DE", "DT", "NT"}
BACKERS = {"LB", "ILB", "OLB", "MLB"}
SECONDARY = {"DB", "CB", "S", "SS", "FS"}
TAKES = {
    "QB": {"QB"},
    "RB": {"RB"},
    "WR": {"WR"},
    "TE": {"TE"},
    "FLEX": BACKS,
    "SUPERFLEX": BACKS | {"QB"},
    "K": {"K"},
    "DST": {"DST"},
    "DL": LINE,
    "LB": BACKERS,
    "DB": SECONDARY,
    "IDP": LINE | BACKERS | SECONDARY,
}
Published = Mapping[str, Mapping[str, Mapping[str, Decimal]]]
"""Published points by game, rules (standard or ppr) and player."""


class Game(NamedTuple):
    """A game of the play-offs. `sides`: the better seed first; `winner` of a bye is its side."""

    bracket: str
    round: int
    weeks: tuple[int, ...]
    sides: tuple[int, ...]
    points: tuple[int, ...]
    winner: int


@dataclass
class PlainSeason:
    """The results that follow from the facts.

    `published` has the points of real games; `known_as` their ids by those that they have here.
    """

    facts: Facts
    published: Published = field(default_factory=dict)
    from_published: int = 0

    def __post_init__(self) -> None:
        self.scores = {
            (week, franchise): self._lineup_points(week, franchise)
            for week in self.facts.weeks
            for franchise in self.facts.franchises
        }
        count = self.facts.settings["season"]["regular_weeks"]
        self.regular, self.playoff_weeks = self.facts.weeks[:count], self.facts.weeks[count:]

    # --- points ---

    def footballer_points(self, week: int, footballer: str) -> int:
        """Thousandths of all games of the week."""
        total = Fraction(0)
        for game, stats in self.facts.played.get((week, footballer), ()):
            total += self._game_points(game.rpartition("-")[2], footballer, stats)
        milli = total * 1000
        assert milli.denominator == 1, (week, footballer, total)
        return int(milli)

    def _game_points(self, game: str, footballer: str, stats: Mapping[str, int]) -> Fraction:
        worth = PRINTED[self.facts.scoring]
        published = self.published.get(game)
        if published is None:
            return _worth(stats, worth)
        self.from_published += 1
        standard, ppr = (
            Fraction(published[rules].get(footballer, Decimal(0))) for rules in ("standard", "ppr")
        )
        receptions = (ppr - standard) * Fraction(worth.get("receptions", "0"))
        others = {stat: worth[stat] for stat in worth if stat in KICKS_AND_DEFENCE}
        assert worth.keys() <= {*NFLVERSE, "receptions", *KICKS_AND_DEFENCE}, "not nflverse's"
        return standard + receptions + _worth(stats, others)

    def _lineup_points(self, week: int, franchise: int) -> int:
        picks = self.facts.lineups.get((week, franchise), [])
        roster = self.facts.settings["roster"]
        if roster["best_ball"]:
            return self._best_ball(week, [pick for pick in picks if pick])
        starters = picks[: len(self.facts.places)]
        if roster["substitutes_come_on"]:
            starters = self._with_substitutes(week, picks)
        return sum(self.footballer_points(week, pick) for pick in starters if pick)

    def _with_substitutes(self, week: int, picks: Sequence[str]) -> list[str]:
        """Who counts: the bench in its order takes the first place of somebody who did not play."""
        size = len(self.facts.places)
        starters = list(picks[:size])
        replaced: set[int] = set()
        for substitute in picks[size:]:
            if not substitute or (week, substitute) not in self.facts.played:
                continue
            for place, starter in enumerate(starters):
                takes = TAKES[self.facts.places[place]]
                if (
                    place not in replaced
                    and (not starter or (week, starter) not in self.facts.played)
                    and self.facts.positions[substitute] in takes
                ):
                    starters[place] = substitute
                    replaced.add(place)
                    break
        return starters

    def _best_ball(self, week: int, picks: Sequence[str]) -> int:
        """The most points of a line-up with as many places filled as possible: by search."""
        worth = [(self.facts.positions[pick], self.footballer_points(week, pick)) for pick in picks]
        places = tuple(self.facts.places)

        @cache
        def best(index: int, free: tuple[str, ...]) -> tuple[int, int]:
            if index == len(worth) or not free:
                return 0, 0
            position, points = worth[index]
            most = best(index + 1, free)
            for place in set(free):
                if position in TAKES[place]:
                    others = list(free)
                    others.remove(place)
                    filled, total = best(index + 1, tuple(others))
                    most = max(most, (filled + 1, total + points))
            return most

        return best(0, places)[1]

    # --- table ---

    def order(self, weeks: int) -> list[int]:
        """The franchises by the table after so many weeks, the first place first."""
        table = _Table(self, self.regular[:weeks])
        return table.ordered(self.facts.franchises)

    def record(self, weeks: int, franchise: int) -> tuple[int, int, int, int]:
        """Won, lost, tied, points."""
        table = _Table(self, self.regular[:weeks])
        outcomes = table.outcomes[franchise]
        points = sum(self.scores[week, franchise] for week in self.regular[:weeks])
        return outcomes.count(1), outcomes.count(0), outcomes.count(Fraction(1, 2)), points

    # --- play-offs ---

    def seeds(self) -> list[int]:
        """The franchises of the play-offs: the best of each division first."""
        order = self.order(len(self.regular))
        winners = []
        divisions: set[int] = set()
        for franchise in order:
            division = self.facts.divisions[franchise]
            if division and division not in divisions:
                divisions.add(division)
                winners.append(franchise)
        others = [franchise for franchise in order if franchise not in winners]
        return [*winners, *others][: self.facts.settings["season"]["playoff_teams"]]

    def games(self) -> list[Game]:
        """Every game of every bracket."""
        season = self.facts.settings["season"]
        seeds = self.seeds()
        if not seeds:
            return []
        rounds, number = [], 0
        for length in season["weeks_per_round"]:
            rounds.append(tuple(self.playoff_weeks[number : number + length]))
            number += length
        left = [each for each in self.order(len(self.regular)) if each not in seeds]
        rank = {franchise: place for place, franchise in enumerate([*seeds, *left])}
        main = self._bracket("championship", seeds, rounds, rank, reseed=season["reseed"])
        games = [*main]
        semi_finals = [game for game in main if game.round == len(rounds) - 1]
        if len(semi_finals) == 2 and all(len(game.sides) == 2 for game in semi_finals):
            losers = [next(s for s in game.sides if s != game.winner) for game in semi_finals]
            games.append(self._game("third", len(rounds), rounds[-1], losers, rank))
        if season["lower_bracket"] != "none" and len(left) > 1:
            for_last = season["lower_bracket"] == "last_place"
            size = 1
            depth = 0
            while size < len(left) and depth < len(rounds):
                size, depth = size * 2, depth + 1
            chosen = (left[::-1] if for_last else left)[:size]
            late = rounds[len(rounds) - depth :]
            games += self._bracket("lower", chosen, late, rank, losers_move_on=for_last)
        return games

    def _bracket(
        self,
        name: str,
        chosen: Sequence[int],
        rounds: Sequence[tuple[int, ...]],
        rank: Mapping[int, int],
        *,
        reseed: bool = False,
        losers_move_on: bool = False,
    ) -> list[Game]:
        places = _tree([*chosen])
        games = []
        for number, weeks in enumerate(rounds, start=1):
            if len(places) < 2:
                break
            if reseed and number > 1:
                alive = sorted((each for each in places if each is not None), key=rank.__getitem__)
                places = _tree(alive)
            following: list[int | None] = []
            for first, second in zip(places[::2], places[1::2], strict=True):
                sides = [each for each in (first, second) if each is not None]
                game = self._game(name, number, weeks, sides, rank)
                games.append(game)
                losers = [side for side in game.sides if side != game.winner]
                following.append(losers[0] if losers_move_on and losers else game.winner)
            places = following
        return games

    def _game(
        self,
        name: str,
        number: int,
        weeks: tuple[int, ...],
        sides: Collection[int],
        rank: Mapping[int, int],
    ) -> Game:
        ordered = tuple(sorted(sides, key=rank.__getitem__))
        points = tuple(sum(self.scores[week, side] for week in weeks) for side in ordered)
        # max takes the first of equals, which is the better seed
        winner = max(ordered, key=lambda side: points[ordered.index(side)])
        return Game(name, number, weeks, ordered, points, winner)


def _worth(stats: Mapping[str, int], worth: Mapping[str, str]) -> Fraction:
    return sum(
        (amount * Fraction(worth[stat]) for stat, amount in stats.items() if stat in worth),
        Fraction(0),
    )


def _tree(chosen: Sequence[int]) -> list[int | None]:
    """The places of a bracket: the best meets the worst, and they meet as late as possible."""
    size = 1
    order = [1]
    while size < len(chosen):
        size *= 2
        order = [seed for each in order for seed in (each, size + 1 - each)]
    return [chosen[seed - 1] if seed <= len(chosen) else None for seed in order]


class _Table:
    """Who won what in these weeks."""

    def __init__(self, season: PlainSeason, weeks: Sequence[int]) -> None:
        self.season, self.facts = season, season.facts
        self.outcomes: dict[int, list[Fraction | int]] = {n: [] for n in self.facts.franchises}
        self.met: list[tuple[int, int, Fraction | int]] = []
        self.against = dict.fromkeys(self.facts.franchises, Fraction(0))
        self.weeks = weeks
        for week in weeks:
            self._add(week)

    def _add(self, week: int) -> None:
        scores = {n: self.season.scores[week, n] for n in self.facts.franchises}
        average = Fraction(sum(scores.values()), len(scores))
        for home, away in self.facts.pairs[week]:
            for side, other in ((home, away), (away, home)):
                if side is None:
                    continue
                against = average if other is None else Fraction(scores[other])
                result = _compare(scores[side], against)
                self.outcomes[side].append(result)
                self.against[side] += against
                if other is not None:
                    self.met.append((side, other, result))
        if self.facts.settings["season"]["median_game"]:
            ranked = sorted(scores.values())
            half = len(ranked) // 2
            middle = Fraction(ranked[half] + ranked[-half - 1], 2)
            for franchise, points in scores.items():
                self.outcomes[franchise].append(_compare(points, middle))

    def ordered(self, tied: Sequence[int]) -> list[int]:
        """The franchises by the share of games won, then by the chain of tie-breaks."""
        shares = {n: self._share(self.outcomes[n]) for n in tied}
        order: list[int] = []
        for share in sorted(set(shares.values()), reverse=True):
            order += self._separated([n for n in tied if shares[n] == share])
        return order

    def _separated(self, tied: list[int]) -> list[int]:
        """Take out the best by the first rule that separates them, and begin anew with others."""
        if len(tied) < 2:
            return tied
        chain = [rule for rule in self.facts.settings["season"]["tie_breaks"] if rule != "coin"]
        for rule in [*chain, "coin"]:
            values = self._values(rule, tied)
            if values is None or len(set(values.values())) < 2:
                continue
            best = [n for n in tied if values[n] == max(values.values())]
            return self._separated(best) + self._separated([n for n in tied if n not in best])
        raise AssertionError("a coin separates everybody")

    def _values(self, rule: str, tied: Sequence[int]) -> dict[int, Fraction] | None:
        if rule == "points_for":
            return {
                n: Fraction(sum(self.season.scores[week, n] for week in self.weeks)) for n in tied
            }
        if rule == "points_against":
            return {n: self.against[n] for n in tied}
        if rule == "all_play":
            return {n: self._all_play(n) for n in tied}
        if rule == "coin":
            words = f"league {self.facts.league_id}"
            return {n: Fraction(int(sha256(f"{words}:{n}".encode()).hexdigest(), 16)) for n in tied}
        if rule == "result_between":
            return self._against_these({n: [other for other in tied if other != n] for n in tied})
        divisions = {self.facts.divisions[n] for n in tied}
        if rule != "division_record" or len(divisions) > 1 or divisions == {0}:
            return None
        mates = [n for n in self.facts.franchises if self.facts.divisions[n] in divisions]
        return self._against_these({n: [other for other in mates if other != n] for n in tied})

    def _against_these(self, opponents: Mapping[int, list[int]]) -> dict[int, Fraction] | None:
        values = {}
        for franchise, others in opponents.items():
            results = [
                result for side, other, result in self.met if side == franchise and other in others
            ]
            if not results:
                return None
            values[franchise] = self._share(results)
        return values

    def _all_play(self, franchise: int) -> Fraction:
        results = [
            _compare(self.season.scores[week, franchise], Fraction(self.season.scores[week, other]))
            for week in self.weeks
            for other in self.facts.franchises
            if other != franchise
        ]
        return self._share(results)

    @staticmethod
    def _share(results: Sequence[Fraction | int]) -> Fraction:
        return Fraction(sum(results), len(results)) if results else Fraction(1, 2)


def _compare(points: int, against: Fraction) -> Fraction | int:
    if points == against:
        return Fraction(1, 2)
    return int(points > against)
