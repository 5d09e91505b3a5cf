"""Claims, free agents and runs. Each function is one transaction under the league's lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import case, func, select, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.act_tokens import named_act
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.models import SEASON, DraftLeague
from app.draft_leagues.roster_acts.services import NO_FRANCHISE, franchise_refusal
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions import services as transactions
from app.draft_leagues.transactions.services import settings_of
from app.draft_leagues.waivers import words
from app.draft_leagues.waivers.models import WaiverClaim, WaiverRun
from app.draft_leagues.waivers.queries import (
    as_claim,
    availability,
    due_claims,
    due_runs,
    open_claims,
    run_of,
)
from app.draft_leagues.waivers.rules import Processed, process
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.rosters.models import Franchise, FranchiseBudget, RosterTransaction
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import ACTIVE, Move, Transaction
from app.fantasy.standings.models import League

MOST_CLAIMS = 50  # open ones of a franchise

TOO_MANY = Refusal(
    "too_many", "", f"You have {MOST_CLAIMS} open claims, the most there can be: cancel one first."
)
NO_CLAIM = Refusal("claim", "claim", "This claim is decided or cancelled: load the page again.")
NO_RUN = Refusal("run", "run", "There is no such run in this league.")


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
    with transaction():
        draft_league, franchise, refused = _own(league_id, member_id)
        named = named_act(member_id, token, "add", wish)
        first = transactions.first_number(league_id, named)
        if first is not None:
            return [first] if isinstance(first, Refusal) else []
        if franchise is None:
            return refused
        if refused := _unowned_refusals(draft_league, wish, now, is_claim=False):
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
    with transaction():
        draft_league, franchise, refused = _own(league_id, member_id)
        if franchise is None:
            return refused
        refused = [
            *_unowned_refusals(draft_league, wish, now, is_claim=True),
            *_wish_refusals(draft_league, franchise, wish),
        ]
        mine = open_claims(league_id, franchise.number)
        if len(mine) >= MOST_CLAIMS:
            refused.append(TOO_MANY)
        if refused:
            return refused
        bid = wish.bid if settings_of(draft_league).waivers.kind == "blind_bids" else 0
        same = next(
            (
                row
                for row in mine
                if (row.footballer_id, row.drop_id) == (wish.footballer_id, wish.drop_id)
            ),
            None,
        )
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


def cancel(league_id: int, member_id: int, claim_id: int) -> list[Refusal]:
    """Take back an open claim of the member's team."""
    with transaction():
        _, franchise, refused = _own(league_id, member_id)
        if franchise is None:
            return refused
        row = _open_claim(franchise, claim_id)
        if row is None:
            return [NO_CLAIM]
        row.result, row.reason = "cancelled", "Cancelled."
    return []


def reorder(league_id: int, member_id: int, claim_id: int, position: int) -> list[Refusal]:
    """Move an open claim to another place among the team's claims, from 1."""
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


def run_due(now: datetime) -> int:
    """Process every run that is due, of all leagues; returns how many. Commits league by league."""
    leagues = db.session.execute(
        select(DraftLeague.league_id, func.min(RosterTransaction.made_at))
        .join(RosterTransaction, RosterTransaction.league_id == DraftLeague.league_id)
        .where(DraftLeague.phase == SEASON)
        .group_by(DraftLeague.league_id)
        .order_by(DraftLeague.league_id)
    ).all()
    count = 0
    for league_id, since in leagues:
        settings = settings_of(db.session.get_one(DraftLeague, league_id))
        if settings.waivers.kind != "free":
            league = db.session.get_one(League, league_id)
            for run_at in due_runs(league, settings, since, now):
                count += run(league_id, run_at, now) is not None
        db.session.rollback()
    return count


