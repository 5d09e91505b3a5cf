"""A public league's page for visitors: what it is, and the top of its table (decision 82)."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import PUBLIC, ask_to_sign_in, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import queries as league_queries
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.queries import About
from app.fantasy.leagues.services import APART
from app.fantasy.market import gameweeks, listing
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.home.public_table import MOST_MEMBERS, PublicRow, rows_for_visitors
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.share import league_picture
from app.fantasy.pages.share.pictures import cached_picture, load_club_colours, picture_response
from app.fantasy.standings import queries

blueprint = Blueprint("visited_leagues", __name__)

VISITORS_LIMIT = "60 per minute; 600 per hour"


@dataclass(frozen=True)
class VisitedLeague:
    """What visitors see of a public league.

    Attributes:
        gameweek: The newest gameweek that has begun; None before the first.
        rows: The top of its table; none of a league too large for it.
        version: Changes when the table does.
    """

    about: About
    gameweek: GameweekRow | None
    rows: tuple[PublicRow, ...]
    version: str


def is_signed_in() -> bool:
    """Whether the limit for visitors does not apply."""
    return bool(current_user.is_authenticated)


def visitors_page(slug: str) -> ResponseReturnValue:
    """The page of a public league for somebody who is signed out; others ask them to sign in.

    So do fragments, which belong to the page of somebody who was signed in.
    """
    visited = None if request.htmx else _visited(slug)
    if visited is None:
        return ask_to_sign_in()
    return respond("leagues/visited.html", visited=visited, league=visited.about.league)


@blueprint.get("/leagues/<slug>/picture.png")
@audience(PUBLIC)
@limiter.limit(VISITORS_LIMIT)
def picture(slug: str) -> Response:
    """Send what messengers show of a public league."""
    visited = _visited(slug) or abort(404)

    def draw() -> bytes:
        about = visited.about
        clubs = [club for club, _ in listing.clubs(about.season.id)]
        week = visited.gameweek.name if visited.gameweek else ""
        return league_picture.picture(about, week, visited.rows, clubs, load_club_colours())

    name = f"league-picture:1:{visited.about.league.id}:{visited.version}"
    return picture_response(cached_picture(name, draw))


def _visited(slug: str) -> VisitedLeague | None:
    """The league, if visitors may see it: no private one, and none of an imported season."""
    league = leagues.public(slug)
    if league is None:
        return None
    about = league_queries.about(league)
    row = queries.league_to_read(slug, 0)
    if row is None or APART in about.season.competition:
        return None
    gameweek = gameweeks.current_gameweek(league.season_id, clock.now())
    if gameweek is None or gameweek.deadline > clock.now() or gameweek.week < row.first_week:
        return VisitedLeague(about, None, (), f"{about.members}")
    version = f"{about.members}-{league_version(league.id, gameweek).version}"
    if about.members > MOST_MEMBERS:
        return VisitedLeague(about, gameweek, (), version)
    rows = rows_for_visitors(queries.standings(league.id, gameweek.id))
    return VisitedLeague(about, gameweek, rows, version)
