"""How footballers are ranked for a draft league: by the record and the league's own rules. Pure.

With weekly statistics of earlier seasons, the first two come from the projections before the season
(app/fantasy/projections/preseason.py), which this season's games then outweigh. Without them:

1. *Points per game.* The mean of a footballer's own games of this and the last season under the
   league's scoring. Recent games weigh more, and the mean is shrunk towards that of the position
   (app/fantasy/projections/rules.py has the weights, which were fitted to the record).
2. *Share of games.* How many of their club's games a footballer plays in, by the same weights and
   shrunk towards the share of everybody on the market in the position. So somebody who has never
   played is not expected to play like a regular.
3. *Projected points.* Points per game x share of games x games that the club has left this season.
   An injury is shown and changes nothing here, because the record does not say how long it lasts.
4. *Value.* The projected points above replacement: above those of the best footballer of the
   position who starts nowhere if the teams of the league fill their line-ups with the best. This
   is what makes footballers of different positions comparable (value-based drafting).
5. *Tiers.* Of each position, in order: a tier ends where the gap to the next footballer is
   unusually large beside the gaps nearby.

Footballers who have left (retired, or without a club) come last.

Points are in thousandths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from statistics import fmean, pstdev

from app.draft_leagues.settings import DraftLeagueSettings, SlotName, StarterCount
from app.fantasy.market.formats import DRAFT_SLOTS
from app.fantasy.market.statuses import AVAILABLE, LEFT
from app.fantasy.projections.preseason import Preseason
from app.fantasy.projections.rules import (
    ENOUGH_GAMES,
    Expectation,
    Figures,
    by_family,
    expectation,
    expectation_since,
    family_of,
)
from app.fantasy.projections.typical_lines import typical_figures
from app.fantasy.scoring.rules import ScoringRules

# A game in which somebody played, as the share of games counts it; one without them is 0.
PLAYED = 1000
# Of each position, tiers are told for this many times the footballers who start in the league.
TIERED = 1.5
# A gap is compared with this many gaps on either side.
NEARBY = 6
# Nobody knows yet how often anybody plays: everybody is taken to play in each game.
EVERY_GAME = Figures(1, PLAYED, PLAYED**2)


@dataclass(frozen=True)
class Candidate:
    """A footballer on the market with what the record says about them.

    Attributes:
        price: On the market, in tenths of a million; it orders footballers of equal value.
        this_season: Points in each gameweek of this season with a stat line.
        last_season: The same of the season before.
        club_weeks: The gameweeks of this season that the club has played.
        last_club_weeks: Those of last season that the club played.
        games_left: How many games of this season the club has still to play.
        bye_week: The gameweek in which the club does not play; None if the schedule does not say.
        preseason: What was expected of them before the season; None if nobody knows.
    """

    id: str
    name: str
    position: str
    club_id: str = ""
    status: str = AVAILABLE
    price: int = 0
    this_season: Mapping[int, int] = field(default_factory=dict)
    last_season: Mapping[int, int] = field(default_factory=dict)
    club_weeks: frozenset[int] = frozenset()
    last_club_weeks: frozenset[int] = frozenset()
    games_left: int = 0
    bye_week: int | None = None
    preseason: Preseason | None = None

    @property
    def family(self) -> str:
        """The positions that are compared with each other."""
        return family_of(self.position)


@dataclass(frozen=True)
class Projected:
    """What a footballer is expected to score in the games that are left.

    Attributes:
        per_game: Points per game in which they play, in thousandths.
        share: Of the club's games, in thousandths.
        points: In all games that are left, in thousandths.
    """

    footballer: Candidate
    per_game: int
    share: int
    points: int


@dataclass(frozen=True)
class Ranked:
    """A footballer's place in a ranking.

    Attributes:
        rank: From 1; nobody shares one.
        position_rank: Among those of the same position, from 1.
        tier: Of the position, from 1.
        value: Points above replacement, in thousandths; negative below it.
    """

    footballer_id: str
    rank: int
    position_rank: int
    tier: int
    value: int
    points: int
    per_game: int
    share: int
    bye_week: int | None


@dataclass(frozen=True)
class Shape:
    """What a ranking depends on besides scoring: how many teams start whom."""

    franchises: int
    starters: tuple[StarterCount, ...]

    @classmethod
    def of(cls, settings: DraftLeagueSettings) -> Shape:
        """The shape of a league with these settings."""
        return cls(settings.franchises, settings.roster.starters)

    @property
    def name(self) -> str:
        """The shape as a key.

        >>> Shape(10, (StarterCount("QB", 1), StarterCount("RB", 2))).name
        '10:QB1,RB2'
        """
        places = ",".join(f"{starter.slot}{starter.count}" for starter in self.starters)
        return f"{self.franchises}:{places}"

    @property
    def positions(self) -> frozenset[str]:
        """Every position that starts."""
        return frozenset(
            position for starter in self.starters for position in DRAFT_SLOTS[starter.slot].accepts
        )


def bye_week(club_weeks: Iterable[int], weeks: Iterable[int]) -> int | None:
    """The one gameweek in which a club does not play; None if there is none, or several.

    >>> bye_week([1, 2, 4], [1, 2, 3, 4]), bye_week([1, 2], [1, 2]), bye_week([1], [1, 2, 3])
    (3, None, None)
    """
    free = sorted(set(weeks) - set(club_weeks))
    return free[0] if len(free) == 1 else None


def project(candidates: Sequence[Candidate], rules: ScoringRules) -> list[Projected]:
    """What everybody is expected to score, in the same order."""
    points = _figures_of_points(candidates)
    shares = _figures_of_shares(candidates)
    return [
        _projected(
            footballer,
            points.get(footballer.family) or typical_figures(footballer.position, rules),
            shares.get(footballer.family, EVERY_GAME),
        )
        for footballer in candidates
    ]


def _projected(footballer: Candidate, points: Figures, shares: Figures) -> Projected:
    per_game = _points_per_game(footballer, points).points
    share = _share_of_games(footballer, shares).points / PLAYED
    if footballer.status == LEFT:
        share = 0.0
    return Projected(
        footballer,
        round(per_game),
        round(share * PLAYED),
        round(per_game * share * footballer.games_left),
    )


def _points_per_game(footballer: Candidate, points: Figures) -> Expectation:
    games = _latest_first(footballer.this_season)
    if footballer.preseason is not None:
        return expectation_since(games, Expectation(footballer.preseason.per_game, 0.0))
    return expectation(games, points, _latest_first(footballer.last_season))


def _share_of_games(footballer: Candidate, shares: Figures) -> Expectation:
    games = _latest_first(_attendance(footballer.this_season, footballer.club_weeks))
    if footballer.preseason is not None:
        return expectation_since(games, Expectation(footballer.preseason.share, 0.0))
    return expectation(
        games,
        shares,
        _latest_first(_attendance(footballer.last_season, footballer.last_club_weeks)),
    )


def _attendance(played: Mapping[int, int], club_weeks: Iterable[int]) -> dict[int, int]:
    return dict.fromkeys(club_weeks, 0) | dict.fromkeys(played, PLAYED)


def _latest_first(by_week: Mapping[int, int]) -> list[int]:
    return [by_week[week] for week in sorted(by_week, reverse=True)]


def _figures_of_points(candidates: Iterable[Candidate]) -> dict[str, Figures]:
    """The figures of each position: of this season once they are enough, else of the last one."""
    this, last = [], []
    for footballer in candidates:
        this.append((footballer.position, _figures(footballer.this_season.values())))
        last.append((footballer.position, _figures(footballer.last_season.values())))
    return _enough(last) | _enough(this)


def _figures_of_shares(candidates: Iterable[Candidate]) -> dict[str, Figures]:
    this, last = [], []
    for each in candidates:
        attended = _attendance(each.this_season, each.club_weeks).values()
        this.append((each.position, _figures(attended)))
        attended = _attendance(each.last_season, each.last_club_weeks).values()
        last.append((each.position, _figures(attended)))
    return _enough(last) | _enough(this)


def _figures(amounts: Iterable[int]) -> Figures:
    listed = list(amounts)
    return Figures(len(listed), sum(listed), sum(amount**2 for amount in listed))


def _enough(figures: Iterable[tuple[str, Figures]]) -> dict[str, Figures]:
    families = by_family(figures)
    return {family: part for family, part in families.items() if part.games >= ENOUGH_GAMES}


def rank(projected: Iterable[Projected], shape: Shape) -> list[Ranked]:
    """Rank those who have a place in the line-up: by value, then points, price, name and id.

    Those who have left come last.
    """
    positions = shape.positions
    eligible = sorted(
        (each for each in projected if each.footballer.position in positions),
        key=lambda each: (
            _has_left(each),
            -each.points,
            -each.footballer.price,
            each.footballer.id,
        ),
    )
    starters, replacement = _starters_and_replacement(eligible, shape)
    values = {
        each.footballer.id: each.points - replacement[each.footballer.family] for each in eligible
    }
    ordered = sorted(
        eligible,
        key=lambda each: (
            _has_left(each),
            -values[each.footballer.id],
            -each.points,
            -each.footballer.price,
            each.footballer.name,
            each.footballer.id,
        ),
    )
    tiers = _tiers(ordered, starters)
    counted: dict[str, int] = {}
    ranking = []
    for place, each in enumerate(ordered, start=1):
        family = each.footballer.family
        counted[family] = counted.get(family, 0) + 1
        ranking.append(
            Ranked(
                each.footballer.id,
                place,
                counted[family],
                tiers[each.footballer.id],
                values[each.footballer.id],
                each.points,
                each.per_game,
                each.share,
                each.footballer.bye_week,
            )
        )
    return ranking


def _has_left(projected: Projected) -> bool:
    return projected.footballer.status == LEFT


def _starters_and_replacement(
    eligible: Sequence[Projected], shape: Shape
) -> tuple[dict[str, int], dict[str, int]]:
    """How many of each position start in the league, and the points of a replacement.

    The best come first and take the narrowest place that is free. The places of a line-up lie
    within each other or apart (WR, FLEX, SUPERFLEX), so this gives the line-ups with the most
    points. If everybody of a position starts, the replacement is the last of them.
    """
    free = {
        starter.slot: starter.count * shape.franchises
        for starter in sorted(shape.starters, key=lambda each: len(DRAFT_SLOTS[each.slot].accepts))
    }
    starting: dict[str, int] = {}
    replacement: dict[str, int] = {}
    last: dict[str, int] = {}
    for each in eligible:
        family = each.footballer.family
        if _has_left(each) and family in last:
            continue
        last[family] = each.points
        slot = _narrowest(free, each.footballer.position)
        if slot is None:
            replacement.setdefault(family, each.points)
        else:
            free[slot] -= 1
            starting[family] = starting.get(family, 0) + 1
    return starting, last | replacement


def _narrowest(free: Mapping[SlotName, int], position: str) -> SlotName | None:
    return next(
        (slot for slot, left in free.items() if left and position in DRAFT_SLOTS[slot].accepts),
        None,
    )


def _tiers(ordered: Sequence[Projected], starters: Mapping[str, int]) -> dict[str, int]:
    """The tier of each footballer within their position, by id."""
    families: dict[str, list[Projected]] = {}
    for each in ordered:
        families.setdefault(each.footballer.family, []).append(each)
    tiers: dict[str, int] = {}
    for family, members in families.items():
        looked_at = ceil(TIERED * starters.get(family, 0))
        numbers = tier_numbers([each.points for each in members], looked_at)
        tiers.update(
            (each.footballer.id, number) for each, number in zip(members, numbers, strict=True)
        )
    return tiers


def tier_numbers(points: Sequence[int], looked_at: int) -> list[int]:
    """The tier of each amount of points, which are in descending order.

    A new tier begins after each gap that is larger than the mean of the gaps around it by more than
    one standard deviation, among the first `looked_at`. Only gaps nearby are compared, because all
    gaps at the top are larger than those further down. Those after the first are one more tier.

    >>> tier_numbers([300, 295, 290, 230, 226, 220], 6)
    [1, 1, 1, 2, 2, 2]
    >>> tier_numbers([300, 290, 280, 100, 99], 3)
    [1, 1, 1, 2, 2]
    """
    first = points[:looked_at]
    gaps = [higher - lower for higher, lower in pairwise(first)]
    numbers, tier = [], 1
    for place in range(len(points)):
        if 0 < place < len(first):
            tier += _is_unusual(gaps, place - 1)
        elif place and place == len(first):
            tier += 1
        numbers.append(tier)
    return numbers


def _is_unusual(gaps: Sequence[int], place: int) -> bool:
    """Whether the gap at this index is larger than those around it."""
    around = gaps[max(0, place - NEARBY) : place + NEARBY + 1]
    return gaps[place] > fmean(around) + pstdev(around)
