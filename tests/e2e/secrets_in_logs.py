"""No secret of the stories stands in a log.

What they typed, got and made is noted, and at their end every log is read.

Three ways to know one: its value (fields that a browser sent, cookies, sessions, what the
installation itself keeps); its SHA-256, which the database has of keys, tokens, links and codes
that only the web process ever saw; its form. Each worker of xdist has processes, logs and a
database of its own, and reads its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from playwright.sync_api import BrowserContext, Request
from sqlalchemy import select

from app.accounts import second_factors
from app.accounts.models import (
    ApiKey,
    Authenticator,
    Member,
    MemberSession,
    OneTimeLink,
    RecoveryCode,
    RefreshToken,
)
from app.core.db import db
from app.scores.webhooks.models import Webhook
from app.settings import Settings

SHORTEST = 8  # characters: a code of six digits may be any number of the log
NAMES = re.compile(r"pass|secret|token|code|current|answer|csrf|authorization", re.IGNORECASE)
IN_ADDRESS = re.compile(r"[A-Za-z0-9_.-]{32,}")  # a part of a path that is no slug and no UUID
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
WORD = re.compile(r"[A-Za-z0-9_~+/=.-]{16,}")
FORMS = {
    "an integrator's key": r"pbk_[A-Za-z0-9_-]{20,}",
    "a refresh token": r"pbr_[A-Za-z0-9_-]{20,}",
    "a webhook's secret": r"whsec_[A-Za-z0-9+/=_-]{20,}",
    "a signed token": r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "a password's hash": r"\$argon2\w*\$|SCRAM-SHA-256\$",
    "a header that signs": r"(?i)\bbearer\s+[A-Za-z0-9_.~+/-]{16,}|\bset-cookie\b|\bcookie\s*[:=]",
    "an authenticator's address": r"otpauth://",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY",
}
DIGESTS = {
    ApiKey.digest: "an integrator's key",
    RefreshToken.digest: "a refresh token",
    OneTimeLink.digest: "a one-time link",
    RecoveryCode.digest: "a recovery code",
}


@dataclass
class Secrets:
    """`values`: what each is, by its text in any spelling of a log.

    `digests`: by the hex of its SHA-256.
    """

    values: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def note(self, value: str | None, kind: str) -> None:
        if value is not None and len(value) >= SHORTEST:
            spelled = (value, quote(value), quote_plus(value), json.dumps(value)[1:-1])
            self.values.update(dict.fromkeys(spelled, kind))

    def note_settings(self, settings: Settings) -> None:
        self.note(settings.secret(), "SECRET_KEY")
        self.note(settings.audit_secret(), "AUDIT_KEY")
        for secret in settings.stream_secrets():
            self.note(secret, "STREAM_KEYS")

    def note_database(self) -> None:
        """What it holds now; call it before it is emptied."""
        for column, kind in DIGESTS.items():
            self.digests.update(dict.fromkeys(db.session.scalars(select(column)), kind))
        for secret in db.session.scalars(select(Authenticator.secret)):
            self.note(second_factors._decrypt(secret), "an authenticator's secret")
        for column, kind in (
            (Webhook.secret, "a webhook's secret"),
            (MemberSession.id, "a session"),
            (MemberSession.device, "a device's cookie"),
            (Member.password_hash, "a password's hash"),
        ):
            for value in db.session.scalars(select(column)):
                self.note(value, kind)
        db.session.rollback()

    def watch(self, context: BrowserContext) -> None:
        """Notes what its pages send."""
        context.on("request", self.note_request)

    def note_cookies(self, context: BrowserContext) -> None:
        for cookie in context.cookies():
            self.note(cookie.get("value"), f"the cookie {cookie.get('name')}")

    def note_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        for part in address.path.split("/"):
            if (
                IN_ADDRESS.fullmatch(part)
                and not UUID.fullmatch(part)
                and request.resource_type == "document"
            ):
                self.note(part, "a part of an address")
        sent = [*parse_qsl(address.query), *_fields(request.post_data_buffer)]
        for name, value in sent:
            if NAMES.search(name):
                self.note(value, f"the field {name}")

    def found_in(self, text: str) -> list[str]:
        """What stands in the text: a kind each, never the secret itself."""
        kinds = [kind for kind, form in FORMS.items() if re.search(form, text)]
        kinds += [kind for value, kind in self.values.items() if value in text]
        for word in set(WORD.findall(text)):
            for part in {word, word.split("=", 1)[-1], word.rsplit("/", 1)[-1], unquote(word)}:
                kind = self.digests.get(hashlib.sha256(part.encode()).hexdigest())
                if kind is not None:
                    kinds.append(kind)
        return sorted(set(kinds))

    def faults(self, folder: Path) -> list[str]:
        """A sentence for each line of a log in the folder that holds a secret, older files too."""
        faults = []
        for path in sorted(entry for entry in folder.iterdir() if entry.is_file()):
            text = path.read_text(errors="replace")
            lines = text.splitlines() if self.found_in(text) else []
            faults += [
                f"{path.name}, line {n}: {kind}"
                for n, line in enumerate(lines, 1)
                for kind in self.found_in(line)
            ]
        return faults


def _fields(body: bytes | None) -> Iterator[tuple[str, str]]:
    """Names and texts of a form or a JSON body, however deep."""
    text = (body or b"").decode(errors="replace")
    try:
        yield from _deep("", json.loads(text))
    except ValueError:
        yield from parse_qsl(text)


def _deep(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _deep(str(key), item)
    elif isinstance(value, list):
        for item in value:
            yield from _deep(name, item)
    elif isinstance(value, str):
        yield name, value
