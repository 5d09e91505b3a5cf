"""Pages of what plays did to a league's table: the latest, all of a game, and a single play."""

from __future__ import annotations

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import fragment_etag, is_poll, is_shown, respond
from app.core.viewer import current_user
from app.fantasy.amounts import signed_points
from app.fantasy.leagues import shares
from app.fantasy.market import gameweeks
from app.fantasy.pages.league.version import league_version, version_to_read
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.pages.swings.page import LABELS
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record.pages.game_page import status_words

blueprint = Blueprint("swings", __name__, url_prefix="/leagues/<slug>/swings")
blueprint.add_app_template_filter(signed_points, "signed")

PAGE_ROWS = 20


@blueprint.get("")
@audience(MEMBER)
def latest(slug: str) -> ResponseReturnValue:
    """What just happened in the league, as on the page of its table.

    While games are played it polls itself.
    """
    if is_poll():
        current = version_to_read(slug, current_user.id, clock.now(), members_only=True)
        if current is not None and not current.is_over and is_shown(current.version):
            return respond("leagues/swings.html", "now", version=current.version)
    league = _league(slug)
    gameweek = gameweeks.current_gameweek(league.season_id, clock.now()) or abort(404)
    current = league_version(league.id, gameweek)
    games = gameweeks.games_of(gameweek)
    return respond(
        "leagues/swings.html",
        "now",
        version=current.version,
        stop_polling=current.is_over,
        league=league,
        gameweek=gameweek,
        games=games,
        now=swing_reading.now_page(league, gameweek, games, current.version, current_user.id),
        now_over=current.is_over,
        now_etag=fragment_etag(current.version),
        status_words=status_words,
    )


@blueprint.get("/<game_id>")
@audience(MEMBER)
def game(slug: str, game_id: str) -> ResponseReturnValue:
    """Every play of a game that moved somebody, newest first, PAGE_ROWS per page."""
    league = _league(slug)
    game, swings = swing_reading.of_game(league, game_id, current_user.id) or abort(404)
    number = page_number()
    return respond(
        "leagues/swings_of_game.html",
        league=league,
        game=game,
        swings=swings[(number - 1) * PAGE_ROWS : number * PAGE_ROWS],
        count=len(swings),
        number=number,
        pages=page_count(len(swings), PAGE_ROWS),
        labels=LABELS,
        status_words=status_words,
    )


@blueprint.get("/<game_id>/<int:play_number>")
@audience(MEMBER)
def play(slug: str, game_id: str, play_number: int) -> ResponseReturnValue:
    """What one play did in the league, and after it what each of its corrections did."""
    league = _league(slug)
    page = swing_reading.of_play(league, game_id, play_number, current_user.id) or abort(404)
    return respond(
        "leagues/swing.html",
        league=league,
        page=page,
        labels=LABELS,
        token=shares.SWINGS.token_of(
            league.id, current_user.id, game_id=game_id, play_number=play_number
        ),
    )


def _league(slug: str) -> LeagueRow:
    return queries.league_for_viewer(slug, current_user.id) or abort(404)
