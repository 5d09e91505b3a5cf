"""Pages of a league over the season: its gameweeks, who plays whom, and the race."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_count, page_number
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.viewer import current_user
from app.fantasy.leagues import history as league_history
from app.fantasy.leagues import rule_changes
from app.fantasy.leagues import services as leagues
from app.fantasy.market import seasons
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.history import race_chart
from app.fantasy.standings import games, schedules
from app.fantasy.standings.models import League
from app.fantasy.standings.ranking import HEAD_TO_HEAD

blueprint = Blueprint("league_history", __name__, url_prefix="/leagues/<slug>")


@blueprint.get("/history")
@audience(MEMBER)
def history(slug: str) -> ResponseReturnValue:
    """Redirect to the latest gameweek."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    weeks = seasons.begun(league.season_id, now(), league.first_week)
    if not weeks:
        return respond(
            "leagues/history.html", "week", league=league, weeks=weeks, selected=None, tab="history"
        )
    return redirect(url_for("league_history.week", slug=slug, week=weeks[-1].week))


@blueprint.get("/history/<int:week>")
@audience(MEMBER)
def week(slug: str, week: int) -> ResponseReturnValue:
    """A page of a gameweek; without a number, the page with the viewer."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    weeks = seasons.begun(league.season_id, now(), league.first_week)
    gameweek = next((row for row in weeks if row.week == week), None) or abort(404)
    number = page_number() if "page" in request.args else None
    return respond(
        "leagues/history.html",
        "week",
        league=league,
        weeks=weeks,
        selected=gameweek,
        tab="history",
        page=league_history.week_page(league, gameweek.id, current_user.id, number),
        changes=rule_changes.of(league.id),
    )


@blueprint.get("/matchups")
@audience(MEMBER)
def matchups(slug: str) -> ResponseReturnValue:
    """Show who plays whom in a gameweek, and the member's own fixtures of the season.

    `week` names the gameweek; without it, it is the latest that has begun, else the first. The
    member's own matchup comes first.
    """
    league = leagues.for_member(slug, current_user.id) or abort(404)
    weeks = _paired(league) if league.mode == HEAD_TO_HEAD else []
    if not weeks:
        return _matchups_page(league, weeks, selected=None, most_planned=schedules.PLANNED_MEMBERS)
    selected = _selected_week(weeks)
    pages = page_count(games.count_games(league.id, selected.id), games.PAGE_ROWS)
    number = min(page_number(), pages)
    return _matchups_page(
        league,
        weeks,
        selected=selected,
        games=games.head_to_head(league.id, selected.id, current_user.id, number),
        mine=games.games_of_member(league.id, current_user.id),
        number=number,
        pages=pages,
    )


def _matchups_page(league: League, weeks: list[Gameweek], **context: Any) -> ResponseReturnValue:
    return respond(
        "leagues/matchups.html", "games", league=league, weeks=weeks, tab="matchups", **context
    )


def _selected_week(weeks: list[Gameweek]) -> Gameweek:
    """Return the gameweek that the query names; by default the latest begun, else the first."""
    begun = [week for week in weeks if week.deadline <= now()]
    number = query_number("week")
    if number is None:
        return begun[-1] if begun else weeks[0]
    return next((week for week in weeks if week.week == number), None) or abort(404)


def _paired(league: League) -> list[Gameweek]:
    """The league's gameweeks that have begun or have fixtures; none before its first fixture."""
    paired, moment = games.paired_weeks(league.id), now()
    if not paired:
        return []
    return [
        gameweek
        for gameweek in seasons.gameweeks_of(league.season_id)
        if gameweek.week >= league.first_week
        and (gameweek.deadline <= moment or gameweek.id in paired)
    ]


@blueprint.get("/race")
@audience(MEMBER)
def race(slug: str) -> ResponseReturnValue:
    """The race over the gameweeks, by points behind the leader or with `by=rank` by rank."""
    league: League = leagues.for_member(slug, current_user.id) or abort(404)
    by = "rank" if request.args.get("by") == "rank" else "points"
    number = page_number() if "page" in request.args else None
    race = league_history.race(league, current_user.id, number)
    return respond(
        "leagues/race.html",
        league=league,
        race=race,
        by=by,
        tab="race",
        charts=race_chart.charts(race, by) if race.weeks else None,
    )
