"""Reasons to refuse a score: its attempt, its mode, its player and earlier scores with the same id.

Every reason at once. Called by submit.py. Not here: rate limits
(app/core/http/rate_limits.py, arrivals.py), the anti-cheat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import structlog

from app.accounts import api_keys
from app.accounts.models import Player
from app.accounts.sanctions import FOR_EVER
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core.redis.clients import RedisAway, jobs_redis, run_script
from app.core.refusals import Refusal
from app.core.restore_epoch import key_of
from app.scores import events
from app.scores.submission import attempts
from app.scores.submission.attempts import Grant
from app.scores.submission.claims import Claim, Origin, Refused

log = structlog.get_logger(__name__)

KEY_SECONDS = 24 * 3600
KEY_LENGTH = 200
# ARGV: seconds that they are kept, then what each key stands for. Gives 1 for each that is new or
# stood for the same.
_FIRST = """
local same = {}
for number, key in ipairs(KEYS) do
  local before = redis.call('SET', key, ARGV[number + 1], 'EX', ARGV[1], 'NX', 'GET')
  same[number] = (not before or before == ARGV[number + 1]) and 1 or 0
end
return same
"""

_KEY_REUSED = Refusal(
    "idempotency_key_reused",
    "Idempotency-Key",
    "Idempotency-Key was used for another score of this player; use a new key for each attempt.",
)
_ATTEMPT_REUSED = Refusal(
    "attempt_reused",
    "attempt_id",
    "attempt_id was sent before with another score, subscore, metadata, client_meta or replay; "
    "send exactly the same "
    "again to hear what became of it, or ask for a new attempt for another score.",
)


@dataclass(frozen=True)
class Ended:
    """Keys of integrators that were revoked, and modes that are archived."""

    keys: frozenset[int]
    modes: frozenset[UUID]


def ended(grants: Collection[Grant | None], modes: Iterable[Mode]) -> Ended:
    """Of the keys with which these attempts were issued, and of these modes."""
    return Ended(
        _revoked(grants), frozenset(mode.id for mode in modes if catalogue.is_archived(mode))
    )


def _revoked(grants: Collection[Grant | None]) -> frozenset[int]:
    return api_keys.revoked_among(
        {grant.key_id for grant in grants if grant and grant.key_id is not None}
    )


def refusals(
    claim: Claim,
    origin: Origin,
    grant: Grant | None,
    player: Player | None,
    over: Ended,
    now: datetime,
) -> tuple[Refusal, ...]:
    """Every reason why this score may not go on. `grant`: what its token says."""
    mode = claim.mode
    found: list[Refusal] = []
    if not claim.trusted:
        found += attempts.check(
            grant,
            attempt_id=claim.attempt_id,
            mode_id=mode.id,
            player_id=claim.player_id,
            score=claim.score,
            now=now,
            order=mode.ordering,
        )
    if grant is not None and grant.key_id in over.keys:
        text = (
            "attempt_token was issued with a key that is revoked; ask for a new attempt with "
            "another key."
        )
        found.append(Refusal("key_revoked", "attempt_token", text))
    if mode.id in over.modes:
        text = f"{mode.title} is archived and takes no scores; its boards stay readable."
        found.append(Refusal("archived", "mode", text))
    if not mode.min_score <= claim.score <= mode.max_score:
        text = (
            f"raw_score must be from {mode.min_score} to {mode.max_score} in this mode "
            f"(10^-{mode.decimals} points)."
        )
        found.append(Refusal("out_of_bounds", "raw_score", text))
    if (fault := _subscore_fault(mode, claim.subscore)) is not None:
        found.append(Refusal("bad_subscore", "subscore", fault))
    if claim.metadata is not None and (fault := _metadata_fault(mode, claim.metadata)) is not None:
        found.append(Refusal("bad_metadata", "metadata", fault))
    if player is None:
        found.append(
            Refusal(
                "unknown_player",
                "player_id",
                "player_id names nobody here; register the player first.",
            )
        )
    elif player.banned_until is not None and now < player.banned_until:
        until = (
            "any more"
            if player.banned_until >= FOR_EVER
            else f"until {player.banned_until.isoformat()}"
        )
        found.append(Refusal("banned", "player_id", f"This player may send no scores {until}."))
    if len(claim.idempotency_key) > KEY_LENGTH:
        text = f"Idempotency-Key is longer than {KEY_LENGTH} characters; the attempt's id will do."
        found.append(Refusal("key_too_long", "Idempotency-Key", text))
    try:
        events.check_meta(origin.client_meta)
    except events.InvalidScoreEventError as error:
        found.append(Refusal("bad_meta", "client_meta", str(error)))
    if origin.replay is not None and not events.is_digest(origin.replay):
        text = "replay must be the SHA-256 of the recorded game, 64 hex digits in small letters."
        found.append(Refusal("bad_replay", "replay", text))
    return tuple(found)


def _subscore_fault(mode: Mode, subscore: int | None) -> str | None:
    wanted = mode.ordering.subscore
    if wanted is None:
        return None if subscore is None else f"{mode.title} has no subscore: leave it out."
    if subscore is None:
        return (
            f"{mode.title} ranks equal scores by a subscore: send one from {wanted.low} to "
            f"{wanted.high}."
        )
    if not wanted.low <= subscore <= wanted.high:
        return f"subscore must be from {wanted.low} to {wanted.high} in this mode."
    return None


def _metadata_fault(mode: Mode, metadata: Mapping[str, Any]) -> str | None:
    if not mode.takes_metadata:
        return (
            f"{mode.title} takes no metadata: leave it out, or PATCH the mode with takes_metadata "
            "true."
        )
    return events.metadata_fault(metadata)


def reused(claims: Sequence[tuple[Claim, Origin]]) -> dict[int, Refused]:
    """Find scores whose key or attempt was sent before with something else, and which of the two.

    Without Redis it finds none: the attempt is unique in PostgreSQL, and its first score
    counts.
    """
    asked: list[tuple[int, bytes, Refusal]] = []
    keys: list[str] = []
    for number, (claim, own) in enumerate(claims):
        body = [
            claim.mode.id,
            claim.attempt_id,
            claim.score,
            sorted(own.client_meta.items()),
            own.replay,
        ]
        body += [] if claim.subscore is None else [claim.subscore]
        body += (
            [] if claim.metadata is None else [msgspec.json.encode(claim.metadata, order="sorted")]
        )
        digest = hashlib.sha256(msgspec.json.encode(body)).digest()
        names = {str(claim.attempt_id): _ATTEMPT_REUSED}
        # the attempt's id says it already
        if claim.idempotency_key not in ("", str(claim.attempt_id)):
            names[f"{claim.client}:{claim.idempotency_key}"] = _KEY_REUSED
        for name, cause in names.items():
            keys.append(key_of(f"idemp:{claim.player_id}:{name}"))
            asked.append((number, digest, cause))
    try:
        sent = [digest for _, digest, _ in asked]
        held = run_script(jobs_redis(), _FIRST, keys, [KEY_SECONDS, *sent]) if keys else []
    except RedisAway as error:
        log.warning("keys_not_checked", reason=type(error).__name__)
        return {}
    found: dict[int, tuple[Refusal, ...]] = {}
    for (number, _, cause), is_same in zip(asked, held, strict=True):
        if not is_same:
            found[number] = (*found.get(number, ()), cause)
    return {number: Refused(causes) for number, causes in found.items()}
