"""Links to a matchup: making and removing one, and what it shows to everybody."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import shares
from app.fantasy.leagues.models import WeekShare
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.matchup.page import MatchupPage
from app.fantasy.pages.matchup.queries import NOBODY, Opponents, find_opponents, load_matchup
from app.fantasy.pages.share import matchup_picture
from app.fantasy.pages.share.matchup_picture import Matchup
from app.fantasy.pages.share.pictures import (
    cached_picture,
    load_club_colours,
    picture_response,
)
from app.fantasy.pages.share.shared_weeks import (
    RATE_LIMIT,
    SHARING_LIMIT,
    load_shared_week,
)
from app.fantasy.sheets.visibility import is_shown_to_all
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow

blueprint = Blueprint("matchup_shares", __name__)


@blueprint.post("/leagues/<slug>/matchups/<int:week>/<int:member_id>/share")
@audience(MEMBER)
@limiter.limit(SHARING_LIMIT)
def share(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """Make a link to the member's head-to-head game of the gameweek."""
    league, about = _game(slug, week, member_id)
    shares.WEEKS.make(league.id, current_user.id, **about)
    return _back(slug, week, member_id)


@blueprint.post("/leagues/<slug>/matchups/<int:week>/<int:member_id>/share/end")
@audience(MEMBER)
def take_back(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    """Remove the link to the game."""
    league, about = _game(slug, week, member_id)
    shares.WEEKS.take_back(league.id, current_user.id, **about)
    return _back(slug, week, member_id)


@blueprint.get("/matchups/<token>")
@audience(PUBLIC)
@limiter.limit(RATE_LIMIT)
def shared(token: str) -> ResponseReturnValue:
    """Show the game to everybody who has the link, also without an account.

    Only names of teams are shown, none of people, and no line-up before it is locked.
    """
    begin_snapshot()
    game = _shared(token)
    return respond(
        "leagues/matchup_shared.html",
        league=game.league,
        gameweek=game.gameweek,
        page=game.page(),
        ended=game.is_over,
        token=token,
    )


@blueprint.get("/matchups/<token>/picture.png")
@audience(PUBLIC)
@limiter.limit(RATE_LIMIT)
def picture(token: str) -> Response:
    """Send the game as a picture."""
    game = _shared(token)

    def draw() -> bytes:
        begin_snapshot()
        matchup = Matchup(game.page(), game.gameweek.name, game.league.name, game.is_over)
        return matchup_picture.picture(matchup, load_club_colours())

    is_open = is_shown_to_all(game.league.team_rules_id, game.gameweek.id, clock.now())
    name = f"matchup-picture:1:{game.share_id}:{game.version}:{is_open}"
    return picture_response(cached_picture(name, draw))


@dataclass(frozen=True)
class _Shared:
    """A game that a link shows. `version`: of its points; it is over when nothing will move."""

    share_id: int
    league: LeagueRow
    gameweek: GameweekRow
    opponents: Opponents
    version: str
    is_over: bool

    def page(self) -> MatchupPage:
        return load_matchup(
            self.league, self.gameweek, self.opponents, NOBODY, is_over=self.is_over
        )


def _shared(token: str) -> _Shared:
    """What the link shows; whoever shared it is first if they play in it."""
    week = load_shared_week("matchup", token)
    league, gameweek = week.league, week.gameweek
    opponents = _opponents(league, gameweek, week.share)
    current = league_version(league.id, gameweek)
    return _Shared(week.share.id, league, gameweek, opponents, current.version, current.is_over)


def _opponents(league: LeagueRow, gameweek: GameweekRow, share: WeekShare) -> Opponents:
    """The game; 404 if it is no more, because fixtures were drawn again."""
    opponents = find_opponents(league, gameweek, share.home_id, share.member_id)
    return opponents if opponents.home_id == share.home_id else abort(404)


def _game(slug: str, week: int, member_id: int) -> tuple[LeagueRow, dict[str, int | str]]:
    """The league and the member's game in it, as a link is about it."""
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    gameweek = gameweeks.gameweek_of(league.season_id, week) or abort(404)
    opponents = find_opponents(league, gameweek, member_id, current_user.id)
    return league, shares.matchup(gameweek.id, opponents.home_id or abort(404))


def _back(slug: str, week: int, member_id: int) -> ResponseReturnValue:
    return redirect(
        url_for("matchups.show", slug=slug, week=week, member_id=member_id, _anchor="share"), 303
    )
