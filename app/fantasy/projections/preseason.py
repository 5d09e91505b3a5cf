"""What players are expected to score in a season before it begins. Pure.

1. *Points per game.* The mean of the games of the last three seasons at hand. The season before
   counts 0.4 of the latest one, the one before that 0.2 (SEASON_WEIGHTS).
2. *Age.* A game's points are carried to this season year by year: players grow until 25 and lose
   some of their points for each year after an age that depends on the position (AGES).
3. *Draft.* The mean is drawn towards what a player of the position and the overall pick usually
   scores, as strongly as PRIOR_GAMES games. This is all that is known about a rookie.
4. *Share of games.* How many of the club's games a player takes part in, by the same weights, drawn
   towards the usual share of such a pick. Injuries of the moment change nothing.

The constants come from the seasons 2021 to 2023 (benchmarks/preseason.py measures the method);
docs/rankings.md describes it for people. Points are in thousandths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import log, sqrt
from types import MappingProxyType

from app.fantasy.projections.rules import ENOUGH_GAMES, Figures, by_family, family_of
from app.fantasy.projections.typical_lines import typical_figures
from app.fantasy.scoring.rules import ScoringRules
from app.record.rules.team_defence import POSITION as DST

SEASONS = 3  # how many seasons before this one count
SEASON_WEIGHTS = (1.0, 0.4, 0.2)  # of the latest season at hand, and of those before it
# How many games of a usual player of the pick each player has beside their own. Kickers and team
# defences of one season say little about the next.
PRIOR_GAMES = 2.0
PRIOR_GAMES_OF: Mapping[str, float] = MappingProxyType({"K": 10.0, DST: 17.0})
PRIOR_SEASONS = 0.6  # likewise for the share of games
WHOLE = 1000  # every game, as `share` counts it

GROWN_UP = 25  # players get better until this age
LEAST_OF_A_YEAR = 0.85  # nobody who still has a club loses more in one year
LAST_PICK = 262
ROOKIE_RATE = 0.9  # rookies score less than others of their pick
DAYS_OF_YEAR = 365.25


@dataclass(frozen=True)
class AgeCurve:
    """How points per game change from one season to the next.

    Attributes:
        growth: The share that a player gains for each year below GROWN_UP.
        peak: The age after which a player loses points.
        decline: The share that a player loses for each year above `peak`.
    """

    growth: float
    peak: int
    decline: float


AGES: Mapping[str, AgeCurve] = MappingProxyType(
    {
        "QB": AgeCurve(0.02, 35, 0.04),
        "RB": AgeCurve(0.03, 25, 0.05),
        "WR": AgeCurve(0.04, 28, 0.05),
        "TE": AgeCurve(0.04, 29, 0.04),
    }
)


@dataclass(frozen=True)
class PickCurve:
    """What players of a position score by their overall pick in the draft.

    Rates are shares of the position's mean per game; shares are of the club's games. Both fall from
    the first pick to LAST_PICK; undrafted players have their own.
    """

    first_rate: float
    last_rate: float
    undrafted_rate: float
    first_share: float
    last_share: float
    undrafted_share: float

    def rate(self, pick: int | None) -> float:
        """The rate of an overall pick; None for undrafted players."""
        if pick is None:
            return self.undrafted_rate
        fallen = log(min(pick, LAST_PICK)) / log(LAST_PICK)
        return self.first_rate - (self.first_rate - self.last_rate) * fallen

    def share(self, pick: int | None) -> float:
        """The share of games of an overall pick; None for undrafted players."""
        if pick is None:
            return self.undrafted_share
        fallen = sqrt(min(pick, LAST_PICK) / LAST_PICK)
        return self.first_share - (self.first_share - self.last_share) * fallen


PICKS: Mapping[str, PickCurve] = MappingProxyType(
    {
        "QB": PickCurve(1.2, 0.5, 0.5, 0.9, 0.05, 0.05),
        "RB": PickCurve(2.3, 0.7, 0.6, 0.95, 0.25, 0.12),
        "WR": PickCurve(1.9, 0.6, 0.55, 0.95, 0.25, 0.12),
        "TE": PickCurve(1.9, 0.6, 0.55, 0.95, 0.25, 0.12),
    }
)
# Kickers and defenders, whose pick says little, and footballers of whom no roster said the pick.
ANY_PICK = PickCurve(1.0, 1.0, 1.0, 0.8, 0.8, 0.8)
UNKNOWN_PICK = PickCurve(0.7, 0.7, 0.7, 0.5, 0.5, 0.5)


@dataclass(frozen=True)
class Career:
    """What rosters say about a player; see FootballerCareer."""

    born_on: date | None = None
    first_season: int | None = None
    draft_number: int | None = None


@dataclass(frozen=True)
class EarlierSeason:
    """A player's games of an earlier season: how many, their points and the sum of the squares."""

    season: int
    games: int
    points: int
    squares: float


@dataclass(frozen=True)
class Prospect:
    """A player with what is known before the season. `career`: None if no roster says it."""

    id: str
    position: str
    career: Career | None = None
    seasons: Sequence[EarlierSeason] = ()


