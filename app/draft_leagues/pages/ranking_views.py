"""Pages of a league's rankings: the list, a member's own order, and files."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, redirect, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.htmx import request
from app.core.http.pagination import page_number
from app.core.http.rate_limits import limit_costly_work, limiter, who_tries
from app.core.http.responses import respond
from app.core.http.sent_numbers import query_number
from app.core.numbers import typed_whole, whole_number
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.name_matching import MOST_SEARCHED
from app.draft_leagues.rankings import services
from app.draft_leagues.rankings.files import (
    MatchedEntry,
    chosen_order,
    matched,
    ranking_csv,
    read_ranking,
)
from app.draft_leagues.rankings.page import (
    Order,
    RankingFilter,
    exported_rows,
    known_footballers,
    load_order,
    load_page,
)
from app.draft_leagues.rankings.queries import ListOwner
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.leagues import services as leagues
from app.fantasy.standings.models import League

blueprint = Blueprint("draft_rankings", __name__, url_prefix="/leagues/<slug>/rankings")

LONGEST_SEARCH = 60
LONGEST_FILE_NAME = 100


@blueprint.get("")
@audience(MEMBER)
def show(slug: str) -> ResponseReturnValue:
    """Show a page of the member's order."""
    league, settings = _load(slug)
    return _list(league, settings, _own_order(league, settings))


@blueprint.post("/move")
@audience(MEMBER)
@limiter.limit("120 per minute", key_func=who_tries)
def move(slug: str) -> ResponseReturnValue:
    """Move a footballer in the member's own order.

    `to` comes from the buttons, `place` from the field.
    """
    league, settings = _load(slug)
    order = _own_order(league, settings)
    footballer = request.form.get("footballer", "")
    typed = request.form.get("to") or request.form.get("place", "")
    place = typed_whole(typed)
    if not place:
        refused = [Refusal("place", "place", "Enter a rank as a whole number from 1.")]
    else:
        refused = services.move(_owner(league), footballer, place, order.without_own, now())
    if refused:
        return _list(league, settings, order, fault=refused[0].text)
    order = _own_order(league, settings)
    place = order.ids.index(footballer) + 1
    moved = f"{order.footballers[footballer].name} is now number {place} in your rankings."
    if request.htmx:
        return _list(league, settings, order, message=moved)
    return redirect(url_for("draft_rankings.show", slug=slug, **_filter_values()), 303)


@blueprint.post("/reset")
@audience(MEMBER)
def reset(slug: str) -> ResponseReturnValue:
    """Give the member's own order up."""
    league, _ = _load(slug)
    services.forget_list(_owner(league))
    return redirect(url_for("draft_rankings.show", slug=slug), 303)


@blueprint.get("/export.csv")
@audience(MEMBER)
@limit_costly_work
def export(slug: str) -> ResponseReturnValue:
    """Send the member's order as a file that other sites read, and this one again."""
    league, settings = _load(slug)
    text = ranking_csv(exported_rows(_own_order(league, settings)))
    response = Response(text, mimetype="text/csv")
    response.headers.set("Content-Disposition", "attachment", filename=f"{slug}-rankings.csv")
    return response


@blueprint.get("/import")
@audience(MEMBER)
def choose_file(slug: str) -> ResponseReturnValue:
    """Show the form for a file."""
    league, _ = _load(slug)
    return _import_page(league)


@blueprint.post("/import")
@audience(MEMBER)
@limit_costly_work
def preview(slug: str) -> ResponseReturnValue:
    """Show whom the rows of a file mean, and ask about the doubtful ones."""
    league, settings = _load(slug)
    upload = request.files.get("file")
    data = upload.read() if upload else b""
    entries = read_ranking(data, "file")
    if isinstance(entries, Refusal):
        return _import_page(league, fault=entries.text)
    order = _own_order(league, settings)
    matches = matched(entries, known_footballers(order))
    if not any(each.footballer or each.suggestions for each in matches):
        text = "No player in this file is in this season. Choose another file."
        return _import_page(league, fault=text)
    name = (upload.filename or "")[:LONGEST_FILE_NAME] if upload else ""
    return _import_page(league, matches=matches, source=name)


@blueprint.post("/import/confirm")
@audience(MEMBER)
@limit_costly_work
def confirm(slug: str) -> ResponseReturnValue:
    """Take the order of a file over, with what the member chose for its doubtful rows."""
    league, settings = _load(slug)
    order = _own_order(league, settings)
    rows = [_posted_row(text) for text in request.form.getlist("row")[: len(order.ids) + 5_000]]
    choices = {key: value for key, value in request.form.items() if key.startswith("line-")}
    footballers, projections = chosen_order(rows, choices, frozenset(order.ids))
    for_league = request.form.get("for") == "league"
    if for_league and not franchises.runs_league(league.id, current_user.id):
        abort(403)
    owner = ListOwner(league.id, None if for_league else current_user.id)
    source = request.form.get("source", "")[:LONGEST_FILE_NAME]
    services.replace_list(owner, footballers, projections, source, now())
    return redirect(url_for("draft_rankings.show", slug=slug, imported=len(footballers)), 303)


def _posted_row(text: str) -> tuple[str, int | None]:
    """A row of the preview: the footballer or the doubtful row's key, and its points."""
    key, _, points = text.rpartition(" ")
    return key, whole_number(points)


def _import_page(
    league: League,
    *,
    fault: str = "",
    matches: list[MatchedEntry] | None = None,
    source: str = "",
) -> ResponseReturnValue:
    return respond(
        "draft_leagues/rankings_import.html",
        league=league,
        fault=fault,
        matches=matches,
        most_searched=MOST_SEARCHED,
        doubtful=[each for each in matches or [] if each.footballer is None],
        source=source,
        runs_it=franchises.runs_league(league.id, current_user.id),
        tab="rankings",
        status=422 if fault else 200,
    )


def _list(
    league: League,
    settings: DraftLeagueSettings,
    order: Order,
    *,
    fault: str = "",
    message: str = "",
) -> ResponseReturnValue:
    values = _filter_values()
    shown_part = RankingFilter(values.get("q", ""), values.get("position", ""), page_number())
    positions = [starter.slot for starter in settings.roster.starters]
    return respond(
        "draft_leagues/rankings.html",
        "ranking",
        league=league,
        page=load_page(_owner(league), order, positions, shown_part),
        made_at=order.made_at,
        filter=shown_part,
        values=values,
        fault=fault,
        message=message,
        imported=query_number("imported"),
        tab="rankings",
        runs_it=franchises.runs_league(league.id, current_user.id),
        status=422 if fault else 200,
    )


def _filter_values() -> dict[str, Any]:
    """The filter as the parts of an address; what filters nothing is left out."""
    values: dict[str, Any] = {}
    if search := request.args.get("q", "").strip()[:LONGEST_SEARCH]:
        values["q"] = search
    if position := request.args.get("position", "")[:LONGEST_SEARCH]:
        values["position"] = position
    if page_number() > 1:
        values["page"] = page_number()
    return values


def _owner(league: League) -> ListOwner:
    return ListOwner(league.id, current_user.id)


def _own_order(league: League, settings: DraftLeagueSettings) -> Order:
    return load_order(_owner(league), league.season_id, settings, now())


def _load(slug: str) -> tuple[League, DraftLeagueSettings]:
    """The draft league and its settings for one of its members; others get a 404."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    draft_league = franchises.draft_league(league.id) or abort(404)
    return league, settings_of(draft_league)
