"""The providers by kind (models.PROVIDER_KINDS)."""

from __future__ import annotations

from urllib.parse import urlsplit

from app.predictions.providers.http_json import HttpJson
from app.predictions.providers.nflverse import NflverseGames
from app.predictions.providers.offer import Provider
from app.predictions.providers.official_record import OfficialRecord

_BY_KIND: dict[str, Provider] = {
    "http-json": HttpJson(),
    "nflverse-games": NflverseGames(),
    "official-record": OfficialRecord(),
}

# Kinds whose only score includes overtime.
WITH_OVERTIME = ("nflverse-games", "official-record")


def provider(kind: str) -> Provider:
    """Return the provider of this kind."""
    return _BY_KIND[kind]


def name_of(kind: str, address: str) -> str:
    """Return the provider's name for settlement jobs: a JSON provider's host, else a fixed name."""
    if kind == "http-json":
        return urlsplit(address).hostname or kind
    return {"nflverse-games": "nflverse", "official-record": "pressbox"}[kind]
