"""Who is on the field for a club, and which of them are likely to make a play (stars first).

Rosters are in clubs.py, outcomes in plays.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from app.demo.clubs import Style, skill, style_of
from app.record.script import Club, Footballer

# (position, place on the depth chart) -> weight
Table = tuple[tuple[str, tuple[float, ...]], ...]

TARGETS: Table = (("WR", (25, 18, 12, 4, 1)), ("TE", (17, 5, 1)), ("RB", (11, 7, 1)))
CARRIERS: Table = (("RB", (64, 25, 5)), ("QB", (5,)), ("WR", (2, 1)))
RETURNERS: Table = (("WR", (0, 0, 10, 40, 20)), ("RB", (0, 8, 15)), ("CB", (0, 0, 10)))
FRONT: Table = (
    ("DL", (9, 8, 7, 7, 3, 2)),
    ("LB", (16, 14, 9, 3, 1)),
    ("S", (10, 8, 2)),
    ("CB", (5, 5, 3, 1)),
)
DEEP: Table = (
    ("CB", (16, 16, 10, 3)),
    ("S", (13, 12, 5)),
    ("LB", (12, 10, 6, 2, 1)),
    ("DL", (1, 1)),
)
RUSHERS: Table = (("DL", (22, 18, 10, 7, 3, 2)), ("LB", (14, 9, 4, 2)), ("S", (3, 1)), ("CB", (2,)))
COVERAGE: Table = (
    ("LB", (1, 2, 4, 8, 8)),
    ("S", (2, 4, 9)),
    ("CB", (1, 2, 5, 8)),
    ("RB", (0, 2, 5)),
    ("WR", (0, 0, 0, 3, 5)),
)
BALL_HAWKS: Table = (("CB", (14, 14, 8, 3)), ("S", (11, 9, 4)), ("LB", (5, 4, 2)), ("DL", (1, 1)))
BLOCKERS: Table = (("OL", (6, 6, 6, 6, 6, 2, 1)), ("TE", (4, 2, 1)))
EVERYBODY: Table = (
    ("QB", (3,)),
    ("RB", (3, 1)),
    ("WR", (3, 3, 2)),
    ("TE", (3, 1)),
    ("OL", (3, 3, 3, 3, 3)),
)


@dataclass(frozen=True, slots=True)
class Lineup:
    """The depth chart of a club: ids by position, the first choice first."""

    club: Club
    style: Style
    depth: Mapping[str, tuple[str, ...]]

    @property
    def quarterback(self) -> str | None:
        """The first quarterback."""
        return self.first("QB")

    def first(self, position: str) -> str | None:
        """Return the first choice of the position, or None if it is empty."""
        return next(iter(self.depth.get(position, ())), None)

    def pick(self, rng: Random, table: Table, *, but: str | None = None) -> str | None:
        """Draw a player by the weights of `table`, better players more often; never `but`."""
        players: list[str] = []
        weights: list[float] = []
        for position, places in table:
            for player, weight in zip(self.depth.get(position, ()), places, strict=False):
                if player != but and weight:
                    players.append(player)
                    weights.append(weight * (1 + 0.2 * skill(player)))
        return rng.choices(players, weights)[0] if players else None

    def grade(self, *positions: str) -> float:
        """Return the mean skill of the first two choices of each of these positions."""
        players = [player for position in positions for player in self.depth.get(position, ())[:2]]
        return sum(skill(player) for player in players) / len(players) if players else 0.0


def lineup(club: Club, roster: tuple[Footballer, ...]) -> Lineup:
    """Build the depth chart from the order of the roster."""
    depth: dict[str, tuple[str, ...]] = {}
    for player in roster:
        depth[player.position] = (*depth.get(player.position, ()), player.id)
    return Lineup(club, style_of(club.id), MappingProxyType(depth))
