"""A score sent in: checked, given to Kafka, answered (PRODUCT D1, D2, D11, D14).

`submit_all` is the one door; `submit` is it for a single score. A score counts on every window of its mode, and one
call may send scores of several modes, attempts or players: each has an attempt of its own and is decided by itself.
Not here: what the score does to the boards (apply.py), HTTP (app/api). No token is kept or logged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
import structlog
from flask import current_app
from sqlalchemy import and_, select

from app.accounts import api_keys
from app.accounts.models import Player
from app.accounts.sanctions import FOR_EVER
from app.boards import catalogue
from app.boards.models import Mode
from app.core.clock import to_us
from app.core.db import db
from app.core.holding import turn_lent
from app.core.redis import RedisAway, jobs_redis
from app.core.refusals import Refusal
from app.scores import attempts, events, mode_boards, sending
from app.scores.claims import Claim, Origin, Outcome, Refused, Submitted, Unavailable
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt
from app.scores.outcomes import listener
from app.settings import Settings

log = structlog.get_logger(__name__)

MOST_CLAIMS = 1000  # scores of one call
KEY_SECONDS = 24 * 3600
KEY_LENGTH = 200
WAIT_SECONDS = 8.0
RETRY_AFTER_SECONDS = 2


def submit(claim: Claim, origin: Origin, now: datetime, *, wait: bool = False) -> Outcome:
    """One score; see submit_all."""
    return submit_all([claim], origin, now, wait=wait)[0]


def submit_all(
    claims: Sequence[Claim], origin: Origin, now: datetime, *, wait: bool = False, known: Known | None = None
) -> list[Outcome]:
    """One outcome a score, in the same order. `known`: of these players and events, where it was just read.

    An attempt that is decided answers with its first outcome. `wait`: until PostgreSQL and the boards have it, up to
    WAIT_SECONDS; always so with a broker that keeps messages in memory only, where a mere "accepted" would not
    survive a restart. Raises ValueError for more than MOST_CLAIMS, and SQLAlchemy's errors when PostgreSQL is away.
    """
    if not 1 <= len(claims) <= MOST_CLAIMS:
        raise ValueError(f"{len(claims)} scores in one call; send 1 to {MOST_CLAIMS}")
    settings: Settings = current_app.config["PRESSBOX"]
    waits = wait or settings.kafka_in_memory
    ids = [events.event_id(claim.player_id, claim.attempt_id) for claim in claims]
    known = known or known_of({claim.player_id for claim in claims}, ids)
    ended_keys = _ended_keys(claims)
    outcomes: dict[int, Outcome] = {}
    fresh: dict[int, ScoreEvent] = {}
    for number, (claim, event) in enumerate(zip(claims, ids, strict=True)):
        if event in known.decided:
            outcomes[number] = _first_outcome(claim, known, event, repeated=True)
        elif reasons := _refusals(claim, claim.origin or origin, known.players.get(claim.player_id), ended_keys, now):
            outcomes[number] = Refused(reasons)
        else:
            fresh[number] = _event(claim, claim.origin or origin, now, settings, awaited=waits)
    outcomes |= _reused({number: claims[number] for number in fresh}, origin)
    fresh = {number: message for number, message in fresh.items() if number not in outcomes}
    db.session.commit()  # nothing to write; the connection goes back while we wait for others
    heard = listener(settings).waiting([one.event_id for one in fresh.values()]) if waits and fresh else nullcontext()
    with turn_lent(), heard as waiting:
        unsent = list(fresh) if waiting is not None and waiting.lost else sending.send(settings, fresh)
        outcomes |= dict.fromkeys(unsent, _NOT_TAKEN)
        sent = {number: message for number, message in fresh.items() if number not in unsent}
        if waiting is not None:
            waiting.until([message.event_id for message in sent.values()], WAIT_SECONDS)
    if waits and sent:
        known = known_of({one.player_id for one in sent.values()}, [one.event_id for one in sent.values()])
    for number, message in sent.items():
        if message.event_id in known.decided:
            outcomes[number] = _first_outcome(claims[number], known, message.event_id)
        else:
            outcomes[number] = (
                _NOT_YET if waits else _not_counted("accepted", claims[number], claims[number].achieved_at or now)
            )
    return [outcomes[number] for number in range(len(claims))]


_NOT_TAKEN = Unavailable(RETRY_AFTER_SECONDS, "Scores cannot be taken in at the moment; send the same attempt again.")
_NOT_YET = Unavailable(
    RETRY_AFTER_SECONDS, "The score is not on the boards yet; send the same attempt again to hear what became of it."
)
_KEY_REUSED = Refusal(
    "idempotency_key_reused",
    "Idempotency-Key",
    "Idempotency-Key was used for another score of this player; use a new key for each attempt.",
)
_ATTEMPT_REUSED = Refusal(
    "attempt_reused",
    "attempt_id",
    "attempt_id was sent before with another score, subscore, metadata, client_meta or replay; send exactly the same "
    "again to hear what became of it, or ask for a new attempt for another score.",
)


@dataclass(frozen=True)
class Known:
    """What PostgreSQL holds of players, and of those of their events that were decided."""

    players: Mapping[UUID, Player]
    decided: Mapping[UUID, ScoreAttempt]


def known_of(players: Collection[UUID], ids: Collection[UUID]) -> Known:
    """As it is now, in one statement: of these players, and of those of these events that are theirs."""
    query = (
        select(Player, ScoreAttempt)
        .outerjoin(ScoreAttempt, and_(ScoreAttempt.event_id.in_(ids), ScoreAttempt.player_id == Player.id))
        .where(Player.id.in_(players))
        .execution_options(populate_existing=True)
    )
    found = db.session.execute(query).all()
    decided = {attempt.event_id: attempt for _, attempt in found if attempt is not None}
    return Known({player.id: player for player, _ in found}, decided)


def _ended_keys(claims: Sequence[Claim]) -> frozenset[int]:
    """Of the integrators' keys with which these attempts were issued, those that were revoked."""
    grants = [attempts.read(claim.token) for claim in claims if not claim.trusted]
    return api_keys.revoked_among({grant.key_id for grant in grants if grant and grant.key_id is not None})


