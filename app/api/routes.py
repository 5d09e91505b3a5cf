"""The API in the application: its declared operations, its stream, and the pages about it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Flask, Response, jsonify
from flask.typing import ResponseReturnValue

from app.api import operations
from app.api.document import document
from app.core.access import PUBLIC, audience
from app.core.web import respond

blueprint = Blueprint("api", __name__)


@blueprint.get("/v1/openapi.json")
@audience(PUBLIC)
def openapi() -> Response:
    return jsonify(document())


@blueprint.get("/docs/api")
@audience(PUBLIC)
def docs() -> ResponseReturnValue:
    listed = [
        (method.upper(), path, said["summary"])
        for path, methods in document()["paths"].items()
        for method, said in methods.items()
    ]
    return respond("api/reference.html", operations=listed)


def init_app(app: Flask, csrf: Any) -> None:
    app.register_blueprint(blueprint)
    operations.init_app(app, csrf)
