"""Values of a submission: a score, what came with it, and its possible outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from app.boards.models import Mode
from app.core.refusals import Refusal


@dataclass(frozen=True)
class Claim:
    """One submitted score, in the mode's smallest unit.

    Attributes:
        mode: The mode that it is for.
        player_id: Whose score it is.
        attempt_id: The attempt that it belongs to.
        token: The attempt's token.
        score: The score.
        idempotency_key: The client's own; empty for the attempt's id.
        client: Separates keys: the same key of another client is another key.
        trusted: A game server vouches for it, so there is no token, and no rank is looked up
            (bulk.py).
        origin: Its own origin, in place of the call's.
        achieved_at: When, if the sender vouches for it; otherwise now.
        subscore: In modes that have one, and no others.
        metadata: In modes that take it.
        session_id: The session in which it was played. A player's has to be the attempt's.
    """

    mode: Mode
    player_id: UUID
    attempt_id: UUID
    token: str
    score: int
    idempotency_key: str = ""
    client: str = ""
    trusted: bool = False
    origin: Origin | None = None
    achieved_at: datetime | None = None
    subscore: int | None = None
    metadata: Mapping[str, Any] | None = None
    session_id: str | None = None


@dataclass(frozen=True)
class Origin:
    """What came with the scores of a call.

    `device` and `address` leave this process as salted hashes only. `replay` is the SHA-256 of the
    recorded game, 64 hex digits.
    """

    client_meta: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    address: str | None = None
    replay: str | None = None


@dataclass(frozen=True)
class Submitted:
    """A score that was accepted.

    Attributes:
        status: `committed` counts; `accepted` will be judged; `held` counts nowhere until
            somebody has reviewed it.
        player_id: The player.
        window_id: The window that `rank` is of.
        rank: The player's rank now; provisional (the one it would get) unless committed. None if no
            board could be read.
        total_ranked: The players in the window now.
        effective_score: What the player holds in the window now, in the mode's smallest unit.
        repeated: The score had been sent before.
        effective_subscore: In modes that have one.
        on_boards_at: When the boards next show what the player holds, in a mode that updates them
            in batches; until then rank and effective_score are without it. None if they show it.
    """

    status: Literal["accepted", "held", "committed"]
    player_id: UUID
    window_id: str
    rank: int | None
    total_ranked: int | None = None
    effective_score: int | None = None
    repeated: bool = False
    effective_subscore: int | None = None
    on_boards_at: datetime | None = None


@dataclass(frozen=True)
class Refused:
    """The score was refused, for every reason given."""

    reasons: tuple[Refusal, ...]


LIMITED = "limited"  # code of Unavailable: the player sent too many, which is not our fault
# in flask.g: an answer of 200 holds a score that could not be accepted
SCORES_FAILED = "scores_failed"


@dataclass(frozen=True)
class Unavailable:
    """Not accepted, or not known yet: it is safe to send the attempt again after the delay."""

    retry_after: int
    text: str
    code: str = "unavailable"


Outcome = Submitted | Refused | Unavailable
