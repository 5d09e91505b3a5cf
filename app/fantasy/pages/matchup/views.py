"""Two team sheets of a league side by side: a head-to-head game, or any two of its members."""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, audience
from app.core.http.responses import is_poll, is_shown, respond
from app.core.http.sent_numbers import query_number
from app.core.numbers import MAX_ID
from app.core.viewer import current_user
from app.fantasy.leagues import history as league_history
from app.fantasy.leagues import shares
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.matchup.queries import Opponents, find_opponents, load_matchup
from app.fantasy.pages.short_names import short_name
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow

blueprint = Blueprint("matchups", __name__, url_prefix="/leagues/<slug>/matchups")
blueprint.add_app_template_filter(short_name)


@blueprint.get("/<int:week>/<int:member_id>")
@audience(MEMBER)
def show(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """The member's head-to-head game of the gameweek, or with `against` any two members.

    While games are played it polls itself.
    """
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = gameweeks.gameweek_of(league.season_id, week) or abort(404)
    current = league_version(league.id, gameweek)
    if not current.is_over and is_shown(current.version):
        return respond("leagues/matchup.html", "matchup", version=current.version)
    begin_snapshot()  # so that a game in which both sides have footballers shows one clock
    opponents = _opponents(league, gameweek, member_id)
    return respond(
        "leagues/matchup.html",
        "matchup",
        version=current.version,
        stop_polling=current.is_over,
        league=league,
        gameweek=gameweek,
        page=load_matchup(league, gameweek, opponents, current_user.id, is_over=current.is_over),
        ids=opponents.members,
        home_id=opponents.home_id,
        token=_token(league, gameweek, opponents),
        ended=current.is_over,
    )


def _opponents(league: LeagueRow, gameweek: GameweekRow, member_id: int) -> Opponents:
    """The member and their opponent in the gameweek, or the one whom the address names.

    Whoever is named must be on the league's boards.
    """
    _expect_member(league, gameweek, member_id)
    if "against" not in request.args:
        return find_opponents(league, gameweek, member_id, current_user.id)
    other = query_number("against", most=MAX_ID)
    if other is None or other == member_id:
        abort(404)
    _expect_member(league, gameweek, other)
    return Opponents((member_id, other))


def _expect_member(league: LeagueRow, gameweek: GameweekRow, member_id: int) -> None:
    if league_history.team(league.id, gameweek.id, member_id) is None:
        abort(404)


def _token(league: LeagueRow, gameweek: GameweekRow, opponents: Opponents) -> str | None:
    """The token of the viewer's link to this game; None without one, or for a poll."""
    if opponents.home_id is None or is_poll():
        return None
    return shares.WEEKS.token_of(
        league.id, current_user.id, **shares.matchup(gameweek.id, opponents.home_id)
    )
