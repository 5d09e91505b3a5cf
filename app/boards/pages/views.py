"""The explorer: games, their modes, and each mode's boards by window."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.accounts.players import names_of, player_of, player_of_member
from app.boards.catalogue import queries as catalogue
from app.boards.groups.small_board import ModeWindow, SmallBoard, friends_of, small_board
from app.boards.models import Mode, ScoreGame
from app.boards.pages.page import (
    KIND_TITLES,
    PAGE_ROWS,
    board_page,
    points,
    rule_words,
    small_board_page,
    subscore_words,
)
from app.boards.player_names import display_names
from app.boards.reads import RowRange
from app.boards.services import REDIS, read
from app.boards.windows import rules as windows
from app.boards.windows.rules import InvalidWindowError, Window
from app.core import clock
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.pagination import page_number
from app.core.http.responses import respond
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import OWN_PAGE, PageContent, cached_page, cached_viewer
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user

blueprint = Blueprint("boards", __name__)
blueprint.add_app_template_filter(points, "in_points")
blueprint.add_app_template_filter(
    lambda subscore, mode: subscore_words(mode.ordering, subscore), "in_subscore"
)

AROUND = 4
# Keys of what is cached of a member on boards: the tabs of their leagues, and their player.
OF_BOARD, PLAYER = "whose:{member}:{path}", "player:{member}"
PREVIOUS = 24


class Link(NamedTuple):
    """A link to a window; `current` if it leads to the window shown."""

    text: str
    window_id: str
    current: bool = False


@blueprint.get("/boards")
@audience(PUBLIC)
def games() -> ResponseReturnValue:
    """Show the list of games."""
    listed = [game for game in catalogue.games() if game.hidden_at is None]
    games_with_modes = [(game, catalogue.listed_modes(game)) for game in listed]
    return respond(
        "boards/games.html",
        games=[(game, modes) for game, modes in games_with_modes if modes],
        rule_words=rule_words,
    )


@blueprint.get("/boards/<game>/<mode>")
@audience(PUBLIC)
def mode(game: str, mode: str) -> ResponseReturnValue:
    """Redirect to the mode's current window of its longest kind that still ends."""
    _, score_mode = mode_or_404(game, mode)
    kind = next(
        (kind for kind in ("monthly", "weekly", "daily") if kind in score_mode.windows),
        score_mode.windows[0],
    )
    window = windows.window_of(kind, clock.now(), score_mode.calendar)
    return redirect(url_for("boards.board", game=game, mode=mode, window=window.window_id))


@blueprint.get("/boards/<game>/<mode>/<window>")
@audience(PUBLIC)
@cached_viewer(OF_BOARD, PLAYER)
def board(game: str, mode: str, window: str) -> ResponseReturnValue:
    """Show a page of a board with the viewer's place on it.

    The fragment `board` polls itself while the window is open. An alias (`daily`) redirects to the
    window that it stands for now.
    """
    me, page = _my_player(), page_number()
    return cached_page(
        "boards/show.html",
        "board",
        f"{page}:{me or ''}",
        lambda: _read_board(game, mode, window, page, me),
    )


def _read_board(game: str, mode: str, window: str, page: int, me: str | None) -> PageContent:
    """Read a page of the board with the place of player `me`; the same for all without one."""
    score_game, score_mode = mode_or_404(game, mode)
    try:
        meant = windows.named_window(window, clock.now(), score_mode.calendar).window_id
        if meant != window:  # an alias
            abort(redirect(url_for("boards.board", game=game, mode=mode, window=meant)))
        reading = read(score_game, score_mode, window)
    except InvalidWindowError:
        abort(404)
    changes = reading.changes()
    if page == 1 and me is None:
        view = reading.top(PAGE_ROWS)
    else:
        view = reading.board.view((page - 1) * PAGE_ROWS, PAGE_ROWS, me, AROUND)
    members = [row.member for row in (*view.rows, *view.around)]
    names = display_names(reading, members, view.details)
    model = board_page(reading, view, names, me, page)
    if page > model.pages:
        abort(404)
    tags: tuple[str, ...] = ()
    if (
        changes is not None
        and reading.record is not None
        and reading.source == REDIS
        and not model.is_merged
    ):
        tags = (
            "catalogue",
            "boards",
            "names",
            f"board:{reading.record.id}",
            f"verified:{reading.record.id}",
        )
    return PageContent(
        {
            "page": model,
            "rules": rule_words(score_mode),
            "kinds": _kinds(score_mode, reading.window),
            "neighbours": _neighbours(score_mode, reading.window),
            "previous": _previous(score_mode, reading.window),
            "is_frozen": reading.record is not None and reading.record.frozen_at is not None,
        },
        tags,
        f"{page}-{model.version}",
        is_final=not model.is_open,
        expires_at=_next_window(score_mode, reading.window),
        counters=changes or {},
    )


