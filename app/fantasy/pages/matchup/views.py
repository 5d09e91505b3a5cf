"""Two team sheets of a league side by side: a head-to-head game, or any two of its members."""

from __future__ import annotations

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.sent_numbers import query_number
from app.core.numbers import MAX_ID
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import OwnPage, PageContent, cached_page, cached_viewer
from app.core.viewer import current_user
from app.fantasy.leagues import history as league_history
from app.fantasy.leagues import shares
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.cached_table import (
    MEMBERSHIP,
    league_of_member,
    next_lock,
    tags_of,
)
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.matchup.queries import Opponents, find_opponents, load_matchup
from app.fantasy.pages.short_names import short_name
from app.fantasy.standings.queries import LeagueRow

blueprint = Blueprint("matchups", __name__, url_prefix="/leagues/<slug>/matchups")
blueprint.add_app_template_filter(short_name)


@blueprint.get("/<int:week>/<int:member_id>")
@audience(MEMBER)
@cached_viewer(MEMBERSHIP)
def show(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """The member's head-to-head game of the gameweek, or with `against` any two members.

    While games are played it polls itself.
    """
    me = current_user.id
    league = league_of_member(slug, me) or abort(404)
    against = query_number("against", most=MAX_ID)
    if "against" in request.args and against in (None, member_id):
        abort(404)
    access_depends_on(f"league:{league.id}", f"memberships:{me}")
    return cached_page(
        "leagues/matchup.html",
        "matchup",
        OwnPage(f"{against}"),
        lambda: _read(league, week, (member_id, against), me),
    )


def _read(
    league: LeagueRow, week: int, asked_members: tuple[int, int | None], me: int
) -> PageContent:
    gameweek = gameweeks.gameweek_of(league.season_id, week) or abort(404)
    version = league_version(league.id, gameweek)

    begin_snapshot()  # so that a game in which both sides have footballers shows one clock
    opponents = _opponents(league, gameweek, asked_members, me)
    page = load_matchup(league, gameweek, opponents, me, is_over=version.is_over)
    context = {
        "league": league,
        "gameweek": gameweek,
        "page": page,
        "ids": opponents.members,
        "home_id": opponents.home_id,
        "token": _token(league, gameweek, opponents, me),
        "ended": version.is_over,
    }

    # Rosters and fixtures raise no tags: a whole page is read each time.
    tags = tags_of(league.id, gameweek.id) if request.htmx else ()
    lock = next_lock(league, clock.now())
    return PageContent(context, tags, version.version, version.is_over, lock)


def _opponents(
    league: LeagueRow, gameweek: GameweekRow, asked_members: tuple[int, int | None], me: int
) -> Opponents:
    """The two members, or the first and their opponent in the gameweek.

    Whoever is named must be on the league's boards.
    """
    member_id, against = asked_members
    for member in (member_id, against):
        if member is not None and league_history.team(league.id, gameweek.id, member) is None:
            abort(404)
    if against is None:
        return find_opponents(league, gameweek, member_id, me)
    return Opponents((member_id, against))


def _token(league: LeagueRow, gameweek: GameweekRow, opponents: Opponents, me: int) -> str | None:
    """The token of the viewer's link to this game; None without one, or for a fragment."""
    if opponents.home_id is None or request.htmx:
        return None
    return shares.WEEKS.token_of(league.id, me, **shares.matchup(gameweek.id, opponents.home_id))
