"""The records of a draft league across its seasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import NO_LEAGUE, DraftLeaguePath
from app.api.fantasy.shapes import Body, GameweekName, Points, milli
from app.api.operations import GET
from app.api.security import MemberCaller
from app.draft_leagues.season.history import History, load_history
from app.draft_leagues.season.records import Career, PlayedGame, Score, Streak, Tally

SeasonIndex = Annotated[
    int, Meta(description="The index of the season in `seasons`, starting at 0.")
]


class PastSeasonBody(Body, frozen=True):
    """A season of the league."""

    name: str
    league: Annotated[str, Meta(description="The league's slug in that season, as in its URL.")]
    champion: Annotated[
        int | None,
        Meta(description="The team that won the league. Null until there is a champion."),
    ]
    is_over: bool


class TallyBody(Body, frozen=True):
    """Games won, lost and tied."""

    won: int
    lost: int
    tied: int


class AgainstBody(Body, frozen=True):
    """A gamer's record against another gamer."""

    gamer_id: int
    games: TallyBody


class CareerBody(Body, frozen=True):
    """A gamer's record over all seasons."""

    gamer_id: int
    team_name: str
    seasons: int
    titles: Sequence[SeasonIndex]
    games: TallyBody
    points: Points
    against: Sequence[AgainstBody]


class RecordScoreBody(Body, frozen=True):
    """A gamer's score in a gameweek."""

    season: SeasonIndex
    gameweek: GameweekName
    gamer_id: int
    points: Points


class RecordGameBody(Body, frozen=True):
    """A game that had a winner."""

    season: SeasonIndex
    gameweek: GameweekName
    gamer_id: int
    opponent_id: Annotated[
        int | None, Meta(description="The opponent. Null if it was the league average.")
    ]
    points: Points
    opponent_points: Points


class StreakBody(Body, frozen=True):
    """A winning streak."""

    gamer_id: int
    length: int


class RecordsBody(Body, frozen=True):
    """The league's all-time records, best first."""

    seasons: Annotated[
        Sequence[PastSeasonBody], Meta(description="The league's seasons, oldest first.")
    ]
    careers: Sequence[CareerBody]
    highest: Sequence[RecordScoreBody]
    lowest: Sequence[RecordScoreBody]
    widest: Sequence[RecordGameBody]
    closest: Sequence[RecordGameBody]
    streaks: Sequence[StreakBody]


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/records",
    answers={200: RecordsBody},
    problems={404: NO_LEAGUE},
)
def get_league_records(path: DraftLeaguePath, caller: PlayerCaller | MemberCaller) -> RecordsBody:
    """Read titles, streaks, highest scores and head-to-head records of all seasons."""
    history = load_history(opened(path, caller).league.id)
    records = history.records
    return RecordsBody(
        [
            PastSeasonBody(season.name, season.slug, season.champion, season.is_over)
            for season in history.seasons
        ],
        [_career(history, career) for career in records.careers],
        [_score(score) for score in records.highest],
        [_score(score) for score in records.lowest],
        [_game(game) for game in records.widest],
        [_game(game) for game in records.closest],
        [_streak(streak) for streak in records.streaks],
    )


def _career(history: History, career: Career) -> CareerBody:
    return CareerBody(
        career.member,
        history.names.get(career.member, ""),
        career.seasons,
        career.titles,
        _tally(career.tally),
        milli(career.points),
        [AgainstBody(other, _tally(tally)) for other, tally in sorted(career.against.items())],
    )


def _tally(tally: Tally) -> TallyBody:
    return TallyBody(tally.won, tally.lost, tally.tied)


def _score(score: Score) -> RecordScoreBody:
    return RecordScoreBody(score.season, f"GW{score.week}", score.member, milli(score.points))


def _game(game: PlayedGame) -> RecordGameBody:
    own_points, opponent_points = game.points
    return RecordGameBody(
        game.season,
        f"GW{game.week}",
        game.one,
        game.other,
        milli(round(own_points)),
        milli(round(opponent_points)),
    )


def _streak(streak: Streak) -> StreakBody:
    return StreakBody(streak.member, streak.length)
