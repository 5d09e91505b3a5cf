"""Serves pictures of clubs and tournaments. The picture of a name never changes (PRODUCT C11)."""

from __future__ import annotations

import re

from flask import Blueprint, abort, current_app, make_response, request, url_for
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue

from app.core.blob_store import BlobNotFoundError, BlobStoreError, blob_store
from app.core.http.access import PUBLIC, audience
from app.core.http.responses import keep_forever
from app.core.pictures import TYPE
from app.predictions.pictures import services as pictures
from app.settings import Settings

blueprint = Blueprint("assets", __name__)

NAME = re.compile(r"[0-9a-f]{64}")


@blueprint.get("/assets/<name>")
@audience(PUBLIC)
def asset(name: str) -> ResponseReturnValue:
    """Serve a picture by its name."""
    if not NAME.fullmatch(name):
        abort(404)
    try:
        data = blob_store().get(pictures.blob_name(name))
    except BlobNotFoundError:
        abort(404)
    except BlobStoreError:
        abort(503)
    response = make_response(data)
    response.content_type = TYPE
    response.set_etag(name)
    return keep_forever(response).make_conditional(request)


def asset_url(name: str) -> str:
    """Return the address of a stored picture, which begins with ASSET_BASE_URL if that is set.

    In templates: `asset_url(team.image)`.
    """
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.asset_base_url + url_for("assets.asset", name=name)


@blueprint.record_once
def _for_templates(state: BlueprintSetupState) -> None:
    state.app.jinja_env.globals["asset_url"] = asset_url
