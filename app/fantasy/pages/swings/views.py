"""Pages of what plays did to a league's table: the latest, all of a game, and a single play."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import fragment_etag, respond
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import OWN_PAGE, PageContent, cached_page, cached_viewer
from app.core.viewer import current_user
from app.fantasy.amounts import signed_points
from app.fantasy.leagues import shares
from app.fantasy.market.gameweeks import next_deadline, shared_games_of
from app.fantasy.pages.league.cached_table import MEMBERSHIP, current_gameweek, league_of_member
from app.fantasy.pages.league.version import version_tags
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
@cached_viewer(MEMBERSHIP)
def latest(slug: str) -> ResponseReturnValue:
    """What just happened in the league, as on the page of its table.

    While games are played it polls itself.
    """
    now, me = clock.now(), current_user.id
    if request.htmx:
        league = league_of_member(slug, me) or abort(404)
        access_depends_on(f"league:{league.id}", f"memberships:{me}")
        return cached_page(
            "leagues/swings.html", "now", OWN_PAGE, lambda: _read_latest(slug, me, now)
        )
    current = current_gameweek(slug, me, now)
    league, gameweek, version = current.league, current.gameweek, current.version
    games = shared_games_of(gameweek)
    return respond(
        "leagues/swings.html",
        league=league,
        gameweek=gameweek,
        games=games,
        now=swing_reading.now_page(league, gameweek, games, version.version, me),
        now_over=version.is_over,
        now_etag=fragment_etag(version.version),
        status_words=status_words,
    )


def _read_latest(slug: str, me: int, now: datetime) -> PageContent:
    current = current_gameweek(slug, me, now)
    league, gameweek, version = current.league, current.gameweek, current.version

    games = shared_games_of(gameweek)
    context = {
        "league": league,
        "now": swing_reading.now_page(league, gameweek, games, version.version, me),
        "now_over": version.is_over,
        "now_etag": fragment_etag(version.version),
    }

    return PageContent(
        context,
        (*version_tags(league.id, gameweek.id), "clubs", "footballers", "names"),
        version.version,
        version.is_over,
        next_deadline(league.season_id, now),
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
