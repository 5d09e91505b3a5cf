"""Catches leagues up before their pages are read, and reads the tables of large ones from Redis."""

from __future__ import annotations

from flask import Flask, request

from app.core import clock
from app.core.http.pagination import page_count
from app.core.http.responses import is_poll
from app.core.page_cache.values import disable_caching
from app.core.redis.clients import RedisAway
from app.core.viewer import current_user
from app.fantasy.gameweeks import catching_up
from app.fantasy.pages.league.page import LeaguePage, TableContext, league_page, part_of_week
from app.fantasy.standings.large_table import TOTALS, WEEK, large_table
from app.fantasy.standings.season_table import PAGE_ROWS, page_of, places_of


def init_app(app: Flask) -> None:
    """Catch up the league of every page that shows what footballers of a deferred gameweek count.

    The page of the table, and polls, catch up with the table's version instead (version.py).
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
            members = {current_user.id, arguments.get("member_id", current_user.id)}
            catching_up.league_named(arguments["slug"], clock.now(), sorted(members))


def page_with(league_id: int, member_id: int) -> int:
    """The page of the season's table with the member's row; 1 for somebody who is not in it."""
    table = large_table(league_id)
    if table is not None:
        try:
            return (table.position(member_id) or 0) // PAGE_ROWS + 1
        except RedisAway:
            pass  # PostgreSQL answers, as it does for a league without such a table
    return page_of(league_id, member_id)


def large_league_page(context: TableContext, me: int, *, of_week: bool) -> LeaguePage | None:
    """A page of a large league's table while a deferred gameweek is played.

    None if PostgreSQL has the order of the table.
    """
    table = large_table(context.league.id, WEEK if of_week else TOTALS)
    if table is None:
        return None
    try:
        members = table.members((context.number - 1) * context.page_rows, context.page_rows)
        position = table.position(me)
        if not catching_up.league(context.league.id, clock.now(), members):
            disable_caching()
        places = places_of(context.league, context.gameweek, table, members)
    except RedisAway:
        return None
    mine = (position or 0) // context.page_rows + 1
    if not of_week:
        return league_page(context, places, mine=mine)
    pages = page_count(context.league.members, context.page_rows)
    return part_of_week(context, places, pages, mine)
