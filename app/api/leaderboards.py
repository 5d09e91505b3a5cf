"""Reading boards over the API (PRODUCT D5 to D7, D14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players
from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.api.games import mode_of
from app.api.mode_fields import Counted, OrderField, counted
from app.api.operations import GET, operation
from app.api.reading import fault
from app.api.security import Key, PlayerToken, authenticate
from app.api.shapes import BoardPath, Metadata, PlayerId, PlayerPath, Points, Units, points
from app.boards import percentiles, services
from app.boards.layouts.merged_top import FRESH, MERGED_ROWS
from app.boards.models import Mode, ScoreGame
from app.boards.order import Best
from app.boards.player_names import display_names
from app.boards.reads import Row, Standing, View
from app.boards.rules import Ties
from app.boards.services import REDIS, Reading
from app.boards.windows.rules import InvalidWindowError, Window, after, named_window
from app.core import clock
from app.core.http.problems import ProblemError
from app.scores.standings import metadata

TAG = "Leaderboards"
MOST_ROWS = MERGED_ROWS
MOST_NEARBY = 50
OPEN_STALE_MS = 2000  # scores arrive all the time
CLOSED_STALE_MS = 3_600_000  # only a correction changes a closed window
PRIVATE = {
    401: "The board is private. Sign the request.",
    403: "The board is private and belongs to another integrator.",
}
NO_BOARD = {404: "There is no such game, mode or window.", **PRIVATE}
READERS = (Key("feed:read"), PlayerToken())  # of private boards

Subscore = Annotated[
    int | None, Meta(description="Of the score, in a mode that has one; else left out.")
]
Carried = Annotated[
    Metadata | None,
    Meta(
        description="Of the score that counts; left out where it has none or the mode takes none."
    ),
]
Image = Annotated[
    str,
    Meta(
        description=(
            "Path of the picture beside the name: a WebP that the member chose, or else a crest "
            "(SVG). Anybody may load it. It is the same path for as long as the player exists."
        )
    ),
]
Limit = Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Maximum number of rows.")]
Offset = Annotated[int, Meta(ge=0, le=1_000_000_000, description="Rows to skip.")]
Nearby = Annotated[
    int, Meta(ge=0, le=MOST_NEARBY, description="Neighbours above and below the player, each.")
]


class PageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a board page."""

    limit: Limit = 50
    offset: Offset = 0
    around_player_id: Annotated[
        UUID | UnsetType,
        Meta(description="Also return the place of this player and their neighbours."),
    ] = UNSET
    nearby: Nearby = 4


class NearbyQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the nearby operation."""

    nearby: Nearby = 4


class BandQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a band request."""

    low: Annotated[Units, Meta(description="Lowest score of the band, inclusive, in units.")]
    high: Annotated[Units, Meta(description="Highest score of the band, inclusive, in units.")]
    limit: Limit = 50
    offset: Offset = 0


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of a board, with the fields that its mode has."""

    rank: Annotated[int, Meta(description="From 1, by the mode's ties.")]
    player_id: PlayerId
    display_name: str
    image: Image
    score: Points
    subscore: Subscore = None
    metadata: Carried = None


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's place, with the fields that the mode has."""

    player_id: PlayerId
    display_name: str
    ranked: Annotated[
        bool, Meta(description="False: no score counts here; rank, score and percentile are null.")
    ]
    rank: int | None
    score: Points | None
    percentile: Annotated[
        float | None,
        Meta(description="Share of players whose rank is no better; the best has 100."),
    ]
    subscore: Subscore = None
    metadata: Carried = None


class Freshness(msgspec.Struct, frozen=True, kw_only=True):
    """Where a board was read from and how fresh it is."""

    cache_hit: Annotated[bool, Meta(description="Whether Redis answered.")]
    stale_after_ms: Annotated[
        int, Meta(description="How long it may be shown before asking again.")
    ]
    source: Annotated[
        Literal["redis", "postgresql", "archive"], Meta(description="The store that answered.")
    ]
    as_of: Annotated[
        datetime, Meta(description="The board's state at this time, or slightly later.")
    ]
    age_ms: Annotated[int, Meta(description="Time since as_of.")]
    verified_at: Annotated[
        datetime | None,
        Meta(description="When every place in Redis was last compared with PostgreSQL."),
    ]


