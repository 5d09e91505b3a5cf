"""Two team sheets of a league side by side: a head-to-head game, or any two of its members."""

from __future__ import annotations

from fractions import Fraction

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, audience
from app.core.http.responses import is_shown, respond
from app.core.numbers import as_id
from app.core.viewer import current_user
from app.fantasy.leagues import history as league_history
from app.fantasy.market import gameweeks
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.page import TeamPage, team_page
from app.fantasy.pages.league.queries import load_sheet
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.matchup.page import matchup_page
from app.fantasy.standings import queries
from app.fantasy.standings.games import head_to_head

blueprint = Blueprint("matchups", __name__, url_prefix="/leagues/<slug>/matchups")


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
    other, average = _opponent(league, gameweek, member_id)
    sides = [_side(league, gameweek, member_id, must_have_name=True)]
    if other is not None:
        must_have_name = "against" in request.args
        sides.append(_side(league, gameweek, other, must_have_name=must_have_name))
    return respond(
        "leagues/matchup.html",
        "matchup",
        version=current.version,
        stop_polling=current.is_over,
        league=league,
        gameweek=gameweek,
        page=matchup_page(sides, FORMATS[league.format], average, is_over=current.is_over),
        ids=[member_id] if other is None else [member_id, other],
        ended=current.is_over,
    )


def _opponent(
    league: queries.LeagueRow, gameweek: GameweekRow, member_id: int
) -> tuple[int | None, Fraction | None]:
    """The member's opponent, or the points of the league's average if they play against that."""
    if "against" in request.args:
        other = request.args.get("against", type=as_id)
        return (other if other is not None and other != member_id else abort(404)), None
    if league.mode != "head_to_head":
        return None, None
    for game in head_to_head(league.id, gameweek.id, member_id, rows=1):
        if member_id in (game.home.member_id, game.away.member_id):
            _, opponent = game.sides_of(member_id)
            average = Fraction(opponent.points) if opponent.member_id is None else None
            return opponent.member_id, average
    return None, None


def _side(
    league: queries.LeagueRow, gameweek: GameweekRow, member_id: int, *, must_have_name: bool
) -> TeamPage:
    """The team of a member, without its line-up while that is secret.

    An opponent who is on no board any more has no name; as somebody whom the address names
    (`must_have_name`) they get a 404.
    """
    names = league_history.team(league.id, gameweek.id, member_id)
    if names is None:
        names = abort(404) if must_have_name else ("A former member", "")
    return team_page(league, gameweek, load_sheet(league, gameweek, member_id, names))
