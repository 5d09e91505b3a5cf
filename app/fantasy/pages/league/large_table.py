"""The league that a page shows, brought up to date before it is read.

The table of a large one from Redis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import Flask, request

from app.core import clock
from app.core.http.pagination import page_count
from app.core.http.responses import is_poll
from app.core.page_cache.conditional_get import disable_caching
from app.core.redis.clients import RedisAway
from app.core.viewer import current_user
from app.fantasy.gameweeks import catching_up
from app.fantasy.pages.league.page import LeaguePage, Shown, league_page, part_of_week
from app.fantasy.standings.large_table import TOTALS, WEEK, large_table
from app.fantasy.standings.season_table import PAGE_ROWS, page_of, places_of


def init_app(app: Flask) -> None:
    """Every page of a league shows what the footballers of a deferred gameweek count.

    Its table is caught up with its version (version.py), and so are polls.
    """

    @app.before_request
    def catch_up() -> None:
        arguments = request.view_args or {}
        if (
            not str(request.url_rule).startswith("/leagues/<slug>")
            or request.endpoint == "fantasy.league"
        ):
            return
        if is_poll() and "member_id" not in arguments:
            return
        if current_user.is_authenticated:
            shown = {current_user.id, arguments.get("member_id", current_user.id)}
            catching_up.league_named(arguments["slug"], clock.now(), sorted(shown))


def page_with(league_id: int, member_id: int) -> int:
    """The page of the season's table that the member stands on; 1 for who is not in it."""
    table = large_table(league_id)
    if table is not None:
        try:
            return (table.position(member_id) or 0) // PAGE_ROWS + 1
        except RedisAway:
            pass  # then PostgreSQL says it, as it does where there is no such table
    return page_of(league_id, member_id)


def large_league_page(
    shown: Shown,
    me: int,
    *,
    of_week: bool,
    notes: Mapping[int, Sequence[str]],
    changes: Sequence[str],
) -> LeaguePage | None:
    """A page of a large league's table while a deferred gameweek is played.

    None where PostgreSQL has its order.
    """
    table = large_table(shown.league.id, WEEK if of_week else TOTALS)
    if table is None:
        return None
    try:
        members = table.members((shown.number - 1) * shown.page_rows, shown.page_rows)
        mine = table.position(me)
        if not catching_up.league(shown.league.id, clock.now(), members):
            disable_caching()
        places = places_of(shown.league, shown.gameweek, table, members)
    except RedisAway:
        return None
    mine_on = (mine or 0) // shown.page_rows + 1
    if not of_week:
        return league_page(shown, places, mine=mine_on, notes=notes, changes=changes)
    return part_of_week(shown, places, page_count(shown.league.members, shown.page_rows), mine_on)
