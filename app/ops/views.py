"""Endpoints for load balancers and Prometheus: /healthz and /metrics."""

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
    """Answer 200 if every part is up, otherwise 503 with the names of the parts that are down.

    The answer has no addresses and no versions. `dead_letters` is how many wait for an operator, by
    kind; null while PostgreSQL does not answer.
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
    """Metrics for operators, and for requests with METRICS_TOKEN as a bearer token.

    Others get 404.
    """
    settings = current_app.config["PRESSBOX"]
    credentials = request.authorization
    is_known = bool(
        settings.metrics_token
        and credentials is not None
        and credentials.type == "bearer"
        and compare_digest((credentials.token or "").encode(), settings.metrics_token.encode())
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
