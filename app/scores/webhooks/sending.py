"""Sends one delivery over HTTP, guarded by app/core/http/outbound.py."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.http import outbound

_SUCCESS, _REDIRECT = range(200, 300), range(300, 400)

SECONDS = 10.0


@dataclass(frozen=True)
class Sent:
    """The result of a try.

    `status` is None without an answer; `fault` is a sentence, None if it was delivered (2xx).
    """

    status: int | None
    fault: str | None


def send(
    url: str, body: bytes, headers: dict[str, str], *, private: bool, seconds: float = SECONDS
) -> Sent:
    """Post the body; never raises because of what the receiver does."""
    answer = outbound.post(url, body, headers, private=private, seconds=seconds)
    status = answer.status
    if status is None:
        return Sent(None, answer.fault)
    if status in _SUCCESS:
        return Sent(status, None)
    what = ", a redirect, which we don't follow" if status in _REDIRECT else ""
    return Sent(status, f"Responded with {status}{what}.")
