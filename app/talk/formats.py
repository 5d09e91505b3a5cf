"""Message formats of the services that a league can be connected to, and their addresses. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

DISCORD, SLACK, JSON = "discord", "slack", "json"
SERVICES = {DISCORD: "Discord", SLACK: "Slack", JSON: "Any webhook (JSON)"}
# Where the webhooks of a service are: hosts, and how their paths begin.
_PLACES: Mapping[str, tuple[tuple[str, ...], str]] = {
    DISCORD: (("discord.com", "discordapp.com", "ptb.discord.com"), "/api/webhooks/"),
    SLACK: (("hooks.slack.com", "hooks.slack-gov.com"), "/services/"),
}
LONGEST_MESSAGE = 1_900  # Discord takes 2,000 characters
SHOWN_END = 4  # characters of a secret address that are shown


@dataclass(frozen=True)
class Message:
    """What is sent about a post.

    `path_url`: the address of the page that it is about.
    """

    league: str
    kind: str
    text: str
    page_url: str
    at: datetime


def address_fault(service: str, url: str) -> str | None:
    """Return why the address is none of the service's webhooks, or None.

    >>> address_fault("slack", "https://hooks.slack.com/services/T0/B0/x")
    >>> address_fault("discord", "https://example.com/api/webhooks/1/x")
    'A Discord webhook begins with https://discord.com/api/webhooks/. Copy it from there.'
    """
    if service not in _PLACES:
        return None
    hosts, path = _PLACES[service]
    parts = urlsplit(url)
    if parts.hostname in hosts and parts.path.startswith(path):
        return None
    return (
        f"A {SERVICES[service]} webhook begins with https://{hosts[0]}{path}. Copy it from there."
    )


def masked(url: str) -> str:
    """Return the address with only its host and last characters.

    >>> masked("https://discord.com/api/webhooks/123/abcdefgh")
    'https://discord.com/…efgh'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…{url[-SHOWN_END:]}"


def body(service: str, message: Message) -> bytes:
    """Return the body of the request, as the service expects it."""
    makers = {DISCORD: _discord, SLACK: _slack, JSON: _json}
    return json.dumps(makers[service](message), ensure_ascii=False).encode()


def _discord(message: Message) -> dict[str, Any]:
    text = f"**{_escaped_markdown(message.league)}**\n{_escaped_markdown(_short(message.text))}"
    # Nobody is pinged, whatever a team is called.
    return {"content": f"{text}\n<{message.page_url}>", "allowed_mentions": {"parse": []}}


def _slack(message: Message) -> dict[str, Any]:
    league, text = _escaped_slack(message.league), _escaped_slack(_short(message.text))
    lines = f"*{league}*\n{text}\n<{message.page_url}|Open in Pressbox>"
    section = {"type": "section", "text": {"type": "mrkdwn", "text": lines}}
    return {"text": f"{league}: {text}", "blocks": [section]}


def _json(message: Message) -> dict[str, Any]:
    return {
        "league": message.league,
        "kind": message.kind,
        "text": message.text,
        "url": message.page_url,
        "at": message.at.isoformat(),
    }


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"


def _escaped_markdown(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*_~`|>#[]<@" else letter for letter in text)


def _escaped_slack(text: str) -> str:
    """Escape Slack's control characters, and keep its marks of bold and italic text apart."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"{letter}\u200b" if letter in "*_~`" else letter for letter in escaped)
