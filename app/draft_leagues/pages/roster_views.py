"""Pages of rosters: who is on a team, and moves to injured reserve, to the taxi squad, or away."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues.franchises.services import Team
from app.draft_leagues.models import SEASON
from app.draft_leagues.pages.loading import DraftLeaguePage, load
from app.draft_leagues.pages.roster_page import SPOT_TITLES, load_roster
from app.draft_leagues.roster_acts import services
from app.draft_leagues.roster_acts.cuts import cut_of
from app.fantasy.market.models import Season
from app.fantasy.rosters.queries import rosters_of
from app.record.models import Footballer

blueprint = Blueprint("draft_rosters", __name__, url_prefix="/leagues/<slug>/roster")

LONGEST_ID = 60
_BUTTONS = {
    "active": "To the bench",
    "reserve": "To injured reserve",
    "taxi": "To the taxi squad",
}


@blueprint.get("")
@audience(MEMBER)
def mine(slug: str) -> ResponseReturnValue:
    """Show the viewer's roster; to a member without a team the first one."""
    page = load(slug)
    return _roster(page, page.mine or page.teams[0])


@blueprint.get("/<int:franchise>")
@audience(MEMBER)
def show(slug: str, franchise: int) -> ResponseReturnValue:
    """Show a franchise's roster."""
    page = load(slug)
    team = next((team for team in page.teams if team.number == franchise), None) or abort(404)
    return _roster(page, team)


@blueprint.post("")
@audience(MEMBER)
def move(slug: str) -> ResponseReturnValue:
    """Move a footballer of the viewer's roster to another kind of place."""
    page = load(slug)
    footballer_id = request.form.get("footballer", "")[:LONGEST_ID]
    spot = next((spot for spot in SPOT_TITLES if spot == request.form.get("spot")), None)
    if spot is None:
        abort(400)
    refused = services.move(page.league.id, current_user.id, footballer_id, spot, received_at())
    if refused:
        return _roster(page, page.mine or page.teams[0], refused)
    return redirect(url_for("draft_rosters.mine", slug=slug, moved=footballer_id), 303)


@blueprint.get("/drop/<footballer_id>")
@audience(MEMBER)
def confirm(slug: str, footballer_id: str) -> ResponseReturnValue:
    """Ask whether a footballer of the viewer's roster is to be dropped."""
    return _confirm(load(slug), footballer_id)


@blueprint.post("/drop/<footballer_id>")
@audience(MEMBER)
def drop(slug: str, footballer_id: str) -> ResponseReturnValue:
    """Drop a footballer of the viewer's roster."""
    page = load(slug)
    refused = services.drop(
        page.league.id, current_user.id, footballer_id[:LONGEST_ID], received_at()
    )
    if refused:
        return _roster(page, page.mine or page.teams[0], refused)
    return redirect(url_for("draft_rosters.mine", slug=slug, dropped=footballer_id), 303)


def _roster(
    page: DraftLeaguePage, team: Team, refused: Sequence[Refusal] = ()
) -> ResponseReturnValue:
    return respond(
        "draft_leagues/roster.html",
        league=page.league,
        season=db.session.get_one(Season, page.league.season_id),
        roster=load_roster(page, team, now()),
        teams=page.teams,
        name_of=page.name_of,
        buttons=_BUTTONS,
        best_ball=page.settings.roster.best_ball,
        can_offer=page.mine is not None and page.draft_league.phase == SEASON,
        cut=cut_of(page.league, page.settings, team.number, now()),
        done=_done(),
        faults=refused,
        tab="roster",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _done() -> str:
    """What the viewer has just done, in a sentence."""
    for act, words in (("moved", "{} has moved."), ("dropped", "You dropped {}.")):
        footballer = _footballer(request.args.get(act, ""))
        if footballer is not None:
            return words.format(footballer.name)
    return ""


def _footballer(footballer_id: str) -> Footballer | None:
    if not footballer_id or len(footballer_id) > LONGEST_ID or "\x00" in footballer_id:
        return None
    return db.session.get(Footballer, footballer_id)


def _confirm(page: DraftLeaguePage, footballer_id: str) -> ResponseReturnValue:
    footballer = _footballer(footballer_id)
    if footballer is None or page.mine is None:
        abort(404)
    if footballer_id not in rosters_of(page.league.id).of(page.mine.number):
        abort(404)
    waivers = page.settings.waivers
    return respond(
        "draft_leagues/roster_drop.html",
        league=page.league,
        footballer=footballer,
        has_waivers=waivers.kind != "free" and waivers.hours_after_drop > 0,
        hours=waivers.hours_after_drop,
        tab="roster",
        runs_it=page.runs_it,
    )
