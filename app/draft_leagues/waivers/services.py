"""Claims and free agents. Each function is one transaction under the league's lock.

What the clock has decided by then, such as a run, is settled before. Runs are in runs.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.act_tokens import named_act
from app.draft_leagues.franchises.refusals import NO_FRANCHISE, franchise_refusal
from app.draft_leagues.franchises.reserve import reserve_refusals
from app.draft_leagues.franchises.services import locked, teams
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.roster_acts.cuts import cut_refusals
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions import services as transactions
from app.draft_leagues.transactions.services import limits_of, settings_of
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.queries import (
    availability,
    open_claims,
)
from app.fantasy.rosters import rules as rosters_rules
from app.fantasy.rosters.models import Franchise, FranchiseBudget
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Names, Transaction
from app.fantasy.standings.models import League

MOST_CLAIMS = 50  # open ones of a franchise

TOO_MANY = Refusal(
    "too_many", "", f"You have {MOST_CLAIMS} open claims, which is the limit. Cancel one first."
)
NO_CLAIM = Refusal(
    "claim", "claim", "This claim was decided or cancelled already. Past runs show every result."
)


@dataclass(frozen=True)
class Wish:
    """What a member wants: a footballer, and who is dropped for them.

    `bid` counts only with blind bids. `group`: of the claims of one group only the first that wins
    counts.
    """

    footballer_id: str
    drop_id: str | None = None
    bid: int = 0
    group: int | None = None


def add(
    league_id: int, member_id: int, wish: Wish, now: datetime, token: str = ""
) -> list[Refusal]:
    """Add a free agent to the member's team at once, with a drop if one is named.

    Sent again with the same token it counts once.
    """
    league_clock.settle(league_id, now)
    with transaction():
        draft_league, franchise, refused = _own(league_id, member_id)
        named = named_act(member_id, token, "add", wish)
        first = transactions.first_number(league_id, named)
        if first is not None:
            return [first] if isinstance(first, Refusal) else []
        if franchise is None:
            return refused
        refused = [
            *cut_refusals(draft_league, franchise.number, now),
            *_unowned_refusals(draft_league, franchise, wish, now, is_claim=False),
            *_reserve_refusals(franchise, wish),
        ]
        if refused:
            return refused
        act = Transaction(
            "added",
            _moves(franchise, wish),
            by_member_id=member_id,
            source=named.key if named is not None else None,
        )
        result = transactions.record(draft_league, [act], now)
    return list(result.refusals) if isinstance(result, transactions.Refused) else []


def claim(league_id: int, member_id: int, wish: Wish, now: datetime) -> list[Refusal]:
    """Claim a footballer who is on waivers. The same claim again changes its bid and group."""
    league_clock.settle(league_id, now)
    with transaction():
        draft_league, franchise, refused = _own(league_id, member_id)
        if franchise is None:
            return refused
        refused = [
            *cut_refusals(draft_league, franchise.number, now),
            *_unowned_refusals(draft_league, franchise, wish, now, is_claim=True),
            *_wish_refusals(draft_league, franchise, wish),
            *_reserve_refusals(franchise, wish),
        ]
        mine = open_claims(league_id, franchise.number)
        same = next(
            (
                row
                for row in mine
                if (row.footballer_id, row.drop_id) == (wish.footballer_id, wish.drop_id)
            ),
            None,
        )
        if same is None and len(mine) >= MOST_CLAIMS:
            refused.append(TOO_MANY)
        if refused:
            return refused
        bid = wish.bid if settings_of(draft_league).waivers.kind == "blind_bids" else 0
        if same is not None:
            same.bid, same.claim_group = bid, wish.group
            return []
        db.session.add(
            WaiverClaim(
                league_id=league_id,
                franchise=franchise.number,
                footballer_id=wish.footballer_id,
                drop_id=wish.drop_id,
                bid=bid,
                position=max((row.position for row in mine), default=0) + 1,
                claim_group=wish.group,
                placed_at=now,
            )
        )
    return []


def cancel(league_id: int, member_id: int, claim_id: int, now: datetime) -> list[Refusal]:
    """Take back an open claim of the member's team."""
    league_clock.settle(league_id, now)
    with transaction():
        _, franchise, refused = _own(league_id, member_id)
        if franchise is None:
            return refused
        row = _open_claim(franchise, claim_id)
        if row is None:
            return [NO_CLAIM]
        row.result, row.reason = "cancelled", "Cancelled."
    return []


def reorder(
    league_id: int, member_id: int, claim_id: int, position: int, now: datetime
) -> list[Refusal]:
    """Move an open claim to another place among the team's claims, from 1."""
    league_clock.settle(league_id, now)
    with transaction():
        _, franchise, refused = _own(league_id, member_id)
        if franchise is None:
            return refused
        rows = open_claims(league_id, franchise.number)
        row = next((row for row in rows if row.id == claim_id), None)
        if row is None:
            return [NO_CLAIM]
        rows.remove(row)
        rows.insert(min(max(position, 1), len(rows) + 1) - 1, row)
        for place, each in enumerate(rows, start=1):
            each.position = place
    return []


