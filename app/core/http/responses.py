"""Responses: pages and fragments, ETags, security headers, error pages.

Access is checked in access.py.
"""

from __future__ import annotations

import gzip
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO
from typing import Any

import structlog
from flask import Flask, Response, current_app, make_response, redirect, render_template, session
from flask.globals import request_ctx
from flask_wtf.csrf import CSRFError
from jinja2_fragments.flask import render_block
from psycopg.errors import LockNotAvailable, QueryCanceled
from redis.exceptions import RedisClusterException
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from app.core.bidi import isolated, with_period
from app.core.db import db
from app.core.errors import CannotRevokeError, one_line
from app.core.http.access import MEMBER, ask_to_sign_in, audience_of
from app.core.http.htmx import request
from app.core.http.problems import DETAILS, ProblemError, problem_response
from app.core.http.rate_limits import in_words, seconds_to_wait
from app.core.logs.configuration import error_signature
from app.core.numbers import aligned
from app.core.plurals import counted
from app.core.redis.clients import RedisAway
from app.core.restore_epoch import epoch
from app.core.viewer import current_user

log = structlog.get_logger(__name__)

# Errors shown with the member's own menu. Pages for the other codes (limits, an unavailable store)
# read from no store.
LOST = frozenset({400, 403, 404, 405, 409, 410, 413, 414, 415, 422, 500})
# Errors of an unavailable PostgreSQL or Redis. A wrong command or failing script is our own bug.
AWAY = (OperationalError, InterfaceError, PoolTimeout, *RedisAway, RedisClusterException)
STOP_POLLING = 286  # htmx's own status: swap this in and stop polling

# sent with SECURE_COOKIES: for a year, browsers only use https
HSTS = "max-age=31536000; includeSubDomains"
FOREVER_SECONDS = 365 * 24 * 3600  # a year

SMALLEST_COMPRESSED = 1_000  # bytes; a smaller page is one packet anyway
COMPRESSION_LEVEL = 1  # four tenths of the time of the usual level, and a tenth larger
MOST_PADDING = 100  # bytes


def content_security_policy(asset_base_url: str) -> str:
    """Return the policy: pages load only from this site, and pictures also from the CDN, if any."""
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src 'self' data: {asset_base_url}".rstrip(),
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "worker-src 'self'",
            "form-action 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )


def allow_connections(response: Response, origin: str) -> None:
    """Let the scripts of this page fetch from another origin too."""
    policy = current_app.config["CONTENT_SECURITY_POLICY"]
    response.headers["Content-Security-Policy"] = policy.replace(
        "connect-src 'self'", f"connect-src 'self' {origin}"
    )


# What each error means for the user, and the next step.
ERROR_TEXTS = {
    400: ("That request was not complete", "Go back, reload the page and try again."),
    403: ("You can't do that", "Sign in with an account that has access."),
    404: (
        "Page not found",
        "Check the address. Private leagues and pools are only visible to their members.",
    ),
    405: ("That doesn't work here", "Go back and use the buttons on the page."),
    410: ("That page is gone", "It ended or was removed. Go to the home page."),
    413: ("That is too large", "Send less at once."),
    415: ("We can't read that", "Go back and use the form on the page."),
    429: ("Too many tries", "Wait a minute and try again."),
    500: (
        "Something broke on our side",
        "Try again in a moment. If it keeps happening, give this number to the person who runs "
        "this site:",
    ),
    503: ("A part of Pressbox is down", "Try again in a minute. Nothing you saved is lost."),
}


def respond(
    template: str,
    fragment: str | None = None,
    *,
    stop_polling: bool = False,
    status: int = 200,
    **context: Any,
) -> Response:
    """Answer with the whole page, or for an htmx request with its block `fragment`.

    `stop_polling`: nothing will change any more, so a poll gets a 286 and ends.
    """
    if fragment is None or not request.htmx:
        return finish(make_response(render_template(template, **context), status))
    body = render_block(template, fragment, **context)
    return finish(make_response(body, STOP_POLLING if stop_polling else status))


def of_timeline(version: str | int) -> str:
    """Return the version with its restore epoch, because a restored database reuses versions."""
    return f"{epoch()}.{version}" if epoch() else str(version)


def fragment_etag(version: str | int) -> str:
    """Return the quoted ETag that a fragment of this version sends with its next poll."""
    return f'"f{of_timeline(version)}"'


