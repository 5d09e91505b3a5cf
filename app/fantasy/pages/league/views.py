"""A league's table and the teams in it."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.core import clock
from app.core.db.repeatable_read import begin_snapshot
from app.core.http.access import MEMBER, PUBLIC, audience
from app.core.http.htmx import request
from app.core.http.rate_limits import limiter
from app.core.http.responses import fragment_etag, respond
from app.core.http.sent_numbers import query_number
from app.core.page_cache.conditional_get import access_depends_on
from app.core.page_cache.pages import OwnPage, PageContent, cached_page, cached_viewer
from app.core.viewer import current_user
from app.fantasy.amounts import decimal_points
from app.fantasy.leagues import history as league_history
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.league.cached_table import (
    MEMBERSHIP,
    OF_LEAGUE,
    cached_table,
    league_of_member,
    next_lock,
    tags_of,
)
from app.fantasy.pages.league.league_menu import OF_MEMBER
from app.fantasy.pages.league.page import team_page
from app.fantasy.pages.league.queries import (
    Rewind,
    invite_code,
    load_now,
    load_sheet,
    load_table,
    next_pick,
    next_step,
    table_values,
)
from app.fantasy.pages.league.version import league_version
from app.fantasy.pages.league.visitors import VISITORS_LIMIT, is_signed_in, visitors_page
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.scoring.changes import changes
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings import queries
from app.fantasy.standings.models import DRAFT

blueprint = Blueprint("fantasy", __name__)
blueprint.add_app_template_filter(decimal_points, "points")


@blueprint.get("/leagues/<slug>")
@audience(PUBLIC)
@limiter.limit(VISITORS_LIMIT, exempt_when=is_signed_in)
@cached_viewer(*OF_LEAGUE, OF_MEMBER)
def league(slug: str) -> ResponseReturnValue:
    """A league's table, or with `table=week` that of the gameweek.

    Its fragment polls itself while games are played. `at`: the table as of an instant, or with
    `game` as of an event number or the game clock of that game.

    Everybody who is signed in may read the table of a public league; only its members see its teams
    and the commissioner's reasons. Visitors see the top of a public league's table.
    """
    if not current_user.is_authenticated:
        return visitors_page(slug)
    rewind = Rewind(request.args.get("at", "").strip(), request.args.get("game", ""))
    cached = _cached(slug)
    if cached is not None:
        return cached
    league = queries.league_to_read(slug, current_user.id) or abort(404)
    if league.game == DRAFT and league.is_member and not queries.has_schedule(league.id):
        return redirect(url_for("draft_wizard.front", slug=slug))
    gameweek = gameweeks.current_gameweek(league.season_id, clock.now())
    if gameweek is None:
        return respond("leagues/none.html", league=league)
    table = load_table(league, gameweek, rewind)
    return respond(
        "leagues/show.html",
        "standings",
        stop_polling=table.page.is_over,
        status=422 if table.rewind.fault else 200,
        **table_values(table.page, table.games, table.rewind),
        next=next_step(league.team_rules_id, gameweek) if league.is_member else None,
        invite_code=invite_code(league, current_user.id),
        now=load_now(league, gameweek, table),
        now_over=table.current.is_over,
        now_etag=fragment_etag(table.current.version),
    )


def _cached(slug: str) -> ResponseReturnValue | None:
    """The table of now from the page cache, if the request asks for nothing else."""
    return None if request.args.keys() - {"page", "table"} else cached_table(slug)


@blueprint.get("/leagues/<slug>/teams/<int:member_id>")
@audience(MEMBER)
@cached_viewer(MEMBERSHIP)
def team(slug: str, member_id: int) -> ResponseReturnValue:
    """A member's team sheet with the points of each footballer; another's only once it is locked.

    `week` names the gameweek; without it, it is the current one.
    """
    me = current_user.id
    league = league_of_member(slug, me) or abort(404)
    gameweek = _requested_gameweek(league) or abort(404)
    access_depends_on(f"league:{league.id}", f"memberships:{me}")
    return cached_page(
        "leagues/team.html",
        "team",
        OwnPage(f"{gameweek.id}"),
        lambda: _read_team(league, gameweek, member_id, me),
    )


def _read_team(
    league: queries.LeagueRow, gameweek: GameweekRow, member_id: int, me: int
) -> PageContent:
    names = league_history.team(league.id, gameweek.id, member_id) or abort(404)
    version = league_version(league.id, gameweek)

    begin_snapshot()
    sheet = load_sheet(league, gameweek, member_id, names, me)
    corrections = changes(sheet.picks, rules_named(league.rules))
    can_pick = member_id == me and not sheet.picks
    context = {
        "page": team_page(league, gameweek, sheet, corrections, is_over=version.is_over),
        "member_id": member_id,
        "locked": sheet_picks.is_locked(league.team_rules_id, gameweek, clock.now()),
        "next": next_pick(league.team_rules_id) if can_pick else None,
    }

    # Rosters raise no tags: a whole page is read each time.
    tags = tags_of(league.id, gameweek.id) if request.htmx else ()
    lock = next_lock(league, clock.now())
    return PageContent(context, tags, version.version, version.is_over, lock)


def _requested_gameweek(league: queries.LeagueRow) -> GameweekRow | None:
    """The gameweek that `week` names; without it the current one."""
    week = query_number("week")
    if week is None:
        return gameweeks.current_gameweek(league.season_id, clock.now())
    return gameweeks.gameweek_of(league.season_id, week)
