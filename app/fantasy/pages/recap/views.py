"""The recap of a league's gameweek, and its power ranking."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import shares
from app.fantasy.pages.recap import making
from app.fantasy.pages.recap import queries as recap_queries
from app.fantasy.pages.recap.page import HEADINGS
from app.fantasy.recaps.power import METHOD
from app.fantasy.standings import queries
from app.fantasy.standings.own_games import OWN_GAMES
from app.fantasy.standings.queries import LeagueRow

blueprint = Blueprint("league_recap", __name__, url_prefix="/leagues/<slug>/recap")

RATE_LIMIT = "60 per minute"


@blueprint.get("")
@audience(MEMBER)
def latest(slug: str) -> ResponseReturnValue:
    """Redirect to the recap of the latest finished gameweek; without one, say when it comes."""
    league = _league(slug)
    weeks = recap_queries.finished_weeks(league)
    if not weeks:
        return respond("leagues/recap.html", league=league, weeks=weeks, tab="recap")
    return redirect(url_for("league_recap.show", slug=slug, week=weeks[-1].week))


@blueprint.get("/<int:week>")
@audience(MEMBER)
@limiter.limit(RATE_LIMIT)
def show(slug: str, week: int) -> ResponseReturnValue:
    """The recap of a finished gameweek; until it is made, the page polls itself."""
    league = _league(slug)
    weeks = recap_queries.finished_weeks(league)
    gameweek = next((row for row in weeks if row.week == week), None) or abort(404)
    is_too_large = making.is_too_large(league)
    own_game = OWN_GAMES.get(league.game)
    return respond(
        "leagues/recap.html",
        "recap",
        league=league,
        weeks=weeks,
        selected=gameweek,
        is_too_large=is_too_large,
        page=None if is_too_large else making.load_for(league, gameweek),
        decided=own_game.playoff_story(league.id, week) if own_game else (),
        headings=HEADINGS,
        method=METHOD,
        most_teams=recap_queries.MOST_TEAMS,
        token=shares.WEEKS.token_of(league.id, current_user.id, **shares.recap(gameweek.id)),
        tab="recap",
    )


def _league(slug: str) -> LeagueRow:
    return queries.league_for_viewer(slug, current_user.id) or abort(404)
