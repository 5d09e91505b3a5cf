"""Games and modes over the API. A game belongs to its integrator: other keys cannot touch it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.api_keys import KeyCaller
from app.accounts.models import Integrator
from app.api import mode_limits
from app.api.made import conflict, or_refused
from app.api.mode_fields import (
    FIXED,
    Archived,
    ChangedWindows,
    Counted,
    CustomWindows,
    Decimals,
    Hidden,
    KeepDays,
    Kinds,
    LateHours,
    OrderField,
    Private,
    Shards,
    SubscoreBody,
    TakesMetadata,
    TimeZone,
    UpdateSeconds,
    counted,
    given_fields,
    shown_windows,
    stored_windows,
)
from app.api.mode_limits import ChangedLimits, GivenLimits
from app.api.operations import GET, PATCH, POST, operation
from app.api.security import Key
from app.api.shapes import (
    GameName,
    GamePath,
    LimitsBody,
    ModeName,
    ModePath,
    Slug,
    Title,
    Units,
    limits_body,
)
from app.boards.catalogue import known
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue import services as catalogue_services
from app.boards.catalogue.rules import LATE_HOURS, NewMode
from app.boards.models import Mode, ScoreGame
from app.boards.order import Best
from app.boards.rules import Ties
from app.boards.windows.retention import keep_days
from app.boards.windows.rules import ALL_TIME
from app.core import clock
from app.core.db import db
from app.core.http.problems import Fault, ProblemError
from app.scores.anticheat.mode_limits import mode_limits as limits_of
from app.scores.anticheat.submission import Limits

TAG = "Games"
RESERVED = frozenset({"site", "fantasy", "predictions"})  # Pressbox's own
MANAGE = Key("boards:manage")


class GameNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game to create."""

    slug: Slug
    title: Title


class GameBody(msgspec.Struct, frozen=True):
    """A game: a namespace of modes."""

    game_id: UUID
    slug: str
    title: str
    hidden_at: Annotated[
        datetime | None,
        Meta(description="When it was hidden from public lists. Null if it is not hidden."),
    ]
    archived_at: Annotated[
        datetime | None,
        Meta(
            description=(
                "When the game was archived. Its modes have not accepted scores since. "
                "Null if it is not archived."
            )
        ),
    ]


class GameList(msgspec.Struct, frozen=True):
    """Games by title, then slug."""

    games: Sequence[GameBody]


class ModeNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mode to create. How its scores count can be changed until the first score arrives."""

    slug: Slug
    title: Title
    aggregation: Annotated[
        Counted,
        Meta(description="How a player's scores count. `lowest` also sets `order` to `lowest`."),
    ] = Counted.HIGHEST
    ties: Annotated[
        Ties,
        Meta(
            description=(
                "How equal scores rank: `shared` gives 1, 1, 3, `dense` gives 1, 1, 2, "
                "and `earliest` ranks the earlier score first."
            )
        ),
    ] = Ties.SHARED
    time_zone: TimeZone = "UTC"
    decimals: Decimals = 0
    windows: Kinds = (ALL_TIME,)
    custom_windows: CustomWindows = []
    keep_days: KeepDays = {}
    min_score: Annotated[Units, Meta(description="The lowest accepted score, in units.")] = 0
    max_score: Annotated[Units, Meta(description="The highest accepted score, in units.")] = (
        1_000_000
    )
    shards: Shards = 1
    late_hours: LateHours = LATE_HOURS
    update_seconds: UpdateSeconds = 0
    private: Private = False
    order: OrderField = Best.HIGHEST
    subscore: SubscoreBody | None = None
    takes_metadata: TakesMetadata = False
    limits: GivenLimits = None


class ModeBody(msgspec.Struct, frozen=True):
    """A mode: how scores of a game count and rank."""

    mode_id: UUID
    game_id: UUID
    slug: str
    title: str
    aggregation: Counted
    ties: Ties
    time_zone: str
    decimals: int
    windows: Sequence[str]
    custom_windows: CustomWindows
    keep_days: Mapping[str, int]
    min_score: int
    max_score: int
    shards: int
    late_hours: int
    update_seconds: int
    private: bool
    order: OrderField
    subscore: SubscoreBody | None
    takes_metadata: TakesMetadata
    created_at: datetime
    hidden_at: Annotated[
        datetime | None,
        Meta(description="When it was hidden from public lists. Null if it is not hidden."),
    ]
    archived_at: Annotated[
        datetime | None,
        Meta(
            description=(
                "When the mode was archived. It has not accepted scores since, but its "
                "boards stay readable. Null if it is not archived."
            )
        ),
    ]
    limits: LimitsBody


class ModeList(msgspec.Struct, frozen=True):
    """Modes of a game by title, then slug."""

    modes: Sequence[ModeBody]


@operation(GET, "/v1/games", tag=TAG, answers={200: GameList}, security=[MANAGE])
def list_games(caller: KeyCaller) -> GameList:
    """List the integrator's own games."""
    return GameList([_game(game) for game in catalogue.games(caller.integrator_id)])


