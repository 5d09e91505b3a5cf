"""Links to a recap: making and removing one, and what it shows to everybody."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.qr import qr_code
from app.core.viewer import current_user
from app.fantasy.leagues import shares
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.recap import making
from app.fantasy.pages.recap import page as recap_page
from app.fantasy.pages.recap import queries as recap_queries
from app.fantasy.pages.recap.page import RecapPage
from app.fantasy.pages.share import recap_picture
from app.fantasy.pages.share.pictures import load_club_colours, picture_response
from app.fantasy.pages.share.shared_weeks import (
    RATE_LIMIT,
    SHARING_LIMIT,
    load_shared_week,
)
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow

blueprint = Blueprint("recap_shares", __name__)
blueprint.add_app_template_filter(qr_code, "qr")


@blueprint.post("/leagues/<slug>/recap/<int:week>/share")
@audience(MEMBER)
@limiter.limit(SHARING_LIMIT)
def share(slug: str, week: int) -> ResponseReturnValue:
    """Make a link to the recap."""
    league, gameweek = _finished(slug, week)
    shares.WEEKS.make(league.id, current_user.id, **shares.recap(gameweek.id))
    return _back(slug, week)


@blueprint.post("/leagues/<slug>/recap/<int:week>/share/end")
@audience(MEMBER)
def take_back(slug: str, week: int) -> ResponseReturnValue:
    """Remove the link to the recap."""
    league, gameweek = _finished(slug, week)
    shares.WEEKS.take_back(league.id, current_user.id, **shares.recap(gameweek.id))
    return _back(slug, week)


@blueprint.get("/recaps/<token>")
@audience(PUBLIC)
@limiter.limit(RATE_LIMIT)
def shared(token: str) -> ResponseReturnValue:
    """Show the recap to everybody who has the link, also without an account.

    Only names of teams are shown, none of people.
    """
    recap = _shared(token)
    return respond(
        "leagues/recap_shared.html",
        league=recap.league,
        page=recap.page,
        gameweek=recap.gameweek,
        headings=recap_page.HEADINGS,
        token=token,
    )


@blueprint.get("/recaps/<token>/picture.png")
@audience(PUBLIC)
@limiter.limit(RATE_LIMIT)
def picture(token: str) -> Response:
    """Send the recap as a picture, or one `card` of it."""
    recap = _shared(token)
    page = recap.page or abort(503)
    week, league = recap.gameweek.name, recap.league.name
    kind = request.args.get("card")
    if kind is None:
        png = recap_picture.picture(page, week, league, load_club_colours())
    else:
        claim = next((claim for claim in page.claims if claim.kind == kind), None) or abort(404)
        png = recap_picture.card_picture(claim, page, week, league)
    return picture_response(png)


@dataclass(frozen=True)
class _Shared:
    """`page`: None until the recap is made."""

    league: LeagueRow
    gameweek: GameweekRow
    page: RecapPage | None


def _shared(token: str) -> _Shared:
    """What the link shows, as the member who shared it sees it."""
    week = load_shared_week("recap", token)
    if not week.gameweek.is_settled or making.is_too_large(week.league):
        abort(404)
    return _Shared(week.league, week.gameweek, making.load_for(week.league, week.gameweek))


def _finished(slug: str, week: int) -> tuple[LeagueRow, GameweekRow]:
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    finished = recap_queries.finished_weeks(league)
    return league, next((row for row in finished if row.week == week), None) or abort(404)


def _back(slug: str, week: int) -> ResponseReturnValue:
    return redirect(url_for("league_recap.show", slug=slug, week=week, _anchor="share"), 303)
