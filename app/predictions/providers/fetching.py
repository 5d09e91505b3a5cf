"""Conditional HTTP requests to providers, guarded by app/core/http/outbound.py."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import current_app

from app.core.http import outbound
from app.predictions.providers.offer import ProviderError, Seen, Unchanged
from app.settings import Settings

SECONDS = 15.0
MOST_BYTES = 16 * 1024 * 1024
HTTP_OK, HTTP_NOT_MODIFIED = 200, 304
LONGEST_MARK = 500  # longest ETag or date that is sent with the next request


def address_fault(address: str) -> str | None:
    """Return what is wrong with a provider's web address, or None."""
    return outbound.url_fault(address, private=_private())


def fetch(address: str, validators: Seen, accept: str) -> tuple[bytes | Unchanged, Seen]:
    """Fetch the body (or Unchanged) and the validators for the next conditional request.

    Raises ProviderError, which names only the host, because an address may contain a key.
    """
    host = urlsplit(address).hostname
    if fault := address_fault(address):
        raise ProviderError(f"The provider's address cannot be used. {fault}")
    headers = {"Accept": accept, "User-Agent": "Pressbox"}
    if validators.etag:
        headers["If-None-Match"] = validators.etag
    if validators.last_modified:
        headers["If-Modified-Since"] = validators.last_modified
    answer = outbound.get(
        address, headers, private=_private(), seconds=SECONDS, most_bytes=MOST_BYTES
    )
    if answer.fault is not None:
        raise ProviderError(f"The provider {host} could not be reached: {answer.fault}")
    if answer.status == HTTP_NOT_MODIFIED and validators != Seen():
        return Unchanged(), validators
    if answer.status != HTTP_OK:
        what = (
            ", a redirect, which we don't follow. Enter the address it leads to"
            if _leads_on(answer)
            else ""
        )
        raise ProviderError(f"The provider {host} answered {answer.status}{what}.")
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise ProviderError(f"The provider {host} compressed its answer although asked not to.")
    headers_received = answer.headers
    return answer.body, Seen(
        etag=_repeatable(headers_received.get("etag")),
        last_modified=_repeatable(headers_received.get("last-modified")),
    )


def _repeatable(value: str | None) -> str | None:
    """Return a header's value if it can be sent back unchanged, else None."""
    return (
        value
        if value and len(value) <= LONGEST_MARK and value.isascii() and value.isprintable()
        else None
    )


def _leads_on(answer: outbound.Answer) -> bool:
    return answer.status in (301, 302, 303, 307, 308)


def _private() -> bool:
    settings: Settings = current_app.config["PRESSBOX"]
    return settings.providers_private
