"""The front page."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, url_for
from flask.typing import ResponseReturnValue

from app.accounts.rules import initials
from app.core import clock
from app.core.http.access import PUBLIC, audience
from app.core.page_cache.pages import OWN_PAGE, PageContent, cached_page, cached_viewer
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
from app.fantasy.pages.home import public_table
from app.fantasy.pages.home.frames import ShownPlay, as_json
from app.fantasy.pages.home.public_table import PublicTable
from app.fantasy.pages.home.queries import load_front_page
from app.fantasy.pages.league.cached_table import tags_of
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.tags import tags_of_teams
from app.fantasy.scoring import my_games
from app.record import queries as record
from app.record.pages.game_page import status_words
from app.record.queries import GameRow

blueprint = Blueprint("home", __name__)

FRONT_PAGE_GAMES = 6


@blueprint.get("/")
@audience(PUBLIC)
@cached_viewer()
def show() -> ResponseReturnValue:
    """The front page.

    A member's own part is a fragment that polls itself. It changes with every change of its
    content, and every minute because deadlines are told in hours and minutes.
    """
    if not current_user.is_authenticated:
        return cached_page("home/show.html", "table", "", _read_for_visitors)
    member_id = current_user.id
    return cached_page("home/show.html", "mine", OWN_PAGE, lambda: _read_own(member_id))


def _read_own(member_id: int) -> PageContent:
    now = clock.now()
    state = my_games.state(member_id, now)
    tags = tags_of_teams(member_id) | {
        *(f"{kind}:{league_id}" for league_id in state.leagues for kind in ("league", "table")),
        *(f"gameweek:{gameweek_id}" for gameweek_id in state.gameweeks),
        f"notices:{member_id}",
        f"player:{member_id}",
        "names",
        "tournaments",
        "feeds",
    }
    games = _games(now)
    return PageContent(
        {
            "me": member_id,
            "page": load_front_page(member_id, games, state.live_leagues),
            "games": games,
            "mark": initials,
            "status_words": status_words,
        },
        tags,
        f"{state.version}-{now:%H%M}",
        expires_at=clock.next_minute(now),
    )


def _read_for_visitors() -> PageContent:
    now = clock.now()
    public = public_table.find_public_league(now)
    if public is None:
        return PageContent(_visitors_page(None, now), ("games", "leagues", "gameweeks", "feeds"))
    version = league_version(public.league.id, public.gameweek)
    return PageContent(
        _visitors_page(public_table.load_table(public, version.version), now),
        (
            *("games", "leagues", "feeds", "footballers", "names"),
            *tags_of(public.league.id, public.gameweek.id),
        ),
        version.version,
    )


def _visitors_page(table: PublicTable | None, now: datetime) -> dict[str, object]:
    return {
        "page": None,
        "table": table,
        "frames": as_json(table.frames, _play_page) if table else [],
        "play_page": _play_page,
        "games": _games(now),
        "status_words": status_words,
    }


def _play_page(play: ShownPlay) -> str:
    """The address of the play in the list of its game."""
    return url_for("record.plays", game_id=play.game_id, _anchor=f"play-{play.play_number}")


def _games(now: datetime) -> list[GameRow]:
    """The games of the front page, which all members and visitors share."""

    def load() -> CachedValue[list[GameRow]]:
        games = record.games_around(now, FRONT_PAGE_GAMES)
        return CachedValue(games, ("games",), clock.next_minute(now))

    return cached_value("front-games", list[GameRow], load)