def run(league_id: int, scheduled_for: datetime, now: datetime) -> int | None:
    """Process the claims of a run; returns its id, or None if it was processed before."""
    with transaction():
        draft_league = locked(league_id)
        priorities = _priorities(draft_league)
        values = {
            "league_id": league_id,
            "scheduled_for": scheduled_for,
            "processed_at": now,
            "priorities": priorities,
        }
        run_id = db.session.scalar(
            insert(WaiverRun)
            .values(values)
            .on_conflict_do_nothing(constraint="uq_waiver_runs_scheduled_for")
            .returning(WaiverRun.id)
        )
        if run_id is None:
            return None
        waiver_run = db.session.get_one(WaiverRun, run_id)
        claims = due_claims(
            db.session.get_one(League, league_id), settings_of(draft_league), scheduled_for
        )
        _decide(draft_league, waiver_run, claims, now)
    return int(run_id)


def preview(league_id: int, franchise: int, now: datetime) -> Processed:
    """What a run now would decide about a team's claims if nobody else claimed anybody.

    Claims of others are secret until they are decided, from commissioners too, who have teams of
    their own. Nothing is written.
    """
    draft_league = db.session.get_one(DraftLeague, league_id)
    claims = [as_claim(row) for row in open_claims(league_id, franchise)]
    return process(claims, run_of(draft_league, claims, _priorities(draft_league), now))


def repeat(
    league_id: int, run_id: int, *, by_member_id: int, reason: str, now: datetime
) -> list[Refusal]:
    """Take a run back and decide it anew, for example after the standings were corrected.

    It is refused if somebody whom the run moved has moved again since.
    """
    with transaction():
        draft_league = locked(league_id)
        waiver_run = db.session.get(WaiverRun, run_id)
        if waiver_run is None or waiver_run.league_id != league_id:
            return [NO_RUN]
        won = db.session.scalars(
            select(RosterTransaction.number)
            .where(
                RosterTransaction.league_id == league_id,
                RosterTransaction.source.startswith(_source(waiver_run, ""), autoescape=True),
            )
            .order_by(RosterTransaction.number.desc())
        ).all()
        for number in won:
            result = transactions.reverse(
                draft_league, number, by_member_id=by_member_id, reason=reason, now=now
            )
            if isinstance(result, transactions.Refused):
                db.session.rollback()
                return list(result.refusals)
        if settings_of(draft_league).waivers.kind == "reverse_standings":
            waiver_run.priorities = _priorities(draft_league)
        waiver_run.attempt += 1
        waiver_run.processed_at = now
        claims = db.session.scalars(
            select(WaiverClaim)
            .where(WaiverClaim.run_id == run_id)
            .order_by(WaiverClaim.franchise, WaiverClaim.position, WaiverClaim.id)
        ).all()
        _decide(draft_league, waiver_run, claims, now)
    return []


def _decide(
    draft_league: DraftLeague, waiver_run: WaiverRun, rows: Sequence[WaiverClaim], now: datetime
) -> None:
    """Decide these claims, record what follows, and tell the members."""
    claims = [as_claim(row) for row in rows]
    decided = process(claims, run_of(draft_league, claims, waiver_run.priorities, now))
    outcomes = {outcome.claim.id: outcome for outcome in decided.outcomes}
    won = [
        replace(
            transaction_of,
            reason=outcomes[each.id].reason,
            source=_source(waiver_run, str(each.id)),
        )
        for each, transaction_of in decided.transactions
    ]
    result = transactions.record(draft_league, won, now)
    assert not isinstance(result, transactions.Refused), result  # the same rules decided
    for row in rows:
        outcome = outcomes[row.id]
        row.run_id, row.result, row.reason = waiver_run.id, outcome.result, outcome.reason
    _write_priorities(draft_league.league_id, decided.priorities)
    _notify(draft_league, waiver_run, decided, now)


def _write_priorities(league_id: int, priorities: Sequence[int]) -> None:
    """Write the order in which franchises claim next, in one statement."""
    places = {franchise: place for place, franchise in enumerate(priorities, start=1)}
    db.session.execute(
        update(Franchise)
        .where(Franchise.league_id == league_id, Franchise.number.in_(places))
        .values(waiver_priority=case(places, value=Franchise.number)),
        execution_options={"synchronize_session": False},
    )