@dataclass(frozen=True)
class Preseason:
    """What a player is expected to do; see PreseasonProjection. Points are in thousandths."""

    per_game: int
    share: int
    deviation: int

    def points(self, games: int) -> int:
        """The points in so many games of the club."""
        return round(self.per_game * self.share * games / WHOLE)


@dataclass(frozen=True)
class _History:
    """What the earlier seasons say about everybody.

    Attributes:
        season: The season that is projected.
        club_games: How many games a club played in each earlier season at hand.
        rules: The scoring rules.
        figures: Of each family of positions, in the latest season that has enough of it.
    """

    season: int
    club_games: Mapping[int, int]
    rules: ScoringRules
    figures: Mapping[str, Figures] = field(default_factory=dict)

    def weight(self, season: int) -> float:
        """How much a game of an earlier season counts."""
        return SEASON_WEIGHTS[max(self.club_games) - season]


def preseason(
    prospects: Sequence[Prospect], season: int, club_games: Mapping[int, int], rules: ScoringRules
) -> dict[str, Preseason]:
    """What everybody is expected to score in a season, by id.

    Args:
        prospects: Everybody on the season's market, and others with earlier seasons.
        season: The season.
        club_games: How many games a club played, by earlier season at hand. Seasons more than
            SEASONS before the latest of them do not count.
        rules: The scoring rules.
    """
    latest = max(club_games, default=season)
    counted = {year: games for year, games in club_games.items() if latest - year < SEASONS}
    history = _History(season, counted, rules, _figures(prospects, counted))
    return {prospect.id: _expected(prospect, history) for prospect in prospects}


def _figures(prospects: Iterable[Prospect], club_games: Mapping[int, int]) -> dict[str, Figures]:
    """The figures of each family with ENOUGH_GAMES, of the latest season that has so many."""
    by_year: dict[int, list[tuple[str, Figures]]] = {}
    for prospect in prospects:
        for season in prospect.seasons:
            part = Figures(season.games, season.points, season.squares)
            by_year.setdefault(season.season, []).append((prospect.position, part))
    families: dict[str, Figures] = {}
    for year in sorted(club_games):
        for family, figures in by_family(by_year.get(year, [])).items():
            if figures.games >= ENOUGH_GAMES:
                families[family] = figures
    return families


def _expected(prospect: Prospect, history: _History) -> Preseason:
    family = family_of(prospect.position)
    typical = typical_figures(prospect.position, history.rules)
    at_hand = history.figures.get(family)
    figures = at_hand or typical
    # Files of players do not say what clubs' defences allow: that counts as the average.
    left_out = typical.mean - figures.mean if family == DST else 0.0
    mean = figures.mean + left_out
    curve, pick = _curve(prospect, family)
    is_rookie = prospect.career is not None and prospect.career.first_season == history.season
    rate = curve.rate(pick) * (ROOKIE_RATE if is_rookie and family in PICKS else 1.0)
    prior_games = PRIOR_GAMES_OF.get(family, PRIOR_GAMES)
    points, games = prior_games * rate * mean, prior_games
    attended, seasons = PRIOR_SEASONS * curve.share(pick), PRIOR_SEASONS
    by_season = {season.season: season for season in prospect.seasons}
    for year, club_games in history.club_games.items():
        weight = history.weight(year)
        season = by_season.get(year)
        if season is not None:
            change = _change_by_age(prospect, year, history.season)
            points += weight * (season.points * change + season.games * left_out)
            games += weight * season.games
            attended += weight * min(1.0, season.games / club_games)
            seasons += weight
        elif at_hand is not None and _was_in_the_league(prospect, year):
            seasons += weight
    per_game = points / games
    variation = sqrt(figures.variance) / mean if mean > 0 else 0.0
    return Preseason(
        round(per_game),
        round(WHOLE * attended / seasons),
        round(max(variation * per_game, sqrt(figures.variance) / 2)),
    )


def _curve(prospect: Prospect, family: str) -> tuple[PickCurve, int | None]:
    if family not in PICKS:
        return ANY_PICK, None
    if prospect.career is None:
        return UNKNOWN_PICK, None
    return PICKS[family], prospect.career.draft_number


def _was_in_the_league(prospect: Prospect, season: int) -> bool:
    """Whether a season without a stat line means that the player did not play in it."""
    career = prospect.career
    return career is not None and career.first_season is not None and career.first_season <= season


def _change_by_age(prospect: Prospect, earlier: int, season: int) -> float:
    """By how much points per game change from an earlier season to this one; 1 for no change."""
    curve = AGES.get(family_of(prospect.position))
    if curve is None or prospect.career is None or prospect.career.born_on is None:
        return 1.0
    change = 1.0
    for year in range(earlier + 1, season + 1):
        age = (date(year, 9, 1) - prospect.career.born_on).days / DAYS_OF_YEAR
        growth = curve.growth * max(0.0, GROWN_UP - age)
        decline = curve.decline * max(0.0, age - curve.peak)
        change *= max(LEAST_OF_A_YEAR, 1 + growth - decline)
    return change
