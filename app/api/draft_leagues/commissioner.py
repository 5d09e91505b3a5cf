"""What commissioners do: act for teams, take acts back, lock teams and replace their owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from app.accounts.tokens import PlayerCaller
from app.api.draft_leagues.access import opened, opened_by_commissioner, or_refused, refused_problem
from app.api.draft_leagues.operations import draft_operation
from app.api.draft_leagues.rosters import FranchisesBody, franchises_body
from app.api.draft_leagues.shapes import (
    PROBLEMS,
    WRITES,
    DraftLeaguePath,
    FranchiseNumber,
    FranchisePath,
    Reason,
    SpotName,
    Token,
)
from app.api.draft_leagues.transactions import (
    NO_TRANSACTION,
    TransactionBody,
    TransactionPath,
    load_entry,
    transaction_bodies,
)
from app.api.fantasy.shapes import Body, FootballerId, GamerId
from app.api.operations import GET, POST, PUT
from app.api.security import MemberCaller
from app.core import clock
from app.core.http.problems import ProblemError
from app.core.refusals import Refusal
from app.draft_leagues.commissioner import services
from app.draft_leagues.commissioner.act_notices import By
from app.draft_leagues.commissioner.services import CommissionerAct
from app.draft_leagues.franchises.services import co_commissioners
from app.draft_leagues.pages.loading import DraftLeaguePage
from app.draft_leagues.transactions import words
from app.draft_leagues.transactions.services import limits_of, reversal_of
from app.fantasy.rosters import rules
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Names, Transaction

MOST_MOVES = 64
OWNER_ONLY = "Only the league's founder can choose co-commissioners. Ask them."
IN_ADDRESS = {"number": "", "franchise": ""}  # not in the body
UNKNOWN = Refusal("footballer", "moves", "There is no such player. Choose another one.")


class CommissionerMove(Body, frozen=True, forbid_unknown_fields=True):
    """Where a footballer goes."""

    footballer_id: FootballerId
    to_franchise: Annotated[
        FranchiseNumber | None,
        Meta(description="The team that gets the player. Null makes the player a free agent."),
    ] = None
    spot: SpotName = ACTIVE


class CommissionerMoves(Body, frozen=True, forbid_unknown_fields=True):
    """Footballers to move for their teams. Either all of them move or none."""

    moves: Annotated[list[CommissionerMove], Meta(min_length=1, max_length=MOST_MOVES)]
    reason: Reason = ""
    token: Token = ""


class MovesPreviewBody(Body, frozen=True):
    """What the action would do, in sentences."""

    words: Sequence[str]


class ReversalNew(Body, frozen=True, forbid_unknown_fields=True):
    """Why an entry of the log is reversed."""

    reason: Reason


class LockNew(Body, frozen=True, forbid_unknown_fields=True):
    """Whether a team is locked, so it can't make transactions."""

    is_locked: bool
    reason: Reason = ""


class OpeningNew(Body, frozen=True, forbid_unknown_fields=True):
    """Why the team's owner is removed."""

    reason: Reason = ""


class CoCommissionersNew(Body, frozen=True, forbid_unknown_fields=True):
    """The league's co-commissioners."""

    gamer_ids: Annotated[list[GamerId], Meta(max_length=32)]
    reason: Reason = ""


class CoCommissionersBody(Body, frozen=True):
    """The league's co-commissioners."""

    gamer_ids: Sequence[int]


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/commissioner/moves/preview",
    answers={200: MovesPreviewBody},
    problems=PROBLEMS,
)
def preview_commissioner_moves(
    path: DraftLeaguePath, body: CommissionerMoves, caller: PlayerCaller | MemberCaller
) -> MovesPreviewBody:
    """Preview moving footballers on behalf of their teams, as the commissioner."""
    page = opened_by_commissioner(path, caller)
    entry = Transaction("commissioner", _moves(page, body))
    return _preview(page, entry)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/commissioner/moves",
    answers={201: TransactionBody},
    problems=PROBLEMS,
)
def make_commissioner_moves(
    path: DraftLeaguePath, body: CommissionerMoves, caller: PlayerCaller | MemberCaller
) -> TransactionBody:
    """Move footballers on behalf of their teams, as the commissioner, with a reason.

    A repeated request with the same `token` counts once.
    """
    page = opened_by_commissioner(path, caller)
    entry = CommissionerAct(_moves(page, body), page.viewer_id, body.reason, body.token)
    result = services.act_once(page.league.id, entry, clock.now())
    if isinstance(result, list):
        raise refused_problem(result)
    return _entry(page, result)