def own_page(target: str, default: str) -> str:
    """Return the requested page if it is one of ours (no open redirect), else the default."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() else default


def finish(response: Response, etag: str | None = None) -> Response:
    """Set the headers of a page or fragment. A poll that shows this ETag gets a 304."""
    response.vary.add("HX-Request")
    if etag is None:
        return response
    response.set_etag(etag)
    response.cache_control.private = True
    response.cache_control.no_cache = True
    is_shown = bool(request.htmx) and request.if_none_match.contains(etag)
    if is_shown and response.status_code == HTTPStatus.OK:
        response.status_code = HTTPStatus.NOT_MODIFIED
        response.set_data(b"")
    return response


def keep_forever(response: Response) -> Response:
    """Let browsers and CDNs cache the response for a year. Its content must never change."""
    response.cache_control.public = True
    response.cache_control.max_age = FOREVER_SECONDS
    response.cache_control.immutable = True
    return response


def guards(app: Flask) -> dict[str, str]:
    """Return the security headers of every response."""
    headers = {
        "Content-Security-Policy": app.config["CONTENT_SECURITY_POLICY"],
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    }
    if app.config["SESSION_COOKIE_SECURE"]:
        headers["Strict-Transport-Security"] = HSTS
    return headers


def _no_wait_after_success(response: Response) -> Response:
    """Take away the wait that the limiter gives every answer (RFC 9110, 10.2.3: not of a 2xx)."""
    if response.status_code < HTTPStatus.MULTIPLE_CHOICES:
        response.headers.pop("Retry-After", None)
    return response


def _security_headers(response: Response) -> Response:
    present = {name.lower() for name, _ in response.headers}  # `setdefault` looks through all
    for name, value in guards(current_app).items():
        if name.lower() not in present:
            response.headers.add(name, value)
    caching = response.cache_control  # parses the header each time
    if request.endpoint != "static" and not caching.public:
        caching.private = True
        # Pages of a signed-in member are private. Even their browser must not store them, because
        # the next person on this device could read them.
        if session.get("_user_id") or not caching.no_cache:
            caching.no_store = True
    return response


def _compress(response: Response) -> Response:
    """Compress a whole page for a browser that accepts it.

    Against BREACH: only a page whose address has no query, because nothing of the request is in it,
    and with a name of random length in the head of the format, as Django does.
    """
    if (
        request.method != "GET"
        or request.query_string
        or request.htmx
        or response.mimetype != "text/html"
        or response.is_streamed
        or "Content-Encoding" in response.headers
    ):
        return response
    page = response.get_data()
    if len(page) < SMALLEST_COMPRESSED:
        return response
    response.vary.add("Accept-Encoding")
    if request.accept_encodings["gzip"] > 0:
        into = BytesIO()
        name = secrets.token_hex(secrets.randbelow(MOST_PADDING // 2 + 1))
        with gzip.GzipFile(name, "wb", COMPRESSION_LEVEL, into, mtime=0) as packed:
            packed.write(page)
        response.set_data(into.getvalue())
        response.headers["Content-Encoding"] = "gzip"
        if (etag := response.get_etag()[0]) is not None:
            response.set_etag(etag, weak=True)  # it names the page, not these bytes
    return response


def wants_json() -> bool:
    """Whether errors are answered as JSON."""
    return request.path.startswith(("/api/", "/v1/", "/healthz")) or request.is_json


@dataclass(frozen=True)
class WayOn:
    """The first link of an error page: where somebody who got the error wants to go."""

    address: str
    text: str


def error_response(
    code: int, *, title: str | None = None, remedy: str | None = None, way_on: WayOn | None = None
) -> Response:
    """Answer an error as a page or a problem (problems.py): what happened and what to do next.

    `way_on`: a link before the usual ones. The page has the member's menu for the codes in LOST,
    unless a store is unavailable.
    """
    default = ERROR_TEXTS.get(code, ("That didn't work", "Go back and try again."))
    if wants_json():
        detail = f"{title}. {remedy}" if title and remedy else DETAILS.get(code, f"{default[0]}.")
        return problem_response(code, detail)
    title, remedy = title or default[0], remedy or default[1]
    if request.htmx:  # the page shows the text (static/js/requests/main.js)
        return Response(f"{title}. {remedy}", code, mimetype="text/plain")
    return make_response(_error_page(code, title, remedy, way_on or _page_itself(code)), code)


def _error_page(code: int, title: str, remedy: str, way_on: WayOn | None) -> str:
    values = {"code": code, "title": title, "remedy": remedy}
    if code in LOST:
        try:
            if code == HTTPStatus.INTERNAL_SERVER_ERROR:
                # the failure may have left an aborted transaction
                db.session.rollback()
            return render_template("errors/lost.html", way_on=way_on, **values)
        except Exception as error:  # noqa: BLE001 (show the error without the menu)
            log.warning("error_page_without_menu", reason=one_line(error))
    return render_template("errors/error.html", **values)


def _page_itself(code: int) -> WayOn | None:
    """The page that was asked for, if it failed, or if it does not accept this method."""
    if code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return WayOn(request.path, "Try again") if request.method == "GET" else None
    error = request.routing_exception
    if code == HTTPStatus.METHOD_NOT_ALLOWED and isinstance(error, MethodNotAllowed):
        is_page = "GET" in (error.valid_methods or ())
        return WayOn(request.path, "Open this page") if is_page else None
    return None


def note_refused(reason: str) -> None:
    """Log a request that exceeded a limit or failed a check, without its content."""
    log.warning(
        "refused_request", reason=reason, endpoint=request.endpoint, address=request.remote_addr
    )


def _refuse(error: ProblemError) -> Response:
    if error.status in (401, 403):
        note_refused("not allowed")
    return error.response()


def http_error(error: HTTPException) -> Response:
    """Answer with the error's page, or its sentence."""
    if isinstance(error, CSRFError):
        note_refused("csrf")
        if _is_signed_out():
            return make_response(ask_to_sign_in())
        remedy = "Reload the page and send it again."
        return error_response(400, title="This form has expired", remedy=remedy)
    if error.code == HTTPStatus.TOO_MANY_REQUESTS:
        note_refused("rate limit")
        if wait := seconds_to_wait():
            remedy = f"Try again in {in_words(wait)}."
            response = error_response(429, title="Too many tries", remedy=remedy)
            response.headers["Retry-After"] = str(wait)
            return response
    if error.code == HTTPStatus.NOT_FOUND and (address := _without_slash()) is not None:
        return make_response(redirect(address, HTTPStatus.PERMANENT_REDIRECT))
    response = error_response(error.code or 500)
    for name, value in error.get_headers():
        if name in ("Retry-After", "Allow"):
            response.headers[name] = value
    return response


