"""What an operator and a load balancer ask for."""

from __future__ import annotations

from hmac import compare_digest

from flask import Blueprint, Response, abort, current_app, request
from flask.typing import ResponseReturnValue
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from app.core.db import db
from app.core.http.access import PUBLIC, audience
from app.core.viewer import current_user
from app.dead_letters import alerts
from app.ops.health import check_all
from app.ops.metrics import text as metrics_text

blueprint = Blueprint("ops", __name__)


@blueprint.get("/healthz")
@audience(PUBLIC)
def healthz() -> ResponseReturnValue:
    """200 when every part is up, else 503 with the names of what is down.

    No addresses, no versions.

    `dead_letters`: how many wait for an operator, by kind; null while PostgreSQL is away.
    """
    parts = check_all(current_app.config["PRESSBOX"])
    down = [part.name for part in parts if not part.up]
    body = {
        "status": "down" if down else "ok",
        "down": down,
        "parts": {part.name: "up" if part.up else "down" for part in parts},
        "dead_letters": _dead_letters(),
    }
    return body, 503 if down else 200


@blueprint.get("/metrics")
@audience(PUBLIC)
def metrics() -> ResponseReturnValue:
    """For Prometheus: to operators, and to whoever shows METRICS_TOKEN as a bearer token.

    Others get 404.
    """
    settings = current_app.config["PRESSBOX"]
    shown = request.authorization
    is_known = bool(
        settings.metrics_token
        and shown is not None
        and shown.type == "bearer"
        and compare_digest((shown.token or "").encode(), settings.metrics_token.encode())
    )
    if not is_known and not (current_user.is_authenticated and current_user.has_role("operator")):
        abort(404)
    return Response(metrics_text(settings), content_type=CONTENT_TYPE_LATEST)


def _dead_letters() -> dict[str, int] | None:
    try:
        return alerts.waiting()
    except SQLAlchemyError:
        return None
    finally:
        db.session.rollback()
