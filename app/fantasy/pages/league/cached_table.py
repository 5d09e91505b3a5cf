"""A league's table from the page cache.

It is rendered once per version of the table, for all members or all others; each viewer's own parts
fill placeholders. In a head-to-head league, whose table begins with the viewer's own game, each
member has their own. Tables as of a moment are rendered for each request (views.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from flask import Response, abort, redirect, render_template, url_for
from sqlalchemy import text

from app.core import clock
from app.core.db import db
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.htmx import request
from app.core.http.pagination import page_number
from app.core.http.responses import fragment_etag
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import OwnPage, PageContent, ViewersOwn, cached_page
from app.core.page_cache.values import CachedValue, cached_value
from app.core.viewer import current_user
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow, shared_games_of, shared_gameweek
from app.fantasy.pages.league.queries import invite_code, next_step, table_now, table_values
from app.fantasy.pages.league.version import LeagueVersion, league_version, shared_version
from app.fantasy.pages.swings import queries as swing_reading
from app.fantasy.standings.models import DRAFT
from app.fantasy.standings.queries import (
    LeagueRow,
    has_schedule,
    league_for_viewer,
    league_to_read,
)
from app.fantasy.standings.season_places import cache_places
from app.fantasy.standings.season_table import page_of

# Keys of what is cached for each member of a league.
OF_LEAGUE = MEMBERSHIP, NEXT, NOW, INVITATION = (
    "league:{member}:{slug}",
    "next:{member}:{slug}",
    "now:{member}:{slug}",
    "invitation:{member}:{slug}",
)
_TO_OWN_PLACE = '<a class="button button-quiet" href="?page=mine">My rank</a>'
_NEXT_LOCK = text("""
    SELECT least(
      (SELECT min(deadline) FROM gameweeks WHERE season_id = :season AND deadline > :now),
      (SELECT min(locks_at) FROM sheet_deadlines WHERE team_rules_id = :rules AND locks_at > :now))
""")


def league_of_member(slug: str, member_id: int) -> LeagueRow | None:
    """The league from the page cache; None unless the member is in it.

    Its number of members may be as old as an entry of the cache.
    """

    def read() -> CachedValue[LeagueRow | None]:
        row = league_for_viewer(slug, member_id)
        tags = (f"league:{row.id}", f"memberships:{member_id}", "deadlines") if row else ()
        return CachedValue(row, tags)

    return cached_value(MEMBERSHIP.format(member=member_id, slug=slug), LeagueRow | None, read)


def tags_of(league_id: int, gameweek_id: int) -> tuple[str, ...]:
    """Everything that a league's table depends on, besides the time."""
    return (
        f"league:{league_id}",
        f"table:{league_id}",
        f"gameweek:{gameweek_id}",
        "gameweeks",
        "deadlines",
        "sheets",
        "clubs",
        "footballers",
        "names",
    )


def cached_table(slug: str) -> Response | None:
    """The table as it is now, for a viewer who may read it.

    None if the view must answer: there is no such table yet, or the viewer's differs from others'.
    """
    me, table = current_user.id, request.args.get("table", "")
    if request.args.get("page") == "mine":
        return _to_own_place(slug)
    if table not in ("", "week", "season") or current_user.is_shadowed:
        return None
    league, now = league_of_member(slug, me) or league_to_read(slug, me), clock.now()
    if league is None or shared_gameweek(league.season_id, now) is None:
        return None
    if league.game == DRAFT and not has_schedule(league.id):
        return None
    access_depends_on(f"league:{league.id}", f"memberships:{me}")
    # The tabs, which differ for the commissioner, are outside of the fragment.
    runs = league.commissioner_id == me and not request.htmx
    key = f"{league.id}:{page_number()}:{table}:{runs}:{league.is_member}"
    is_own = league.mode == "head_to_head"
    return cached_page(
        "leagues/show.html",
        "standings",
        OwnPage(key) if is_own else key,
        lambda: _read_table(slug, me, now, runs=runs),
        _viewers_own(league, me, now),
    )


