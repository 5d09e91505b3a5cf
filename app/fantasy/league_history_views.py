"""Pages of a league's past: its gameweeks, team sheets of any of them, and the race."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from sqlalchemy import select

from app.core.access import MEMBER, audience
from app.core.clock import now
from app.core.db import db
from app.core.web import respond
from app.fantasy import adjustments, league_history, leagues, page, queries, race_chart, rule_changes
from app.fantasy.changes import changes
from app.fantasy.league_models import League
from app.fantasy.league_views import page_number
from app.fantasy.models import Gameweek
from app.fantasy.rulebook import rules_named

blueprint = Blueprint("league_history", __name__, url_prefix="/leagues/<slug>")


@blueprint.get("/history")
@audience(MEMBER)
def history(slug: str) -> ResponseReturnValue:
    """The latest gameweek."""
    league = leagues.seen(slug, current_user.id) or abort(404)
    weeks = league_history.begun(league, now())
    if not weeks:
        return respond("leagues/history.html", "week", league=league, weeks=weeks, shown=None, tab="history")
    return redirect(url_for("league_history.week", slug=slug, week=weeks[-1].week))


@blueprint.get("/history/<int:week>")
@audience(MEMBER)
def week(slug: str, week: int) -> ResponseReturnValue:
    """A gameweek, a page at a time; without a number the page that has the viewer."""
    league = leagues.seen(slug, current_user.id) or abort(404)
    weeks = league_history.begun(league, now())
    shown = next((one for one in weeks if one.week == week), None) or abort(404)
    number = page_number() if "page" in request.args else None
    return respond(
        "leagues/history.html", "week", league=league, weeks=weeks, shown=shown, tab="history",
        page=league_history.week_page(league, shown.id, current_user.id, number), changes=rule_changes.of(league.id),
    )  # fmt: skip


@blueprint.get("/history/<int:week>/teams/<int:member_id>")
@audience(MEMBER)
def team(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """A team sheet of any gameweek; another's only once it is locked."""
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = _gameweek(league.season_id, week)
    named = league_history.team(league.id, gameweek.id, member_id) or abort(404)
    hidden = member_id != current_user.id and not queries.is_shown_to_all(league.team_rules_id, gameweek, now())
    picks = [] if hidden else queries.picks(member_id, gameweek, league)
    shown = page.team_page(
        league, gameweek, named, picks, changes(picks, rules_named(league.rules)),
        transfer_cost=0 if hidden else queries.transfer_cost(member_id, gameweek.id, league.team_rules_id), over=True,
    )  # fmt: skip
    reasons = adjustments.reasons(league.id, gameweek.id).get(member_id, [])
    return respond("leagues/team.html", "team", page=shown, hidden=hidden, reasons=reasons)


@blueprint.get("/race")
@audience(MEMBER)
def race(slug: str) -> ResponseReturnValue:
    """`by`: 'points' (behind the leader) or 'rank'."""
    league: League = leagues.seen(slug, current_user.id) or abort(404)
    by = "rank" if request.args.get("by") == "rank" else "points"
    number = page_number() if "page" in request.args else None
    found = league_history.race(league, current_user.id, number)
    return respond(
        "leagues/race.html", "race", league=league, race=found, by=by, tab="race",
        chart=race_chart.chart(found, by) if found.weeks else None, shape=race_chart,
    )  # fmt: skip


def _gameweek(season_id: int, week: int) -> queries.GameweekRow:
    found = db.session.scalar(select(Gameweek).where(Gameweek.season_id == season_id, Gameweek.week == week))
    return queries.gameweek_row(found or abort(404))
