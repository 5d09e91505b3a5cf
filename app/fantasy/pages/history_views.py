"""Pages of a league's past: its gameweeks and the race."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user

from app.core.access import MEMBER, audience
from app.core.clock import now
from app.core.paging import page_number
from app.core.web import respond
from app.fantasy.leagues import history as league_history
from app.fantasy.leagues import rule_changes
from app.fantasy.leagues import services as leagues
from app.fantasy.market import seasons
from app.fantasy.pages import race_chart
from app.fantasy.standings.models import League

blueprint = Blueprint("league_history", __name__, url_prefix="/leagues/<slug>")


@blueprint.get("/history")
@audience(MEMBER)
def history(slug: str) -> ResponseReturnValue:
    """The latest gameweek."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    weeks = seasons.begun(league.season_id, now())
    if not weeks:
        return respond("leagues/history.html", "week", league=league, weeks=weeks, shown=None, tab="history")
    return redirect(url_for("league_history.week", slug=slug, week=weeks[-1].week))


@blueprint.get("/history/<int:week>")
@audience(MEMBER)
def week(slug: str, week: int) -> ResponseReturnValue:
    """A gameweek, a page at a time; without a number the page that has the viewer."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    weeks = seasons.begun(league.season_id, now())
    shown = next((one for one in weeks if one.week == week), None) or abort(404)
    number = page_number() if "page" in request.args else None
    return respond(
        "leagues/history.html",
        "week",
        league=league,
        weeks=weeks,
        shown=shown,
        tab="history",
        page=league_history.week_page(league, shown.id, current_user.id, number),
        changes=rule_changes.of(league.id),
    )


@blueprint.get("/race")
@audience(MEMBER)
def race(slug: str) -> ResponseReturnValue:
    """`by`: 'points' (behind the leader) or 'rank'."""
    league: League = leagues.for_member(slug, current_user.id) or abort(404)
    by = "rank" if request.args.get("by") == "rank" else "points"
    number = page_number() if "page" in request.args else None
    found = league_history.race(league, current_user.id, number)
    return respond(
        "leagues/race.html",
        "race",
        league=league,
        race=found,
        by=by,
        tab="race",
        chart=race_chart.chart(found, by) if found.weeks else None,
        shape=race_chart,
    )
