"""Values of settings, read from the text of an environment variable."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any

from app.core.postgres.timeouts import Timeouts

# Not shown by repr(); addresses of stores have passwords in them.
SECRETS = (
    "SECRET_KEY",
    "METRICS_TOKEN",
    "STREAM_KEYS",
    "AUDIT_KEY",
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_DIRECT_URL",
    "DATABASE_READ_URL",
    "REDIS_URL",
    "BOARDS_REDIS_URL",
    "KAFKA_PASSWORD",
    "SMTP_URL",
    "VAPID_KEY",
    "AWS_SECRET_ACCESS_KEY",
)

# Those of Chrome and most others, Firefox, Safari, and Edge on Windows.
PUSH_SERVICES = (
    "fcm.googleapis.com,*.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com"
)


def given(environ: Mapping[str, str], name: str) -> str:
    """The variable's value, or the content of the file that NAME_FILE names, or ''.

    Files are secrets of Docker or Kubernetes. Raises ValueError if both are set, or if the file
    cannot be read.
    """
    raw, path = environ.get(name, "").strip(), environ.get(f"{name}_FILE", "").strip()
    if not path:
        return raw
    if raw:
        raise ValueError(f"is set, and so is {name}_FILE: leave one of them out")
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ValueError(f"{name}_FILE={path} cannot be read ({why})") from None


def parse(kind: str, raw: str) -> Any:
    """The value of a setting of this kind (a field's annotation).

    Raises ValueError with what it must be.
    """
    reader = READERS.get(kind)
    return raw if reader is None else reader(raw)


def _whole_number(raw: str) -> int:
    try:
        return int(raw)
    except ValueError:
        raise ValueError("must be a whole number") from None


def _number(raw: str) -> float:
    try:
        number = float(raw)
    except ValueError:
        raise ValueError("must be a number") from None
    if not isfinite(number):
        raise ValueError("must be a number")
    return number


def _switch(raw: str) -> bool:
    if raw.lower() in ("1", "true", "yes", "on"):
        return True
    if raw.lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError("must be 1 or 0")


def _moment(raw: str) -> datetime:
    try:
        moment = datetime.fromisoformat(raw)
    except ValueError:
        raise ValueError("must be a date and time") from None
    if moment.tzinfo is None:
        raise ValueError("must end with its offset from UTC, as Z or +02:00")
    return moment


# By the annotation of a field of Settings; what is not here stays text.
READERS: dict[str, Callable[[str], Any]] = {
    "int": _whole_number,
    "float": _number,
    "bool": _switch,
    "datetime | None": _moment,
    "Path": Path,
    "Timeouts": Timeouts.parse,
}


def is_origin(url: str) -> bool:
    """Whether it is a scheme (http or https), a host and at most a port, as in a page's policy."""
    return re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?", url) is not None


def is_mail_address(text: str) -> bool:
    """Whether it is an address alone, without a name beside it."""
    return re.fullmatch(r"[^@\s<>,;:]+@[^@\s<>,;:]+", text) is not None


# of the curve (FIPS 186-5)
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def is_vapid_key(text: str) -> bool:
    """Whether it is a private key of P-256: its 32 bytes in base64url, without `=`."""
    if re.fullmatch(r"[A-Za-z0-9_-]{43}", text) is None:
        return False
    return 0 < int.from_bytes(urlsafe_b64decode(f"{text}=")) < P256_ORDER


def for_sqlalchemy(url: str) -> str:
    """PostgreSQL's address with psycopg 3 as the driver.

    Several hosts (`h1:5432,h2:5432`), which libpq takes before the name of the database, SQLAlchemy
    takes in the query.
    """
    where, _, query = for_psycopg(url).removeprefix("postgresql://").partition("?")
    place, slash, database = where.partition("/")
    user, at, hosts = place.rpartition("@")
    if "," in hosts:
        place, query = (
            f"{user}{at}",
            "&".join(filter(None, [*(f"host={host}" for host in hosts.split(",")), query])),
        )
    return f"postgresql+psycopg://{place}{slash}{database}" + (f"?{query}" if query else "")


def for_psycopg(url: str) -> str:
    """PostgreSQL's address as libpq spells it."""
    for prefix in ("postgres://", "postgresql+psycopg://"):
        if url.startswith(prefix):
            return "postgresql://" + url.removeprefix(prefix)
    return url
