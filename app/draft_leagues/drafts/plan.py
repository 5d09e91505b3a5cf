"""What is agreed before a draft begins. A value, stored as one document with the draft."""

from __future__ import annotations

from typing import Literal

import msgspec

from app.draft_leagues.settings import NightPause, StarterCount

Kind = Literal["snake", "third_round_reversal", "linear", "auction", "offline"]
Eligible = Literal["everybody", "free_agents", "rookies"]


class TradedPick(msgspec.Struct, frozen=True):
    """The pick of a round that belonged to `original` and is used by `owner`."""

    round: int
    original: int
    owner: int


class Keeper(msgspec.Struct, frozen=True):
    """A footballer who stays with a franchise, and what that costs.

    Attributes:
        round: Whose pick they occupy, from 1.
        price: Of an auction: what they cost of the budget.
    """

    franchise: int
    footballer_id: str
    round: int
    price: int = 0


class DraftPlan(msgspec.Struct, frozen=True):
    """The settings of one draft, as they were when it was planned.

    Attributes:
        scoring: The name of the scoring rules, for the ranking.
        order: The franchises in the order of the first round; of an auction, of nominations.
        rounds: How many picks each franchise has before trades; of an auction, footballers to buy.
        places: How many footballers a franchise can take at most; keepers count if they cost picks.
        starters: The starting places, which say what a team needs.
        seconds_per_pick: The clock; of an auction, for a nomination.
        seconds_per_bid: Of an auction: how long the clock runs after a bid.
        budget: Of an auction, per franchise.
        autopilots: Franchises that are drafted for from the beginning, such as bots.
        seed: Makes the variety of bots repeatable.
        eligible: Who can be drafted. Not `everybody` is the rookie draft of a dynasty: rookies and
            free agents, or rookies alone, and keepers cost no picks.
    """

    kind: Kind
    scoring: str
    time_zone: str
    order: tuple[int, ...]
    rounds: int
    places: int
    starters: tuple[StarterCount, ...]
    seconds_per_pick: int = 90
    seconds_per_bid: int = 15
    budget: int = 200
    night_pause: NightPause | None = None
    traded: tuple[TradedPick, ...] = ()
    keepers: tuple[Keeper, ...] = ()
    autopilots: tuple[int, ...] = ()
    seed: str = ""
    eligible: Eligible = "everybody"

    @property
    def is_auction(self) -> bool:
        """Whether footballers are sold to the highest bid."""
        return self.kind == "auction"

    @property
    def is_rookie_draft(self) -> bool:
        """Whether whole rosters stay, and everybody drafts on top of them."""
        return self.eligible != "everybody"

    @property
    def keepers_with_picks(self) -> tuple[Keeper, ...]:
        """The keepers who cost a pick, or of an auction budget: in a rookie draft nobody does."""
        return () if self.is_rookie_draft else self.keepers

    @property
    def has_clock(self) -> bool:
        """Whether time decides anything."""
        return self.kind != "offline"
