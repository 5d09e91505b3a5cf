"""A league's table as all of its members see it.

Rendered once for each state of it, what is a member's own added.

Lives here: what it rests on, and what is filled in for each. Who may see it is decided before, by
`member_of`. Head to head tables show the viewer's own game first, a table as of a moment is
anybody's own: both are rendered each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from flask import Response, abort, redirect, render_template, request, url_for
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.pagination import page_number
from app.core.http.responses import fragment_etag
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import (
    CachedValue,
    PageContent,
    ViewersOwn,
    cached_page,
    cached_value,
)
from app.core.page_cache.placeholders import ViewerRow
from app.core.viewer import current_user
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.large_table import page_with
from app.fantasy.pages.league.queries import around, next_step, table_now
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, league_for_viewer
from app.record import queries as record

# Keys of what is remembered of a member in a league.
OF_LEAGUE = MEMBERSHIP, NEXT, NOW = (
    "league:{member}:{slug}",
    "next:{member}:{slug}",
    "now:{member}:{slug}",
)
_TO_OWN_PLACE = '<a class="button button-quiet" href="?page=mine">To my place</a>'
_NEXT_LOCK = text("""
    SELECT least(
      (SELECT min(deadline) FROM gameweeks WHERE season_id = :season AND deadline > :now),
      (SELECT min(locks_at) FROM sheet_deadlines WHERE team_rules_id = :rules AND locks_at > :now))
""")


@dataclass(frozen=True)
class Membership:
    """Of the viewer, in the league at an address. `runs`: they are its commissioner."""

    league: int
    mode: str
    runs: bool


def member_of(slug: str, member_id: int) -> Membership | None:
    """None unless they belong to it and its season has a gameweek.

    Asked of the database, or remembered for as long as nothing of it changes.
    """

    def ask() -> CachedValue | None:
        row = league_for_viewer(slug, member_id)
        if row is None or gameweeks.current_gameweek(row.season_id, clock.now()) is None:
            return None
        known = json.dumps([row.id, row.mode, row.commissioner_id == member_id])
        return CachedValue(known, (f"league:{row.id}", f"table:{row.id}", "gameweeks"))

    known = cached_value(MEMBERSHIP.format(member=member_id, slug=slug), ask)
    return None if known is None else Membership(*json.loads(known))


def reading(
    league: LeagueRow,
    gameweek: GameweekRow,
    version: tuple[str, bool],
    now: datetime,
    context: Callable[[], Any],
) -> PageContent:
    """`version`: of league_version, read before anything else.

    `now`: when the gameweek was current.
    """
    until = db.session.scalar(
        _NEXT_LOCK, {"season": league.season_id, "rules": league.team_rules_id, "now": now}
    )
    return PageContent(context, tags_of(league.id, gameweek.id), version[0], version[1], until)


def tags_of(league_id: int, gameweek_id: int) -> tuple[str, ...]:
    """All on which a league's table rests, besides the time."""
    of_league = (f"league:{league_id}", f"table:{league_id}")
    return (
        *of_league,
        f"gameweek:{gameweek_id}",
        "gameweeks",
        "deadlines",
        "sheets",
        "clubs",
        "footballers",
        "names",
    )


def shared_table(slug: str) -> Response | None:
    """The table as it is now, of which only what is the member's own is asked for again.

    None: the usual way has it.
    """
    me, table = current_user.id, request.args.get("table", "")
    if request.args.get("page") == "mine":
        league = queries.league_for_viewer(slug, me) or abort(404)
        place = url_for(
            "fantasy.league", slug=slug, page=page_with(league.id, me), _anchor=f"member-{me}"
        )
        return cast("Response", redirect(place, 303))
    member = None if table not in ("", "week") or current_user.is_shadowed else member_of(slug, me)
    if member is None or member.mode == "head_to_head":
        return None
    number, now = page_number(), clock.now()
    # the tabs stand outside the fragment
    runs = member.runs and not request.headers.get("HX-Request")
    access_depends_on(f"league:{member.league}")

    def read() -> PageContent:
        league = queries.league_for_viewer(slug, me) or abort(404)
        gameweek = gameweeks.current_gameweek(league.season_id, now) or abort(404)
        version, over = league_version(league.id, gameweek)

        def context() -> dict[str, object]:
            begin_snapshot()  # the games and the table that rests on them
            games = record.gameweek_games(
                gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
            )
            shown = table_now(league, gameweek, games, over)
            return around(shown, games) | {"is_shared": True, "runs_it": runs}

        return reading(league, gameweek, (version, over), now, context)

    return cached_page(
        "leagues/show.html",
        "standings",
        f"{member.league}:{number}:{table}:{runs}",
        read,
        ViewersOwn(
            row=ViewerRow(f'<tr id="member-{me}"', _TO_OWN_PLACE),
            fillings={
                "next": lambda: _personal(NEXT, slug, now),
                "now": lambda: _personal(NOW, slug, now),
            },
        ),
    )


def _personal(which: str, slug: str, now: datetime) -> str:
    """What the viewer does next in the league, or what just happened in it to them.

    Remembered for each member.
    """
    me = current_user.id

    def ask() -> CachedValue:
        league = queries.league_for_viewer(slug, me) or abort(404)
        gameweek = gameweeks.current_gameweek(league.season_id, now) or abort(404)
        version, over = league_version(league.id, gameweek)
        games = record.gameweek_games(
            gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
        )
        # "in 2 hours and 5 minutes"
        minute = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
        said = ""
        if which == NEXT and (found := next_step(league.team_rules_id, gameweek)) is not None:
            page = {"gameweek": gameweek}
            said = render_template("leagues/_next.html", next=found, games=games, page=page)
        elif which == NOW:
            shown = swing_reading.now_page(league, gameweek, games, version, me)
            etag = fragment_etag(version)
            said = render_template(
                "leagues/_now.html", now=shown, league=league, now_over=over, now_etag=etag
            )
        return CachedValue(said, tags_of(league.id, gameweek.id), minute)

    return cached_value(which.format(member=me, slug=slug), ask) or ""