def _without_slash() -> str | None:
    """The page that somebody asked for with a slash at the end, which its address does not have."""
    if not isinstance(request.routing_exception, NotFound) or request.method not in ("GET", "HEAD"):
        return None
    path, adapter = request.path.rstrip("/"), request_ctx.url_adapter
    if path == request.path or wants_json() or adapter is None:
        return None
    try:
        endpoint, values = adapter.match(path, "GET")
    except HTTPException:  # there is no such page; a redirect is one too
        return None
    query = f"?{request.query_string.decode()}" if request.query_string else ""
    return adapter.build(endpoint, values) + query


def _is_signed_out() -> bool:
    """Whether somebody signed out sent a member's form, whose token ended with the session."""
    if not request.endpoint or current_user.is_authenticated:
        return False
    return MEMBER in audience_of(current_app, request.endpoint)


def _broken(error: Exception) -> Response:
    reference = error_signature(error)  # of equal errors, so that they are logged only once
    log.exception("unhandled", reference=reference, path=request.path, method=request.method)
    if wants_json():
        return problem_response(500, f"{DETAILS[500]} {reference}")
    title, remedy = ERROR_TEXTS[500]
    return error_response(500, title=title, remedy=f"{remedy} {reference}")


def _store_away(error: Exception) -> Response:
    """A store is unavailable or too slow: nothing was written, and a retry may work soon."""
    cause = getattr(error, "orig", None) or error
    held_up = isinstance(cause, LockNotAvailable | QueryCanceled)
    reason = one_line(cause if isinstance(cause, Exception) else error)
    event = "held_up" if held_up else "store_away"
    log.warning(event, path=request.path, method=request.method, reason=reason)
    return _try_later(error)


def _try_later(_error: Exception) -> Response:
    """Nothing was written. Of CannotRevokeError: access could not be revoked at once."""
    response = error_response(503)
    response.retry_after = 30
    return response


def init_app(app: Flask, asset_base_url: str) -> None:
    """Register security headers, template filters and error handlers."""
    app.config["CONTENT_SECURITY_POLICY"] = content_security_policy(asset_base_url)
    app.after_request(_compress)
    app.after_request(_security_headers)
    app.after_request(_no_wait_after_success)
    for template_filter in (aligned, counted, isolated, with_period):
        app.add_template_filter(template_filter)
    app.register_error_handler(ProblemError, _refuse)
    app.register_error_handler(HTTPException, http_error)
    for away in AWAY:
        app.register_error_handler(away, _store_away)
    app.register_error_handler(CannotRevokeError, _try_later)
    app.register_error_handler(Exception, _broken)
