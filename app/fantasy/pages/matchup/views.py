"""Two team sheets of a league side by side: a head-to-head game, or any two of its members."""

from __future__ import annotations

from fractions import Fraction

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, audience
from app.core.http.responses import is_shown, respond
from app.core.numbers import as_id
from app.core.viewer import current_user
from app.fantasy.leagues import adjustments
from app.fantasy.leagues import history as league_history
from app.fantasy.market import gameweeks
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league import page as league_page
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.matchup.page import matchup_page
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.standings import queries
from app.fantasy.standings.games import head_to_head

blueprint = Blueprint("matchups", __name__, url_prefix="/leagues/<slug>/matchups")


@blueprint.get("/<int:week>/<int:member_id>")
@audience(MEMBER)
def show(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """The member's head-to-head game of the gameweek.

    `against`: another member of the league, in any league.

    While games are played it polls itself.
    """
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = gameweeks.gameweek_of(league.season_id, week) or abort(404)
    version, over = league_version(league.id, gameweek)
    if not over and is_shown(version):
        return respond("leagues/matchup.html", "matchup", version=version)
    begin_snapshot()  # a game that both sides have players in shows one clock
    other, average = _opponent(league, gameweek, member_id)
    sides = [
        _side(league, gameweek, one, is_asked=one == member_id)
        for one in (member_id, other)
        if one is not None
    ]
    return respond(
        "leagues/matchup.html",
        "matchup",
        version=version,
        stop_polling=over,
        league=league,
        gameweek=gameweek,
        page=matchup_page(sides, FORMATS[league.format], average, over=over),
        ids=[one for one in (member_id, other) if one is not None],
        ended=over,
    )


def _opponent(
    league: queries.LeagueRow, gameweek: GameweekRow, member_id: int
) -> tuple[int | None, Fraction | None]:
    """Whom the member meets, and the points of the average where they meet that.

    None for what there is not.
    """
    if "against" in request.args:
        other = request.args.get("against", type=as_id)
        return (other if other is not None and other != member_id else abort(404)), None
    if league.mode != "head_to_head":
        return None, None
    for game in head_to_head(league.id, gameweek.id, member_id, rows=1):
        if member_id in (game.home.member_id, game.away.member_id):
            _, met = game.sides_of(member_id)
            return met.member_id, Fraction(met.points) if met.member_id is None else None
    return None, None


def _side(
    league: queries.LeagueRow, gameweek: GameweekRow, member_id: int, *, is_asked: bool
) -> league_page.TeamPage:
    """Without line-up where the sheet is another's and still hidden.

    An opponent who stands on no board any more has no name; there is no page of their own
    (`is_asked`).
    """
    found = league_history.team(league.id, gameweek.id, member_id)
    if found is None:
        found = abort(404) if is_asked or "against" in request.args else ("A former member", "")
    hidden = member_id != current_user.id and not sheet_picks.is_shown_to_all(
        league.team_rules_id, gameweek, clock.now()
    )
    picks = [] if hidden else sheet_picks.picks(member_id, gameweek, league)
    cost = 0 if hidden else sheet_picks.transfer_cost(member_id, gameweek.id, league.team_rules_id)
    return league_page.team_page(
        league,
        gameweek,
        found,
        picks,
        [],
        transfer_cost=cost,
        adjusted=adjustments.reasons(league.id, gameweek.id).get(member_id, []),
        over=False,
    )
