"""Hides what differs between two recordings of the same behaviour.

Random ids, secrets and database times.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
# Tokens have digits and capitals; long words of texts and paths do not.
TOKEN = re.compile(
    r"(?<![\w/.-])(?!demo-|practice-)(?=[\w.-]*\d)(?=[\w.-]*[A-Z])[\w.-]{20,}(?![\w/])"
)
HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b")
BASE64 = re.compile(r"(?<=\")(?=[^\"]*\d)(?=[^\"]*[A-Z])[\w+/-]{20,}={0,2}(?=\")")
SIGNED = re.compile(r"(?<=/)[\w-]+\.[\w-]{27}(?=[./ \]]|$)", re.MULTILINE)  # itsdangerous
SECRET = re.compile(r'(?<="secret": ")[^"]+|pbk_[\w-]+')
INVITE_CODE = re.compile(r"(?<=/join/)[A-Z0-9]{8}\b|(?<=Invite code: )[A-Z0-9]{4}-[A-Z0-9]{4}\b")
ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")

REAL_NOW = datetime.now(UTC)  # on import, before the clock stands still
TIME_IN_WORDS = re.compile(
    rf"{REAL_NOW:%-d} {REAL_NOW:%b}[a-z]*(?: {REAL_NOW:%Y})?,? \d\d:\d\d(?::\d\d)?"
)


def masked(text: str) -> str:
    """Return the text with random values and times of PostgreSQL's clock masked."""
    text = UUID.sub("<uuid>", text)
    text = ISO_TIME.sub(_database_time, text)
    text = TIME_IN_WORDS.sub("<now>", text)
    for secret in (SECRET, SIGNED, BASE64, TOKEN):
        text = secret.sub("<token>", text)
    text = INVITE_CODE.sub("<code>", text)
    return HEX.sub("<hex>", text)


def _database_time(match: re.Match[str]) -> str:
    moment = datetime.fromisoformat(match[0].replace(" ", "T").replace("Z", "+00:00"))
    return match[0] if moment.replace(tzinfo=UTC) < REAL_NOW - timedelta(days=2) else "<now>"