def _refusals(
    claim: Claim, origin: Origin, player: Player | None, ended_keys: frozenset[int], now: datetime
) -> tuple[Refusal, ...]:
    """Every reason why this score may not go on."""
    mode = claim.mode
    grant = None if claim.trusted else attempts.read(claim.token)
    found: list[Refusal] = []
    if not claim.trusted:
        found += attempts.check(
            claim.token,
            attempt_id=claim.attempt_id,
            mode_id=mode.id,
            player_id=claim.player_id,
            score=claim.score,
            now=now,
            order=mode.ordering,
        )
    if grant is not None and grant.key_id in ended_keys:
        text = "attempt_token was issued with a key that is revoked; ask for a new attempt with another key."
        found.append(Refusal("key_revoked", "attempt_token", text))
    if catalogue.is_archived(mode):
        text = f"{mode.title} is archived and takes no scores; its boards stay readable."
        found.append(Refusal("archived", "mode", text))
    if not mode.min_score <= claim.score <= mode.max_score:
        text = f"raw_score must be from {mode.min_score} to {mode.max_score} in this mode (10^-{mode.decimals} points)."
        found.append(Refusal("out_of_bounds", "raw_score", text))
    if (fault := _subscore_fault(mode, claim.subscore)) is not None:
        found.append(Refusal("bad_subscore", "subscore", fault))
    if claim.metadata is not None and (fault := _metadata_fault(mode, claim.metadata)) is not None:
        found.append(Refusal("bad_metadata", "metadata", fault))
    if player is None:
        found.append(Refusal("unknown_player", "player_id", "player_id names nobody here; register the player first."))
    elif player.banned_until is not None and now < player.banned_until:
        until = "any more" if player.banned_until >= FOR_EVER else f"until {player.banned_until.isoformat()}"
        found.append(Refusal("banned", "player_id", f"This player may send no scores {until}."))
    if len(claim.idempotency_key) > KEY_LENGTH:
        text = f"Idempotency-Key is longer than {KEY_LENGTH} characters; the attempt's id will do."
        found.append(Refusal("key_too_long", "Idempotency-Key", text))
    try:
        events.check_meta(origin.client_meta)
    except events.InvalidScoreEvent as error:
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
        return f"{mode.title} ranks equal scores by a subscore: send one from {wanted.low} to {wanted.high}."
    if not wanted.low <= subscore <= wanted.high:
        return f"subscore must be from {wanted.low} to {wanted.high} in this mode."
    return None


def _metadata_fault(mode: Mode, metadata: Mapping[str, Any]) -> str | None:
    if not mode.takes_metadata:
        return f"{mode.title} takes no metadata: leave it out, or PATCH the mode with takes_metadata true."
    return events.metadata_fault(metadata)


