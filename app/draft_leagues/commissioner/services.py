"""A commissioner's acts, each in one transaction.

Each has a reason, an entry in the log that everybody in the league reads, a notice to whom it
concerns, and a way back, or the page says before that there is none.

The caller has checked that the member runs the league (`franchises.services.runs_league`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update

from app.accounts.models import Member
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.act_tokens import named_act
from app.draft_leagues.commissioner import act_notices, words
from app.draft_leagues.commissioner.act_notices import By, LoggedAct
from app.draft_leagues.drafts import pick_trades
from app.draft_leagues.drafts.desk import open_running
from app.draft_leagues.franchises.services import co_commissioners, locked, teams
from app.draft_leagues.free_text import reason_refusals
from app.draft_leagues.models import SETUP, DraftLeague
from app.draft_leagues.transactions import services as transactions
from app.fantasy.leagues import commissioners, owners
from app.fantasy.leagues import services as leagues
from app.fantasy.rosters import franchises
from app.fantasy.rosters.models import Franchise
from app.fantasy.rosters.rules import Move, Transaction
from app.fantasy.standings.models import League, LeagueMember

REASON = Refusal("reason", "reason", "Give a reason. Everyone in the league sees it.")
NO_MEMBER = Refusal("member", "member", "Choose a member of this league.")
NO_FRANCHISE = Refusal("franchise", "franchise", "This league has no such team.")
NOT_YET = Refusal("phase", "", "The draft hasn't started. Remove the member instead.")
HAND_OVER_FIRST = Refusal(
    "commissioner", "franchise", "The commissioner owns this team. Transfer ownership first."
)


@dataclass(frozen=True)
class CommissionerAct:
    """Footballers whom a commissioner moves on behalf of their franchises, and why.

    `token`: the same for a repeated submission, which counts once; empty for no such name.
    """

    moves: Sequence[Move]
    by_member_id: int
    reason: str
    token: str = ""


def act(
    league_id: int, moves: Sequence[Move], *, by_member_id: int, reason: str, now: datetime
) -> list[Refusal] | int:
    """Move footballers on behalf of their franchises; returns the transaction's number."""
    return act_once(league_id, CommissionerAct(moves, by_member_id, reason), now)


def act_once(league_id: int, entry: CommissionerAct, now: datetime) -> list[Refusal] | int:
    """The same for an act that may be sent again; its token names it."""
    if refused := reason_refusals(entry.reason, REASON):
        return refused
    league_clock.settle(league_id, now)
    with transaction():
        league = locked(league_id)
        wishes = [(move.footballer_id, move.to_franchise, move.spot) for move in entry.moves]
        named = named_act(entry.by_member_id, entry.token, "commissioner", wishes, entry.reason)
        first = transactions.first_number(league_id, named)
        if first is not None:
            return [first] if isinstance(first, Refusal) else first
        recorded = Transaction(
            "commissioner",
            tuple(entry.moves),
            by_member_id=entry.by_member_id,
            reason=entry.reason.strip(),
            source=named.key if named is not None else None,
        )
        result = transactions.record(league, [recorded], now)
        if isinstance(result, list):
            act_notices.tell_of_moves(league, result[0], now)
    return list(result.refusals) if isinstance(result, transactions.Refused) else result[0]


def reverse(
    league_id: int, number: int, *, by_member_id: int, reason: str, now: datetime
) -> list[Refusal] | int:
    """Take a transaction of the log back, also a reversal; returns the reversal's number."""
    if refused := reason_refusals(reason, REASON):
        return refused
    league_clock.settle(league_id, now)
    with transaction():
        running = open_running(league_id, now)  # before the league, as the draft itself does
        league = locked(league_id)
        back = transactions.reversal_of(
            league_id, number, by_member_id=by_member_id, reason=reason.strip()
        )
        picks = back.picks if isinstance(back, Transaction) else ()
        if running is not None and (refused := pick_trades.reversal_refusals(running, picks)):
            return refused
        result = transactions.reverse(
            league, number, by_member_id=by_member_id, reason=reason.strip(), now=now
        )
        if isinstance(result, int):
            if running is not None:
                pick_trades.trade(running, picks)
            act_notices.tell_of_moves(league, result, now)
    return list(result.refusals) if isinstance(result, transactions.Refused) else result


