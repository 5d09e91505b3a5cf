"""Games and modes over the API. A namespace is its integrator's: no key touches another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta

from app.accounts.api_keys import KeyCaller
from app.api.operations import GET, POST, operation
from app.api.security import Key
from app.api.shapes import GameName, GamePath, ModeName, Slug, Title, Units
from app.boards import catalogue
from app.boards.catalogue import MAX_DECIMALS, MAX_SHARDS, NewMode
from app.boards.models import Mode, ScoreGame
from app.boards.rules import Aggregation, Ties
from app.boards.windows import ALL_TIME, KINDS
from app.core import clock
from app.core.problems import Fault, Refuse
from app.core.refusals import Refusal

TAG = "Games"
RESERVED = frozenset({"site", "fantasy", "predictions"})  # Pressbox's own
MANAGE = Key("boards:manage")
Made = TypeVar("Made")
Kind = Annotated[str, Meta(pattern=f"^({'|'.join(KINDS)})$")]


class GameNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game to be made."""

    slug: Slug
    title: Title


class GameBody(msgspec.Struct, frozen=True):
    """A game: a namespace of modes."""

    game_id: UUID
    slug: str
    title: str


class GameList(msgspec.Struct, frozen=True):
    """Games by title, then slug."""

    games: Sequence[GameBody]


class ModeNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mode to be made. It cannot be changed over the API afterwards: scores count by it."""

    slug: Slug
    title: Title
    aggregation: Annotated[Aggregation, Meta(description="What counts of a player's scores.")] = Aggregation.HIGHEST
    ties: Annotated[
        Ties, Meta(description="Equal scores: `shared` ranks 1, 1, 3; `dense` 1, 1, 2; `earliest` by time.")
    ] = Ties.SHARED
    time_zone: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_+/-]+$",
            max_length=60,
            description="Its windows begin at midnight there, for example Europe/Berlin.",
        ),
    ] = "UTC"
    decimals: Annotated[int, Meta(ge=0, le=MAX_DECIMALS, description="A unit is 10^-decimals of a point.")] = 0
    windows: Annotated[Sequence[Kind], Meta(min_length=1, max_length=4, description="Kinds of boards.")] = (ALL_TIME,)
    keep_days: Annotated[
        Mapping[Annotated[str, Meta(pattern="^(daily|weekly|monthly)$")], Annotated[int, Meta(ge=1, le=36500)]],
        Meta(description="Days that a closed window stays before it is archived, by kind."),
    ] = {}
    min_score: Annotated[Units, Meta(description="Lowest score that is taken, in units.")] = 0
    max_score: Annotated[Units, Meta(description="Highest score that is taken, in units.")] = 1_000_000
    shards: Annotated[int, Meta(ge=1, le=MAX_SHARDS, description="Parts of a board; 1 up to a million players.")] = 1


class ModeBody(msgspec.Struct, frozen=True):
    """A mode: how scores of a game count and rank."""

    mode_id: UUID
    game_id: UUID
    slug: str
    title: str
    aggregation: Aggregation
    ties: Ties
    time_zone: str
    decimals: int
    windows: Sequence[str]
    keep_days: Mapping[str, int]
    min_score: int
    max_score: int
    shards: int
    created_at: datetime


class ModeList(msgspec.Struct, frozen=True):
    """Modes of a game by title, then slug."""

    modes: Sequence[ModeBody]


@operation(GET, "/v1/games", tag=TAG, answers={200: GameList}, security=[MANAGE])
def list_games(caller: KeyCaller) -> GameList:
    """The integrator's own games."""
    return GameList([_game(game) for game in catalogue.games(caller.integrator_id)])


@operation(
    POST,
    "/v1/games",
    tag=TAG,
    answers={201: GameBody},
    security=[MANAGE],
    problems={409: "There is a game of this slug already."},
)
def create_game(body: GameNew, caller: KeyCaller) -> GameBody:
    """Make a game."""
    if body.slug in RESERVED:
        raise _taken([Fault("body", "slug", "taken", f"slug {body.slug!r} is one of Pressbox's own: choose another.")])
    made = catalogue.create_game(body.slug, body.title, caller.integrator_id)
    return _game(_or_refused(made))


@operation(GET, "/v1/games/{game}/modes", tag=TAG, answers={200: ModeList}, problems={404: "There is no such game."})
def list_modes(path: GamePath) -> ModeList:
    """The modes of a game."""
    return ModeList([_mode(mode) for mode in catalogue.modes(game_of(path.game))])


@operation(
    POST,
    "/v1/games/{game}/modes",
    tag=TAG,
    answers={201: ModeBody},
    security=[MANAGE],
    problems={404: "The integrator has no such game.", 409: "The game has a mode of this slug already."},
)
def create_mode(path: GamePath, body: ModeNew, caller: KeyCaller) -> ModeBody:
    """Make a mode of one of the integrator's games.

    The range of scores must be exact on every kind of board that it has; the answer to one that is not says the range.
    """
    game = own_game(path.game, caller)
    made = catalogue.create_mode(game, NewMode(**msgspec.structs.asdict(body)), clock.now())
    return _mode(_or_refused(made))


def game_of(name: str) -> ScoreGame:
    """The game of that slug or UUID. Raises Refuse 404."""
    game = catalogue.find_game(name)
    if game is None:
        raise Refuse(404, f"There is no game {name!r}: check its slug or UUID.")
    return game


def mode_of(game: GameName, mode: ModeName) -> tuple[ScoreGame, Mode]:
    """Game and mode by slug or UUID. Raises Refuse 404."""
    found = game_of(game)
    held = catalogue.find_mode(found, mode)
    if held is None:
        raise Refuse(404, f"{found.title} has no mode {mode!r}: GET /v1/games/{found.slug}/modes lists them.")
    return found, held


def own_game(name: str, caller: KeyCaller) -> ScoreGame:
    """The game, if it is the integrator's own; another's is answered like none. Raises Refuse 404."""
    game = catalogue.find_game(name)
    if game is None or game.integrator_id != caller.integrator_id:
        raise Refuse(404, f"The integrator of this key has no game {name!r}: GET /v1/games lists its games.")
    return game


def _or_refused(made: Made | list[Refusal]) -> Made:
    if not isinstance(made, list):
        return made
    faults = [Fault("body", one.field, "refused", f"{one.field}: {one.text}") for one in made]
    if all(one.code == catalogue.TAKEN for one in made):
        raise _taken(faults)
    raise Refuse(400, " ".join(fault.detail for fault in faults), faults)


def _taken(faults: list[Fault]) -> Refuse:
    return Refuse(409, " ".join(fault.detail for fault in faults), faults)


def _game(game: ScoreGame) -> GameBody:
    return GameBody(game.id, game.slug, game.title)


def _mode(mode: Mode) -> ModeBody:
    return ModeBody(
        mode_id=mode.id,
        aggregation=Aggregation(mode.aggregation),
        ties=Ties(mode.ties),
        **{name: getattr(mode, name) for name in ModeBody.__struct_fields__[1:] if name not in ("aggregation", "ties")},
    )
