"""What an operator and a load balancer ask for."""

from __future__ import annotations

from flask import Blueprint, current_app
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError

from app.core.access import PUBLIC, audience
from app.core.db import db
from app.dead_letters import alerts
from app.ops.health import check_all

blueprint = Blueprint("ops", __name__)


@blueprint.get("/healthz")
@audience(PUBLIC)
def healthz() -> ResponseReturnValue:
    """200 when every part is up, else 503 with the names of what is down. No addresses, no versions.

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


def _dead_letters() -> dict[str, int] | None:
    try:
        return alerts.waiting()
    except SQLAlchemyError:
        return None
    finally:
        db.session.rollback()