class BoardBody(Freshness, frozen=True, kw_only=True):
    """A page of a board, best first, all from one moment."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    entries: Sequence[Entry]
    total_ranked: int
    player: Annotated[Place | None, Meta(description="The player of around_player_id.")]
    around: Annotated[
        Sequence[Entry],
        Meta(description="The player with their neighbours; empty without a score."),
    ]


class PlayerBoardBody(Freshness, frozen=True, kw_only=True):
    """A player's place on a board, with the neighbours."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    player: Place
    total_ranked: int
    above: Annotated[Sequence[Entry], Meta(description="The players above, best first.")]
    below: Annotated[Sequence[Entry], Meta(description="The players below, best first.")]


class PercentileRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A score that divides the players of a board, with the fields that its mode has."""

    percentile: Annotated[
        int, Meta(description="A player with this score or a better one ranks here or higher.")
    ]
    score: Points
    subscore: Subscore = None


class PercentilesBody(msgspec.Struct, frozen=True):
    """The scores that divide the players, lowest percentile first; empty for an empty board."""

    window_id: str
    total_ranked: Annotated[int, Meta(description="Players on the board at as_of.")]
    percentiles: Sequence[PercentileRow]
    as_of: Annotated[
        datetime, Meta(description="When they were measured; every minute while in use.")
    ]
    age_ms: Annotated[int, Meta(description="Time since as_of.")]


class BandBody(Freshness, frozen=True, kw_only=True):
    """The players whose score lies in a band, best first."""

    window_id: str
    entries: Sequence[Entry]


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}",
    tag=TAG,
    answers={200: BoardBody},
    problems={404: "There is no such game, mode, window or player.", **PRIVATE},
)
def get_leaderboard(path: BoardPath, query: PageQuery) -> BoardBody:
    """Read the top of a board, or any page of it.

    With `around_player_id`, the answer includes the player's place and neighbours. A window without
    scores is empty.
    """
    reading = reading_of(path)
    player_id = None if query.around_player_id is UNSET else query.around_player_id
    name = None if player_id is None else player_name(player_id)
    if player_id is None and query.offset == 0:
        view = reading.top(query.limit)
    else:
        view = reading.board.view(
            query.offset, query.limit, None if player_id is None else str(player_id), query.nearby
        )
    return BoardBody(
        window_id=reading.window.window_id,
        aggregation=counted(reading.mode),
        ties=Ties(reading.mode.ties),
        order=Best(reading.mode.order),
        entries=entries_of(reading, view.rows, view),
        total_ranked=view.count,
        player=None
        if player_id is None or name is None
        else _place(reading, player_id, name, view.me),
        around=entries_of(reading, view.around, view),
        **freshness(reading, view.as_of),
    )


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/players/{player_id}",
    tag=TAG,
    answers={200: PlayerBoardBody},
    problems={404: "There is no such game, mode, window or player.", **PRIVATE},
)
def get_player_rank(path: PlayerPath, query: NearbyQuery) -> PlayerBoardBody:
    """Read the rank of a player, even of one without a score."""
    reading = reading_of(path)
    name = player_name(path.player_id)
    view = reading.board.view(0, 1, str(path.player_id), query.nearby)
    around = entries_of(reading, view.around, view)
    here = next(
        (number for number, entry in enumerate(around) if entry.player_id == path.player_id),
        len(around),
    )
    return PlayerBoardBody(
        window_id=reading.window.window_id,
        aggregation=counted(reading.mode),
        ties=Ties(reading.mode.ties),
        order=Best(reading.mode.order),
        player=_place(reading, path.player_id, name, view.me),
        total_ranked=view.count,
        above=around[:here],
        below=around[here + 1 :],
        **freshness(reading),
    )


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/band",
    tag=TAG,
    answers={200: BandBody},
    problems=NO_BOARD,
)
def get_score_band(path: BoardPath, query: BandQuery) -> BandBody:
    """List the players whose score is in a band."""
    if query.low > query.high:
        raise fault(
            "query",
            "low",
            "invalid",
            f"low ({query.low}) is above high ({query.high}). Swap the two.",
        )
    reading = reading_of(path)
    rows = reading.board.band(query.low, query.high, query.offset, query.limit)
    return BandBody(
        window_id=reading.window.window_id, entries=entries_of(reading, rows), **freshness(reading)
    )


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/leaderboards/{window}/percentiles",
    tag=TAG,
    answers={200: PercentilesBody},
    problems=NO_BOARD,
)
def get_percentiles(path: BoardPath) -> PercentilesBody:
    """Read the scores that divide the players of a board into percentiles.

    For boards so large that "in the top 10 %" says more than a rank: one call answers it for any
    number of players.
    """
    reading = reading_of(path)
    now = clock.now()
    measured = percentiles.read(reading, now)
    decimals = reading.mode.decimals
    return PercentilesBody(
        window_id=reading.window.window_id,
        total_ranked=measured.count,
        percentiles=[
            PercentileRow(row.percentile, points(row.score, decimals), row.subscore)
            for row in measured.rows
        ],
        as_of=measured.as_of,
        age_ms=max(0, (now - measured.as_of) // timedelta(milliseconds=1)),
    )


def reading_of(path: BoardPath | PlayerPath) -> Reading:
    """The board at this path.

    Raises ProblemError 404, and 401 or 403 if the caller may not read a private board.
    """
    game, mode = readable_mode(path.game, path.mode)
    window = window_of_path(path.window, mode)
    try:
        return services.read(game, mode, window.window_id)
    except InvalidWindowError as error:
        raise ProblemError(404, str(error)) from None


def readable_mode(game_name: str, mode_name: str) -> tuple[ScoreGame, Mode]:
    """The game and mode, if this caller may read its boards.

    A private mode is open to the game's integrator by key, and to its players by token. Raises
    ProblemError 401, 403, 404.
    """
    game, mode = mode_of(game_name, mode_name)
    if not mode.private:
        return game, mode
    match authenticate(READERS):
        case KeyCaller() as key:
            is_own = key.integrator_id == game.integrator_id
        case PlayerCaller() as caller:
            player = players.find_player(caller.player_id)
            is_own = player is not None and player.integrator_id == game.integrator_id
        case _:
            is_own = False
    if not is_own:
        raise ProblemError(
            403,
            f"{mode.title} is private. Only its integrator's keys and players can read its boards.",
        )
    return game, mode


def window_of_path(name: str, mode: Mode) -> Window:
    """The window with this name or alias, by the mode's calendar. Raises ProblemError 404."""
    try:
        return named_window(name, clock.now(), mode.calendar)
    except InvalidWindowError as error:
        raise ProblemError(404, str(error)) from None


