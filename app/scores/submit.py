"""A score sent in: checked, given to Kafka, answered (PRODUCT D1, D2, D11, D14).

`submit_all` is the one door; `submit` is it for a single score. A score counts on every window of
its mode, and one call may send scores of several modes, attempts or players: each has an attempt of
its own and is decided by itself. Calls of several requests go through the door together
(app/core/gathering.py): what is asked for one is asked for all of them. Not here: why a score may
not go on (refusals.py), what it does to the boards (apply.py), HTTP (app/api). No token is kept or
logged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast
from uuid import UUID

from flask import current_app
from sqlalchemy import and_, select

from app.accounts.models import Player
from app.boards.catalogue import queries as catalogue
from app.boards.windows.rules import BadWindow
from app.core.clock import to_us
from app.core.db import db
from app.core.gathering import gathered
from app.core.refusals import Refusal
from app.core.serving import slot_released
from app.scores import attempts, events, mode_boards, refusals, sending
from app.scores.claims import Claim, Origin, Outcome, Refused, Submitted, Unavailable
from app.scores.events import ScoreEvent
from app.scores.locations import locate
from app.scores.models import ScoreAttempt
from app.scores.outcomes import Waiting, listener
from app.settings import Settings

MOST_CLAIMS = 1000  # scores of one call
WAIT_SECONDS = 8.0
RETRY_AFTER_SECONDS = 2


def submit(claim: Claim, origin: Origin, now: datetime, *, wait: bool = False) -> Outcome:
    """One score; see submit_all."""
    return submit_all([claim], origin, now, wait=wait)[0]


def submit_all(
    claims: Sequence[Claim],
    origin: Origin,
    now: datetime,
    *,
    wait: bool = False,
    known: Known | None = None,
) -> list[Outcome]:
    """One outcome a score, in the same order.

    `known`: of these players and events, where it was just read.

    An attempt that is decided answers with its first outcome. `wait`: until PostgreSQL and the
    boards have it, up to WAIT_SECONDS; always so with a broker that keeps messages in memory only,
    where a mere "accepted" would not survive a restart. Raises ValueError for more than
    MOST_CLAIMS, and SQLAlchemy's errors when PostgreSQL is away.
    """
    if not 1 <= len(claims) <= MOST_CLAIMS:
        raise ValueError(f"{len(claims)} scores in one call; send 1 to {MOST_CLAIMS}")
    settings: Settings = current_app.config["PRESSBOX"]
    ids = [events.event_id(claim.player_id, claim.attempt_id) for claim in claims]
    db.session.commit()  # nothing to write; the connection goes back while we wait for others
    waits = wait or settings.kafka_in_memory
    with listener(settings).waiting(ids) if waits else nullcontext() as waiting:
        outcomes = _through_door(_Call(claims, ids, origin, now, waiting, known))
        sent = [number for number, outcome in enumerate(outcomes) if outcome is None]
        if waiting is not None and sent:
            with slot_released():
                waiting.until([ids[number] for number in sent], WAIT_SECONDS)
    if sent:
        decided = _as_decided([(claims[number], ids[number]) for number in sent])
        for number, outcome in zip(sent, decided, strict=True):
            outcomes[number] = outcome
    return cast("list[Outcome]", outcomes)  # none is on its way any more


_NOT_TAKEN = Unavailable(
    RETRY_AFTER_SECONDS, "Scores cannot be taken in at the moment; send the same attempt again."
)
_NOT_YET = Unavailable(
    RETRY_AFTER_SECONDS,
    "The score is not on the boards yet; send the same attempt again to hear what became of it.",
)


@dataclass(frozen=True)
class _Call(Sized):
    """The scores of one call, with their events.

    `waiting`: for their outcomes, where the call waits for them.
    """

    claims: Sequence[Claim]
    ids: Sequence[UUID]
    origin: Origin
    now: datetime
    waiting: Waiting | None
    known: Known | None

    def __len__(self) -> int:
        return len(self.claims)

    def origin_of(self, number: int) -> Origin:
        return self.claims[number].origin or self.origin


@dataclass(frozen=True)
class Known:
    """What PostgreSQL holds of players, and of those of their events that were decided."""

    players: Mapping[UUID, Player]
    decided: Mapping[UUID, ScoreAttempt]


def known_of(players: Collection[UUID], ids: Collection[UUID]) -> Known:
    """As it is now, in one statement: of these players, and of those of these events that are
    theirs.
    """
    query = (
        select(Player, ScoreAttempt)
        .outerjoin(
            ScoreAttempt, and_(ScoreAttempt.event_id.in_(ids), ScoreAttempt.player_id == Player.id)
        )
        .where(Player.id.in_(players))
        .execution_options(populate_existing=True)
    )
    found = db.session.execute(query).all()
    decided = {attempt.event_id: attempt for _, attempt in found if attempt is not None}
    return Known({player.id: player for player, _ in found}, decided)


@dataclass(frozen=True)
class _Taken:
    """A score that was taken in, and whose rank is to be looked up. `at`: when it counts."""

    status: Literal["accepted", "held", "committed"]
    claim: Claim
    at: datetime
    is_hidden: bool
    repeated: bool = False


_Place = tuple[int, int]  # number of a call, number of a score in it


def _take(calls: Sequence[_Call]) -> list[list[Outcome | None] | Exception]:
    """The outcomes of each call's scores.

    None: it is on its way, and its call waits for what becomes of it.
    """
    players = {claim.player_id for call in calls if call.known is None for claim in call.claims}
    read = known_of(players, [one for call in calls if call.known is None for one in call.ids])
    modes = {claim.mode.game_id: claim.mode for call in calls for claim in call.claims}
    # Held, so that each is read once: the session forgets what nobody holds.
    games = {game: catalogue.game_of(mode) for game, mode in modes.items()}
    grants = {
        place: attempts.read(claim.token) for place, _, claim in _scores(calls) if not claim.trusted
    }
    over = refusals.ended(
        grants.values(), {claim.mode.id: claim.mode for _, _, claim in _scores(calls)}.values()
    )
    outcomes: dict[_Place, Outcome | _Taken | None] = {}
    fresh: dict[_Place, ScoreEvent] = {}
    for place, call, claim in _scores(calls):
        known, own, event = call.known or read, call.origin_of(place[1]), call.ids[place[1]]
        player = known.players.get(claim.player_id)
        if event in known.decided:
            outcomes[place] = _first_outcome(claim, known, event, repeated=True)
        elif reasons := refusals.refusals(claim, own, grants.get(place), player, over, call.now):
            outcomes[place] = Refused(reasons)
        else:
            fresh[place] = _event(
                claim,
                event,
                own,
                call.now,
                games[claim.mode.game_id].slug,
                call.waiting is not None,
            )
    places = list(fresh)
    reused = refusals.reused(
        [(calls[call].claims[n], calls[call].origin_of(n)) for call, n in places]
    )
    outcomes |= {places[number]: refused for number, refused in reused.items()}
    db.session.commit()  # nothing to write; the connection goes back while we wait for Kafka
    outcomes |= _sent(
        calls, read, {place: fresh[place] for place in places if place not in outcomes}
    )
    return _by_call(calls, outcomes)


def _sent(
    calls: Sequence[_Call], read: Known, fresh: Mapping[_Place, ScoreEvent]
) -> dict[_Place, Outcome | _Taken | None]:
    """Gives the scores to Kafka, but for those whose outcome nobody could hear of."""
    settings: Settings = current_app.config["PRESSBOX"]
    lost = {
        number
        for number, call in enumerate(calls)
        if call.waiting is not None and call.waiting.lost
    }
    heard = {place: event for place, event in fresh.items() if place[0] not in lost}
    unsent = set(sending.send(settings, heard)) if heard else set()
    outcomes: dict[_Place, Outcome | _Taken | None] = {}
    for place in fresh:
        call = calls[place[0]]
        claim = call.claims[place[1]]
        if place not in heard or place in unsent:
            outcomes[place] = _NOT_TAKEN
        elif call.waiting is not None:
            outcomes[place] = None
        else:
            is_hidden = (call.known or read).players[claim.player_id].hidden_at is not None
            outcomes[place] = _Taken("accepted", claim, claim.achieved_at or call.now, is_hidden)
    return outcomes


def _look(asked: Sequence[Sequence[tuple[Claim, UUID]]]) -> list[list[Outcome | None] | Exception]:
    """What became of these scores of each call; _NOT_YET where nobody can say so yet."""
    every = [one for call in asked for one in call]
    known = known_of({claim.player_id for claim, _ in every}, [event for _, event in every])
    outcomes: dict[_Place, Outcome | _Taken | None] = {
        (number, place): _first_outcome(claim, known, event) if event in known.decided else _NOT_YET
        for number, call in enumerate(asked)
        for place, (claim, event) in enumerate(call)
    }
    return _by_call(asked, outcomes)


def _scores(calls: Sequence[_Call]) -> Iterator[tuple[_Place, _Call, Claim]]:
    for number, call in enumerate(calls):
        for place, claim in enumerate(call.claims):
            yield (number, place), call, claim


def _by_call(
    calls: Sequence[Sized], outcomes: Mapping[_Place, Outcome | _Taken | None]
) -> list[list[Outcome | None] | Exception]:
    """The outcomes in the calls' order, with the ranks of what was taken in.

    BadWindow for a call whose score counts in a window that its mode has no more.
    """
    ranked = _ranked({place: one for place, one in outcomes.items() if isinstance(one, _Taken)})
    found: list[list[Outcome | None] | Exception] = []
    for number, call in enumerate(calls):
        every = [ranked.get((number, place), outcomes[number, place]) for place in range(len(call))]
        bad = next((one for one in every if isinstance(one, BadWindow)), None)
        found.append(bad or cast("list[Outcome | None]", every))
    return found


def _ranked(taken: Mapping[_Place, _Taken]) -> dict[_Place, Submitted | BadWindow]:
    """Looked up together for each window."""
    found: dict[_Place, Submitted | BadWindow] = {}
    together: dict[tuple[UUID, str, bool], dict[_Place, _Taken]] = defaultdict(dict)
    for place, one in taken.items():
        window = mode_boards.first_window(one.claim.mode, one.at)
        if one.claim.trusted:
            found[place] = Submitted(
                one.status, one.claim.player_id, window, None, repeated=one.repeated
            )
        else:
            together[one.claim.mode.id, window, one.status == "committed"][place] = one
    for (_, window, is_committed), some in together.items():
        try:
            found |= _standing(window, some) if is_committed else _provisional(window, some)
        except BadWindow as error:
            found |= dict.fromkeys(some, error)
    return found


def _standing(window: str, taken: Mapping[_Place, _Taken]) -> dict[_Place, Submitted]:
    players = {one.claim.player_id: one for one in taken.values()}
    mode = next(iter(players.values())).claim.mode
    hidden = {player for player, one in players.items() if one.is_hidden}
    held = mode_boards.standings(mode, window, list(players), hidden)
    found = {}
    for place, one in taken.items():
        player = one.claim.player_id
        its = held[player]
        found[place] = Submitted(
            *(
                "committed",
                player,
                window,
                its.rank,
                its.total,
                its.score,
                one.repeated,
                its.subscore,
            )
        )
    return found


def _provisional(window: str, taken: Mapping[_Place, _Taken]) -> dict[_Place, Submitted]:
    sent = {
        place: (one.claim.player_id, one.claim.score, one.claim.subscore)
        for place, one in taken.items()
    }
    mode = next(iter(taken.values())).claim.mode
    hidden = {one.claim.player_id for one in taken.values() if one.is_hidden}
    ranks = mode_boards.provisionals(mode, window, set(sent.values()), hidden)
    return {
        place: Submitted(
            one.status, one.claim.player_id, window, ranks[sent[place]], repeated=one.repeated
        )
        for place, one in taken.items()
    }


def _event(
    claim: Claim, event: UUID, origin: Origin, now: datetime, game: str, awaited: bool
) -> ScoreEvent:
    secret = current_app.config["SECRET_KEY"]
    return ScoreEvent(
        event_id=event,
        attempt_id=claim.attempt_id,
        player_id=claim.player_id,
        game_id=claim.mode.game_id,
        mode_id=claim.mode.id,
        game=game,
        mode=claim.mode.slug,
        shard=events.shard_of(claim.player_id),
        score=claim.score,
        subscore=claim.subscore,
        achieved_at=to_us(claim.achieved_at or now),
        client_meta=events.check_meta(origin.client_meta),
        metadata=None if claim.metadata is None else dict(claim.metadata),
        device=events.fingerprint(secret, "device", origin.device) if origin.device else None,
        address=events.fingerprint(secret, "address", origin.address) if origin.address else None,
        location=locate(origin.address) if origin.address else None,
        replay=origin.replay,
        awaited=awaited,
    )


def _first_outcome(
    claim: Claim, known: Known, event: UUID, *, repeated: bool = False
) -> Refused | _Taken:
    """What a decided attempt answers, the first time and each time after."""
    row = known.decided[event]
    if row.mode_id != claim.mode.id or (row.score, row.subscore) != (claim.score, claim.subscore):
        text = "attempt_id was used for another score; each score needs an attempt of its own."
        return Refused((Refusal("attempt_reused", "attempt_id", text),))
    if row.rolled_back_at is not None:
        text = (
            f"This attempt was taken back at {row.rolled_back_at.isoformat()}; ask for a new one."
        )
        return Refused((Refusal("rolled_back", "attempt_id", text),))
    if row.fraud_state == "rejected":
        reasons = ", ".join(row.fraud_reasons) or "no reason given"
        return Refused(
            (Refusal("rejected", "raw_score", f"The score does not count ({reasons})."),)
        )
    status: Literal["held", "committed"] = "held" if row.fraud_state == "flagged" else "committed"
    return _Taken(
        status,
        claim,
        row.achieved_at,
        known.players[claim.player_id].hidden_at is not None,
        repeated,
    )


_through_door = gathered(_take, size=len, most=MOST_CLAIMS)
_as_decided = gathered(_look, size=len, most=MOST_CLAIMS)
