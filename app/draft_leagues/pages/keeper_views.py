"""Pages of the next season: take the league there, choose keepers, and see who has."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.serving import received_at
from app.core.viewer import current_user
from app.draft_leagues import setting_words
from app.draft_leagues.keepers import services
from app.draft_leagues.keepers.page import counts_by_franchise, load_choice, standing_keepers
from app.draft_leagues.keepers.queries import chosen_by, window
from app.draft_leagues.keepers.rolling import RollPreview, next_league, preview_roll
from app.draft_leagues.keepers.rules import has_keepers, moved
from app.draft_leagues.models import FINISHED
from app.draft_leagues.pages.loading import DraftLeaguePage, load, load_for_commissioner
from app.draft_leagues.season_facts import scoring_titles
from app.fantasy.leagues import services as leagues
from app.fantasy.pages.commissioner.access import refuse
from app.fantasy.pages.team_sheet.words import time_left
from app.fantasy.standings.models import League

blueprint = Blueprint("draft_keepers", __name__, url_prefix="/leagues/<slug>/keepers")

LONGEST_ID = 60
MOST_CHOSEN = 64
BAD_DEADLINE = Refusal("deadline", "deadline", "Choose a date and time.")


@blueprint.get("")
@audience(MEMBER)
def show(slug: str) -> ResponseReturnValue:
    """Show the member's choice of keepers, or what this league's next season depends on."""
    page = load(slug)
    return _page(page, page.mine.number if page.mine is not None else None)


@blueprint.get("/team/<int:franchise>")
@audience(MEMBER)
def team(slug: str, franchise: int) -> ResponseReturnValue:
    """Show a team's choice to whoever may make it."""
    page = load(slug)
    _check_may_choose(page, franchise)
    return _page(page, franchise)


@blueprint.post("/team/<int:franchise>")
@audience(MEMBER)
def choose(slug: str, franchise: int) -> ResponseReturnValue:
    """Save a team's choice, or show what it would cost (without `act=save`)."""
    page = load(slug)
    _check_may_choose(page, franchise)
    chosen = [each[:LONGEST_ID] for each in request.form.getlist("keep")[:MOST_CHOSEN]]
    for button, places in (("up", -1), ("down", 1)):
        if button in request.form:
            return _page(
                page, franchise, moved(chosen, request.form[button], places), is_moved=True
            )
    if request.form.get("act") != "save":
        return _page(page, franchise, chosen)
    stood = request.form.get("stood")
    new = services.NewChoice(franchise, chosen, None if stood is None else stood.split())
    refused = services.choose(page.league.id, new, current_user.id, received_at())
    if refused:
        return _page(page, franchise, chosen, refused)
    return redirect(url_for("draft_keepers.team", slug=slug, franchise=franchise, saved=1), 303)


@blueprint.post("/close")
@audience(MEMBER)
def close(slug: str) -> ResponseReturnValue:
    """Let all choices stand before the deadline."""
    page = load_for_commissioner(slug)
    if window(page.league.id) is None:
        abort(404)
    services.close_now(page.league.id, current_user.id, received_at())
    return redirect(url_for("draft_keepers.show", slug=slug, closed=1), 303)


@blueprint.get("/next")
@audience(MEMBER)
@limit_costly_work
def preview(slug: str) -> ResponseReturnValue:
    """Show what the league would take into the next season."""
    return _preview(load_for_commissioner(slug))


@blueprint.post("/next")
@audience(MEMBER)
@limit_costly_work
def roll(slug: str) -> ResponseReturnValue:
    """Take the league into the next season; sent again it leads to the same league."""
    page = load_for_commissioner(slug)
    typed = request.form.get("deadline", "")
    deadline = _read_deadline(typed, page.settings.time_zone)
    if typed and deadline is None:
        return _preview(page, [BAD_DEADLINE])
    rolled = services.roll(page.league.id, current_user.id, deadline, now())
    if isinstance(rolled, list):
        return _preview(page, rolled)
    return redirect(url_for("draft_keepers.show", slug=rolled.slug, rolled=1), 303)


