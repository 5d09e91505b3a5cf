"""Pages of footballers without a team: the list, claims, free agents, and reports of runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_number
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.numbers import typed_whole
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues.models import FINISHED, SEASON
from app.draft_leagues.pages.loading import DraftLeaguePage, load, load_for_commissioner
from app.draft_leagues.rankings.page import RankingFilter, load_order, load_page
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.waivers import runs, services
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.queries import (
    availability,
    budget_left,
    claims_of_run,
    load_run,
    open_claims,
    runs_page,
    why_in_vain,
)
from app.draft_leagues.waivers.services import Wish
from app.draft_leagues.waivers.times import runs_after
from app.fantasy.rosters.queries import names_of, rosters_of
from app.fantasy.rosters.rules import Rosters
from app.record.models import Footballer

blueprint = Blueprint("draft_waivers", __name__, url_prefix="/leagues/<slug>")

LONGEST_SEARCH = 60
LONGEST_ID = 60
MOST_BID = 99_999
SHOWN_RUNS = 20
BAD_BID = Refusal("bid", "bid", "Enter your bid as a whole number, such as 12.")
BAD_PLACE = Refusal("place", "place", "Enter the place as a whole number, such as 1.")


@blueprint.get("/players")
@audience(MEMBER)
def players(slug: str) -> ResponseReturnValue:
    """Show footballers by the viewer's rankings, with who has them or how to get them."""
    page = load(slug)
    search = request.args.get("q", "").strip()[:LONGEST_SEARCH]
    position = request.args.get("position", "")[:LONGEST_SEARCH]
    is_free_only = request.args.get("who", "free") == "free"
    owner = ListOwner(page.league.id, current_user.id)
    order = load_order(owner, page.league.season_id, page.settings, now())
    owned = rosters_of(page.league.id).places
    if is_free_only:
        order.ids[:] = [each for each in order.ids if each not in owned]
    slots = [starter.slot for starter in page.settings.roster.starters]
    ranking_page = load_page(owner, order, slots, RankingFilter(search, position, page_number()))
    free = [row.footballer.id for row in ranking_page.rows if row.footballer.id not in owned]
    return respond(
        "draft_leagues/players.html",
        league=page.league,
        page=ranking_page,
        owners={who: page.name_of(place.franchise) for who, place in owned.items()},
        states=availability(page.league, page.settings, free, now()),
        filter=RankingFilter(search, position, page_number()),
        is_free_only=is_free_only,
        values=_filter_values(search, position, is_free_only=is_free_only),
        can_act=page.mine is not None and page.draft_league.phase == SEASON,
        is_over=page.draft_league.phase == FINISHED,
        tab="players",
        runs_it=page.runs_it,
    )


@blueprint.get("/waivers")
@audience(MEMBER)
def waivers(slug: str) -> ResponseReturnValue:
    """Show the member's claims, when the next run is, and the reports of past runs."""
    return _waivers(load(slug))


@blueprint.get("/waivers/claim/<footballer_id>")
@audience(MEMBER)
def wish(slug: str, footballer_id: str) -> ResponseReturnValue:
    """Show the form that adds or claims a footballer."""
    return _wish(load(slug), footballer_id)


@blueprint.post("/waivers/claim/<footballer_id>")
@audience(MEMBER)
def act(slug: str, footballer_id: str) -> ResponseReturnValue:
    """Add a free agent at once, or claim somebody who is on waivers."""
    page = load(slug)
    if len(footballer_id) > LONGEST_ID:
        abort(404)
    # a league without blind bids has no such field
    bid = typed_whole(request.form.get("bid", "0"), most=MOST_BID)
    if bid is None:
        return _wish(page, footballer_id, [BAD_BID])
    claim_wish = Wish(
        footballer_id,
        request.form.get("drop", "")[:LONGEST_ID] or None,
        bid,
        1 if request.form.get("group") else None,
    )
    is_claim = "claim" in request.form
    do = services.claim if is_claim else services.add
    refused = do(page.league.id, current_user.id, claim_wish, received_at())
    if refused:
        return _wish(page, footballer_id, refused)
    if is_claim:
        return redirect(url_for("draft_waivers.waivers", slug=slug, claimed=1), 303)
    return redirect(url_for("draft_waivers.players", slug=slug, added=footballer_id), 303)


@blueprint.post("/waivers/<int:claim_id>/cancel")
@audience(MEMBER)
def cancel(slug: str, claim_id: int) -> ResponseReturnValue:
    """Take back an open claim."""
    page = load(slug)
    refused = services.cancel(page.league.id, current_user.id, claim_id, received_at())
    if refused:
        return _waivers(page, refused)
    return redirect(url_for("draft_waivers.waivers", slug=slug), 303)


@blueprint.post("/waivers/<int:claim_id>/move")
@audience(MEMBER)
def move(slug: str, claim_id: int) -> ResponseReturnValue:
    """Move an open claim to another place of the member's order."""
    page = load(slug)
    place = typed_whole(request.form.get("place"))
    if not place:
        return _waivers(page, [BAD_PLACE])
    refused = services.reorder(page.league.id, current_user.id, claim_id, place, received_at())
    if refused:
        return _waivers(page, refused)
    return redirect(url_for("draft_waivers.waivers", slug=slug), 303)


