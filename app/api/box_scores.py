"""The box score of a football game over the API, as numbers. Public, like the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from app.api.operations import GET, Limits, operation
from app.api.reading import fault
from app.core.http.problems import ProblemError
from app.record import queries
from app.record.asof import MomentError, valid_events
from app.record.pages.box_score import WholeLines, whole_lines
from app.record.pages.exports.downloads import details_json, participation_of
from app.record.pages.game_page import box_score_of, drives_of
from app.record.pages.participation import ParticipantRow
from app.record.pages.reading import read
from app.record.queries import ClubRow
from app.record.rules.club_figures import ClubFigures
from app.record.rules.drives import Drive, snapped
from app.record.rules.football.rulebook import rulebook_of

TAG = "Box scores"
READS = Limits(address="240 per minute")
AT = (
    r"^([0-9]{1,14}|(Q[1-4]|[1-9]?OT)-[0-9]{1,2}:[0-5][0-9]"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[ "
    r"+-][0-9]{2}:[0-9]{2}))?$"
)
PATTERN = r"^[^/\x00-\x1f\x7f]{1,80}$"


class FootballGamePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a football game."""

    game_id: Annotated[
        str, Meta(pattern=PATTERN, description="The football game's id.", examples=["2026091300"])
    ]


class BoxScoreQuery(msgspec.Struct, frozen=True):
    """Query parameters of a box score request."""

    at: Annotated[
        str,
        Meta(
            pattern=AT,
            description=(
                "The moment to show: an event number, a game clock (`Q2-12:31`, "
                "`OT-3:05`) or a time. Defaults to now."
            ),
            examples=["213", "Q2-12:31"],
        ),
    ] = ""


class PlayerFigures(msgspec.Struct, frozen=True):
    """A player's statistics.

    `stats` are whole numbers by name, without those that are 0. `half_sacks` counts half sacks.
    """

    player_id: str
    name: str
    stats: Mapping[str, int]


class ClubBoxScore(msgspec.Struct, frozen=True):
    """A club's side: points, points by period, club totals, players by id and participation."""

    club_id: str
    name: str
    points: int
    by_period: Sequence[int]
    figures: ClubFigures
    players: Sequence[PlayerFigures]
    participation: Annotated[
        Sequence[ParticipantRow],
        Meta(
            description=(
                "Starters, other players who played, players who did not play and "
                "inactive players, each grouped by unit."
            )
        ),
    ]


class ScoringPlay(msgspec.Struct, frozen=True):
    """A touchdown with its try, or another scoring play, and the score after it."""

    club_id: str
    clock: Annotated[
        str,
        Meta(
            description=(
                "The game clock of the score, such as `Q1 14:20`. Until it is known, the "
                "time of the snap: `Q1, snap at 14:30`."
            )
        ),
    ]
    words: str
    away: int
    home: int
    play_number: int
    drive: Annotated[
        int | None,
        Meta(
            description="The number of the scoring drive. Null if there was none, as on a return."
        ),
    ]
    drive_words: Annotated[
        str,
        Meta(
            description=(
                "A summary of the drive, such as `5 plays, 42 yards, 2:10`. Empty if "
                "there was no drive."
            )
        ),
    ]


class GameDetailsBody(msgspec.Struct, frozen=True):
    """Details of a game besides its plays; unknown ones are "" or null."""

    officials: Annotated[Mapping[str, str], Meta(description="The officials' names, by position.")]
    attendance: int | None
    stadium: str
    surface: str
    weather: str
    started: Annotated[
        str, Meta(description="The kickoff time on the stadium's clock, such as `13:02`.")
    ]
    ended: str


class BoxScoreBody(msgspec.Struct, frozen=True):
    """The box score of a game. Scores and drives are in the order of the game."""

    game_id: str
    competition: str
    season: int
    season_type: str
    week: int
    kickoff: datetime
    status: Annotated[
        str, Meta(description="The game's status: `scheduled`, `live`, `ended`, `final` and so on.")
    ]
    as_of_event: Annotated[
        int,
        Meta(description="The number of the last event included. 0 if there are no events yet."),
    ]
    details: GameDetailsBody
    away: ClubBoxScore
    home: ClubBoxScore
    scoring: Sequence[ScoringPlay]
    drives: Annotated[
        Sequence[Drive],
        Meta(
            description=(
                "The drives. Yard lines are counted from the goal line of the club in possession."
            )
        ),
    ]


@operation(
    GET,
    "/api/v1/games/{game_id}/box-score",
    tag=TAG,
    answers={200: BoxScoreBody},
    problems={404: "There is no such football game."},
    limits=READS,
)
def get_box_score(path: FootballGamePath, query: BoxScoreQuery) -> BoxScoreBody:
    """Read the box score of a football game.

    It changes with every play during the game, and with corrections afterwards.
    """
    game = queries.game(path.game_id)
    if game is None:
        raise ProblemError(
            404,
            f"There is no football game {path.game_id!r}. /games lists all games with their ids.",
        )
    try:
        reading = read(game, query.at.strip())
    except MomentError as error:
        raise fault("query", "at", "no_such_moment", str(error)) from error
    game = reading.game
    box = box_score_of(game, reading.events, reading.names, reading.lines)
    lines = whole_lines(snapped(valid_events(reading.events)), reading.lines, rulebook_of(game))

    people = {of_club.club_id: of_club.players for of_club in participation_of(reading)}

    def side(club: ClubRow, points: int | None, periods: str, figures: ClubFigures) -> ClubBoxScore:
        players = _players(club.id, lines, reading.names)
        by_period = game.state.get(periods) or ()
        return ClubBoxScore(
            club.id, club.name, points or 0, by_period, figures, players, people[club.id]
        )

    return BoxScoreBody(
        game_id=game.id,
        competition=game.competition,
        season=game.season,
        season_type=game.season_type,
        week=game.week,
        kickoff=game.kickoff,
        status=game.status,
        as_of_event=reading.at.number if reading.at else reading.last,
        details=GameDetailsBody(**details_json(reading.details)),
        away=side(game.away, game.away_score, "away_by_period", box.figures[0]),
        home=side(game.home, game.home_score, "home_by_period", box.figures[1]),
        scoring=[ScoringPlay(**asdict(score)) for score in box.scores],
        drives=drives_of(game, reading.events),
    )


def _players(club: str, lines: WholeLines, names: Mapping[str, str]) -> list[PlayerFigures]:
    return [
        PlayerFigures(
            player,
            names.get(player, player),
            {stat: amount for stat, amount in stats.items() if amount},
        )
        for player, (of, stats) in sorted(lines.items())
        if of == club
    ]