@operation(
    POST,
    "/v1/games",
    tag=TAG,
    answers={201: GameBody},
    security=[MANAGE],
    problems={409: "A game with this slug already exists."},
)
def create_game(body: GameNew, caller: KeyCaller) -> GameBody:
    """Create a game."""
    if body.slug in RESERVED:
        text = f"slug: {body.slug!r} is reserved by Pressbox. Choose another one."
        raise conflict([Fault("body", "slug", "taken", text)])
    created = catalogue_services.create_game(body.slug, body.title, caller.integrator_id)
    return _game(or_refused(created))


@operation(
    GET,
    "/v1/games/{game}/modes",
    tag=TAG,
    answers={200: ModeList},
    problems={404: "There is no such game."},
)
def list_modes(path: GamePath) -> ModeList:
    """List the modes of a game, without hidden and private ones."""
    return ModeList(_modes(catalogue.listed_modes(game_of(path.game))))


@operation(
    POST,
    "/v1/games/{game}/modes",
    tag=TAG,
    answers={201: ModeBody},
    security=[MANAGE],
    problems={
        404: "The integrator has no such game.",
        409: "The game already has a mode with this slug.",
    },
)
def create_mode(path: GamePath, body: ModeNew, caller: KeyCaller) -> ModeBody:
    """Create a mode in one of the integrator's games.

    Its range of scores must be exact on all of its boards. If it is not, the error says which range
    is.
    """
    game = own_game(path.game, caller)
    new = given_fields(body) | {"custom_windows": stored_windows(body.custom_windows)}
    limits = mode_limits.at_creation(new.pop("limits"), by=owner_of(caller))
    mode: Mode = or_refused(
        catalogue_services.create_mode(game, NewMode(**new), clock.now(), limits)
    )
    return _modes([mode])[0]


class GameWhole(GameBody, frozen=True, kw_only=True):
    """A game of the integrator with all its modes, by title, then slug.

    Hidden and archived modes are included.
    """

    modes: Sequence[ModeBody]


class GameChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to change. Fields you leave out stay as they are."""

    title: Title | UnsetType = UNSET
    hidden: Hidden | UnsetType = UNSET
    archived: Archived | UnsetType = UNSET


class ModeChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to change. Fields you leave out stay as they are.

    The fields that say how scores count can be changed only until the first score arrives.
    """

    title: Title | UnsetType = UNSET
    hidden: Hidden | UnsetType = UNSET
    archived: Archived | UnsetType = UNSET
    min_score: Annotated[
        Units | UnsetType,
        Meta(description="The lowest accepted score, in units, for scores from now on."),
    ] = UNSET
    max_score: Annotated[
        Units | UnsetType,
        Meta(description="The highest accepted score, in units, for scores from now on."),
    ] = UNSET
    keep_days: Annotated[
        KeepDays | UnsetType,
        Meta(
            description=(
                "How many days closed windows stay before they are archived, by kind. "
                "Applies to windows without scores so far."
            )
        ),
    ] = UNSET
    late_hours: LateHours | UnsetType = UNSET
    update_seconds: UpdateSeconds | UnsetType = UNSET
    custom_windows: ChangedWindows = UNSET
    private: Private | UnsetType = UNSET
    takes_metadata: TakesMetadata | UnsetType = UNSET
    limits: ChangedLimits = UNSET
    aggregation: Annotated[Counted | UnsetType, Meta(description=FIXED)] = UNSET
    ties: Annotated[Ties | UnsetType, Meta(description=FIXED)] = UNSET
    time_zone: Annotated[TimeZone | UnsetType, Meta(description=FIXED)] = UNSET
    decimals: Annotated[Decimals | UnsetType, Meta(description=FIXED)] = UNSET
    windows: Annotated[Kinds | UnsetType, Meta(description=FIXED)] = UNSET
    shards: Annotated[Shards | UnsetType, Meta(description=FIXED)] = UNSET
    order: Annotated[OrderField | UnsetType, Meta(description=FIXED)] = UNSET
    subscore: Annotated[SubscoreBody | UnsetType | None, Meta(description=FIXED)] = UNSET


@operation(
    GET,
    "/v1/games/{game}",
    tag=TAG,
    answers={200: GameWhole},
    security=[MANAGE],
    problems={404: "The integrator has no such game."},
)
def get_game(path: GamePath, caller: KeyCaller) -> GameWhole:
    """Read a game of the integrator with its modes."""
    return _whole(own_game(path.game, caller))


@operation(
    PATCH,
    "/v1/games/{game}",
    tag=TAG,
    answers={200: GameWhole},
    security=[MANAGE],
    problems={404: "The integrator has no such game."},
)
def change_game(path: GamePath, body: GameChange, caller: KeyCaller) -> GameWhole:
    """Rename, hide or archive a game, or show or reopen it.

    A hidden game is in no public list, but can still be read at its URL. An archived game accepts
    no scores, but its boards stay readable. A slug never changes, because URLs contain it. The
    audit records who changed what.
    """
    game = own_game(path.game, caller)
    changed = catalogue_services.change_game(
        game.id, given_fields(body), by=owner_of(caller), now=clock.now()
    )
    return _whole(or_refused(changed))


