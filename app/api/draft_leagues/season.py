"""The season of a draft league: its schedule, the standings with reasons, and the bracket."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import NO_LEAGUE, DraftLeaguePath
from app.api.fantasy.shapes import Body, GameweekName, Points, milli
from app.api.operations import GET
from app.api.security import MemberCaller
from app.draft_leagues.pages.season_views import scheduled_weeks
from app.draft_leagues.season.playoffs import Game
from app.draft_leagues.season.queries import SeasonView, load_season
from app.draft_leagues.season.table import Place, all_play, strength_of_schedule
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.fixtures import Pair

DECIMALS = 3  # of a share
Share = Annotated[float, Meta(description="A share from 0 to 1. A tie counts as half a win.")]


class ScheduledGameBody(Body, frozen=True):
    """A game of the regular season, between two teams or against the league average."""

    home: int
    away: Annotated[
        int | None, Meta(description="The away team. Null if the opponent is the league average.")
    ]
    home_points: Annotated[
        Points | None,
        Meta(description="The home team's points so far. Null before the game has begun."),
    ]
    away_points: Points | None


class ScheduledWeekBody(Body, frozen=True):
    """A gameweek of the regular season."""

    gameweek: GameweekName
    is_settled: bool
    is_preview: Annotated[
        bool, Meta(description="Whether games may still change, because the draft is not over.")
    ]
    games: Sequence[ScheduledGameBody]


class ScheduleBody(Body, frozen=True):
    """The whole regular season, gameweek by gameweek."""

    weeks: Sequence[ScheduledWeekBody]


class StandingBody(Body, frozen=True):
    """A team's place in the table."""

    place: Annotated[int, Meta(description="The rank, starting at 1. Ranks are never shared.")]
    franchise: int
    division: Annotated[
        int, Meta(description="The team's division. 0 if the league has no divisions.")
    ]
    wins: int
    losses: int
    ties: int
    points_for: Points
    points_against: Points
    reason: Annotated[
        str,
        Meta(
            description=(
                "The tiebreaker that puts the team ahead of the next one. Empty if its record does."
            )
        ),
    ]
    all_play: Annotated[
        Share,
        Meta(
            description=(
                "The share of games the team would have won if it had played every other "
                "team each week."
            )
        ),
    ]
    strength_of_schedule: Annotated[
        Share, Meta(description="The average share of games that the team's opponents have won.")
    ]
    in_playoffs: Annotated[
        bool, Meta(description="Whether the team would make the playoffs if the season ended now.")
    ]


class DraftStandingsBody(Body, frozen=True):
    """The standings after the settled gameweeks of the regular season, first place first."""

    is_final: bool
    standings: Sequence[StandingBody]


class BracketGameBody(Body, frozen=True):
    """A game of a bracket. `high` is the better seed."""

    bracket: Annotated[str, Meta(description="The bracket: `championship`, `third` or `lower`.")]
    round: int
    gameweeks: Sequence[GameweekName]
    high: Annotated[int | None, Meta(description="The better seed. Null until it is known.")]
    low: Annotated[
        int | None, Meta(description="The other team. Null until it is known, and for a bye.")
    ]
    high_points: Points
    low_points: Points
    winner: Annotated[
        int | None,
        Meta(description="The winner. Null until all gameweeks of the game are settled."),
    ]
    is_bye: bool


class BracketBody(Body, frozen=True):
    """The playoffs. During the regular season, the bracket as if the season ended now."""

    is_preview: bool
    seeds: Annotated[Sequence[int], Meta(description="The teams by seed, top seed first.")]
    games: Sequence[BracketGameBody]
    champion: int | None
    last: Annotated[
        int | None,
        Meta(
            description="The team that finished last in the last-place bracket. Null if there is "
            "no such bracket."
        ),
    ]


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/schedule",
    answers={200: ScheduleBody},
    problems={404: NO_LEAGUE},
)
def get_schedule(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> ScheduleBody:
    """Read the schedule of the regular season."""
    page = opened(path, caller)
    view = load_season(page.league.id)
    return ScheduleBody(
        [
            ScheduledWeekBody(
                f"GW{week.gameweek.week}",
                week.gameweek.settled_at is not None,
                week.is_preview,
                [_game(view, week.gameweek, pair) for pair in week.pairs],
            )
            for week in scheduled_weeks(page, view)
        ]
    )


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/standings",
    answers={200: DraftStandingsBody},
    problems={404: NO_LEAGUE},
)
def get_standings(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> DraftStandingsBody:
    """Read the standings, with the rule that puts each team ahead of the next."""
    view = load_season(opened(path, caller).league.id)
    shares = all_play(len(view.teams), view.weeks)
    records = {place.franchise: place.record for place in view.table}
    rounds = [view.pairs.get(week.id, ()) for week in view.regular]
    strength = strength_of_schedule(records, rounds)
    return DraftStandingsBody(
        view.is_regular_over,
        [
            _standing(view, place, shares[place.franchise], strength[place.franchise])
            for place in view.table
        ],
    )


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/bracket",
    answers={200: BracketBody},
    problems={404: NO_LEAGUE},
)
def get_bracket(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> BracketBody:
    """Read the playoffs: seeds, games and winners."""
    view = load_season(opened(path, caller).league.id)
    playoffs = view.playoffs
    return BracketBody(
        not view.is_regular_over,
        playoffs.seeds,
        [_bracket_game(game) for game in playoffs.games],
        view.champion,
        playoffs.last,
    )


def _game(view: SeasonView, gameweek: Gameweek, pair: Pair) -> ScheduledGameBody:
    home, away = pair
    points = view.points.get(gameweek.id)
    if points is None:
        return ScheduledGameBody(home, away, None, None)
    against = (
        milli(points.get(away, 0)) if away is not None else _thousandths(view.average(gameweek))
    )
    return ScheduledGameBody(home, away, milli(points.get(home, 0)), against)


def _standing(
    view: SeasonView, place: Place, all_play_share: Fraction, strength: Fraction
) -> StandingBody:
    record = place.record
    return StandingBody(
        place=place.place,
        franchise=place.franchise,
        division=view.divisions.get(place.franchise, 0),
        wins=record.wins,
        losses=record.losses,
        ties=record.ties,
        points_for=milli(record.points_for),
        points_against=_thousandths(record.points_against),
        reason=place.reason,
        all_play=round(float(all_play_share), DECIMALS),
        strength_of_schedule=round(float(strength), DECIMALS),
        in_playoffs=place.franchise in view.playoffs.seeds,
    )


def _thousandths(amount: Fraction) -> Points:
    return milli(round(amount))


def _bracket_game(game: Game) -> BracketGameBody:
    high_points, low_points = game.points
    return BracketGameBody(
        game.bracket,
        game.round,
        [f"GW{week}" for week in game.weeks],
        game.high,
        game.low,
        milli(high_points),
        milli(low_points),
        game.winner,
        game.is_bye,
    )
