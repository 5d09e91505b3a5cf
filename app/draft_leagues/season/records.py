"""The records of a league across its seasons: titles, streaks, highest scores, who beat whom. Pure.

Records belong to the members who ran the teams, because a franchise may have had several. Games of
the play-offs count like others; a round of two gameweeks is one game. Extra games against the
median are in the table alone, and no part of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import Literal, TypeVar

Outcome = Literal["won", "lost", "tied"]
MOST_LISTED = 5
_Listed = TypeVar("_Listed")


@dataclass(frozen=True)
class PlayedGame:
    """A game that is decided.

    Attributes:
        season: The season's place in the league's history, from 0.
        week: Its first gameweek.
        one: A member who played.
        other: The opponent; None against the average.
        points: What both have scored, in thousandths.
        winner: Who won, where that does not follow from the points: a tie of the play-offs.
    """

    season: int
    week: int
    one: int
    other: int | None
    points: tuple[Fraction, Fraction]
    winner: int | None = None

    @property
    def margin(self) -> Fraction:
        """By how many thousandths it was won."""
        return abs(self.points[0] - self.points[1])

    def outcome(self, member: int) -> Outcome:
        """How it ended for one of the two."""
        if self.winner is not None:
            return "won" if member == self.winner else "lost"
        own_points, against_points = self.points if member == self.one else self.points[::-1]
        if own_points == against_points:
            return "tied"
        return "won" if own_points > against_points else "lost"


@dataclass(frozen=True)
class Score:
    """What a member scored in a gameweek, in thousandths."""

    season: int
    week: int
    member: int
    points: int


@dataclass(frozen=True)
class SeasonHistory:
    """A season of the league.

    Attributes:
        champion: The member who won it; None while it is not decided.
        members: Who ran a team, in the order of the table.
    """

    champion: int | None
    members: Sequence[int]
    games: Sequence[PlayedGame]
    scores: Sequence[Score]


@dataclass
class Tally:
    """Games of a member, all or against one other."""

    won: int = 0
    lost: int = 0
    tied: int = 0

    def count(self, outcome: Outcome) -> None:
        """Add a game."""
        setattr(self, outcome, getattr(self, outcome) + 1)

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.won + self.lost + self.tied

    @property
    def share(self) -> Fraction:
        """The share of games won, a tie counting half; 0 without games."""
        return Fraction(2 * self.won + self.tied, 2 * self.games) if self.games else Fraction(0)


@dataclass(frozen=True)
class Streak:
    """Games won in a row, from one gameweek to another."""

    member: int
    length: int
    first: tuple[int, int]
    last: tuple[int, int]


@dataclass
class Career:
    """What a member has achieved in all seasons. `titles`: the seasons that they won."""

    member: int
    seasons: int = 0
    titles: list[int] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    points: int = 0
    against: dict[int, Tally] = field(default_factory=dict)


@dataclass(frozen=True)
class Records:
    """The league's records, the best first.

    Attributes:
        careers: By titles, then by the share of games won, then by points.
        highest: The highest scores of a gameweek.
        lowest: The lowest.
        widest: The games with the widest margins.
        closest: The closest games that were not tied.
        streaks: The longest winning streaks, one for each member.
    """

    careers: Sequence[Career]
    highest: Sequence[Score]
    lowest: Sequence[Score]
    widest: Sequence[PlayedGame]
    closest: Sequence[PlayedGame]
    streaks: Sequence[Streak]


def records(seasons: Sequence[SeasonHistory]) -> Records:
    """The records of these seasons, the oldest first.

    Whoever was first keeps a record that is equalled.
    """
    games = sorted(
        (game for season in seasons for game in season.games), key=attrgetter("season", "week")
    )
    scores = [score for season in seasons for score in season.scores]
    return Records(
        careers=_careers(seasons, games),
        highest=_listed(scores, lambda score: -score.points),
        lowest=_listed(scores, lambda score: score.points),
        widest=_listed((g for g in games if g.other is not None), lambda game: -game.margin),
        closest=_listed(
            (game for game in games if game.other is not None and game.margin),
            lambda game: game.margin,
        ),
        streaks=longest_streaks(games)[:MOST_LISTED],
    )


def longest_streaks(games: Sequence[PlayedGame]) -> list[Streak]:
    """The longest winning streak of each member, the longest first. Games are in their order.

    A tie ends a streak; the end of a season does not.
    """
    running: dict[int, Streak] = {}
    longest: dict[int, Streak] = {}
    for game in games:
        when = game.season, game.week
        for member in (game.one, game.other):
            if member is None:
                continue
            if game.outcome(member) != "won":
                running.pop(member, None)
                continue
            before = running.get(member)
            now = (
                Streak(member, before.length + 1, before.first, when)
                if before is not None
                else Streak(member, 1, when, when)
            )
            running[member] = now
            if member not in longest or now.length > longest[member].length:
                longest[member] = now
    return sorted(longest.values(), key=lambda streak: (-streak.length, streak.last))


def _careers(seasons: Sequence[SeasonHistory], games: Iterable[PlayedGame]) -> list[Career]:
    careers: dict[int, Career] = {}
    for number, season in enumerate(seasons):
        for member in season.members:
            careers.setdefault(member, Career(member)).seasons += 1
        if season.champion is not None:
            careers.setdefault(season.champion, Career(season.champion)).titles.append(number)
        for score in season.scores:
            careers.setdefault(score.member, Career(score.member)).points += score.points
    for game in games:
        for player, opponent in ((game.one, game.other), (game.other, game.one)):
            if player is None:
                continue
            career = careers.setdefault(player, Career(player))
            career.tally.count(game.outcome(player))
            if opponent is not None:
                career.against.setdefault(opponent, Tally()).count(game.outcome(player))
    return sorted(
        careers.values(),
        key=lambda career: (-len(career.titles), -career.tally.share, -career.points),
    )


def _listed(entries: Iterable[_Listed], key: Callable[[_Listed], Fraction | int]) -> list[_Listed]:
    return sorted(entries, key=key)[:MOST_LISTED]
