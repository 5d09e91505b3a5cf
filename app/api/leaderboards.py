"""Reading boards over the API (PRODUCT D5 to D7, D14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

import msgspec
from flask import Response
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players, sanctions
from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.api.games import mode_of
from app.api.mode_fields import Counted, OrderField, counted
from app.api.operations import GET, operation
from app.api.reading import fault
from app.api.security import Key, PlayerToken, authenticate
from app.api.shapes import BoardPath, Metadata, PlayerId, PlayerPath, Points, Units, points
from app.api.shared_answers import SharedBody, shared_answer
from app.boards import percentiles, services
from app.boards.catalogue import known
from app.boards.layouts.merged_top import FRESH, MERGED_ROWS
from app.boards.models import Mode, ScoreGame
from app.boards.order import Best
from app.boards.player_names import display_names
from app.boards.reads import Row, View
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
Body = TypeVar("Body", bound=msgspec.Struct)
READERS = (Key("feed:read"), PlayerToken())  # of private boards

Subscore = Annotated[
    int | None,
    Meta(description="The subscore of the score. Only included in modes with subscores."),
]
Carried = Annotated[
    Metadata | None,
    Meta(
        description=(
            "The metadata of the score that counts. Left out if it has none or the "
            "mode does not accept metadata."
        )
    ),
]
Image = Annotated[
    str,
    Meta(
        description=(
            "The path of the picture shown next to the name: the member's picture "
            "(WebP) or a crest (SVG). It is public and does not change as long as "
            "the player exists."
        )
    ),
]
Limit = Annotated[
    int, Meta(ge=1, le=MOST_ROWS, description="The maximum number of rows to return.")
]
Offset = Annotated[int, Meta(ge=0, le=1_000_000_000, description="The number of rows to skip.")]
Nearby = Annotated[
    int,
    Meta(
        ge=0, le=MOST_NEARBY, description="How many players to include above and below the player."
    ),
]


class PageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a board page."""

    limit: Limit = 50
    offset: Offset = 0
    around_player_id: Annotated[
        UUID | UnsetType,
        Meta(description="Also return this player's place and the players around them."),
    ] = UNSET
    nearby: Nearby = 4


class NearbyQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the nearby operation."""

    nearby: Nearby = 4


class BandQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a band request."""

    low: Annotated[Units, Meta(description="The lowest score of the band (inclusive), in units.")]
    high: Annotated[Units, Meta(description="The highest score of the band (inclusive), in units.")]
    limit: Limit = 50
    offset: Offset = 0


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of a board, with the fields of its mode."""

    rank: Annotated[
        int, Meta(description="The rank, starting at 1. Ties follow the mode's `ties`.")
    ]
    player_id: PlayerId
    display_name: str
    image: Image
    score: Points
    subscore: Subscore = None
    metadata: Carried = None


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's place, with the fields of its mode."""

    player_id: PlayerId
    display_name: str
    ranked: Annotated[
        bool,
        Meta(
            description=(
                "Whether the player has a score that counts here. If not, rank, score "
                "and percentile are null."
            )
        ),
    ]
    rank: int | None
    score: Points | None
    percentile: Annotated[
        float | None,
        Meta(
            description=(
                "The percentage of players whose rank is not better. The best player has 100."
            )
        ),
    ]
    subscore: Subscore = None
    metadata: Carried = None


class Freshness(msgspec.Struct, frozen=True, kw_only=True):
    """Where a board was read from and how fresh it is."""

    cache_hit: Annotated[bool, Meta(description="Whether the response came from Redis.")]
    stale_after_ms: Annotated[
        int,
        Meta(
            description=(
                "How long, in milliseconds, the board may be shown before it is requested again."
            )
        ),
    ]
    source: Annotated[
        Literal["redis", "postgresql", "archive"], Meta(description="The store that was read.")
    ]
    as_of: Annotated[
        datetime, Meta(description="The time the board was read. It may be slightly newer.")
    ]
    age_ms: Annotated[int, Meta(description="The time since `as_of`, in milliseconds.")]
    verified_at: Annotated[
        datetime | None,
        Meta(description="When the whole board in Redis was last compared with PostgreSQL."),
    ]


class BoardBody(Freshness, frozen=True, kw_only=True):
    """A page of a board, best first, all from one moment."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    entries: Sequence[Entry]
    total_ranked: int
    player: Annotated[Place | None, Meta(description="The player given as `around_player_id`.")]
    around: Annotated[
        Sequence[Entry],
        Meta(
            description=(
                "The player and the players around them. Empty if the player has no score."
            )
        ),
    ]


class PlayerBoardBody(Freshness, frozen=True, kw_only=True):
    """A player's place on a board, with the players around them."""

    window_id: str
    aggregation: Counted
    ties: Ties
    order: OrderField
    player: Place
    total_ranked: int
    above: Annotated[Sequence[Entry], Meta(description="The players above, best first.")]
    below: Annotated[Sequence[Entry], Meta(description="The players below, best first.")]


class PercentileRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A score at a percentile of a board, with the fields of its mode."""

    percentile: Annotated[
        int, Meta(description="The percentile reached by a player with this score.")
    ]
    score: Points
    subscore: Subscore = None


class PercentilesBody(msgspec.Struct, frozen=True):
    """The scores at each percentile, lowest percentile first. Empty for an empty board."""

    window_id: str
    total_ranked: Annotated[int, Meta(description="The number of players on the board at `as_of`.")]
    percentiles: Sequence[PercentileRow]
    as_of: Annotated[
        datetime,
        Meta(
            description=(
                "When the percentiles were computed. They are updated every minute while in use."
            )
        ),
    ]
    age_ms: Annotated[int, Meta(description="The time since `as_of`, in milliseconds.")]


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
def get_leaderboard(path: BoardPath, query: PageQuery) -> BoardBody | Response:
    """Read the top of a board, or any page of it.

    With `around_player_id`, the response includes the player's place and the players around them. A
    window without scores has no rows.
    """
    return answer_for_all(path, lambda reading: _board_body(reading, query))


def _board_body(reading: Reading, query: PageQuery) -> BoardBody:
    player_id = None if query.around_player_id is UNSET else query.around_player_id
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
        player=None if player_id is None else _place(reading, player_id, view),
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
def get_player_rank(path: PlayerPath, query: NearbyQuery) -> PlayerBoardBody | Response:
    """Read a player's rank, even if they have no score."""
    return answer_for_all(path, lambda reading: _player_body(reading, path, query))


def _player_body(reading: Reading, path: PlayerPath, query: NearbyQuery) -> PlayerBoardBody:
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
        player=_place(reading, path.player_id, view),
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
def get_score_band(path: BoardPath, query: BandQuery) -> BandBody | Response:
    """List the players whose score is in a band."""
    if query.low > query.high:
        raise fault(
            "query",
            "low",
            "invalid",
            f"low ({query.low}) is above high ({query.high}). Swap the two.",
        )
    return answer_for_all(path, lambda reading: _band_body(reading, query))


def _band_body(reading: Reading, query: BandQuery) -> BandBody:
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
    """Read the score at each percentile of a board.

    For large boards, where "top 10%" says more than a rank. One call is enough for any number of
    players.
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


def answer_for_all(
    path: BoardPath | PlayerPath, read: Callable[[Reading], Body]
) -> Body | Response:
    """What `read` reads of the board at this path, read once for all who may see the same.

    That is not so for readers of a private board, for players with a shadow ban, for boards whose
    every change is not counted in Redis, and for modes with metadata, which PostgreSQL has only
    after Redis has the score. Raises as `reading_of`.
    """
    _, mode = readable_mode(path.game, path.mode)
    if mode.private or mode.takes_metadata or sanctions.shadowed_viewer() is not None:
        return read(reading_of(path))

    def share() -> SharedBody:
        # Opened again: what was read before the look-up of the answer may be older than its moment.
        began = clock.now()
        reading = reading_of(path)
        changes = reading.changes()
        body = read(reading)
        until = _same_freshness_until(reading, began)
        tags: tuple[str, ...] = ()
        if (
            reading.record is not None
            and changes is not None
            and reading.source == REDIS
            and not (reading.mode.private or reading.mode.takes_metadata)
            and (until is None or until > reading.as_of)
        ):
            tags = ("catalogue", *known.board_tags(reading.record), *players.TAGS)
            body = msgspec.structs.replace(body, age_ms=0)
        return SharedBody(body, tags, changes or {}, until)

    return shared_answer(share)


def _same_freshness_until(reading: Reading, began: datetime) -> datetime | None:
    """When `stale_after_ms`, or the window that the path means, changes next; None if never.

    `began`: a moment before the window was found.
    """
    window, calendar = reading.window, reading.mode.calendar
    if window.ends is None or window.ends > began:
        return window.ends
    following = after(window, calendar)
    if following is None or following.ends is None or following.ends <= began:
        return None
    return following.ends - timedelta(milliseconds=CLOSED_STALE_MS)


def reading_of(path: BoardPath | PlayerPath) -> Reading:
    """The board at this path.

    Raises ProblemError 404, and 401 or 403 if the caller may not read a private board.
    """
    game, mode = readable_mode(path.game, path.mode)
    window = window_of_path(path.window, mode)
    try:
        return services.read(game, mode, window.window_id, find_board=known.find_board)
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
    name = players.known_name(player_id)
    if name is None:
        raise ProblemError(
            404,
            f"There is no player {player_id}. Check the id you got when you registered the player.",
        )
    return name


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


def _place(reading: Reading, player_id: UUID, view: View) -> Place:
    name = view.details.get(str(player_id)) or player_name(player_id)
    standing = view.me
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
