"""Reading a competition over the API: the tables of its cohorts, and the ledger of rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts import players
from app.accounts.api_keys import KeyCaller
from app.accounts.tokens import PlayerCaller
from app.api.competition_play import Tier, played_competition
from app.api.competition_shapes import CompetitionName, CompetitionPath
from app.api.competitions import TAG, competition_of
from app.api.leaderboards import PRIVATE, readable_mode
from app.api.operations import GET, Limits, operation
from app.api.security import Key, PlayerToken
from app.api.shapes import GameName, ModeName, PlayerId, Points, points
from app.boards.models import Mode
from app.competitions import joining, queries
from app.competitions.models import Competition, CompetitionWindow
from app.competitions.rules import Result
from app.core.db import db
from app.core.http.problems import ProblemError

Rank = Annotated[
    int | None,
    Meta(
        description=(
            "The rank in the cohort. Ties follow the mode. Null if the player has no score."
        )
    ),
]


class CompetitionWindowPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a competition window."""

    game: GameName
    mode: ModeName
    competition: CompetitionName
    number: Annotated[int, Meta(ge=1, le=520, description="The window's number, starting at 1.")]


class CompetitionPlacePath(CompetitionWindowPath, frozen=True):
    """Path parameters of operations on a competition place."""

    player_id: PlayerId


class CohortEntry(msgspec.Struct, frozen=True):
    """A row of a cohort's table, with its outcome if the window ended now."""

    player_id: UUID
    display_name: str
    rank: Rank
    score: Points | None
    outcome: Literal["promoted", "relegated", "stays"]
    next_tier: Tier
    rewards: Annotated[Mapping[str, int], Meta(description="The amount of each reward.")]


class TableQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a table request."""

    tier: Annotated[
        int, Meta(ge=1, le=20, description="The tier's number. 1 is the lowest tier.")
    ] = 1
    cohort: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000_000,
            description="The cohort's number within the tier, starting at 1.",
        ),
    ] = 1
    limit: Annotated[
        int, Meta(ge=1, le=1000, description="The maximum number of rows to return.")
    ] = 100
    offset: Annotated[
        int, Meta(ge=0, le=1_000_000_000, description="The number of rows to skip.")
    ] = 0


class TierBody(msgspec.Struct, frozen=True):
    """A tier with players in the window."""

    tier: Tier
    players: int
    cohorts: int


class CohortTable(msgspec.Struct, frozen=True):
    """The current table of a cohort in the board's order, players without a score last."""

    window: int
    tier: Tier
    cohort: int
    settled_at: datetime | None
    players: Annotated[int, Meta(description="The number of players in the cohort.")]
    entries: Sequence[CohortEntry]
    tiers: Annotated[Sequence[TierBody], Meta(description="All tiers of the window, lowest first.")]


class LedgerQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query parameters of a ledger request."""

    player_id: Annotated[
        UUID | UnsetType,
        Meta(
            description=(
                "Return only this player's lines. A player's token always returns that "
                "player's own lines."
            )
        ),
    ] = UNSET
    after: Annotated[
        int,
        Meta(
            ge=0, le=2**53 - 1, description="Return lines after this one: the last `line` you read."
        ),
    ] = 0
    limit: Annotated[
        int, Meta(ge=1, le=1000, description="The maximum number of lines to return.")
    ] = 100


class LedgerLine(msgspec.Struct, frozen=True):
    """A line of the ledger, never changed. `amount`: granted if positive, otherwise withdrawn."""

    line: int
    window: int
    settlement: int
    player_id: UUID
    reward: str
    amount: int
    tier: Tier
    rank: Rank
    written_at: datetime


class Ledger(msgspec.Struct, frozen=True):
    """Lines in the order in which they were written. A player's balance is their sum."""

    lines: Sequence[LedgerLine]
    held: Annotated[
        Mapping[str, int] | None,
        Meta(
            description=(
                "The player's balance of each reward over all windows. Null if no player was given."
            )
        ),
    ]
    more: Annotated[bool, Meta(description="Whether there are more lines after these.")]


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/windows/{number}",
    tag=TAG,
    answers={200: CohortTable},
    problems={404: "There is no such game, mode, competition or window.", **PRIVATE},
    limits=Limits(address="300 per minute"),
)
def get_cohort(path: CompetitionWindowPath, query: TableQuery) -> CohortTable:
    """Read the table of a cohort with current promotions, relegations and rewards."""
    mode, competition, window = _window(path)
    return _table(mode, competition, window, query)


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/windows/{number}/players/{player_id}",
    tag=TAG,
    answers={200: CohortTable},
    problems={
        404: "There is no such game, mode, competition or window, or the player is not in it.",
        **PRIVATE,
    },
    limits=Limits(address="300 per minute"),
)
def get_own_cohort(path: CompetitionPlacePath) -> CohortTable:
    """Read the table of a player's cohort, 1,000 rows at most."""
    mode, competition, window = _window(path)
    entry = joining.entry_of(window, path.player_id)
    if entry is None:
        raise ProblemError(
            404,
            f"The player {path.player_id} is not in window {window.number}. They have to "
            "join it first.",
        )
    return _table(mode, competition, window, TableQuery(entry.tier, entry.cohort, limit=1000))


