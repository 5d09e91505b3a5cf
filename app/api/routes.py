"""The API in the application: its declared operations, its stream, and the pages about it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Flask, Response, jsonify
from flask.typing import ResponseReturnValue

from app.api import cors, feed, operations
from app.api.document import ABOUT, document
from app.core.http.access import PUBLIC, audience
from app.core.http.responses import respond

blueprint = Blueprint("api", __name__)


@blueprint.get("/v1/openapi.json")
@audience(PUBLIC)
def openapi() -> Response:
    """Return the OpenAPI document."""
    return jsonify(document())


@blueprint.get("/docs/api")
@audience(PUBLIC)
def docs() -> ResponseReturnValue:
    """Show the API's documentation."""
    listed = [
        (method.upper(), path, operation["summary"])
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    ]
    about = [[*enumerate(paragraph.split("`"))] for paragraph in ABOUT.strip().split("\n\n")]
    return respond("api/reference.html", operations=listed, about=about)


def init_app(app: Flask, csrf: Any) -> None:
    """Register with the application."""
    app.register_blueprint(blueprint)
    operations.init_app(app, csrf)
    cors.init_app(app)
    feed.init_app(app)
