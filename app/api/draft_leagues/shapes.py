"""Fields that the operations of draft leagues share."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from app.api.fantasy.shapes import FootballerId, LeagueSlug
from app.api.operations import Limits
from app.api.shapes import EXACT
from app.fantasy.rosters.rules import Spot

TAG = "Draft leagues"
READS, WRITES = Limits("240 per minute"), Limits("60 per minute")
NO_LEAGUE = "There is no such draft league, or the caller is not in it."
REFUSED = "The league does not allow this now. `errors` says why and what to do."
PROBLEMS = {404: NO_LEAGUE, 409: REFUSED}
LONGEST_REASON = 300

FranchiseNumber = Annotated[
    int,
    Meta(ge=1, le=32, description="A team's number in the league, starting at 1.", examples=[2]),
]
# Free text: everything but the character that cannot be stored.
Text = r"^[^\x00]*$"
Reason = Annotated[
    str,
    Meta(
        pattern=Text,
        max_length=LONGEST_REASON,
        description="The reason, as a sentence. Everyone in the league can read it.",
        examples=["They asked me to."],
    ),
]
Token = Annotated[
    str,
    Meta(
        pattern=r"^[!-~]*$",
        max_length=40,
        description="Your own ID for this action. Repeating the same action has no further "
        "effect. A different action with the same token is refused "
        "(`token_used`).",
        examples=["6f1c2a"],
    ),
]
SpotName = Annotated[
    Spot, Meta(description="A spot on a roster: `active`, `reserve` (injured reserve) or `taxi`.")
]
MaybeFootballerId = FootballerId | None
Row = Annotated[int, Meta(ge=1, le=EXACT, examples=[17])]


class DraftLeaguePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a draft league."""

    league: LeagueSlug


class FranchisePath(msgspec.Struct, frozen=True):
    """Path parameters of operations on a team of a draft league."""

    league: LeagueSlug
    franchise: FranchiseNumber
