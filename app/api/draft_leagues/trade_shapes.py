"""Fields of trades."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from app.api.draft_leagues.shapes import FranchiseNumber, Reason, Row, Text, Token
from app.api.fantasy.shapes import Body, FootballerId, LeagueSlug, Limit, Offset, Points

MOST_MOVED = 64  # footballers, and picks, of a trade
Drops = Annotated[
    tuple[FootballerId, ...],
    Meta(max_length=MOST_MOVED, description="The players the team drops to make room."),
]
ForFranchise = Annotated[
    FranchiseNumber | None,
    Meta(
        description=(
            "The team to act for. Null means your own; commissioners can act for "
            "another team, with a reason."
        )
    ),
]


class TradePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a trade."""

    league: LeagueSlug
    trade: Annotated[Row, Meta(description="The trade's number.")]


class TradesQuery(msgspec.Struct, frozen=True):
    """Query parameters of the trades."""

    limit: Limit = 50
    offset: Offset = 0


class GivenFootballer(Body, frozen=True, forbid_unknown_fields=True):
    """A footballer who goes from one team to another."""

    footballer_id: FootballerId
    from_franchise: FranchiseNumber
    to_franchise: FranchiseNumber


class GivenPick(Body, frozen=True, forbid_unknown_fields=True):
    """A future draft pick that goes from one team to another. `originalFranchise` had it first."""

    season: Annotated[int, Meta(ge=1900, le=2200, examples=[2027])]
    round: Annotated[int, Meta(ge=1, le=50)]
    original_franchise: FranchiseNumber
    from_franchise: FranchiseNumber
    to_franchise: FranchiseNumber


class GivenBudget(Body, frozen=True, forbid_unknown_fields=True):
    """Waiver budget that goes from one team to another, in whole units."""

    amount: Annotated[int, Meta(ge=1, le=10_000)]
    from_franchise: FranchiseNumber
    to_franchise: FranchiseNumber


class TradeNew(Body, frozen=True, forbid_unknown_fields=True):
    """An offer to one or more teams. A counteroffer (`counterTo`) closes the original offer."""

    token: Annotated[Token, Meta(min_length=1)]
    footballers: Annotated[tuple[GivenFootballer, ...], Meta(max_length=MOST_MOVED)] = ()
    picks: Annotated[tuple[GivenPick, ...], Meta(max_length=MOST_MOVED)] = ()
    budgets: Annotated[tuple[GivenBudget, ...], Meta(max_length=MOST_MOVED)] = ()
    drops: Drops = ()
    message: Annotated[str, Meta(pattern=Text, max_length=300, examples=["Fair?"])] = ""
    counter_to: Annotated[Row, Meta(description="The trade that this offer answers.")] | None = None
    franchise: ForFranchise = None
    reason: Reason = ""


class TradeAcceptance(Body, frozen=True, forbid_unknown_fields=True):
    """Accepts an offer."""

    drops: Drops = ()
    franchise: ForFranchise = None
    reason: Reason = ""


class TradeAnswer(Body, frozen=True, forbid_unknown_fields=True):
    """Declines or withdraws an offer."""

    franchise: ForFranchise = None
    reason: Reason = ""


class TradeVote(Body, frozen=True, forbid_unknown_fields=True):
    """A vote on an accepted trade."""

    stops: Annotated[bool, Meta(description="Whether the vote is against the trade.")]
    franchise: ForFranchise = None
    reason: Reason = ""


class TradeRuling(Body, frozen=True, forbid_unknown_fields=True):
    """What the commissioner decides about an accepted trade."""

    ruling: Annotated[
        Literal["approve", "stop"], Meta(description="The decision. `stop` needs a reason.")
    ]
    reason: Reason = ""


class TradeSummary(Body, frozen=True):
    """A trade in the list."""

    trade: int
    status: Annotated[
        str, Meta(description="The trade's status, such as `offered`, `in_review` or `executed`.")
    ]
    offered_by: int
    franchises: Sequence[int]
    offered_at: datetime
    due_at: Annotated[
        datetime | None, Meta(description="When the offer or the review ends automatically.")
    ]


class TradesBody(Body, frozen=True):
    """Trades, newest first."""

    trades: Sequence[TradeSummary]
    next_offset: Annotated[
        int | None, Meta(description="The cursor of the next page. Null on the last page.")
    ]


class TradeDrops(Body, frozen=True):
    """A team that accepted, and the players it drops to make room."""

    franchise: int
    drops: Sequence[str]


class TradeEffect(Body, frozen=True):
    """A trade's effect on a team, in projected points for the rest of the season.

    Picks and waiver budget are not counted.
    """

    franchise: int
    gained: Annotated[Points, Meta(description="Projected points of the players the team gets.")]
    lost: Annotated[
        Points, Meta(description="Projected points of the players the team gives up or drops.")
    ]
    line_up_before: Annotated[
        Points, Meta(description="Projected points of the team's best lineup now.")
    ]
    line_up_after: Points
    too_many: Annotated[
        str,
        Meta(
            description=(
                "How many players the team must drop, as a sentence. Empty if it has room."
            )
        ),
    ]


class TradeRefusal(Body, frozen=True):
    """Why an offer could not be made."""

    field: str
    code: str
    detail: str


class TradePreviewBody(Body, frozen=True):
    """What an offer would do. Nothing is sent."""

    effects: Sequence[TradeEffect]
    refusals: Sequence[TradeRefusal]


class TradeEventBody(Body, frozen=True):
    """Something that happened to a trade."""

    kind: Annotated[
        str, Meta(description="What happened, such as `offered`, `accepted` or `voted`.")
    ]
    franchise: int | None
    by_gamer_id: Annotated[
        int | None, Meta(description="The gamer who did it. Null if a rule did.")
    ]
    made_at: datetime
    reason: str


class TradeBody(Body, frozen=True):
    """A trade with everything that happened to it.

    Until all its teams have accepted, only they can see it.
    """

    trade: int
    status: str
    offered_by: int
    franchises: Sequence[int]
    footballers: Sequence[GivenFootballer]
    picks: Sequence[GivenPick]
    budgets: Sequence[GivenBudget]
    message: str
    counter_to: int | None
    accepted: Annotated[
        Sequence[TradeDrops],
        Meta(description="The teams that have accepted. The team that made the offer comes first."),
    ]
    waiting_for: Annotated[Sequence[int], Meta(description="The teams that have not answered yet.")]
    review: Annotated[
        str, Meta(description="How trades are reviewed: `none`, `commissioner` or `vote`.")
    ]
    votes_against: int
    votes_to_stop: Annotated[
        int,
        Meta(
            description="The number of votes needed to stop the trade: the league's setting, or "
            "the number of possible voters if that is lower. If it is 0, only the "
            "commissioner can stop the trade."
        ),
    ]
    due_at: datetime | None
    transaction: Annotated[
        int | None,
        Meta(
            description=(
                "The number of the trade's entry in the log. Null if the trade has not "
                "gone through."
            )
        ),
    ]
    effects: Annotated[
        Sequence[TradeEffect],
        Meta(
            description=(
                "The trade's effects on each team, based on current rosters. Empty once "
                "the trade is closed."
            )
        ),
    ]
    history: Sequence[TradeEventBody]
