"""Who may see what.

Every view declares its audience; without one nobody may (a test walks the URL map).

A stranger gets 404 on staff pages, so the pages do not tell that they exist, and the attempt is
logged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import structlog
from flask import Flask, Response, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from werkzeug.exceptions import NotFound

log = structlog.get_logger(__name__)

PUBLIC = "public"
MEMBER = "member"  # anybody who is signed in, whatever the role

View = TypeVar("View", bound=Callable[..., Any])


def audience(*roles: str) -> Callable[[View], View]:
    """Declares who may call a view: `audience("public")`, `audience("member")`, or staff roles by
    name.
    """

    def mark(view: View) -> View:
        view.audience = frozenset(roles)  # type: ignore[attr-defined]
        return view

    return mark


def audience_of(app: Flask, endpoint: str) -> frozenset[str]:
    """Declared roles of an endpoint; Flask's own static files are public."""
    if endpoint == "static":
        return frozenset({PUBLIC})
    return getattr(app.view_functions[endpoint], "audience", frozenset())


def check_audience() -> ResponseReturnValue | None:
    """Lets the request pass (None), sends a stranger to the sign-in page, or answers 404."""
    allowed = audience_of(current_app, request.endpoint) if request.endpoint else {PUBLIC}
    if PUBLIC in allowed:  # also where there is no such page: Flask answers 404 itself
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
    """Leads to the sign-in page, and from there back to the page that was open.

    A part of a page gets 401 instead: the page decides how to go there without losing what was
    typed (static/js/requests/main.js).
    """
    if request.headers.get("HX-Request"):
        # RFC 9110 15.5.2 asks for a challenge
        headers = {"WWW-Authenticate": 'Session realm="Pressbox"'}
        return Response(
            "You were signed out. Sign in, then go on here.", 401, headers, mimetype="text/plain"
        )
    return redirect(url_for("accounts.sign_in", next=open_page()))


def open_page(default: str = "/") -> str:
    """The path of the page that the browser shows: the requested one, or the one whose form or part
    this is from.
    """
    if request.method in ("GET", "HEAD") and not request.headers.get("HX-Request"):
        return request.full_path if request.query_string else request.path
    shown = request.headers.get("HX-Current-URL") or request.referrer or ""
    path = shown.removeprefix(request.host_url.rstrip("/"))
    return path if path.startswith("/") and path != shown else default


def go_to(address: str) -> ResponseReturnValue:
    """Opens another page, also if only a part of one was asked for."""
    if request.headers.get("HX-Request"):
        return Response(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def init_app(app: Flask) -> None:
    app.before_request(check_audience)
