"""The service worker of members' pages, and the page that it shows instead of pages not kept."""

from __future__ import annotations

import json
from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, url_for
from flask.typing import ResponseReturnValue

from app.core.http.access import PUBLIC, audience
from app.core.http.responses import respond
from app.core.release import release

blueprint = Blueprint("offline", __name__)


@blueprint.get("/sw.js")
@audience(PUBLIC)
def worker() -> Response:
    """Return the site's service worker. Its first lines name the release, so each installs anew."""
    code = Path(str(current_app.static_folder), "js/offline/sw.js").read_text(encoding="utf-8")
    first = [url_for("offline.away"), url_for("static", filename="js/offline/away.js")]
    constants = {
        "VERSION": release(),
        "FIRST": first,
        "ICON": url_for("static", filename="icons/icon-192.png"),
    }
    above = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())
    response = make_response(above + code)
    response.mimetype = "text/javascript"
    response.cache_control.no_cache = True
    return response


@blueprint.get("/offline")
@audience(PUBLIC)
def away() -> ResponseReturnValue:
    """The page that is shown offline."""
    return respond("offline/away.html")