def set_locked(
    league_id: int, number: int, by: By, now: datetime, *, is_locked: bool
) -> list[Refusal]:
    """Stop a team from making transactions, or let it again, and tell its owner."""
    if refusals := reason_refusals(by.reason, REASON):
        return refusals
    league_clock.settle(league_id, now)
    with transaction():
        league = locked(league_id)
        franchise = db.session.get(Franchise, (league_id, number))
        if franchise is None:
            return [NO_FRANCHISE]
        if franchise.is_locked == is_locked:
            return []
        franchise.is_locked = is_locked
        say = words.locked if is_locked else words.unlocked
        entry = _record(league, say(_name_of(league_id, number)), by, now)
        title = words.your_team_is(is_locked=is_locked)
        act_notices.tell(league, [franchise.member_id], entry, title)
    return []


def set_co_commissioners(
    league_id: int, member_ids: Sequence[int], by: By, now: datetime
) -> list[Refusal]:
    """Let these members do what the commissioner may, and nobody else, and tell who changed."""
    if refusals := reason_refusals(by.reason, REASON):
        return refusals
    league_clock.settle(league_id, now)
    with transaction():
        league = locked(league_id)
        chosen = set(member_ids)
        if not all(commissioners.is_active_member(league_id, each) for each in chosen):
            return [NO_MEMBER]
        before = set(co_commissioners(league_id))
        if before == chosen:
            return []
        db.session.execute(
            update(LeagueMember)
            .where(LeagueMember.league_id == league_id)
            .values(is_co_commissioner=LeagueMember.member_id.in_(chosen))
        )
        named, dismissed = sorted(chosen - before), sorted(before - chosen)
        text = words.co_commissioners(_people(named), _people(dismissed))
        entry = _record(league, text, by, now)
        act_notices.tell(league, named, entry, words.YOU_RUN_IT_TOO)
        act_notices.tell(league, dismissed, entry, words.YOU_NO_LONGER_RUN_IT)
    return []


def open_franchise(league_id: int, number: int, by: By, now: datetime) -> list[Refusal]:
    """Take a franchise that has drafted from its member, for whoever joins next.

    Until then a placeholder stands in, and the commissioner acts for the team. Line-ups, scores,
    matchups and the team's name stay with the franchise. The owner is told; the way back is to join
    again with the invite link.
    """
    if refusals := reason_refusals(by.reason, REASON):
        return refusals
    league_clock.settle(league_id, now)

    def open_it(league: League) -> Refusal | None:
        draft_league = locked(league_id)
        if draft_league.phase == SETUP:
            return NOT_YET
        franchise = db.session.get(Franchise, (league_id, number))
        if franchise is None or franchise.member_id is None:
            return NO_FRANCHISE
        owner = franchise.member_id
        if owner == league.commissioner_id:
            return HAND_OVER_FIRST
        if not owners.is_placeholder(owner):
            team = _name_of(league_id, number)
            text = words.taken(team, _people([owner])[0])
            entry = _record(draft_league, text, by, now)
            owners.hand_over(league, franchise, owners.add_placeholder(franchise).id, now)
            title = words.TAKEN_FROM_YOU
            act_notices.tell(draft_league, [owner], entry, title, path="/leagues")
            others = [each.member_id for each in teams(league_id) if each.number != number]
            act_notices.tell(draft_league, others, entry, words.has_no_owner(team))
        return None

    refused = leagues.with_league(league_id, open_it, refresh=now)
    if refused is not None:
        return [refused]
    franchises.owners_changed([league_id], now)
    return []


def _record(league: DraftLeague, text: str, by: By, now: datetime) -> LoggedAct:
    """Write an act that moves nobody into the log that everybody reads."""
    reason = f"{text} {by.reason.strip()}"
    entry = Transaction("commissioner", by_member_id=by.member_id, reason=reason)
    recorded = transactions.record(league, [entry], now)
    assert isinstance(recorded, list)  # an act that moves nobody is not refused
    return LoggedAct(recorded[0], now, by)


def _name_of(league_id: int, number: int) -> str:
    return next(team.name for team in teams(league_id) if team.number == number)


def _people(member_ids: Sequence[int]) -> list[str]:
    """The names of members, in order."""
    rows = db.session.execute(
        select(Member.id, Member.display_name).where(Member.id.in_(member_ids))
    )
    names = {row.id: row.display_name for row in rows}
    return [names[member_id] for member_id in member_ids]
