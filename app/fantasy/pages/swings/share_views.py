"""Pages for sharing a play's swing: making and removing a link, and what it shows."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.rate_limits import limiter
from app.core.http.responses import respond
from app.core.numbers import MAX_WHOLE
from app.core.viewer import current_user
from app.fantasy.leagues import shares
from app.fantasy.leagues.models import SwingShare
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.share.pictures import cached_picture, load_club_colours, picture_response
from app.fantasy.pages.swings import picture as swing_picture
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.pages.swings.page import LABELS
from app.fantasy.standings import queries
from app.fantasy.standings.models import League
from app.fantasy.standings.queries import LeagueRow

blueprint = Blueprint("swing_shares", __name__)


@blueprint.post("/leagues/<slug>/swings/<game_id>/<int:play_number>/share")
@audience(MEMBER)
@limiter.limit("20 per minute; 100 per hour")
def share(slug: str, game_id: str, play_number: int) -> ResponseReturnValue:
    """Make a link to the swing."""
    league = _league(slug)
    if swing_reading.of_play(league, game_id, play_number, current_user.id) is None:
        abort(404)
    shares.SWINGS.make(league.id, current_user.id, game_id=game_id, play_number=play_number)
    return redirect(
        url_for(
            "swings.play", slug=slug, game_id=game_id, play_number=play_number, _anchor="share"
        ),
        303,
    )


@blueprint.post("/leagues/<slug>/swings/<game_id>/<int:play_number>/share/end")
@audience(MEMBER)
def take_back(slug: str, game_id: str, play_number: int) -> ResponseReturnValue:
    """Remove the link to the swing."""
    league = _league(slug)
    if play_number > MAX_WHOLE:  # no game has such a play, and the column would not hold it
        abort(404)
    shares.SWINGS.take_back(league.id, current_user.id, game_id=game_id, play_number=play_number)
    return redirect(
        url_for(
            "swings.play", slug=slug, game_id=game_id, play_number=play_number, _anchor="share"
        ),
        303,
    )


@blueprint.get("/swings/<token>")
@audience(PUBLIC)
@limiter.limit("60 per minute; 600 per hour")
def shared(token: str) -> ResponseReturnValue:
    """Show the play in the league to everybody who has the link, also without an account.

    Only names of teams are shown, none of people.
    """
    swing_share = shares.SWINGS.find(token, clock.now()) or abort(404)
    league = _league_of(swing_share)
    page = swing_reading.of_play(
        league, swing_share.game_id, swing_share.play_number, swing_share.member_id
    ) or abort(404)
    return respond(
        "leagues/swing_shared.html", league=league, page=page, labels=LABELS, token=token
    )


@blueprint.get("/swings/<token>/picture.png")
@audience(PUBLIC)
@limiter.limit("60 per minute; 600 per hour")
def picture(token: str) -> Response:
    """Send the swing as a picture."""
    swing_share = shares.SWINGS.find(token, clock.now()) or abort(404)
    league = _league_of(swing_share)
    gameweek = swing_reading.gameweek_of_game(league, swing_share.game_id) or abort(404)
    version = league_version(league.id, gameweek).version

    def draw() -> bytes:
        page = swing_reading.of_play(
            league, swing_share.game_id, swing_share.play_number, swing_share.member_id
        ) or abort(404)
        return swing_picture.picture(page, league.name, load_club_colours())

    return picture_response(cached_picture(f"swing-picture:3:{swing_share.id}:{version}", draw))


def _league_of(swing_share: SwingShare) -> LeagueRow:
    """The league as the member who shared the swing sees it."""
    slug = db.session.scalar(select(League.slug).where(League.id == swing_share.league_id))
    return queries.league_for_viewer(str(slug), swing_share.member_id) or abort(404)


def _league(slug: str) -> LeagueRow:
    return queries.league_for_viewer(slug, current_user.id) or abort(404)