@draft_operation(
    GET,
    "/api/v1/draft-leagues/{league}/transactions/{number}/reversal",
    answers={200: MovesPreviewBody},
    problems={404: NO_TRANSACTION, 409: PROBLEMS[409]},
    limits=WRITES,
)
def preview_reversal(
    path: TransactionPath, caller: PlayerCaller | MemberCaller
) -> MovesPreviewBody:
    """Preview reversing an entry of the log, as the commissioner."""
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    load_entry(page, path.number)
    back = reversal_of(page.league.id, path.number, by_member_id=page.viewer_id, reason="")
    if isinstance(back, Refusal):
        raise refused_problem([back], fields=IN_ADDRESS)
    return _preview(page, back)


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/transactions/{number}/reversal",
    answers={201: TransactionBody},
    problems={404: NO_TRANSACTION, 409: PROBLEMS[409]},
)
def reverse_transaction(
    path: TransactionPath, body: ReversalNew, caller: PlayerCaller | MemberCaller
) -> TransactionBody:
    """Reverse an entry of the log, as the commissioner, with a reason.

    A repeated request returns the same reversal. It is refused if a player whom the entry moved
    has moved again since.
    """
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    load_entry(page, path.number)
    result = services.reverse(
        page.league.id,
        path.number,
        by_member_id=page.viewer_id,
        reason=body.reason,
        now=clock.now(),
    )
    if isinstance(result, list):
        raise refused_problem(result, fields=IN_ADDRESS)
    return _entry(page, result)


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/franchises/{franchise}/lock",
    answers={200: FranchisesBody},
    problems=PROBLEMS,
)
def put_franchise_lock(
    path: FranchisePath, body: LockNew, caller: PlayerCaller | MemberCaller
) -> FranchisesBody:
    """Lock or unlock a team's transactions, as the commissioner, with a reason."""
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    by = By(page.viewer_id, body.reason)
    refused = services.set_locked(
        page.league.id, path.franchise, by, clock.now(), is_locked=body.is_locked
    )
    or_refused(refused, IN_ADDRESS)
    return franchises_body(opened(DraftLeaguePath(path.league), caller))


@draft_operation(
    POST,
    "/api/v1/draft-leagues/{league}/franchises/{franchise}/open",
    answers={200: FranchisesBody},
    problems=PROBLEMS,
)
def open_franchise(
    path: FranchisePath, body: OpeningNew, caller: PlayerCaller | MemberCaller
) -> FranchisesBody:
    """Remove a team's owner, as the commissioner, with a reason.

    The next member to join takes over the team. Lineups, scores, matchups and the name stay with
    it. A repeated request changes nothing.
    """
    page = opened_by_commissioner(DraftLeaguePath(path.league), caller)
    by = By(page.viewer_id, body.reason)
    refused = services.open_franchise(page.league.id, path.franchise, by, clock.now())
    or_refused(refused, IN_ADDRESS)
    return franchises_body(opened(DraftLeaguePath(path.league), caller))


@draft_operation(
    PUT,
    "/api/v1/draft-leagues/{league}/co-commissioners",
    answers={200: CoCommissionersBody},
    problems=PROBLEMS,
)
def put_co_commissioners(
    path: DraftLeaguePath, body: CoCommissionersNew, caller: PlayerCaller | MemberCaller
) -> CoCommissionersBody:
    """Replace the list of co-commissioners, as the league's founder, with a reason."""
    page = opened_by_commissioner(path, caller)
    if page.league.commissioner_id != page.viewer_id:
        raise ProblemError(403, OWNER_ONLY)
    by = By(page.viewer_id, body.reason)
    or_refused(services.set_co_commissioners(page.league.id, body.gamer_ids, by, clock.now()))
    return CoCommissionersBody(co_commissioners(page.league.id))


def _entry(page: DraftLeaguePage, number: int) -> TransactionBody:
    return transaction_bodies(page, [load_entry(page, number)])[0]


def _preview(page: DraftLeaguePage, entry: Transaction) -> MovesPreviewBody:
    """What an entry would do. Raises ProblemError 409 if it is impossible."""
    footballers = names_of(move.footballer_id for move in entry.moves)
    names = Names(footballers, {team.number: team.name for team in page.teams})
    rosters = rosters_of(page.league.id)
    or_refused(rules.refusals(rosters, entry, limits_of(page.settings), names))
    return MovesPreviewBody([*words.lines(entry, footballers, page.name_of)])


def _moves(page: DraftLeaguePage, body: CommissionerMoves) -> tuple[Move, ...]:
    """The moves from where everybody is now. Raises ProblemError 409 for who does not exist."""
    places = rosters_of(page.league.id).places
    known = names_of(each.footballer_id for each in body.moves)
    moves = []
    for each in body.moves:
        if each.footballer_id not in known:
            raise refused_problem([UNKNOWN])
        if each.to_franchise is not None and each.to_franchise > len(page.teams):
            raise refused_problem([services.NO_FRANCHISE], fields={"franchise": "toFranchise"})
        place = places.get(each.footballer_id)
        moves.append(
            Move(
                each.footballer_id,
                place.franchise if place is not None else None,
                each.to_franchise,
                spot=each.spot,
                from_spot=place.spot if place is not None else ACTIVE,
            )
        )
    return tuple(moves)
