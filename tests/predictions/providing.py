"""Servers of providers for tests.

The stand-alone fake of examples/, and one that answers whatever a test wants.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from examples.fake_provider import FakeProvider, serve
from tests.http_server import Quiet, running, serving

NOW = datetime.fromisoformat("2026-09-10T12:00:00Z")
TEAMS = ("ars", "che", "liv", "mun")


def match(
    match_id: str = "m1", home: str = "ars", away: str = "che", **values: Any
) -> dict[str, Any]:
    """Won 2:1 by the home team, from 17:00 to 19:00 on 13 September 2026."""
    return {
        "id": match_id,
        "round": "week-1",
        "home": home,
        "away": away,
        "status": "finished",
        "kickoff": "2026-09-13T17:00:00Z",
        "homeScore": 2,
        "awayScore": 1,
        "finishedAt": "2026-09-13T19:00:00Z",
    } | values


def season(*matches: dict[str, Any]) -> dict[str, Any]:
    return {
        "teams": [{"id": team, "name": team.title()} for team in TEAMS],
        "rounds": [{"slug": f"week-{n}", "name": f"Week {n}", "position": n} for n in (1, 2)],
        "matches": list(matches),
    }


@dataclass
class Served:
    """A fake provider that runs; `address` of its JSON."""

    provider: FakeProvider
    origin: str

    @property
    def address(self) -> str:
        return f"{self.origin}/season.json"

    def at(self, moment: str) -> datetime:
        """Moves its clock; returns the moment."""
        self.provider.now = datetime.fromisoformat(moment)
        return self.provider.now

    @property
    def statuses(self) -> list[int]:
        """Of the answers to GET so far; 0: none was given."""
        return [status for _, status in self.provider.asked]


@contextmanager
def fake_provider(offered: dict[str, Any]) -> Iterator[Served]:
    provider = FakeProvider(offered, NOW)
    with running(serve(provider)) as origin:
        try:
            yield Served(provider, origin)
        finally:
            provider.over.set()


@dataclass
class Answering:
    """Answers every GET with `status`, `headers` and `body`, and keeps the requests' headers."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    asked: list[dict[str, str]] = field(default_factory=list)
    origin: str = ""


@contextmanager
def answering() -> Iterator[Answering]:
    state = Answering()

    class Handler(Quiet):
        def do_GET(self) -> None:  # noqa: N802 (http.server calls it by this name)
            state.asked.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(state.status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(state.body)))
            self.end_headers()
            self.wfile.write(state.body)

    with running(serving(Handler)) as state.origin:
        yield state