def _viewers_own(league: LeagueRow, me: int, now: datetime) -> ViewersOwn:
    """The viewer's row, and what members see of their own around the table."""
    slug = league.slug
    parts = {
        "next": lambda: _personal(NEXT, slug, now),
        "now": lambda: _personal(NOW, slug, now),
        "invite": lambda: _invitation(slug) if league.commissioner_id == me else "",
    }
    if not league.is_member:
        return ViewersOwn(fillings=dict.fromkeys(parts, str))
    return ViewersOwn(f'<tr id="member-{me}"', _TO_OWN_PLACE, parts)


def _to_own_place(slug: str) -> Response:
    me = current_user.id
    league = league_for_viewer(slug, me) or abort(404)
    place = url_for(
        "fantasy.league", slug=slug, page=page_of(league.id, me), _anchor=f"member-{me}"
    )
    return cast("Response", redirect(place, 303))


@dataclass(frozen=True)
class CurrentGameweek:
    """A league in its current gameweek, and the version that was read before everything else."""

    league: LeagueRow
    gameweek: GameweekRow
    version: LeagueVersion


def current_gameweek(slug: str, member_id: int, now: datetime) -> CurrentGameweek:
    """A league of the member's in its current gameweek, from the page cache; 404 without one."""
    league = league_of_member(slug, member_id) or abort(404)
    gameweek = shared_gameweek(league.season_id, now) or abort(404)
    return CurrentGameweek(league, gameweek, shared_version(league.id, gameweek))


def _read_table(slug: str, member_id: int, now: datetime, *, runs: bool) -> PageContent:
    league = league_to_read(slug, member_id) or abort(404)
    gameweek = shared_gameweek(league.season_id, now) or abort(404)
    version = league_version(league.id, gameweek)
    is_own = league.mode == "head_to_head"

    cache_places(league.id)
    begin_snapshot()  # so that the table fits the games
    games = gameweeks.games_of(gameweek)
    me = member_id if is_own else 0
    table = table_now(league, gameweek, games, me, is_over=version.is_over)
    context = table_values(table, games) | {"is_shared": True, "runs_it": runs}

    # Fixtures and rosters raise no tags: a whole page with the viewer's game is read each time.
    tags = () if is_own and not request.htmx else tags_of(league.id, gameweek.id)
    return PageContent(context, tags, version.version, version.is_over, next_lock(league, now))


def next_lock(league: LeagueRow, now: datetime) -> datetime | None:
    """When line-ups of the league can no longer be changed; None after the season's last."""
    values = {"season": league.season_id, "rules": league.team_rules_id, "now": now}
    lock: datetime | None = db.session.scalar(_NEXT_LOCK, values)
    return lock


def _personal(key: str, slug: str, now: datetime) -> str:
    """What the viewer does next in the league (NEXT), or what just happened in it (NOW).

    It is cached for each member.
    """
    member_id = current_user.id

    def render() -> CachedValue[str]:
        current = current_gameweek(slug, member_id, now)
        html = _render_next(current) if key == NEXT else _render_now(current, member_id)
        # It says "in 2 hours and 5 minutes".
        tags = tags_of(current.league.id, current.gameweek.id)
        return CachedValue(html, tags, clock.next_minute(now))

    return cached_value(key.format(member=member_id, slug=slug), str, render)


def _invitation(slug: str) -> str:
    """What the commissioner invites with, cached until something of the league changes."""
    member_id = current_user.id

    def render() -> CachedValue[str]:
        league = league_for_viewer(slug, member_id) or abort(404)
        code = invite_code(league, member_id)
        html = (
            render_template("leagues/_invite.html", league=league, invite_code=code) if code else ""
        )
        return CachedValue(html, (f"league:{league.id}",))

    return cached_value(INVITATION.format(member=member_id, slug=slug), str, render)


def _render_next(current: CurrentGameweek) -> str:
    deadline = next_step(current.league.team_rules_id, current.gameweek)
    if deadline is None:
        return ""
    return render_template(
        "leagues/_next.html",
        next=deadline,
        games=shared_games_of(current.gameweek),
        page={"gameweek": current.gameweek},
    )


def _render_now(current: CurrentGameweek, member_id: int) -> str:
    league, version = current.league, current.version
    games = shared_games_of(current.gameweek)
    return render_template(
        "leagues/_now.html",
        now=swing_reading.now_page(league, current.gameweek, games, version.version, member_id),
        league=league,
        now_over=version.is_over,
        now_etag=fragment_etag(version.version),
    )
