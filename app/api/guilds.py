"""Guilds over the API: groups of players that a game declares, and their boards."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from app.accounts import quotas
from app.accounts.api_keys import KeyCaller
from app.api.games import MANAGE, own_game
from app.api.leaderboards import NO_BOARD, TAG, Freshness, freshness, reading_of
from app.api.operations import DELETE, GET, PUT, Limits, operation
from app.api.player_lists import ListedEntry, listed_entries
from app.api.shapes import PLAIN, BoardPath, GameName, GamePath, ModeName, Points, Slug, WindowName
from app.boards.groups import guilds
from app.boards.groups.guild_board import Measure, guild_board
from app.boards.groups.guilds import MOST_GUILDS, MOST_MEMBERS
from app.boards.groups.models import Guild
from app.boards.groups.player_list import player_list
from app.core import clock
from app.core.http.problems import Fault, ProblemError
from app.core.refusals import Refusal

GuildName = Annotated[Slug, Meta(description="The guild's slug, chosen by the game.")]
PLACES = 6  # decimals of a mean, at most


class GuildPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a guild."""

    game: GameName
    guild: GuildName


class GuildBoardPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a guild board."""

    game: GameName
    mode: ModeName
    window: WindowName
    guild: GuildName


class GuildsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the guilds operation."""

    limit: Annotated[
        int, Meta(ge=1, le=100, description="The maximum number of guilds to return.")
    ] = 50
    offset: Annotated[
        int, Meta(ge=0, le=MOST_GUILDS, description="The number of guilds to skip.")
    ] = 0


class GuildsBoardQuery(GuildsQuery, frozen=True, forbid_unknown_fields=True):
    """Query parameters of the guilds board operation."""

    measure: Annotated[
        Measure,
        Meta(
            description=(
                "How members' scores make up the guild's score: their sum, the best one "
                "or their mean."
            )
        ),
    ] = Measure.SUM
    top: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_MEMBERS,
            description="How many of a guild's members count, starting with the best.",
        ),
    ] = MOST_MEMBERS


