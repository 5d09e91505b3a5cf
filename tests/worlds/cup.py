"""A tournament in real time, for the pages: around now, asked for as a browser does."""

from __future__ import annotations

from datetime import datetime, timedelta

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import clock
from tests.worlds.tournament import World

HOUR = timedelta(hours=1)
POLL = {"HX-Request": "true"}


class Cup:
    """A tournament in real time, around now.

    Week 1 has m1 that begins in an hour, and m2 tomorrow.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.now = clock.now().replace(microsecond=0)
        world.match("m1", kickoff=self.now + HOUR)
        world.match("m2", "liv", "mun", kickoff=self.now + timedelta(days=1))
        world.match("m3", "ars", "liv", round="week-2", kickoff=self.now + timedelta(days=8))
        world.poll(self.now)

    def path(self, *parts: object) -> str:
        return "/".join(["/tournaments", str(self.world.id), *map(str, parts)])

    @property
    def round(self) -> str:
        return self.path("rounds", "week-1")

    def fields(self, match_id: str, home: object, away: object) -> dict[str, str]:
        match = self.world.id_of(match_id)
        return {f"home-{match}": str(home), f"away-{match}": str(away)}

    def guess(self, name: str, match_id: str, home: int, away: int) -> None:
        assert self.world.guess(name, match_id, home, away, self.now - HOUR) == []

    def kick_off(self, match_id: str, **values: object) -> None:
        """It began a minute ago."""
        self.world.match(match_id, kickoff=self.now - timedelta(minutes=1), **values)
        self.world.poll(self.now)

    def end(self, match_id: str, home: int, away: int, at: datetime | None = None) -> None:
        kickoff = self.now - 3 * HOUR
        self.world.ended(match_id, home, away, at or self.now, kickoff=kickoff)
        self.world.poll(self.now)
        self.world.settle(self.now)


def poll(client: FlaskClient, path: str, shows: str | None = None) -> TestResponse:
    return client.get(path, headers=POLL | ({"If-None-Match": shows} if shows else {}))


def many(today: Cup, count: int, start: int = 0) -> None:
    """Members with guesses of m1 of a right outcome, so that they share few different totals."""
    for number in range(start, start + count):
        today.guess(f"Member{number:02}", "m1", 20 + number % 5, 17)