def _check_may_choose(page: DraftLeaguePage, franchise: int) -> None:
    """A team is chosen for by its member, and by whoever runs the league."""
    is_own = page.mine is not None and page.mine.number == franchise
    if not 1 <= franchise <= len(page.teams):
        abort(404)
    if not (is_own or page.runs_it):
        refuse(page.league, "Only the owner and the commissioner can choose a team's keepers")
    if window(page.league.id) is None:
        abort(404)


def _read_deadline(typed: str, time_zone: str) -> datetime | None:
    try:
        return datetime.fromisoformat(typed).replace(tzinfo=ZoneInfo(time_zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _page(
    page: DraftLeaguePage,
    franchise: int | None,
    chosen: Sequence[str] | None = None,
    refused: Sequence[Refusal] = (),
    *,
    is_moved: bool = False,
) -> ResponseReturnValue:
    open_window, moment = window(page.league.id), now()
    is_closed = open_window is not None and (
        open_window.closed_at is not None or open_window.deadline <= moment
    )
    choice, stood = None, request.form.get("stood") if chosen is not None and not refused else None
    if open_window is not None and not is_closed and franchise is not None:
        if stood is None:
            stood = " ".join(chosen_by(page.league.id, franchise))
        choice = load_choice(page.league, page.settings, page.teams[franchise - 1], chosen)
    return respond(
        "draft_leagues/keepers.html",
        "choosing" if is_moved else "choice",
        league=page.league,
        teams=page.teams,
        window=open_window,
        is_closed=is_closed,
        stands=open_window is not None and open_window.closed_at is not None,
        left=time_left(open_window.deadline, moment) if open_window is not None else "",
        choice=choice,
        stood=stood,
        is_mine=page.mine is not None and franchise == page.mine.number,
        is_preview=chosen is not None,
        counts=counts_by_franchise(page.league.id),
        keepers=standing_keepers(page.league.id, page.settings) if is_closed else {},
        budget=page.settings.draft.budget,
        settings=page.settings,
        lines=_rule_lines(page),
        has_keepers=has_keepers(page.settings.keepers),
        is_over=page.draft_league.phase == FINISHED,
        next_league=next_league(page.league.id),
        last_league=_last_league(page.league),
        saved="saved" in request.args,
        rolled="rolled" in request.args,
        faults=refused,
        tab="keepers",
        runs_it=page.runs_it,
        status=422 if refused else 200,
    )


def _preview(page: DraftLeaguePage, refused: Sequence[Refusal] = ()) -> ResponseReturnValue:
    following = next_league(page.league.id)
    if following is not None:
        return redirect(url_for("draft_keepers.show", slug=following.slug), 303)
    result = preview_roll(page.league, page.draft_league, now())
    faults = [*refused] or (result if isinstance(result, list) else [])
    roll_preview = result if isinstance(result, RollPreview) else None
    changes = []
    if roll_preview is not None:
        titles = scoring_titles(roll_preview.before)
        changes = setting_words.changes(roll_preview.before, roll_preview.settings, titles)
    zone = ZoneInfo(page.settings.time_zone)
    suggested = ""
    if roll_preview is not None:
        suggested = f"{roll_preview.deadline.astimezone(zone):%Y-%m-%dT%H:%M}"
    return respond(
        "draft_leagues/keepers_next.html",
        league=page.league,
        preview=roll_preview,
        changes=changes,
        lines=_rule_lines(page),
        team=page.name_of,
        time_zone=page.settings.time_zone.replace("_", " "),
        deadline=request.form.get("deadline") or suggested,
        faults=faults,
        tab="settings",
        runs_it=True,
        status=422 if refused else 200,
    )


def _rule_lines(page: DraftLeaguePage) -> list[setting_words.Line]:
    lines = setting_words.lines(page.settings, scoring_titles(page.settings))
    return [line for line in lines if line.step == "keepers"]


def _last_league(league: League) -> League | None:
    """The league of the season before; None if the viewer was not in it."""
    if league.continues_id is None:
        return None
    last = db.session.get_one(League, league.continues_id)
    return leagues.for_member(last.slug, current_user.id)
