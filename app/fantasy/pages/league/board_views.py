"""Any game's board among the members of a league, and the tabs that lead to it."""

from __future__ import annotations

from flask import Blueprint, abort, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from app.accounts.players import player_of_member
from app.boards.groups.small_board import ModeWindow, small_board
from app.boards.pages.page import PAGE_ROWS
from app.boards.pages.views import OF_BOARD, mode_or_404, show_small_board
from app.boards.reads import RowRange
from app.boards.windows.rules import InvalidWindowError
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_number
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
from app.fantasy.leagues import guilds
from app.fantasy.standings import queries

blueprint = Blueprint("league_boards", __name__)


@blueprint.get("/boards/<game>/<mode>/<window>/leagues/<slug>")
@audience(MEMBER)
def show(game: str, mode: str, window: str, slug: str) -> ResponseReturnValue:
    """The members of one of the viewer's leagues among themselves, on any game's board."""
    league = queries.league_for_viewer(slug, current_user.id) or abort(404)
    place = ModeWindow(*mode_or_404(game, mode), window)
    me, number = player_of_member(current_user.id), page_number()
    guild = guilds.guild_of(league.slug, me.id if me else None)
    rows = RowRange((number - 1) * PAGE_ROWS, PAGE_ROWS)
    try:
        board = small_board(place, guild, rows, clock.now())
    except InvalidWindowError:
        abort(404)
    return show_small_board(board, place, number, league.name)


def boards_among_leagues() -> str:
    """The tabs that lead from a board to the same board among the members of each league."""
    member_id, board = current_user.id, request.view_args or {}

    def read() -> CachedValue[str]:
        tabs = [
            Markup('<li><a href="{}">{}</a></li>').format(
                url_for("league_boards.show", slug=league.slug, **board), league.name
            )
            for league in queries.leagues_of(member_id)
        ]
        return CachedValue("\n".join(tabs), (f"memberships:{member_id}", "leagues"))

    return cached_value(OF_BOARD.format(member=member_id, path=request.path), str, read)


@blueprint.app_template_global()
def my_leagues() -> list[queries.LeagueRow]:
    """The viewer's leagues."""
    return queries.leagues_of(current_user.id)
