"""Who plays in a simulated season: leagues of every kind, and gamers with habits. Pure.

The leagues cover every mode, tie rule, lock and format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType

from app.demo.names import draw_names
from app.fantasy.market.choice import CLASSIC, TeamRulesChoice
from app.fantasy.scoring.rules import HALF_PPR_IDP, STANDARD_IDP

NEW_YORK = "America/New_York"

# Custom rules by name; one league changes to the last ones in the middle of the season.
CUSTOM: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Six for a thrown touchdown": {
            **STANDARD_IDP.milli_points,
            "passing_tds": 6000,
            "tackles_solo": 750,
        },
        "Yards and catches": {"rushing_yards": 125, "receiving_yards": 125, "receptions": 333},
        "Interceptions hurt": {
            **HALF_PPR_IDP.milli_points,
            "passing_interceptions": -4000,
            "half_sacks": 1500,
        },
    }
)
CHANGED_RULES = "Interceptions hurt"


@dataclass(frozen=True)
class LeaguePlan:
    """A league to create.

    `size` is for two hundred gamers; `rules` is a preset or the title of custom rules.
    """

    name: str
    size: int
    rules: str
    mode: str = "total"
    ties: str = "shared"
    choice: TeamRulesChoice = field(default_factory=lambda: TeamRulesChoice.of(CLASSIC, NEW_YORK))
    is_public: bool = False
    is_overall: bool = False


_CLASSIC = TeamRulesChoice.of(CLASSIC, NEW_YORK)
_BERLIN = TeamRulesChoice.of("nfl-superflex", "Europe/Berlin", deadline="THU 18:00")
_BY_GAME = TeamRulesChoice.of(CLASSIC, NEW_YORK, lock="game")
_FLEX_BY_GAME = TeamRulesChoice.of("nfl-superflex", NEW_YORK, lock="game")
_OFFENCE = TeamRulesChoice.of("nfl-offence", NEW_YORK)
_TEAM_DEFENCE = TeamRulesChoice.of("nfl-team-defence", NEW_YORK)
_FREE = replace(_CLASSIC, free_transfers=None)
_TIGHT = replace(_CLASSIC, free_transfers=1, bank_limit=1, transfer_cost=6000, club_limit=3)
_TOKYO = TeamRulesChoice.of(CLASSIC, "Asia/Tokyo", deadline="FRI 09:00")

PLANS = (
    LeaguePlan("Everybody", 200, "half_ppr_idp", is_public=True, is_overall=True),
    LeaguePlan("Two by Two", 20, "espn", "head_to_head", choice=_TEAM_DEFENCE, is_public=True),
    LeaguePlan("The Odd Ones", 11, "standard_idp", "head_to_head", "fewest_transfers"),
    LeaguePlan(
        "Thursday in Berlin",
        40,
        "half_ppr_idp",
        ties="latest_gameweek",
        choice=_BERLIN,
        is_public=True,
    ),
    LeaguePlan(
        "Open till Kickoff",
        60,
        "half_ppr_idp",
        ties="fewest_transfers",
        choice=_BY_GAME,
        is_public=True,
    ),
    LeaguePlan(
        "The Last Minute", 16, "ppr_idp", "head_to_head", "latest_gameweek", choice=_FLEX_BY_GAME
    ),
    LeaguePlan("A Free Market", 30, "ppr_idp", choice=_FREE, is_public=True),
    LeaguePlan("Tight Fists", 30, "half_ppr_idp", ties="fewest_transfers", choice=_TIGHT),
    LeaguePlan(
        "Breakfast in Tokyo",
        24,
        "Six for a thrown touchdown",
        ties="latest_gameweek",
        choice=_TOKYO,
    ),
    LeaguePlan(
        "House Rules", 25, "Yards and catches", "head_to_head", "latest_gameweek", choice=_OFFENCE
    ),
    LeaguePlan("The Ladder", 24, "standard_idp", choice=_BERLIN, is_public=True),
    LeaguePlan(
        "The Long Bench", 50, "yahoo", ties="latest_gameweek", choice=_TEAM_DEFENCE, is_public=True
    ),
)


@dataclass(frozen=True)
class Gamer:
    """A member with habits.

    Attributes:
        username: Unique.
        name: Shown to others.
        country: ISO code.
        diligence: The chance that they look at their team in a gameweek. With 0 they join leagues
            and never pick a team.
        first_week: The gameweek of their first team sheet.
    """

    username: str
    name: str
    country: str
    diligence: float
    first_week: int


def gamers(seed: int, count: int) -> tuple[Gamer, ...]:
    """Draw gamers: most are careful, some careless, a few late, one in forty has no team."""
    rng = Random(f"gamers {seed}")  # noqa: S311
    names = draw_names(rng, count)
    drawn = []
    for number, name in enumerate(names, start=1):
        diligence = 0.0 if number % 40 == 0 else rng.choice((0.9, 0.7, 0.5, 0.3, 0.1))
        first = rng.choice((2, 3, 6)) if number % 15 == 0 else 1
        country = rng.choice(("DE", "GB", "GH", "JP", "US", "ZA"))
        drawn.append(Gamer(f"sim{seed}-{number:03}", name, country, diligence, first))
    return tuple(drawn)


def leagues(count: int) -> tuple[LeaguePlan, ...]:
    """Return `count` plans: those of PLANS, then all but the overall league again, numbered."""
    plans = list(PLANS[:count])
    for number in range(len(PLANS), count):
        lap, index = divmod(number - 1, len(PLANS) - 1)
        plan = PLANS[index + 1]
        plans.append(replace(plan, name=f"{plan.name} {lap + 1}"))
    return tuple(plans)


def members(seed: int, plan: LeaguePlan, everybody: int) -> list[int]:
    """Draw who is in the league from the beginning, at least two.

    Returns:
        Indexes into the gamers, the commissioner first.
    """
    rng = Random(f"members {seed} {plan.name}")  # noqa: S311
    size = max(2, plan.size * everybody // 200)
    if plan.size % 2 and size % 2 == 0:
        size -= 1  # an odd league stays one
    return rng.sample(range(everybody), min(max(2, size), everybody))
