"""Answers of providers: an offer that can be stored, or a fault in words.

And what is mapped is written whole.

An input is `json`, `csv` or `address`, a line's end, and the answer (or the address that somebody
gives).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from app.core.db import db
from app.core.http import outbound
from app.predictions.matches import mapping
from app.predictions.providers import http_json, nflverse
from app.predictions.providers.offer import Offer, ProviderError, Seen
from tests.fuzz import stores
from tests.fuzz.errors import assert_says_what
from tests.predictions.providing import match, season
from tests.worlds.season_files import SCHEDULE
from tests.worlds.tournament import World

NOW = datetime(2026, 9, 14, tzinfo=UTC)
WORDS = (
    "finishedAt",
    "homeScore",
    "void",
    "postponed",
    "live",
    "0001-01-01T00:00:00+14:00",
    "NA",
    "\\u0000",
    "week-1",
)
tournaments: list[UUID] = []


def begin() -> None:
    stores.application()
    tournaments.append(World().id)


def seeds() -> Iterator[bytes]:
    whole = season(
        match(),
        match("m2", "liv", "mun", status="scheduled", homeScore=None, awayScore=None, version="2"),
    )
    yield b"json\n" + json.dumps(whole).encode()
    yield (
        b"json\n"
        + json.dumps(season(match(status="postponed", image="https://example.com/a.png"))).encode()
    )
    yield b"csv\n" + SCHEDULE.encode()
    for address in (
        "https://example.com/season.json",
        "/srv/games.csv#2026/REG",
        "https://[2001:db8::1]:443/a#2026",
    ):
        yield b"address\n" + address.encode()


def one_input(data: bytes) -> None:
    kind, _, body = data.partition(b"\n")
    offer: Offer | None = None
    message: str | None = None
    try:
        if kind == b"json":
            offer = http_json.decode(body)
        elif kind == b"csv":
            offer = nflverse.decode(body, "2026", "")
        elif kind == b"address":
            _address(body.decode(errors="replace"))
    except ProviderError as fault:
        message = str(fault)
    if message is not None:
        assert_says_what(message)
        assert "\x00" not in message.encode().decode(), "a fault that cannot be stored"
    if offer is not None:
        mapping.apply(tournaments[0], "fuzz", offer, NOW)
        db.session.flush()
        db.session.rollback()


def _address(text: str) -> None:
    for provider in (http_json.HttpJson(), nflverse.NflverseGames()):
        if fault := provider.address_fault(text):
            assert_says_what(fault)
    outbound.url_fault(text, private=True)
    if not text.startswith("http") and "#" in text and "\x00" not in text:
        nflverse.NflverseGames().fetch(text, Seen())
