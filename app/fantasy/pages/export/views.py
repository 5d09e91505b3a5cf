"""Export a league's whole history, for its members, and import one, for operators."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.rate_limits import limit_costly_work
from app.core.http.request_validation import takes_more
from app.core.http.responses import respond
from app.core.input_limits import LEAGUE_FILES_BYTES, size_in_words
from app.core.viewer import current_user
from app.fantasy.leagues import csv_tables
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import importing as league_import
from app.fantasy.leagues import services as leagues

blueprint = Blueprint("league_export", __name__)


@blueprint.get("/leagues/<slug>/export.json")
@audience(MEMBER)
@limit_costly_work
def as_json(slug: str) -> ResponseReturnValue:
    """Send the league's history as JSON."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    return _file(
        league_export.as_json(league_export.document(league, now())),
        f"{slug}.json",
        "application/json",
    )


@blueprint.get("/leagues/<slug>/export.zip")
@audience(MEMBER)
@limit_costly_work
def as_csv(slug: str) -> ResponseReturnValue:
    """Send the league's history as CSV tables in a ZIP file."""
    league = leagues.for_member(slug, current_user.id) or abort(404)
    for_excel = request.args.get("excel") == "1"
    tables = csv_tables.as_csv(league_export.document(league, now()), for_excel=for_excel)
    return _file(tables, f"{slug}.zip", "application/zip")


def _file(data: bytes, name: str, kind: str) -> Response:
    response = Response(data, mimetype=kind)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


@blueprint.get("/leagues/import")
@audience("operator")
def choose() -> ResponseReturnValue:
    """Show the form for a file to import."""
    return _import_page()


@blueprint.post("/leagues/import")
@takes_more(LEAGUE_FILES_BYTES)
@audience("operator")
@limit_costly_work
def take_in() -> ResponseReturnValue:
    """Import a league.

    Only operators may do it: people are found by their usernames, which nobody else may claim for
    them.
    """
    upload = request.files.get("file")
    try:
        document = league_import.read(upload.read() if upload else b"")
        league = league_import.take_in(document, by=current_user.id)
    except league_import.BadLeagueError as error:
        return _import_page(fault=str(error))
    return redirect(url_for("league_export.taken", slug=league.slug), 303)


@blueprint.get("/leagues/import/<slug>")
@audience("operator")
def taken(slug: str) -> ResponseReturnValue:
    """Confirm the import."""
    return _import_page(taken=slug)


def _import_page(*, fault: str = "", taken: str | None = None) -> ResponseReturnValue:
    return respond(
        "leagues/import.html",
        most=size_in_words(LEAGUE_FILES_BYTES),
        fault=fault,
        taken=taken,
        status=422 if fault else 200,
    )
