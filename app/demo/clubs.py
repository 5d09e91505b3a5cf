"""The demo league: eight invented clubs, how each likes to play, and their footballers.

The simulator and the demo season use them. How a game goes is in game.py, who the members are in
season.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType

from app.demo.names import draw_names
from app.record.script import Club, Footballer

CLUBS: tuple[Club, ...] = (
    Club("HRB", "Port Harrow Lamplighters", "Lamplighters", "#0b5c8a"),
    Club("QRY", "Granite Vale Stonecutters", "Stonecutters", "#5c5346"),
    Club("ASH", "Ashby Mills Kingfishers", "Kingfishers", "#0f6e5f"),
    Club("MES", "Mesa Alta Sundials", "Sundials", "#a8431b"),
    Club("COP", "Copperline Tinkers", "Tinkers", "#8a3a5b"),
    Club("FJD", "Northfjord Narwhals", "Narwhals", "#35448f"),
    Club("LKW", "Lakewick Ferrymen", "Ferrymen", "#6a3d9a"),
    Club("PRX", "Prairie Cross Meadowlarks", "Meadowlarks", "#5a6b12"),
)


@dataclass(frozen=True, slots=True)
class Style:
    """A club's habits.

    Attributes:
        pass_share: Share of passes on an even down.
        haste: Seconds saved between snaps.
        boldness: 0 to 1, on fourth down.
        depth: Yards added to a throw.
        blitz: Sacks per dropback added.
    """

    pass_share: float = 0.57
    haste: float = 0.0
    boldness: float = 0.3
    depth: float = 0.0
    blitz: float = 0.0


STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "HRB": Style(pass_share=0.64, haste=2.0, boldness=0.4, depth=1.0),
        "QRY": Style(pass_share=0.49, haste=-2.0, boldness=0.2),
        "ASH": Style(pass_share=0.58, blitz=0.015),
        "MES": Style(pass_share=0.66, haste=3.5, boldness=0.6, depth=0.5),
        "COP": Style(pass_share=0.53, boldness=0.5, blitz=0.02),
        "FJD": Style(pass_share=0.55, haste=-1.0, depth=1.5),
        "LKW": Style(pass_share=0.60, depth=-1.0),
        "PRX": Style(pass_share=0.51, haste=1.0, boldness=0.3, blitz=-0.01),
    }
)

# position -> (how many, jersey numbers allowed)
_SHAPE: Mapping[str, tuple[int, tuple[int, ...]]] = MappingProxyType(
    {
        "QB": (2, tuple(range(1, 20))),
        "RB": (3, tuple(range(20, 40))),
        "WR": (5, (*range(10, 20), *range(80, 90))),
        "TE": (3, (*range(40, 50), *range(80, 90))),
        "OL": (7, tuple(range(60, 80))),
        "K": (1, tuple(range(1, 10))),
        "P": (1, tuple(range(1, 10))),
        "DL": (6, tuple(range(90, 100))),
        "LB": (5, tuple(range(50, 60))),
        "CB": (4, tuple(range(20, 40))),
        "S": (3, tuple(range(20, 50))),
    }
)

_LEAGUE_SEED = 1906  # the year the forward pass became legal


def style_of(club_id: str) -> Style:
    """The club's habits; an even style for a club from elsewhere."""
    return STYLES.get(club_id, Style())


@cache
def skill(footballer_id: str) -> float:
    """Return how good a footballer is: mean 0, standard deviation 1, within -2 and 2.

    The skill follows from the id alone.
    """
    return max(-2.0, min(2.0, Random(f"skill {footballer_id}").gauss(0, 1)))  # noqa: S311


def draw_rosters(rng: Random) -> Mapping[str, tuple[Footballer, ...]]:
    """Draw forty footballers for each club.

    Names are unique in the league, numbers in a club. The same state of `rng` gives the same
    rosters.

    Returns:
        The depth charts by club id: position by position, the best of each position first.
    """
    size = sum(count for count, _ in _SHAPE.values())
    names = iter(draw_names(rng, size * len(CLUBS)))
    rosters = {}
    for club in CLUBS:
        taken: set[int] = set()
        roster: list[Footballer] = []
        for position, (count, allowed) in _SHAPE.items():
            numbers = rng.sample([n for n in allowed if n not in taken], count)
            taken.update(numbers)
            group = [
                Footballer(f"demo-{club.id}-{n}", next(names), club.id, position, n)
                for n in numbers
            ]
            roster += sorted(group, key=lambda player: skill(player.id), reverse=True)
        rosters[club.id] = tuple(roster)
    return MappingProxyType(rosters)


@cache
def rosters() -> Mapping[str, tuple[Footballer, ...]]:
    """Return the demo league's rosters by club id."""
    return draw_rosters(Random(_LEAGUE_SEED))  # noqa: S311
