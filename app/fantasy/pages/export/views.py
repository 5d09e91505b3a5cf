"""Export a league's whole history, for its members, and import one, for operators."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.core.clock import now
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.viewer import current_user
from app.fantasy.leagues import csv_tables
from app.fantasy.leagues import export as league_export
from app.fantasy.leagues import importing as league_import
from app.fantasy.leagues import services as leagues

blueprint = Blueprint("league_export", __name__)

IMPORT_BYTES = 64 * 1024 * 1024


@blueprint.get("/leagues/<slug>/export.json")
@audience(MEMBER)
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


@blueprint.url_value_preprocessor
def _allow_more(endpoint: str | None, _: object) -> None:
    """Allow more bytes than for other forms, before anything reads the form."""
    if (
        endpoint == "league_export.take_in"
        and current_user.is_authenticated
        and current_user.has_role("operator")
    ):
        request.max_content_length = IMPORT_BYTES


@blueprint.get("/leagues/import")
@audience("operator")
def choose() -> ResponseReturnValue:
    """Show the form for a file to import."""
    return respond("leagues/import.html", fault="", taken=None)


@blueprint.post("/leagues/import")
@audience("operator")
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
        return respond("leagues/import.html", fault=str(error), taken=None, status=422)
    return redirect(url_for("league_export.taken", slug=league.slug), 303)


@blueprint.get("/leagues/import/<slug>")
@audience("operator")
def taken(slug: str) -> ResponseReturnValue:
    """Confirm the import."""
    return respond("leagues/import.html", fault="", taken=slug)
