"""The front page."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.http.access import PUBLIC, audience
from app.core.http.responses import is_shown, respond
from app.core.page_cache.pages import PageContent, cached_page
from app.core.viewer import current_user
from app.fantasy.gameweeks import catching_up
from app.fantasy.pages.home.queries import load_front_page
from app.fantasy.scoring import my_games
from app.record import queries as record
from app.record.pages.game_page import status_words

blueprint = Blueprint("home", __name__)

FRONT_PAGE_GAMES = 6


@blueprint.get("/")
@audience(PUBLIC)
def show() -> ResponseReturnValue:
    """The front page.

    A member's own part is a fragment that polls itself. It changes with every change of its
    content, and every minute because deadlines are told in hours and minutes.
    """
    if not current_user.is_authenticated:
        return cached_page("home/show.html", "mine", "", _read_for_strangers)
    version = _version(current_user.id)
    if is_shown(version):
        return respond("home/show.html", "mine", version=version)
    if catching_up.gamer(current_user.id, clock.now()):
        version = _version(current_user.id)
    return respond(
        "home/show.html",
        "mine",
        version=version,
        page=load_front_page(current_user.id),
        games=_newest_games(),
        status_words=status_words,
    )


def _read_for_strangers() -> PageContent:
    return PageContent(
        lambda: {"page": None, "games": _newest_games(), "status_words": status_words}, ("games",)
    )


def _version(member_id: int) -> str:
    return f"{my_games.version(member_id)}-{clock.now():%H%M}"


def _newest_games() -> list[record.GameRow]:
    return record.games(FRONT_PAGE_GAMES)
