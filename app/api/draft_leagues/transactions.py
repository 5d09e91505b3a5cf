"""The log of a draft league: every act that moved something between teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.shapes import NO_LEAGUE, DraftLeaguePath, FranchiseNumber
from app.api.fantasy.shapes import Body, LeagueSlug, Limit, Offset, next_offset
from app.api.operations import GET
from app.api.security import MemberCaller
from app.core.db import db
from app.core.http.problems import ProblemError
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.transactions import words
from app.fantasy.rosters.models import RosterTransaction
from app.fantasy.rosters.queries import LogFilter, Recorded, latest_transactions, names_of, recorded
from app.fantasy.rosters.rules import Kind

NO_TRANSACTION = "The league's log has no such entry, or the caller is not in the league."


class TransactionPath(msgspec.Struct, frozen=True):
    """Path parameters of operations on an entry of the log."""

    league: LeagueSlug
    number: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The entry's number in the log.")]


class TransactionsQuery(msgspec.Struct, frozen=True):
    """Query parameters of the log."""

    kind: Annotated[Kind, Meta(description="Return only entries of this kind.")] | UnsetType = UNSET
    franchise: FranchiseNumber | UnsetType = UNSET
    limit: Limit = 50
    offset: Offset = 0


class RosterMoveBody(Body, frozen=True):
    """A footballer who moves between teams, or to another spot on one team's roster."""

    footballer_id: str
    name: str
    from_franchise: Annotated[
        int | None, Meta(description="The team that had the player. Null for a free agent.")
    ]
    to_franchise: Annotated[
        int | None,
        Meta(description="The team that gets the player. Null if the player becomes a free agent."),
    ]
    spot: Annotated[
        str, Meta(description="The player's spot on the new team: `active`, `reserve` or `taxi`.")
    ]
    from_spot: Annotated[str, Meta(description="The player's spot on the old team.")]


class BudgetMoveBody(Body, frozen=True):
    """How a team's waiver budget changes. Negative if it falls."""

    franchise: int
    amount: int


class PickMoveBody(Body, frozen=True):
    """A future draft pick that changes hands. `originalFranchise` had it first."""

    season: int
    round: int
    original_franchise: int
    from_franchise: int
    to_franchise: int


class TransactionBody(Body, frozen=True):
    """An entry of the log. Entries are never changed, only reversed by another one."""

    number: Annotated[
        int, Meta(description="The entry's number, starting at 1 in each league, without gaps.")
    ]
    kind: Annotated[
        str,
        Meta(
            description=(
                "The kind of transaction, such as `drafted`, `added`, `claimed` or `traded`."
            )
        ),
    ]
    made_at: datetime
    by_gamer_id: Annotated[
        int | None,
        Meta(description="The gamer who did it. Null if a rule did, such as a waiver run."),
    ]
    reason: str
    depends_on: Annotated[int | None, Meta(description="The entry that this one reverses.")]
    moves: Sequence[RosterMoveBody]
    budgets: Sequence[BudgetMoveBody]
    picks: Sequence[PickMoveBody]
    words: Annotated[Sequence[str], Meta(description="The transaction in sentences.")]


class TransactionsBody(Body, frozen=True):
    """Entries of the log, newest first."""

    transactions: Sequence[TransactionBody]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]
    count: Annotated[int, Meta(description="The total number of entries.")]


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/transactions",
    answers={200: TransactionsBody},
    problems={404: NO_LEAGUE},
)
def list_roster_transactions(
    path: DraftLeaguePath, query: TransactionsQuery, caller: PlayerCaller | MemberCaller
) -> TransactionsBody:
    """List the log of a draft league, by kind and team.

    Webhooks and the change feed carry the same entries as `league.transaction`.
    """
    page = opened(path, caller)
    log = latest_transactions(
        page.league.id,
        LogFilter(query.kind or "", query.franchise or None),
        limit=query.limit,
        offset=query.offset,
    )
    count = len(log.transactions)
    return TransactionsBody(
        transaction_bodies(page, log.transactions),
        next_offset(query.offset, count, log.count > query.offset + count),
        log.count,
    )


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/transactions/{number}",
    answers={200: TransactionBody},
    problems={404: NO_TRANSACTION},
)
def get_roster_transaction(
    path: TransactionPath, caller: PlayerCaller | MemberCaller
) -> TransactionBody:
    """Read one entry of the log."""
    page = opened(DraftLeaguePath(path.league), caller)
    return transaction_bodies(page, [load_entry(page, path.number)])[0]


def load_entry(page: DraftLeaguePage, number: int) -> Recorded:
    """An entry of the league's log. Raises ProblemError 404 if there is none."""
    row = db.session.get(RosterTransaction, (page.league.id, number))
    if row is None:
        raise ProblemError(404, NO_TRANSACTION)
    return recorded(row)


def transaction_bodies(page: DraftLeaguePage, entries: Sequence[Recorded]) -> list[TransactionBody]:
    """The response for these entries."""
    names = names_of(move.footballer_id for each in entries for move in each.transaction.moves)
    return [_body(page, each, names) for each in entries]


def _body(page: DraftLeaguePage, entry: Recorded, names: Mapping[str, str]) -> TransactionBody:
    transaction = entry.transaction
    return TransactionBody(
        number=entry.number,
        kind=transaction.kind,
        made_at=entry.made_at,
        by_gamer_id=transaction.by_member_id,
        reason=transaction.reason,
        depends_on=transaction.depends_on,
        moves=[
            RosterMoveBody(
                move.footballer_id,
                names.get(move.footballer_id, move.footballer_id),
                move.from_franchise,
                move.to_franchise,
                move.spot,
                move.from_spot,
            )
            for move in transaction.moves
        ],
        budgets=[BudgetMoveBody(each.franchise, each.amount) for each in transaction.budgets],
        picks=[
            PickMoveBody(
                pick.season,
                pick.round,
                pick.original_franchise,
                pick.from_franchise,
                pick.to_franchise,
            )
            for pick in transaction.picks
        ],
        words=[*words.lines(transaction, names, page.name_of)],
    )
