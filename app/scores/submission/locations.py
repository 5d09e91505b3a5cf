"""Locates addresses roughly, with the operator's own table (setting GEOIP_DATABASE).

Without the setting nothing is located. A location is rounded to a tenth of a degree, about 11 km,
and is kept with the score's message and for a day in Redis.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import maxminddb
import structlog
from flask import current_app

from app.core.errors import one_line
from app.scores.anticheat.submission import Location

log = structlog.get_logger(__name__)


def locate(address: str) -> Location | None:
    """Return (latitude, longitude) in degrees; None if the table does not know the address."""
    path = current_app.config["PRESSBOX"].geoip_database
    reader = _reader(path) if path else None
    if reader is None:
        return None
    try:
        record = cast("dict[str, Any] | None", reader.get(address))
    except (ValueError, maxminddb.InvalidDatabaseError) as error:
        log.warning("address_not_located", reason=one_line(error))
        return None
    place = (record or {}).get("location", {})
    if "latitude" not in place or "longitude" not in place:
        return None
    return round(place["latitude"], 1), round(place["longitude"], 1)


@cache
def _reader(path: str) -> maxminddb.Reader | None:
    """Open the table once per process; None, logged once, if it cannot be read."""
    try:
        return maxminddb.open_database(Path(path))
    except (OSError, maxminddb.InvalidDatabaseError) as error:
        log.error("geoip_database_not_read", path=path, reason=one_line(error))
        return None