@operation(
    PATCH,
    "/v1/games/{game}/modes/{mode}",
    tag=TAG,
    answers={200: ModeBody},
    security=[MANAGE],
    problems={
        404: "The integrator has no such game, or the game has no such mode.",
        409: "There are scores, so the way they count can no longer be changed.",
    },
)
def change_mode(path: ModePath, body: ModeChange, caller: KeyCaller) -> ModeBody:
    """Change, hide or archive a mode, or show or reopen it.

    Either all of the change is made or none of it. Title, bounds, `limits`, `keep_days`,
    `late_hours`, `update_seconds`, `private`, `hidden` and `archived` can be changed at any time;
    how scores count (aggregation, ties, time zone, decimals, windows, shards, order, subscore) only
    until the first score arrives. Accepted scores stay as they are, even outside new bounds. The
    audit records who changed what.
    """
    own_game(path.game, caller)
    _, mode = mode_of(path.game, path.mode)
    changes, now, by = given_fields(body), clock.now(), owner_of(caller)
    if body.custom_windows is not UNSET:
        changes["custom_windows"] = stored_windows(body.custom_windows)
    limits = mode_limits.at_change(changes.pop("limits", UNSET), by=by)
    changed = catalogue_services.change_mode(mode.id, changes, by=by, now=now, also=limits)
    if isinstance(changed, list) and all(
        refusal.code == catalogue_services.HAS_SCORES for refusal in changed
    ):
        raise conflict(
            [
                Fault("body", refusal.field, refusal.code, f"{refusal.field}: {refusal.text}")
                for refusal in changed
            ]
        )
    return _modes([or_refused(changed)])[0]


def game_of(name: str) -> ScoreGame:
    """The game with this slug or UUID. Raises ProblemError 404."""
    game = catalogue.find_game(name)
    if game is None:
        if (deleted := catalogue.find_game(name, deleting=True)) is not None:
            raise ProblemError(
                404,
                f"{deleted.title} is being deleted (since {deleted.deleting_at}). This "
                "cannot be undone.",
            )
        raise ProblemError(404, f"There is no game {name!r}. Check its slug or UUID.")
    return game


def mode_of(game: GameName, mode: ModeName) -> tuple[ScoreGame, Mode]:
    """The game and mode with these slugs or UUIDs, to be read only. Raises ProblemError 404."""
    if (both := known.find_game_and_mode(game, mode)) is not None:
        return both
    game_row = game_of(game)
    if (deleted := catalogue.find_mode(game_row, mode, deleting=True)) is not None:
        raise ProblemError(
            404,
            f"{deleted.title} is being deleted (since {deleted.deleting_at}). This cannot "
            "be undone.",
        )
    raise ProblemError(
        404,
        f"{game_row.title} has no mode {mode!r}. GET /v1/games/{game_row.slug}/modes lists "
        "its modes.",
    )


def own_game(name: str, caller: KeyCaller) -> ScoreGame:
    """The game, if it is the integrator's own. Raises ProblemError 404 for any other."""
    game = catalogue.find_game(name)
    if game is None or game.integrator_id != caller.integrator_id:
        raise ProblemError(
            404, f"The integrator of this key has no game {name!r}. GET /v1/games lists its games."
        )
    return game


def owner_of(caller: KeyCaller) -> int:
    """The member on whose behalf this key decides."""
    return db.session.get_one(Integrator, caller.integrator_id).owner_id


def _game(game: ScoreGame) -> GameBody:
    return GameBody(game.id, game.slug, game.title, game.hidden_at, game.archived_at)


def _whole(game: ScoreGame) -> GameWhole:
    return GameWhole(**msgspec.structs.asdict(_game(game)), modes=_modes(catalogue.modes(game)))


def _modes(modes: Iterable[Mode]) -> list[ModeBody]:
    listed = list(modes)
    limits = limits_of([mode.id for mode in listed])
    return [_mode(mode, limits[mode.id]) for mode in listed]


def _mode(mode: Mode, limits: Limits) -> ModeBody:
    computed: dict[str, Any] = {"mode_id": mode.id, "limits": limits_body(limits)}
    computed |= {
        "keep_days": keep_days(mode.windows, mode.keep_days),
        "custom_windows": shown_windows(mode.custom_windows),
    }
    computed |= {"aggregation": counted(mode), "ties": Ties(mode.ties), "order": Best(mode.order)}
    computed["subscore"] = mode.subscore and msgspec.convert(mode.subscore, SubscoreBody)
    return ModeBody(
        **computed,
        **{
            name: getattr(mode, name) for name in ModeBody.__struct_fields__ if name not in computed
        },
    )
