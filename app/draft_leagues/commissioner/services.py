"""A commissioner's acts, each with a reason, in one transaction.

The caller has checked that the member runs the league (`franchises.services.runs_league`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import update

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.models import SETUP
from app.draft_leagues.transactions import services as transactions
from app.fantasy.leagues import commissioners, owners
from app.fantasy.leagues import services as leagues
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.rules import Move, Transaction
from app.fantasy.standings.models import League, LeagueMember

REASON = Refusal("reason", "reason", "Say why: everybody in the league reads it.")
NO_MEMBER = Refusal("member", "member", "Name somebody who is in this league.")
NO_FRANCHISE = Refusal("franchise", "franchise", "There is no such team in this league.")
NOT_YET = Refusal("phase", "", "Nobody has drafted yet: remove the member instead.")
HAND_OVER_FIRST = Refusal(
    "commissioner", "franchise", "Hand the league over first: its commissioner runs this team."
)


@dataclass(frozen=True)
class CommissionerAct:
    """Footballers whom a commissioner moves on behalf of their franchises, and why.

    `source`: the same for a repeated submission, which counts once; None for no such name.
    """

    moves: Sequence[Move]
    by_member_id: int
    reason: str
    source: str | None = None


def act(
    league_id: int, moves: Sequence[Move], *, by_member_id: int, reason: str, now: datetime
) -> list[Refusal] | int:
    """Move footballers on behalf of their franchises; returns the transaction's number."""
    return act_once(league_id, CommissionerAct(moves, by_member_id, reason), now)


def act_once(league_id: int, entry: CommissionerAct, now: datetime) -> list[Refusal] | int:
    """The same for an act that may be sent again; its source names it."""
    if not entry.reason.strip():
        return [REASON]
    with transaction():
        league = locked(league_id)
        named = [each.footballer_id for each in entry.moves]
        repeat = transactions.repeat_refusals(league_id, entry.source, named)
        if repeat:
            return repeat
        recorded = Transaction(
            "commissioner",
            tuple(entry.moves),
            by_member_id=entry.by_member_id,
            reason=entry.reason.strip(),
            source=entry.source,
        )
        result = transactions.record(league, [recorded], now)
    return list(result.refusals) if isinstance(result, transactions.Refused) else result[0]


def reverse(
    league_id: int, number: int, *, by_member_id: int, reason: str, now: datetime
) -> list[Refusal] | int:
    """Take a transaction of the log back; returns the reversal's number."""
    if not reason.strip():
        return [REASON]
    with transaction():
        result = transactions.reverse(
            locked(league_id), number, by_member_id=by_member_id, reason=reason.strip(), now=now
        )
    return list(result.refusals) if isinstance(result, transactions.Refused) else result


def set_locked(league_id: int, franchise: int, *, is_locked: bool) -> list[Refusal]:
    """Stop a team from making transactions, or let it again."""
    with transaction():
        locked(league_id)
        changed = db.session.execute(
            update(Franchise)
            .where(Franchise.league_id == league_id, Franchise.number == franchise)
            .values(is_locked=is_locked)
            .returning(Franchise.number)
        ).first()
    return [] if changed is not None else [NO_FRANCHISE]


def set_co_commissioners(league_id: int, member_ids: Sequence[int]) -> list[Refusal]:
    """Let these members do what the commissioner may, and nobody else."""
    with transaction():
        locked(league_id)
        chosen = set(member_ids)
        if not all(commissioners.is_active_member(league_id, each) for each in chosen):
            return [NO_MEMBER]
        db.session.execute(
            update(LeagueMember)
            .where(LeagueMember.league_id == league_id)
            .values(is_co_commissioner=LeagueMember.member_id.in_(chosen))
        )
    return []


def open_franchise(league_id: int, number: int, now: datetime) -> list[Refusal]:
    """Take a franchise that has drafted from its member, for whoever joins next.

    Until then a placeholder stands in, and the commissioner acts for the team. Line-ups, scores,
    matchups and the team's name stay with the franchise.
    """

    def open_it(league: League) -> Refusal | None:
        if locked(league_id).phase == SETUP:
            return NOT_YET
        franchise = db.session.get(Franchise, (league_id, number))
        if franchise is None or franchise.member_id is None:
            return NO_FRANCHISE
        if franchise.member_id == league.commissioner_id:
            return HAND_OVER_FIRST
        if not owners.is_placeholder(franchise.member_id):
            owners.hand_over(league, franchise, owners.add_placeholder(franchise).id, now)
        return None

    refused = leagues.with_league(league_id, open_it, refresh=now)
    return [refused] if refused else []
