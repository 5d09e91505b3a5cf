"""Values of settings, read from the text of an environment variable."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from app.core.timeouts import Timeouts


def parse(kind: str, raw: str) -> Any:
    """The value of a setting of this kind (a field's annotation). Raises ValueError with what it must be."""
    match kind:
        case "int":
            try:
                return int(raw)
            except ValueError:
                raise ValueError("must be a whole number") from None
        case "float":
            try:
                return float(raw)
            except ValueError:
                raise ValueError("must be a number") from None
        case "bool":
            if raw.lower() in ("1", "true", "yes", "on"):
                return True
            if raw.lower() in ("0", "false", "no", "off"):
                return False
            raise ValueError("must be 1 or 0")
        case "datetime | None":
            try:
                moment = datetime.fromisoformat(raw)
            except ValueError:
                raise ValueError("must be a date and time") from None
            if moment.tzinfo is None:
                raise ValueError("must end with its offset from UTC, as Z or +02:00")
            return moment
        case "Path":
            return Path(raw)
        case "Timeouts":
            return Timeouts.parse(raw)
        case _:
            return raw


def is_origin(url: str) -> bool:
    """Whether it is scheme (http or https), host and at most a port, as a page's policy can name it."""
    return re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?", url) is not None
