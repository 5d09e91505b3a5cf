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
    """One score sent in, in the mode's smallest unit.

    `idempotency_key` empty: the attempt's id; it is the client's own: the same key of another
    `client` is another key.

    `trusted`: a game server vouches for it, so there is no token, and no rank is looked up
    (bulk.py). `origin`: its own in place of the call's. `achieved_at`: where whoever vouches for it
    knows when; else it is now. `subscore`: of a mode that has one, and of no other. `metadata`: in
    a mode that takes it.
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


@dataclass(frozen=True)
class Origin:
    """What came with the scores of a call.

    `device` and `address` leave this process as salted hashes only.

    `replay`: SHA-256 of the recorded game, 64 hex digits.
    """

    client_meta: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    address: str | None = None
    replay: str | None = None


@dataclass(frozen=True)
class Submitted:
    """committed: on the boards.

    `rank`, `total_ranked` and `effective_score` are the player's in the window now.

    accepted: it will be judged. held: it counts nowhere until somebody has reviewed it. `rank` of
    both is provisional: the one it would have. Ranks are None where no board could be read.
    `effective_score` in the mode's smallest unit, `effective_subscore` in modes that have one.
    """

    status: Literal["accepted", "held", "committed"]
    player_id: UUID
    window_id: str
    rank: int | None
    total_ranked: int | None = None
    effective_score: int | None = None
    repeated: bool = False
    effective_subscore: int | None = None


@dataclass(frozen=True)
class Refused:
    """The score was refused, for every reason given."""

    reasons: tuple[Refusal, ...]


LIMITED = "limited"  # code of Unavailable: the player sent too many, which is no fault of ours
# of flask.g: an answer of 200 holds a score that we could not take in
SCORES_FAILED = "scores_failed"


@dataclass(frozen=True)
class Unavailable:
    """Not accepted, or not known yet: safe to send the attempt again after the delay."""

    retry_after: int
    text: str
    code: str = "unavailable"


Outcome = Submitted | Refused | Unavailable
