"""Runs decide claims, each once, and members are told why. Each function is one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import case, select, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.models import DraftLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.transactions import services as transactions
from app.draft_leagues.transactions.services import settings_of
from app.draft_leagues.waivers import words
from app.draft_leagues.waivers.models import WaiverClaim, WaiverRun
from app.draft_leagues.waivers.queries import as_claim, due_claims, open_claims, run_of
from app.draft_leagues.waivers.rules import Processed, process
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.rosters.models import Franchise, RosterTransaction
from app.fantasy.rosters.queries import names_of
from app.fantasy.standings.models import League

NO_RUN = Refusal("run", "run", "This league has no such waiver run.")


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