@blueprint.get("/boards/<game>/<mode>/<window>/friends")
@audience(MEMBER)
def among_friends(game: str, mode: str, window: str) -> ResponseReturnValue:
    """Show the viewer among their friends."""
    place = ModeWindow(*mode_or_404(game, mode), window)
    page = page_number()
    try:
        board = small_board(
            place,
            friends_of(player_of(current_user).id),
            RowRange((page - 1) * PAGE_ROWS, PAGE_ROWS),
            clock.now(),
        )
    except InvalidWindowError:
        abort(404)
    return show_small_board(board, place, page, "Friends")


def show_small_board(
    board: SmallBoard, place: ModeWindow, page: int, whose: str
) -> ResponseReturnValue:
    """Show a page of a small board; its fragment polls itself while the window is open.

    Args:
        board: The page of the group's board.
        place: The mode's window that it belongs to.
        page: The page's number, from 1.
        whose: The title of the tab that is open.
    """
    window = windows.parse_window(place.window_id, place.mode.calendar)
    names = names_of([UUID(row.member) for row in board.rows])
    model = small_board_page(board, place, window, names, page)
    if page > model.pages:
        abort(404)
    values = {"page": model, "rules": rule_words(place.mode), "whose": whose}
    # friendships raise no tags
    content = PageContent(values, (), f"{page}-{model.version}", is_final=not model.is_open)
    return cached_page("boards/small_board.html", "board", OWN_PAGE, lambda: content)


def mode_or_404(game: str, mode: str) -> tuple[ScoreGame, Mode]:
    """Find a mode whose boards everybody may read; private modes give a 404 too."""
    score_game = catalogue.find_game(game) or abort(404)
    score_mode = catalogue.find_mode(score_game, mode)
    if score_mode is None or score_mode.private:
        abort(404)
    return score_game, score_mode


def _my_player() -> str | None:
    if not current_user.is_authenticated:
        return None
    member = current_user.id

    def ask() -> CachedValue[str | None]:
        player = player_of_member(member)
        return CachedValue(str(player.id) if player else None, (f"player:{member}",))

    access_depends_on(f"player:{member}")
    return cached_value(PLAYER.format(member=member), str | None, ask)


def _next_window(mode: Mode, window: Window) -> datetime | None:
    """Return when the page's links to windows change or its window closes; None if never."""
    ends = [
        window_now.ends
        for window_now in windows.windows_of(mode.windows, clock.now(), mode.calendar)
    ]
    return min(
        (end for end in (*ends, window.ends) if end is not None and end > clock.now()), default=None
    )


def _kinds(mode: Mode, window: Window) -> list[Link]:
    """Link to the current window of each of the mode's kinds."""
    now = clock.now()
    present = windows.windows_of(mode.windows, now, mode.calendar)
    return [
        Link(KIND_TITLES[current.kind], current.window_id, current.kind == window.kind)
        for current in present
    ]


def _neighbours(mode: Mode, window: Window) -> dict[str, Link]:
    """Link to the window before, and to the one after if it has begun."""
    neighbours = {
        "before": windows.before(window, mode.calendar),
        "after": windows.after(window, mode.calendar),
    }
    now = clock.now()
    return {
        name: Link(windows.title(neighbour), neighbour.window_id)
        for name, neighbour in neighbours.items()
        if neighbour is not None and neighbour.starts is not None and neighbour.starts <= now
    }


def _previous(mode: Mode, window: Window) -> list[Link]:
    """Link to the windows of this kind that have scores, newest first."""
    return [
        Link(windows.title(windows.parse_window(window_id, mode.calendar)), window_id)
        for window_id in catalogue.boards_before(mode, window, PREVIOUS)
    ]