def _own(league_id: int, member_id: int) -> tuple[DraftLeague, Franchise | None, list[Refusal]]:
    """The league, locked, and the member's franchise, or why nothing may be done with it."""
    draft_league = locked(league_id)
    franchise = db.session.scalar(
        select(Franchise).filter_by(league_id=league_id, member_id=member_id)
    )
    refused = franchise_refusal(draft_league, franchise)
    if refused is not None or franchise is None:
        return draft_league, None, [refused or NO_FRANCHISE]
    return draft_league, franchise, []


def _open_claim(franchise: Franchise, claim_id: int) -> WaiverClaim | None:
    return db.session.scalar(
        select(WaiverClaim).where(
            WaiverClaim.id == claim_id,
            WaiverClaim.league_id == franchise.league_id,
            WaiverClaim.franchise == franchise.number,
            WaiverClaim.result.is_(None),
        )
    )


def _moves(franchise: Franchise, wish: Wish) -> tuple[Move, ...]:
    moves = [Move(wish.footballer_id, None, franchise.number)]
    if wish.drop_id:
        place = rosters_of(franchise.league_id).places.get(wish.drop_id)
        spot = place.spot if place is not None else ACTIVE
        moves.append(Move(wish.drop_id, franchise.number, None, from_spot=spot))
    return tuple(moves)


def _unowned_refusals(
    draft_league: DraftLeague, franchise: Franchise, wish: Wish, now: datetime, *, is_claim: bool
) -> list[Refusal]:
    """Why this footballer can be neither added nor claimed, or only the other."""
    league = db.session.get_one(League, draft_league.league_id)
    settings = settings_of(draft_league)
    name = names_of([wish.footballer_id]).get(wish.footballer_id)
    if name is None:
        return [Refusal("footballer", "footballer", "This player doesn't exist. Choose another.")]
    place = rosters_of(league.id).places.get(wish.footballer_id)
    if place is not None:
        is_own = place.franchise == franchise.number
        text = (
            "is already on your team." if is_own else "is on another team. Offer a trade instead."
        )
        return [Refusal("owned", "footballer", f"{name} {text}")]
    state = availability(league, settings, [wish.footballer_id], now)[wish.footballer_id]
    if is_claim and state.is_free:
        return [Refusal("free", "footballer", f"{name} is a free agent. Add them right away.")]
    if not is_claim and state.clears_at is not None:
        text = f"{name} is on waivers. Place a claim for the next run."
        return [Refusal("waivers", "footballer", text)]
    if not is_claim and state.playing_until is not None:
        text = f"{name}'s game has begun. You can add them when it ends."
        return [Refusal("playing", "footballer", text)]
    return []


def _reserve_refusals(franchise: Franchise, wish: Wish) -> list[Refusal]:
    """Why the team gets nobody while somebody on its injured reserve is fit."""
    league = db.session.get_one(League, franchise.league_id)
    return reserve_refusals(league, franchise.number, [wish.drop_id] if wish.drop_id else [])


def _wish_refusals(draft_league: DraftLeague, franchise: Franchise, wish: Wish) -> list[Refusal]:
    """What is wrong with a claim's drop or bid."""
    settings: DraftLeagueSettings = settings_of(draft_league)
    refused = []
    if wish.drop_id:
        place = rosters_of(franchise.league_id).places.get(wish.drop_id)
        if place is None or place.franchise != franchise.number:
            refused.append(Refusal("drop", "drop", "Choose a player on your own team to drop."))
        elif place.spot != ACTIVE and (refusal := _no_room_refusal(draft_league, franchise, wish)):
            refused.append(refusal)
    if settings.waivers.kind == "blind_bids":
        budget = db.session.get(FranchiseBudget, (franchise.league_id, franchise.number))
        left = budget.amount if budget is not None else 0
        if not settings.waivers.least_bid <= wish.bid <= left:
            text = f"Bid between {settings.waivers.least_bid} and {left}, your remaining budget."
            refused.append(Refusal("bid", "bid", text))
    return refused


def _no_room_refusal(draft_league: DraftLeague, franchise: Franchise, wish: Wish) -> Refusal | None:
    """Why a claim cannot win whose drop is not on the active roster, and so makes no room."""
    league_id = franchise.league_id
    names = Names(franchises={team.number: team.name for team in teams(league_id)})
    refused = rosters_rules.refusals(
        rosters_of(league_id),
        Transaction("claimed", _moves(franchise, wish)),
        limits_of(settings_of(draft_league)),
        names,
    )
    return next((each for each in refused if each.code == "active_full"), None)
