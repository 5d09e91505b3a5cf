"""The console without a network: serves the service worker (static/js/console/sw.js).

The worker keeps the console's files and its page. The page itself keeps the entries
(static/js/console/queue/store.js).
"""

from __future__ import annotations

import json
from functools import cache
from http import HTTPStatus
from pathlib import Path

from flask import Response, current_app, make_response, url_for

from app.core.release import release
from app.core.viewer import current_user

FOLDERS = ("css", "js/console", "js/requests", "js/spotter", "vendor")
KINDS = {".css", ".js", ".svg", ".woff2"}
ALSO = (
    "favicon.svg",
    "icons/icon-192.png",
    "manifest.webmanifest",
    "js/clock.js",
    "js/early.js",
    "js/live.js",
    "js/times.js",
)


@cache
def _files(static: str) -> tuple[str, ...]:
    """Return the console's static files by name."""
    root = Path(static)
    paths = {
        path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in KINDS
    }
    paths |= {root / name for name in ALSO}
    return tuple(sorted(path.relative_to(root).as_posix() for path in paths))


def worker() -> Response:
    """Return sw.js with the list of files to keep and their release at the top.

    So the browser installs a new worker with each release.
    """
    names = _files(str(current_app.static_folder))
    files = [url_for("static", filename=name) for name in names] + [url_for("record.club_colours")]
    code = Path(str(current_app.static_folder), "js/console/sw.js").read_text(encoding="utf-8")
    response = make_response(
        f"const VERSION = {json.dumps(release())};\nconst FILES = {json.dumps(files)};\n{code}"
    )
    response.mimetype = "text/javascript"
    response.cache_control.no_cache = True
    return response


def keepable(response: Response) -> Response:
    """Mark a page of the console with its release and its scorer, so that it may be kept."""
    if response.status_code == HTTPStatus.OK:
        response.headers["Pressbox-Keep"] = f"{release()}:{current_user.get_id()}"
    return response