@operation(
    GET,
    "/v1/games/{game}/modes/{mode}/competitions/{competition}/rewards",
    tag=TAG,
    answers={200: Ledger},
    security=[Key("feed:read"), PlayerToken()],
    problems={404: "There is no such game, mode or competition."},
)
def list_rewards(
    path: CompetitionPath, query: LedgerQuery, caller: KeyCaller | PlayerCaller
) -> Ledger:
    """List the ledger of rewards: what was granted and withdrawn, and when.

    Players see only their own lines.
    """
    competition, _ = played_competition(path, caller)
    player = None if query.player_id is UNSET else query.player_id
    if isinstance(caller, PlayerCaller):
        if player not in (None, caller.player_id):
            raise ProblemError(
                403,
                "player_id: a player's token can only read that player's own rewards. "
                "Leave it out.",
            )
        player = caller.player_id
    lines = queries.ledger(competition.id, player, query.after, query.limit + 1)
    return Ledger(
        [
            LedgerLine(
                line.id,
                line.window_number,
                line.settlement,
                line.player_id,
                line.reward,
                line.amount,
                line.tier,
                line.rank,
                line.written_at,
            )
            for line in lines[: query.limit]
        ],
        None if player is None else queries.held(competition.id, player),
        len(lines) > query.limit,
    )


def _window(path: CompetitionWindowPath) -> tuple[Mode, Competition, CompetitionWindow]:
    """The mode, the competition and the window. Raises ProblemError 401, 403, 404."""
    _, mode = readable_mode(path.game, path.mode)
    competition = competition_of(mode, path.competition, drafts=False)
    window = db.session.get(
        CompetitionWindow, (competition.id, path.number), populate_existing=True
    )
    if window is None:
        raise ProblemError(
            404,
            f"{competition.title} has no window {path.number}. GET the competition to see "
            "its windows.",
        )
    return mode, competition, window


def _table(
    mode: Mode, competition: Competition, window: CompetitionWindow, query: TableQuery
) -> CohortTable:
    results = queries.table(competition, window, query.tier, query.cohort)
    page = results[query.offset : query.offset + query.limit]
    names = players.names_of([result.player_id for result in page])
    return CohortTable(
        window.number,
        query.tier,
        query.cohort,
        window.settled_at,
        len(results),
        [_row(mode, result, names) for result in page],
        [
            TierBody(count.tier, count.players, count.cohorts)
            for count in queries.tier_counts(competition.id, window.number)
        ],
    )


def _row(mode: Mode, result: Result, names: Mapping[UUID, str]) -> CohortEntry:
    score = None if result.score is None else points(result.score, mode.decimals)
    name = names.get(result.player_id, "Unknown player")
    return CohortEntry(
        result.player_id, name, result.rank, score, result.outcome, result.next_tier, result.grants
    )