def _notify(
    draft_league: DraftLeague, waiver_run: WaiverRun, decided: Processed, now: datetime
) -> None:
    league = db.session.get_one(League, draft_league.league_id)
    members = dict(
        db.session.execute(
            select(Franchise.number, Franchise.member_id).where(Franchise.league_id == league.id)
        ).all()
    )
    names = names_of(outcome.claim.footballer_id for outcome in decided.outcomes)
    new_notices = []
    for franchise, member_id in members.items():
        mine = [each for each in decided.outcomes if each.claim.franchise == franchise]
        if member_id is None or not mine:
            continue
        lines = [(names[each.claim.footballer_id], each) for each in mine]
        new_notices.append(
            NewNotice.of(
                member_id,
                "league",
                f"waivers:{waiver_run.id}:{waiver_run.attempt}",
                words.processed(league.name, lines),
                f"/leagues/{league.slug}/waivers/{waiver_run.id}",
            )
        )
    notices.notify(new_notices, now)


def _priorities(draft_league: DraftLeague) -> list[int]:
    """The franchises in the order in which they claim, the first one first."""
    if settings_of(draft_league).waivers.kind == "reverse_standings":
        view = load_season(draft_league.league_id)
        if view.weeks:
            return [place.franchise for place in reversed(view.table)]
    return [
        *db.session.scalars(
            select(Franchise.number)
            .where(Franchise.league_id == draft_league.league_id)
            .order_by(Franchise.waiver_priority, Franchise.number)
        )
    ]


def _source(waiver_run: WaiverRun, claim_id: str) -> str:
    return f"waivers:{waiver_run.id}:{waiver_run.attempt}:{claim_id}"


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
    draft_league: DraftLeague, wish: Wish, now: datetime, *, is_claim: bool
) -> list[Refusal]:
    """Why this footballer can be neither added nor claimed, or only the other."""
    league = db.session.get_one(League, draft_league.league_id)
    settings = settings_of(draft_league)
    name = names_of([wish.footballer_id]).get(wish.footballer_id)
    if name is None:
        return [Refusal("footballer", "footballer", "There is no such footballer: choose another.")]
    if wish.footballer_id in rosters_of(league.id).places:
        text = f"{name} is on a team: offer a trade instead."
        return [Refusal("owned", "footballer", text)]
    state = availability(league, settings, [wish.footballer_id], now)[wish.footballer_id]
    if is_claim and state.is_free:
        return [Refusal("free", "footballer", f"{name} is a free agent: add them at once.")]
    if not is_claim and state.clears_at is not None:
        text = f"{name} is on waivers: claim them, and the next run decides."
        return [Refusal("waivers", "footballer", text)]
    if not is_claim and state.playing_until is not None:
        text = f"{name}'s game has begun: they can be added when the gameweek is over."
        return [Refusal("playing", "footballer", text)]
    return []


def _wish_refusals(draft_league: DraftLeague, franchise: Franchise, wish: Wish) -> list[Refusal]:
    """What is wrong with a claim's drop or bid."""
    settings: DraftLeagueSettings = settings_of(draft_league)
    refused = []
    if wish.drop_id:
        place = rosters_of(franchise.league_id).places.get(wish.drop_id)
        if place is None or place.franchise != franchise.number:
            refused.append(Refusal("drop", "drop", "Name somebody of your own team to be dropped."))
    if settings.waivers.kind == "blind_bids":
        budget = db.session.get(FranchiseBudget, (franchise.league_id, franchise.number))
        left = budget.amount if budget is not None else 0
        if not settings.waivers.least_bid <= wish.bid <= left:
            text = f"Bid between {settings.waivers.least_bid} and {left}, what is left of yours."
            refused.append(Refusal("bid", "bid", text))
    return refused
