"""Which pages a browser may keep for use without a network.

Only pages of the game are kept, and only on devices on which the member chose to stay signed in. On
other devices nothing remains for the next person (14.3.2 in docs/security.md). The service worker
(static/js/offline/sw.js) keeps the marked pages until the next sign-in or sign-out.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Flask, Response, session

from app.core.http.htmx import request
from app.core.release import release
from app.core.viewer import current_user

HEADER = "Pressbox-Keep"
KEPT = frozenset(
    {
        "fantasy",
        "home",
        "league_boards",
        "points",
        "leagues",
        "gamers",
        "sheets",
        "record",
        "tournaments",
        "tournament_boards",
        "boards",
        "notices",
    }
)


def is_kept() -> bool:
    """Whether the page of this request may be kept."""
    return (
        request.method == "GET"
        and request.blueprint in KEPT
        and current_user.is_authenticated
        and _stays()
    )


def _stays() -> bool:
    return bool(session.get("stays"))


def mark(response: Response) -> Response:
    """Mark a whole page with its release and its member: `release:member`."""
    is_page = (
        response.status_code == HTTPStatus.OK
        and response.mimetype == "text/html"
        and not request.htmx
    )
    if is_page and HEADER not in response.headers and is_kept():
        response.headers[HEADER] = f"{release()}:{current_user.get_id()}"
    return response


def init_app(app: Flask) -> None:
    """Mark the pages that a device may keep."""
    app.after_request(mark)
