"""Pages of what plays did to a league's table.

The latest, all of a game, and one play with its corrections.
"""

from __future__ import annotations

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import fragment_etag, is_poll, is_shown, respond
from app.core.viewer import current_user
from app.fantasy.amounts import signed_points
from app.fantasy.leagues import swing_shares
from app.fantasy.market import gameweeks
from app.fantasy.pages.league.version import league_version, version_to_read
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.pages.swings.page import LABELS
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record
from app.record.pages.game_page import status_words

blueprint = Blueprint("swings", __name__, url_prefix="/leagues/<slug>/swings")
blueprint.add_app_template_filter(signed_points, "signed")

PAGE_ROWS = 20


@blueprint.get("")
@audience(MEMBER)
def latest(slug: str) -> ResponseReturnValue:
    """What just happened in the league, as its table's page has it too.

    While games are played it polls itself.
    """
    if is_poll():
        found = version_to_read(slug, current_user.id, clock.now(), members_only=True)
        if found is not None and not found[1] and is_shown(found[0]):
            return respond("leagues/swings.html", "now", version=found[0])
    league = _league(slug)
    gameweek = gameweeks.current_gameweek(league.season_id, clock.now()) or abort(404)
    version, over = league_version(league.id, gameweek)
    games = record.gameweek_games(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    return respond(
        "leagues/swings.html",
        "now",
        version=version,
        stop_polling=over,
        league=league,
        gameweek=gameweek,
        games=games,
        now=swing_reading.now_page(league, gameweek, games, version, current_user.id),
        now_over=over,
        now_etag=fragment_etag(version),
        status_words=status_words,
    )


@blueprint.get("/<game_id>")
@audience(MEMBER)
def game(slug: str, game_id: str) -> ResponseReturnValue:
    """Every play of a game that moved somebody, newest first, PAGE_ROWS a page."""
    league = _league(slug)
    found = swing_reading.of_game(league, game_id, current_user.id) or abort(404)
    number = page_number()
    return respond(
        "leagues/swings_of_game.html",
        league=league,
        game=found[0],
        swings=found[1][(number - 1) * PAGE_ROWS : number * PAGE_ROWS],
        count=len(found[1]),
        number=number,
        pages=page_count(len(found[1]), PAGE_ROWS),
        labels=LABELS,
        status_words=status_words,
    )


@blueprint.get("/<game_id>/<int:play_number>")
@audience(MEMBER)
def play(slug: str, game_id: str, play_number: int) -> ResponseReturnValue:
    """What one play did in the league, and after it what each of its corrections did."""
    league = _league(slug)
    found = swing_reading.of_play(league, game_id, play_number, current_user.id) or abort(404)
    return respond(
        "leagues/swing.html",
        league=league,
        page=found,
        labels=LABELS,
        token=swing_shares.token_of(league.id, current_user.id, game_id, play_number),
    )


def _league(slug: str) -> LeagueRow:
    return queries.league_for_viewer(slug, current_user.id) or abort(404)