def player_name(player_id: UUID) -> str:
    """The name that boards show for the player. Raises ProblemError 404."""
    player = players.find_player(player_id)
    if player is None:
        raise ProblemError(
            404,
            f"There is no player {player_id}. Check the id you got when you registered the player.",
        )
    return player.display_name


def image_of(player_id: str) -> str:
    """The path of the picture beside the player's name (app/accounts/picture_views.py)."""
    return f"/players/{player_id}/picture"


def entries_of(
    reading: Reading,
    rows: Sequence[Row],
    view: View | None = None,
    carried: Mapping[str, dict[str, Any]] | None = None,
) -> list[Entry]:
    """The rows with the names to show; names that came with the view are not queried again.

    `carried`: metadata by member, if it is not that of the current board.
    """
    carried = metadata.of_rows(reading, rows) if carried is None else carried
    names = display_names(reading, {row.member for row in rows}, view.details if view else {})
    decimals = reading.mode.decimals
    return [
        Entry(
            *(
                row.rank,
                UUID(row.member),
                names[row.member],
                image_of(row.member),
                points(row.score, decimals),
                row.subscore,
            ),
            carried.get(row.member),
        )
        for row in rows
    ]


def _place(reading: Reading, player_id: UUID, name: str, standing: Standing | None) -> Place:
    if standing is None:
        return Place(player_id, name, False, None, None, None)
    score = points(standing.score, reading.mode.decimals)
    carried = metadata.of_rows(reading, [standing]).get(standing.member)
    return Place(
        player_id, name, True, standing.rank, score, standing.percentile, standing.subscore, carried
    )


def freshness(reading: Reading, merged: datetime | None = None) -> dict[str, Any]:
    """Where the board was read, and how fresh it is.

    `merged`: when the top was merged; it is merged anew once it is older than FRESH.
    """
    now, as_of = clock.now(), merged or reading.as_of
    age_ms = max(0, (now - as_of) // timedelta(milliseconds=1))
    stale_after_ms = (
        OPEN_STALE_MS if merged is None else max(0, FRESH // timedelta(milliseconds=1) - age_ms)
    )
    if reading.window.ends is not None and reading.window.ends <= as_of:
        stale_after_ms = CLOSED_STALE_MS
        following = after(reading.window, reading.mode.calendar)
        if (
            following is not None and following.ends is not None and now < following.ends
        ):  # `previous` means it until then
            stale_after_ms = min(
                stale_after_ms, (following.ends - now) // timedelta(milliseconds=1)
            )
    return {
        "cache_hit": reading.source == REDIS,
        "stale_after_ms": stale_after_ms,
        "source": reading.source,
        "as_of": as_of,
        "age_ms": age_ms,
        "verified_at": reading.record.verified_at if reading.record else None,
    }
