"""Decides which browser games on other sites may call the API from a page (CORS).

Each game declares the origins of its pages, and only those may call its addresses. Addresses
outside any game (tokens, friends) accept the origins of every game. Cookies are never allowed: a
page signs with its player's token, so another site cannot use a member's session. Operations for
server keys are closed to pages.
"""

from __future__ import annotations

from collections.abc import Collection

from flask import Flask, Response, request
from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.exc import InterfaceError, OperationalError
from werkzeug.exceptions import HTTPException

from app.api.operations import OPERATIONS
from app.api.security import Key
from app.boards.catalogue import queries as catalogue
from app.boards.models import ScoreGame
from app.core.db import db

METHODS = "GET, POST, PUT, DELETE"
HEADERS = "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Device-Id"
EXPOSED = "ETag, Retry-After"
PREFLIGHT_SECONDS = 600


def init_app(app: Flask) -> None:
    """Register with the application."""
    open_to_pages = {
        f"api.{op.id}" for op in OPERATIONS if not op.security or not _for_servers(op.security)
    }

    @app.before_request
    def answer_preflight() -> Response | None:
        if request.method != "OPTIONS" or "Access-Control-Request-Method" not in request.headers:
            return None
        return Response(status=204) if request.path.startswith("/v1/") else None

    @app.after_request
    def allow_origin(response: Response) -> Response:
        if not request.path.startswith("/v1/"):
            return response
        response.vary.add("Origin")
        origin = request.headers.get("Origin", "")
        if not origin or request.url_rule is None:
            return response
        if not _endpoints() & open_to_pages or not _allowed(origin):
            return response
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = METHODS
            response.headers["Access-Control-Allow-Headers"] = HEADERS
            response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
        return response

    def _endpoints() -> set[str]:
        """The endpoint that is called, or those that a preflight asks about."""
        method = (
            request.headers.get("Access-Control-Request-Method", "")
            if request.method == "OPTIONS"
            else ""
        )
        if not method:
            return {request.endpoint or ""}
        try:
            endpoint, _ = app.url_map.bind("").match(request.path, method=method)
        except HTTPException:  # there is no such address or method, so nothing to allow
            return set()
        return {str(endpoint)}


def _for_servers(security: Collection[object]) -> bool:
    return all(isinstance(scheme, Key) for scheme in security)


def _allowed(origin: str) -> bool:
    """Whether a game allows pages of this origin; no while PostgreSQL is down."""
    try:
        if "game" in (request.view_args or {}):
            game = catalogue.find_game(str((request.view_args or {})["game"]))
            return game is not None and origin in game.allowed_origins
        allowed: ColumnElement[bool] = ScoreGame.allowed_origins.contains([origin])
        return bool(db.session.scalar(select(exists().where(allowed))))
    except (OperationalError, InterfaceError):
        db.session.rollback()
        return False
