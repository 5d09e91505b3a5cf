"""Reasons to refuse a score: its attempt, its mode, its player and earlier scores with the same id.

submit.py calls this and gets every reason at once. Rate limits are in app/core/http/rate_limits.py
and arrivals.py.
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
from app.scores.submission.known import KnownPlayer

log = structlog.get_logger(__name__)

KEY_SECONDS = 24 * 3600
KEY_LENGTH = 200
# ARGV: seconds to keep the keys, then what each stands for. Returns 1 for each that is new or
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
    "Idempotency-Key was used for another score of this player. Use a new key for each attempt.",
)
_ATTEMPT_REUSED = Refusal(
    "attempt_reused",
    "attempt_id",
    "attempt_id was sent before with another score, subscore, metadata, client_meta or "
    "replay; send exactly the same again to learn its outcome, or request a new attempt "
    "for another score.",
)


@dataclass(frozen=True)
class Ended:
    """Revoked keys of integrators, and archived modes."""

    keys: frozenset[int]
    modes: frozenset[UUID]


@dataclass(frozen=True)
class ClaimFacts:
    """What was loaded to judge a claim.

    Attributes:
        grant: What the claim's token says; None if we did not sign it.
        player: The player; None if nobody has this id.
        ended: Revoked keys and archived modes.
    """

    grant: Grant | None
    player: KnownPlayer | None
    ended: Ended


def ended(grants: Collection[Grant | None], modes: Iterable[Mode]) -> Ended:
    """Return which keys of these attempts are revoked, and which of these modes are archived."""
    return Ended(
        _revoked(grants), frozenset(mode.id for mode in modes if catalogue.is_archived(mode))
    )


def _revoked(grants: Collection[Grant | None]) -> frozenset[int]:
    return api_keys.revoked_among(
        {grant.key_id for grant in grants if grant and grant.key_id is not None}
    )


def refusals(claim: Claim, origin: Origin, facts: ClaimFacts, now: datetime) -> tuple[Refusal, ...]:
    """Return every reason why this score may not go on; empty if it may."""
    mode, player = claim.mode, facts.player
    reasons: list[Refusal] = []
    if not claim.trusted:
        reasons += attempts.check(facts.grant, claim, now)
    if facts.grant is not None and facts.grant.key_id in facts.ended.keys:
        text = (
            "attempt_token was issued with a key that is revoked. Request a new attempt "
            "with another key."
        )
        reasons.append(Refusal("key_revoked", "attempt_token", text))
    if mode.id in facts.ended.modes:
        text = f"{mode.title} is archived and accepts no scores. Its boards stay readable."
        reasons.append(Refusal("archived", "mode", text))
    if not mode.min_score <= claim.score <= mode.max_score:
        text = (
            f"raw_score must be between {mode.min_score} and {mode.max_score} in this mode "
            f"(10^-{mode.decimals} points)."
        )
        reasons.append(Refusal("out_of_bounds", "raw_score", text))
    if (fault := _subscore_fault(mode, claim.subscore)) is not None:
        reasons.append(Refusal("bad_subscore", "subscore", fault))
    if claim.metadata is not None and (fault := _metadata_fault(mode, claim.metadata)) is not None:
        reasons.append(Refusal("bad_metadata", "metadata", fault))
    if player is None:
        reasons.append(
            Refusal(
                "unknown_player",
                "player_id",
                "There is no such player. Register the player first.",
            )
        )
    elif player.banned_until is not None and now < player.banned_until:
        until = (
            "anymore"
            if player.banned_until >= FOR_EVER
            else f"until {player.banned_until.isoformat()}"
        )
        reasons.append(Refusal("banned", "player_id", f"This player cannot send scores {until}."))
    if len(claim.idempotency_key) > KEY_LENGTH:
        text = f"Idempotency-Key is longer than {KEY_LENGTH} characters; the attempt's id works."
        reasons.append(Refusal("key_too_long", "Idempotency-Key", text))
    try:
        events.check_meta(origin.client_meta)
    except events.InvalidScoreEventError as error:
        reasons.append(Refusal("bad_meta", "client_meta", str(error)))
    if origin.replay is not None and not events.is_digest(origin.replay):
        text = "replay must be the SHA-256 of the recorded game, 64 lowercase hex digits."
        reasons.append(Refusal("bad_replay", "replay", text))
    return tuple(reasons)


def _subscore_fault(mode: Mode, subscore: int | None) -> str | None:
    subscore_rule = mode.ordering.subscore
    if subscore_rule is None:
        return None if subscore is None else f"{mode.title} has no subscore. Leave it out."
    if subscore is None:
        return (
            f"{mode.title} breaks ties with a subscore. Send one from {subscore_rule.low} to "
            f"{subscore_rule.high}."
        )
    if not subscore_rule.low <= subscore <= subscore_rule.high:
        return f"subscore must be from {subscore_rule.low} to {subscore_rule.high} in this mode."
    return None


def _metadata_fault(mode: Mode, metadata: Mapping[str, Any]) -> str | None:
    if not mode.takes_metadata:
        return (
            f"{mode.title} accepts no metadata. Leave it out, or PATCH the mode with "
            "takes_metadata true."
        )
    return events.metadata_fault(metadata)


def reused(claims: Sequence[tuple[Claim, Origin]]) -> dict[int, Refused]:
    """Find scores whose key or attempt was sent before with something else, and which of the two.

    Without Redis it finds none: the attempt is unique in PostgreSQL, and its first score counts.
    """
    asked: list[tuple[int, bytes, Refusal]] = []
    keys: list[str] = []
    for number, (claim, origin) in enumerate(claims):
        body = [
            claim.mode.id,
            claim.attempt_id,
            claim.score,
            sorted(origin.client_meta.items()),
            origin.replay,
        ]
        body += [] if claim.subscore is None else [claim.subscore]
        body += (
            [] if claim.metadata is None else [msgspec.json.encode(claim.metadata, order="sorted")]
        )
        digest = hashlib.sha256(msgspec.json.encode(body)).digest()
        names = {str(claim.attempt_id): _ATTEMPT_REUSED}
        # the attempt's id is a key already
        if claim.idempotency_key not in ("", str(claim.attempt_id)):
            names[f"{claim.client}:{claim.idempotency_key}"] = _KEY_REUSED
        for name, cause in names.items():
            keys.append(key_of(f"idemp:{claim.player_id}:{name}"))
            asked.append((number, digest, cause))
    try:
        sent = [digest for _, digest, _ in asked]
        is_first = run_script(jobs_redis(), _FIRST, keys, [KEY_SECONDS, *sent]) if keys else []
    except RedisAway as error:
        log.warning("keys_not_checked", reason=type(error).__name__)
        return {}
    causes_by_score: dict[int, tuple[Refusal, ...]] = {}
    for (number, _, cause), is_same in zip(asked, is_first, strict=True):
        if not is_same:
            causes_by_score[number] = (*causes_by_score.get(number, ()), cause)
    return {number: Refused(causes) for number, causes in causes_by_score.items()}