@blueprint.get("/waivers/<int:run_id>")
@audience(MEMBER)
def report(slug: str, run_id: int) -> ResponseReturnValue:
    """Show what a run decided: every claim, and why."""
    page = load(slug)
    run = load_run(page.league.id, run_id) or abort(404)
    claims = claims_of_run(run_id)
    return respond(
        "draft_leagues/waiver_run.html",
        league=page.league,
        run=run,
        claims=claims,
        names=_names(claims),
        team=page.name_of,
        has_bids=page.settings.waivers.kind == "blind_bids",
        tab="waivers",
        runs_it=page.runs_it,
    )


@blueprint.get("/waivers/preview")
@audience(MEMBER)
@limit_costly_work
def preview(slug: str) -> ResponseReturnValue:
    """Show members what a run would decide about their own claims now, if nobody else claimed."""
    page = load(slug)
    mine = page.mine or abort(404)
    decided = runs.preview(page.league.id, mine.number, now())
    named = {each.claim.footballer_id for each in decided.outcomes}
    return respond(
        "draft_leagues/waiver_preview.html",
        league=page.league,
        outcomes=decided.outcomes,
        names=names_of(named),
        team=page.name_of,
        tab="waivers",
        runs_it=page.runs_it,
    )


@blueprint.post("/waivers/<int:run_id>/repeat")
@audience(MEMBER)
@limit_costly_work
def repeat(slug: str, run_id: int) -> ResponseReturnValue:
    """Take a run back and decide it anew."""
    page = load_for_commissioner(slug)
    reason = request.form.get("reason", "").strip()[:200]
    refused = (
        runs.repeat(page.league.id, run_id, by_member_id=current_user.id, reason=reason, now=now())
        if reason
        else [Refusal("reason", "reason", "Give a reason. Everyone in the league sees it.")]
    )
    if refused:
        return _waivers(page, refused)
    return redirect(url_for("draft_waivers.report", slug=slug, run_id=run_id), 303)


def _waivers(page: DraftLeaguePage, refused: Sequence[Refusal] = ()) -> ResponseReturnValue:
    mine = open_claims(page.league.id, page.mine.number) if page.mine is not None else []
    runs, _ = runs_page(page.league.id, limit=SHOWN_RUNS)
    has_runs = page.settings.waivers.kind != "free"
    claimed = [claim.footballer_id for claim in mine]
    rosters, names = rosters_of(page.league.id), _names(mine)
    budget = _budget(page, rosters)
    return respond(
        "draft_leagues/waivers.html",
        league=page.league,
        claims=mine,
        names=names,
        in_vain=why_in_vain(mine, rosters, names, budget),
        availabilities=availability(page.league, page.settings, claimed, now()),
        runs=runs,
        settings=page.settings.waivers,
        next_run=_next_run(page, now()) if has_runs else None,
        is_over=page.draft_league.phase == FINISHED,
        budget=budget,
        mine=page.mine,
        faults=refused,
        is_claimed="claimed" in request.args,
        tab="waivers",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _budget(page: DraftLeaguePage, rosters: Rosters) -> int:
    if page.mine is None:
        return 0
    return budget_left(page.draft_league, page.settings, rosters, page.mine.number)


def _wish(
    page: DraftLeaguePage, footballer_id: str, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    footballer = db.session.get(Footballer, footballer_id) or abort(404)
    rosters = rosters_of(page.league.id)
    mine = rosters.of(page.mine.number) if page.mine is not None else {}
    state = availability(page.league, page.settings, [footballer_id], now())[footballer_id]
    active = sum(place.spot == "active" for place in mine.values())
    claimed = _open_claim(page, footballer_id)
    return respond(
        "draft_leagues/claim.html",
        league=page.league,
        footballer=footballer,
        state=state,
        is_owned=footballer_id in rosters.places,
        mine=names_of(mine),
        over=active + 1 - page.settings.roster.active,
        has_bids=page.settings.waivers.kind == "blind_bids",
        budget=_budget(page, rosters),
        faults=refused,
        is_claimed=claimed is not None,
        form=request.form or _fields_of(claimed),
        tab="players",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _open_claim(page: DraftLeaguePage, footballer_id: str) -> WaiverClaim | None:
    """The member's first open claim for the footballer."""
    claims = open_claims(page.league.id, page.mine.number) if page.mine is not None else []
    return next((claim for claim in claims if claim.footballer_id == footballer_id), None)


def _fields_of(claim: WaiverClaim | None) -> dict[str, Any]:
    """The fields of the form that would place this claim again."""
    if claim is None:
        return {}
    return {"drop": claim.drop_id or "", "bid": claim.bid, "group": claim.claim_group}


def _names(claims: Sequence[WaiverClaim]) -> dict[str, str]:
    named = {row.footballer_id for row in claims}
    return names_of(named | {row.drop_id for row in claims if row.drop_id is not None})


def _next_run(page: DraftLeaguePage, moment: datetime) -> datetime:
    return next(runs_after(page.settings.waivers, page.settings.time_zone, moment))


def _filter_values(search: str, position: str, *, is_free_only: bool) -> dict[str, Any]:
    """The filter as the parts of an address; what filters nothing is left out."""
    values: dict[str, Any] = {} if is_free_only else {"who": "all"}
    if search:
        values["q"] = search
    if position:
        values["position"] = position
    return values
