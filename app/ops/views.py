"""What an operator and a load balancer ask for."""

from __future__ import annotations

from flask import Blueprint, current_app
from flask.typing import ResponseReturnValue

from app.core.access import PUBLIC, audience
from app.ops.health import check_all

blueprint = Blueprint("ops", __name__)


@blueprint.get("/healthz")
@audience(PUBLIC)
def healthz() -> ResponseReturnValue:
    """200 when every part is up, else 503 with the names of what is down. No addresses, no versions."""
    parts = check_all(current_app.config["PRESSBOX"])
    down = [part.name for part in parts if not part.up]
    body = {
        "status": "down" if down else "ok",
        "down": down,
        "parts": {part.name: "up" if part.up else "down" for part in parts},
    }
    return body, 503 if down else 200