class GuildNew(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A guild to create or replace."""

    name: Annotated[
        str,
        Meta(
            pattern=PLAIN,
            min_length=1,
            max_length=40,
            description="The guild's name, as shown on boards.",
        ),
    ]
    member_ids: Annotated[
        list[UUID],
        Meta(
            max_length=MOST_MEMBERS,
            description=(
                "The guild's members: players of the integrator, each in at most one "
                "guild per game."
            ),
        ),
    ]


class GuildBody(msgspec.Struct, frozen=True):
    """A guild with its current members, by id."""

    guild: str
    name: str
    member_ids: Sequence[UUID]


class ListedGuild(msgspec.Struct, frozen=True):
    """A guild with its current number of members."""

    guild: str
    name: str
    members: int


class GuildList(msgspec.Struct, frozen=True):
    """Guilds by slug."""

    guilds: Sequence[ListedGuild]


class GuildEntry(msgspec.Struct, frozen=True):
    """A guild on a board.

    A mean is rounded to 6 decimals, but ranked by its exact value.
    """

    rank: int
    guild: str
    name: str
    score: Points
    counted: Annotated[int, Meta(description="The number of members whose scores count.")]
    members: Annotated[
        int, Meta(description="The number of members now, or when the window ended.")
    ]


class GuildsBoardBody(Freshness, frozen=True, kw_only=True):
    """The guilds in which any member has a score, best first, ties by slug."""

    window_id: str
    measure: Measure
    top: int
    entries: Sequence[GuildEntry]
    total_ranked: int


class GuildBoardBody(Freshness, frozen=True, kw_only=True):
    """A guild's members: those with a score in the board's order, and those without one."""

    window_id: str
    guild: str
    name: str
    entries: Sequence[ListedEntry]
    unranked: Sequence[UUID]


NO_GUILD = {404: "The integrator has no such game, or the game has no such guild."}
GUILD = "/v1/games/{game}/guilds/{guild}"
BOARD = "/v1/games/{game}/modes/{mode}/leaderboards/{window}/guilds"


@operation(
    GET,
    "/v1/games/{game}/guilds",
    tag=TAG,
    answers={200: GuildList},
    security=[MANAGE],
    problems=NO_GUILD,
)
def list_guilds(path: GamePath, query: GuildsQuery, caller: KeyCaller) -> GuildList:
    """List the guilds of one of the integrator's games."""
    listed = guilds.guilds(own_game(path.game, caller), query.offset, query.limit)
    return GuildList([ListedGuild(guild.slug, guild.name, members) for guild, members in listed])


@operation(GET, GUILD, tag=TAG, answers={200: GuildBody}, security=[MANAGE], problems=NO_GUILD)
def get_guild(path: GuildPath, caller: KeyCaller) -> GuildBody:
    """Read a guild with its members."""
    game = own_game(path.game, caller)
    return _body(_found(guilds.find(game, path.guild), path.guild))


@operation(
    PUT,
    GUILD,
    tag=TAG,
    answers={200: GuildBody},
    security=[MANAGE],
    problems={**NO_GUILD, 409: "A player is in another guild of the game."},
)
def put_guild(path: GuildPath, body: GuildNew, caller: KeyCaller) -> GuildBody:
    """Create or replace a guild.

    Players who are not in `member_ids` leave it. A member contributes their whole score in a
    window: in the current one from joining until leaving, in an earlier one if they were in the
    guild when it ended.
    """
    game = own_game(path.game, caller)
    guild = guilds.put(game.id, path.guild, body.name, body.member_ids, now=clock.now())
    if isinstance(guild, list):
        raise _refused(guild)
    return _body(guild)


@operation(DELETE, GUILD, tag=TAG, answers={204: None}, security=[MANAGE], problems=NO_GUILD)
def remove_guild(path: GuildPath, caller: KeyCaller) -> tuple[int, None]:
    """Remove a guild, including from past boards. Its players stay."""
    if not guilds.remove(own_game(path.game, caller).id, path.guild):
        raise _none(path.guild)
    return 204, None


@operation(
    GET,
    BOARD,
    tag=TAG,
    answers={200: GuildsBoardBody},
    problems=NO_BOARD,
    limits=Limits(address="60 per minute"),
)
def rank_guilds(path: BoardPath, query: GuildsBoardQuery) -> GuildsBoardBody:
    """Rank the guilds of the game on a board, by their members' scores there.

    `measure` and `top` define a guild's score. It is computed from the board on each request, so
    corrections and bans take effect right away. Equal guilds share a rank: 1, 1, 3, or 1, 1, 2 if
    the mode is `dense`.
    """
    reading = reading_of(path)
    known = {guild.id: guild for guild, _ in guilds.guilds(reading.game, 0, MOST_GUILDS)}
    members = {
        guild_id: listed
        for guild_id, listed in guilds.members_of(reading.game, reading.window, clock.now()).items()
        if guild_id in known
    }
    slugs = {guild_id: guild.slug for guild_id, guild in known.items()}
    ranking = guild_board(reading, members, slugs, query.measure, query.top)
    entries = [
        GuildEntry(
            rank=standing.rank,
            guild=known[standing.guild_id].slug,
            name=known[standing.guild_id].name,
            score=_points(standing.score, reading.mode.decimals),
            counted=standing.counted,
            members=standing.members,
        )
        for standing in ranking[query.offset : query.offset + query.limit]
    ]
    return GuildsBoardBody(
        window_id=reading.window.window_id,
        measure=query.measure,
        top=query.top,
        entries=entries,
        total_ranked=len(ranking),
        **freshness(reading),
    )


@operation(
    GET,
    f"{BOARD}/{{guild}}",
    tag=TAG,
    answers={200: GuildBoardBody},
    problems=NO_BOARD,
    limits=Limits(address="120 per minute"),
)
def rank_guild_members(path: GuildBoardPath) -> GuildBoardBody:
    """Rank the members of a guild, on the whole board and among themselves."""
    reading = reading_of(BoardPath(path.game, path.mode, path.window))
    guild = _found(guilds.find(reading.game, path.guild), path.guild)
    members = guilds.members_of(reading.game, reading.window, clock.now(), guild).get(guild.id, [])
    entries = listed_entries(reading, player_list(reading, members))
    ranked = {entry.player_id for entry in entries}
    return GuildBoardBody(
        window_id=reading.window.window_id,
        guild=guild.slug,
        name=guild.name,
        entries=entries,
        unranked=[member for member in members if member not in ranked],
        **freshness(reading),
    )


def _body(guild: Guild) -> GuildBody:
    return GuildBody(guild.slug, guild.name, guilds.members_now(guild))


def _found(guild: Guild | None, slug: str) -> Guild:
    if guild is None:
        raise _none(slug)
    return guild


def _none(slug: str) -> ProblemError:
    return ProblemError(404, f"The game has no guild {slug!r}. Check its slug.")


def _refused(why: list[Refusal]) -> ProblemError:
    codes = {refusal.code for refusal in why}
    status = 403 if quotas.FULL in codes else 409 if guilds.ELSEWHERE in codes else 400
    faults = [Fault("body", refusal.field, refusal.code, refusal.text) for refusal in why]
    return ProblemError(status, " ".join(refusal.text for refusal in why), faults)


def _points(score: Fraction, decimals: int) -> Decimal:
    """The score in points, rounded to PLACES digits if it has more."""
    if score.denominator == 1:
        return Decimal(score.numerator).scaleb(-decimals)
    exact = score / 10**decimals
    rounded = round(exact * 10**PLACES)  # rounds half to even
    return Decimal(rounded).scaleb(-PLACES)
