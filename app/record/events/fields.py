"""The types of the wire schema's fields, with their limits.

`extra` says whether a field names a player or a club.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

GameId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
ClubId = Annotated[str, Meta(min_length=1, max_length=16, extra={"names": "club"})]
# A player of the body's `team`.
PlayerId = Annotated[str, Meta(min_length=1, max_length=64, extra={"names": "player"})]
# A player of the other club: of `<field>_team` where the body has that field, else of the club that
# is not `team`.
OpponentId = Annotated[str, Meta(min_length=1, max_length=64, extra={"names": "opponent"})]
Yard = Annotated[int, Meta(ge=0, le=100)]
# As a yard, and behind the own goal line down to the end line: where a ball is taken in the own end
# zone.
DeepYard = Annotated[int, Meta(ge=-10, le=100)]
Period = Annotated[int, Meta(ge=1, le=10, description="1 to 4, overtime from 5")]
Clock = Annotated[int, Meta(ge=0, le=900, description="seconds left in the period")]
Direction = Literal["left", "middle", "right"]
Down = Annotated[int, Meta(ge=1, le=4)]
Distance = Annotated[int, Meta(ge=0, le=100)]
Points = Annotated[int, Meta(ge=0, le=200)]
EventNumber = Annotated[int, Meta(ge=1, le=1_000_000)]
PlayNumber = Annotated[int, Meta(ge=0, le=100_000, description="0 before the first snap")]
Epoch = Annotated[int, Meta(ge=1, le=2_147_483_647)]
# The upper limit is the first moment of 2200, in milliseconds since 1970 (UTC), which no clock of
# ours reaches.
Moment = Annotated[int, Meta(ge=0, lt=7_258_118_400_000)]
# A position in an order, in the numbers of that order: 7.5 is between 7 and 8.
Place = Annotated[float, Meta(ge=0, le=1_000_000)]
Note = Annotated[str, Meta(max_length=500)]
