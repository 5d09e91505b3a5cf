"""Who may see what.

Every view declares its audience; a view without one is closed to everybody (a test walks the URL
map). Strangers get 404 on staff pages, so that these do not reveal that they exist, and the attempt
is logged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import structlog
from flask import Flask, Response, current_app, redirect, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from app.core.http.htmx import htmx_response, request
from app.core.viewer import current_user

log = structlog.get_logger(__name__)

PUBLIC = "public"
MEMBER = "member"  # anybody who is signed in, whatever the role

View = TypeVar("View", bound=Callable[..., Any])


def audience(*roles: str) -> Callable[[View], View]:
    """Declare who may call a view: "public", "member", or the names of staff roles."""

    def mark(view: View) -> View:
        view.audience = frozenset(roles)  # type: ignore[attr-defined]
        return view

    return mark


def audience_of(app: Flask, endpoint: str) -> frozenset[str]:
    """The declared roles of an endpoint; Flask's own static files are public."""
    if endpoint == "static":
        return frozenset({PUBLIC})
    return getattr(app.view_functions[endpoint], "audience", frozenset())


def check_audience() -> ResponseReturnValue | None:
    """Return None to let the request pass, redirect strangers to the sign-in page, or raise 404."""
    allowed = audience_of(current_app, request.endpoint) if request.endpoint else {PUBLIC}
    if PUBLIC in allowed:  # also for unknown pages: Flask itself answers 404
        return None
    if (
        current_user.is_authenticated
        and current_user.roles_withheld
        and allowed & set(current_user.roles)
    ):
        return go_to(url_for("account.factors", needed=1))
    if current_user.is_authenticated and (MEMBER in allowed or current_user.has_role(*allowed)):
        return None
    if MEMBER in allowed:
        return ask_to_sign_in()
    log.warning(
        "refused",
        endpoint=request.endpoint,
        path=request.path,
        member_id=current_user.get_id() if current_user.is_authenticated else None,
    )
    raise NotFound


def ask_to_sign_in() -> ResponseReturnValue:
    """Redirect to the sign-in page, and from there back to the page that was open.

    A fragment gets 401 instead: the page decides how to go there without losing what was typed
    (static/js/requests/main.js).
    """
    if request.htmx:
        # RFC 9110 15.5.2 asks for a challenge
        headers = {"WWW-Authenticate": 'Session realm="Pressbox"'}
        return Response(
            "You were signed out. Sign in to continue.", 401, headers, mimetype="text/plain"
        )
    return redirect(url_for("accounts.sign_in", next=open_page()))


def open_page(default: str = "/") -> str:
    """Return the path of the page that the browser shows.

    For a form or fragment that is the page it belongs to.
    """
    if request.method in ("GET", "HEAD") and not request.htmx:
        return request.full_path if request.query_string else request.path
    current = request.htmx.current_url or request.referrer or ""
    path = current.removeprefix(request.host_url.rstrip("/"))
    return path if path.startswith("/") and path != current else default


def go_to(address: str) -> ResponseReturnValue:
    """Redirect to another page, also from a fragment."""
    if request.htmx:
        return htmx_response("", 204, redirect=address)
    return redirect(address)


def init_app(app: Flask) -> None:
    """Check the audience before every request."""
    app.before_request(check_audience)