def _event(claim: Claim, origin: Origin, now: datetime, settings: Settings, *, awaited: bool) -> ScoreEvent:
    secret = current_app.config["SECRET_KEY"]
    return ScoreEvent(
        event_id=events.event_id(claim.player_id, claim.attempt_id),
        attempt_id=claim.attempt_id,
        player_id=claim.player_id,
        game_id=claim.mode.game_id,
        mode_id=claim.mode.id,
        game=catalogue.game_of(claim.mode).slug,
        mode=claim.mode.slug,
        shard=events.shard_of(claim.player_id),
        score=claim.score,
        subscore=claim.subscore,
        achieved_at=to_us(claim.achieved_at or now),
        client_meta=events.check_meta(origin.client_meta),
        metadata=None if claim.metadata is None else dict(claim.metadata),
        device=events.fingerprint(secret, "device", origin.device) if origin.device else None,
        address=events.fingerprint(secret, "address", origin.address) if origin.address else None,
        replay=origin.replay,
        awaited=awaited,
    )


def _reused(claims: Mapping[int, Claim], origin: Origin) -> dict[int, Refused]:
    """Those whose key or attempt was sent before with something else, each with which of the two it was. Without Redis
    none: the attempt is unique in PostgreSQL, and its first score counts."""
    pipeline = jobs_redis().pipeline(transaction=False)
    asked: list[tuple[int, bytes, Refusal]] = []
    for number, claim in claims.items():
        own = claim.origin or origin
        body = [claim.mode.id, claim.attempt_id, claim.score, sorted(own.client_meta.items()), own.replay]
        body += [] if claim.subscore is None else [claim.subscore]
        body += [] if claim.metadata is None else [msgspec.json.encode(claim.metadata, order="sorted")]
        digest = hashlib.sha256(msgspec.json.encode(body)).digest()
        names = {str(claim.attempt_id): _ATTEMPT_REUSED}
        if claim.idempotency_key not in ("", str(claim.attempt_id)):  # the attempt's id says it already
            names[f"{claim.client}:{claim.idempotency_key}"] = _KEY_REUSED
        for name, cause in names.items():
            pipeline.set(f"idemp:{claim.player_id}:{name}", digest, ex=KEY_SECONDS, nx=True, get=True)
            asked.append((number, digest, cause))
    try:
        held = pipeline.execute()
    except RedisAway as error:
        log.warning("keys_not_checked", reason=type(error).__name__)
        return {}
    found: dict[int, tuple[Refusal, ...]] = {}
    for (number, digest, cause), before in zip(asked, held, strict=True):
        if before not in (None, digest):
            found[number] = (*found.get(number, ()), cause)
    return {number: Refused(causes) for number, causes in found.items()}


def _first_outcome(claim: Claim, known: Known, event: UUID, *, repeated: bool = False) -> Outcome:
    """What a decided attempt answers, the first time and each time after."""
    row = known.decided[event]
    if row.mode_id != claim.mode.id or (row.score, row.subscore) != (claim.score, claim.subscore):
        text = "attempt_id was used for another score; each score needs an attempt of its own."
        return Refused((Refusal("attempt_reused", "attempt_id", text),))
    if row.rolled_back_at is not None:
        text = f"This attempt was taken back at {row.rolled_back_at.isoformat()}; ask for a new one."
        return Refused((Refusal("rolled_back", "attempt_id", text),))
    if row.fraud_state == "rejected":
        reasons = ", ".join(row.fraud_reasons) or "no reason given"
        return Refused((Refusal("rejected", "raw_score", f"The score does not count ({reasons})."),))
    if row.fraud_state == "flagged":
        return _not_counted("held", claim, row.achieved_at, repeated=repeated)
    window = mode_boards.first_window(claim.mode, row.achieved_at)
    if claim.trusted:
        return Submitted("committed", claim.player_id, window, None, repeated=repeated)
    is_hidden = known.players[claim.player_id].hidden_at is not None
    held = mode_boards.standing(claim.mode, window, claim.player_id, is_hidden=is_hidden)
    return Submitted(
        *("committed", claim.player_id, window, held.rank, held.total, held.score, repeated, held.subscore)
    )


def _not_counted(
    status: Literal["accepted", "held"], claim: Claim, at: datetime, *, repeated: bool = False
) -> Submitted:
    window = mode_boards.first_window(claim.mode, at)
    sent = claim.score, claim.subscore
    rank = None if claim.trusted else mode_boards.provisional(claim.mode, window, claim.player_id, *sent)
    return Submitted(status, claim.player_id, window, rank, repeated=repeated)
