"""Operators' decisions about a match: void, new kickoff, merge (decision 0077).

Each act is one transaction, and repeating it changes nothing. A decision overrides the provider
until it is ended, which is recorded as a new fact. Previews are in previews.py, and the effect on
the provider's values is in matches/overruling.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import redis
import structlog
from sqlalchemy import select, text

from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.refusals import Refusal
from app.predictions import notices
from app.predictions.decisions import refusals
from app.predictions.matches import findings, overruling
from app.predictions.matches.findings import Kind
from app.predictions.matches.overruling import MERGE, REDATE, VOID
from app.predictions.matches.writing import Mapped, MatchWriter, standing_acts
from app.predictions.models import Match, MatchAct, ProviderSource, Round, Tournament
from app.predictions.projections import store as projections
from app.predictions.settlement import requests, wishes
from app.predictions.settlement import services as settlement
from app.predictions.statuses import ENDED, NOT_DEFINED
from app.predictions.statuses import VOID as VOID_FATE

log = structlog.get_logger(__name__)

_PASS_ON = text(
    """
    INSERT INTO guesses (match_id, player_id, home, away, confidence, saved_at)
    SELECT b.id, g.player_id, CASE WHEN a.home_id = b.home_id THEN g.home ELSE g.away END,
      CASE WHEN a.home_id = b.home_id THEN g.away ELSE g.home END,
      g.confidence, g.saved_at
    FROM guesses g JOIN matches a ON a.id = g.match_id JOIN matches b ON b.id = a.merged_into_id
    WHERE a.id = :match_id AND is_before_kickoff(g.saved_at, b) ORDER BY g.player_id
    ON CONFLICT DO NOTHING RETURNING player_id
    """
)
_TOO_LATE = text(
    """
    SELECT g.player_id FROM guesses g JOIN matches a ON a.id = g.match_id JOIN matches b
      ON b.id = a.merged_into_id
    WHERE a.id = :match_id AND NOT is_before_kickoff(g.saved_at, b)
      AND NOT EXISTS (SELECT FROM guesses o WHERE o.match_id = b.id AND o.player_id = g.player_id)
    """
)


@dataclass(frozen=True)
class Order:
    """Who decides, why and when. `by` is None for a command on the server.

    `digest` is that of the preview that the operator saw: the act is refused if the match has
    changed since. It is empty without a preview.
    """

    by: int | None
    reason: str
    now: datetime
    digest: str = ""


@dataclass(frozen=True)
class Done:
    """The result of an act. If `is_new` is false, nothing changed.

    `settlements` is the number of settlements that follow.
    """

    match_id: UUID
    is_new: bool
    settlements: int = 0


@dataclass
class Desk:
    """A tournament with its provider and its matches, locked for one act."""

    tournament: Tournament
    source: ProviderSource | None
    matches: dict[UUID, Match]
    acts: dict[UUID, list[MatchAct]]
    writer: MatchWriter
    order: Order

    def standing(self, match: Match, kind: str) -> MatchAct | None:
        """Return the standing decision of this kind about the match, if any."""
        return next((act for act in self.acts.get(match.id, ()) if act.kind == kind), None)

    def begin(self, match: Match, kind: str, **values: Any) -> MatchAct:
        """Record a new decision about the match."""
        act = MatchAct(
            match_id=match.id,
            kind=kind,
            reason=self.order.reason.strip(),
            made_by=self.order.by,
            made_at=self.order.now,
            **values,
        )
        db.session.add(act)
        db.session.flush()
        self.acts.setdefault(match.id, []).append(act)
        return act

    def end(self, act: MatchAct, reason: str) -> None:
        """End a decision."""
        act.ended_by, act.ended_at, act.end_reason = self.order.by, self.order.now, reason
        self.acts[act.match_id].remove(act)
        db.session.flush()

    def write(self, match: Match) -> None:
        """Update the match to the provider's values under the standing decisions."""
        values = overruling.decided(
            match, overruling.stored_values(match), self.acts.get(match.id, []), self.order.now
        )
        self.writer.change(match, values)

    def commit(self, act: Act, match: Match, **details: Any) -> Done:
        """Write the consequences of the act, commit, and inform Redis and the workers."""
        writer, mapped = self.writer, self.writer.mapped
        provider, now = writer.provider, self.order.now
        mapped.settlements += wishes.want_rounds(
            self.tournament.id, writer.rounds_to_judge, provider, now
        )
        self.tournament.version += 1
        ended = (Kind.LEFT, Kind.OVERRULED) if match.fate == VOID_FATE else (Kind.OVERRULED,)
        findings.end(self.tournament.id, [match.external_id], ended, now)
        # Without validators the provider sends the whole answer again, so that it is applied anew.
        if self.source is not None:
            self.source.etag = self.source.last_modified = None
        audit.record(
            act,
            actor_id=self.order.by,
            subject=f"match:{match.id}",
            reason=self.order.reason.strip(),
            details={"tournament": self.tournament.name, "match": match.external_id, **details},
        )
        db.session.commit()
        _show(self.tournament.id, mapped.settlements)
        return Done(match.id, is_new=True, settlements=len(mapped.settlements))


def void(match_id: UUID, order: Order) -> Done | Refusal:
    """Void the match: its guesses earn nothing, and its round can end without it. Commits."""
    with _desk(match_id, order) as desk:
        match = desk.matches[match_id]
        if desk.standing(match, VOID):
            return Done(match_id, is_new=False)
        if refusal := refusals.of_order(order) or refusals.of_void(match) or _changed(desk, match):
            return refusal
        before = match.fate
        act = desk.begin(match, VOID)
        desk.write(match)
        if before != VOID_FATE:
            words = (
                "does not count",
                "It was called off. Your pick no longer counts, and any points it earned are gone.",
            )
            notices.notify_guessers(match_id, f"void:{act.id}", words, order.now)
        return desk.commit(Act.MATCH_VOIDED, match)


def unvoid(match_id: UUID, order: Order) -> Done | Refusal:
    """End the voiding, so that the match follows its provider again. Commits."""
    with _desk(match_id, order) as desk:
        match = desk.matches[match_id]
        act = desk.standing(match, VOID)
        if act is None:
            return _nothing_to_end(match_id, VOID)
        if refusal := refusals.of_order(order) or _changed(desk, match):
            return refusal
        desk.end(act, order.reason.strip())
        desk.write(match)
        if match.fate != VOID_FATE:
            words = ("counts again", "Your pick counts as you saved it.")
            notices.notify_guessers(match_id, f"unvoid:{act.id}", words, order.now)
        return desk.commit(Act.MATCH_COUNTED_AGAIN, match)


def redate(match_id: UUID, kickoff: datetime, order: Order) -> Done | Refusal:
    """Give the match a new kickoff. Its guesses are open until then. Commits."""
    with _desk(match_id, order) as desk:
        match = desk.matches[match_id]
        standing = desk.standing(match, REDATE)
        if standing is not None and standing.kickoff == kickoff:
            return Done(match_id, is_new=False)
        if refusal := (
            refusals.of_order(order)
            or refusals.of_redate(match, kickoff, order.now)
            or _changed(desk, match)
        ):
            return refusal
        if standing is not None:
            desk.end(standing, "Replaced by a new kickoff.")
        act = desk.begin(
            match, REDATE, kickoff=kickoff, kickoff_before=overruling.provided(match).kickoff
        )
        desk.write(match)
        notices.notify_guessers(
            match_id, f"redate:{act.id}", _kickoff_words(kickoff, order.now), order.now
        )
        return desk.commit(Act.MATCH_REDATED, match, kickoff=kickoff.isoformat())


def release(match_id: UUID, order: Order) -> Done | Refusal:
    """End the new kickoff, so that the match has its provider's kickoff again. Commits."""
    with _desk(match_id, order) as desk:
        match = desk.matches[match_id]
        act = desk.standing(match, REDATE)
        if act is None:
            return _nothing_to_end(match_id, REDATE)
        if refusal := refusals.of_order(order) or _changed(desk, match):
            return refusal
        desk.end(act, order.reason.strip())
        desk.write(match)
        if match.kickoff is not None and match.kickoff != act.kickoff:
            words = _kickoff_words(match.kickoff, order.now)
            notices.notify_guessers(match_id, f"release:{act.id}", words, order.now)
        return desk.commit(Act.MATCH_RELEASED, match)


def merge(match_id: UUID, into_id: UUID, order: Order) -> Done | Refusal:
    """Retire the match and move its guesses to another one. Commits.

    If a member has guessed both matches, their guess of the other one stays. A guess that was saved
    after the other match's kickoff is not moved.
    """
    with _desk(match_id, order) as desk:
        match, into = desk.matches[match_id], desk.matches.get(into_id)
        if into is not None and match.merged_into_id == into_id:
            return Done(match_id, is_new=False)
        if (
            refusal := refusals.of_order(order)
            or refusals.of_merge(match, into)
            or _changed(desk, match, into)
        ):
            return refusal
        assert into is not None  # refusals.of_merge refuses None
        for standing in list(desk.acts.get(match_id, ())):
            desk.end(standing, "Merged into another match.")
        act = desk.begin(match, MERGE, into_id=into_id)
        retired = {"status": NOT_DEFINED, "fate": VOID_FATE, "finished_at": None, "overruled": None}
        desk.writer.change(match, retired | {"merged_into_id": into_id})
        passed = _pass_on(desk, match, into, act)
        return desk.commit(Act.MATCH_MERGED, match, into=into.external_id, guesses=len(passed))


def _pass_on(desk: Desk, match: Match, into: Match, act: MatchAct) -> Sequence[UUID]:
    now, writer = desk.order.now, desk.writer
    passed = db.session.scalars(_PASS_ON, {"match_id": match.id}).all()
    settlement.credit(into, passed, now)
    # The new guesses may change who is closest, and the points for the whole round.
    if into.status == ENDED and into.terms is not None:
        writer.mapped.settlements.append(wishes.want(into, None, writer.provider, now))
    writer.rounds_to_judge |= {match.round_id, into.round_id}
    words = ("has a new date", "The match was rescheduled, and your pick counts for the new date.")
    notices.notify_guessers(into.id, f"merge:{act.id}", words, now, passed)
    late = db.session.scalars(_TOO_LATE, {"match_id": match.id}).all()
    if late:
        words = (
            "had started before your pick",
            "It was played earlier than scheduled. Your pick does not count.",
        )
        notices.notify_guessers(match.id, f"merge-late:{act.id}", words, now, late)
    return passed


def digest_of(matches: Collection[Match], acts: Collection[MatchAct]) -> str:
    """Return a digest of the facts about these matches that a preview shows, except guesses."""
    facts = [
        [
            match.status,
            match.fate,
            match.kickoff,
            match.home_score,
            match.away_score,
            match.round_id,
            match.settled_at,
        ]
        for match in matches
    ]
    return hashlib.sha256(repr([facts, sorted(act.id for act in acts)]).encode()).hexdigest()[:32]


def _changed(desk: Desk, *matches: Match | None) -> Refusal | None:
    existing = [match for match in matches if match is not None]
    acts = [act for match in existing for act in desk.acts.get(match.id, ())]
    if desk.order.digest in ("", digest_of(existing, acts)):
        return None
    return Refusal(
        "changed_meanwhile",
        "digest",
        "The match has changed in the meantime. Check the new preview.",
    )


def _nothing_to_end(match_id: UUID, kind: str) -> Done | Refusal:
    """Return the result if no decision stands: it was ended already, or there never was one."""
    if db.session.scalar(
        select(MatchAct.id).where(MatchAct.match_id == match_id, MatchAct.kind == kind).limit(1)
    ):
        return Done(match_id, is_new=False)
    what = "voided" if kind == VOID else "given a new kickoff"
    return Refusal(
        "not_decided", "match", f"No operator has {what} this match, so there is nothing to undo."
    )


def _kickoff_words(kickoff: datetime, now: datetime) -> tuple[str, str]:
    begins = f"{kickoff:%A %-d %B %Y %H:%M} UTC"
    if kickoff > now:
        return (
            "has a new kickoff",
            f"It kicks off on {begins}. You can change your pick until then.",
        )
    return "has a new kickoff", f"It kicked off on {begins}. Your pick counts."


@contextmanager
def _desk(match_id: UUID, order: Order) -> Iterator[Desk]:
    """Lock in the same order as a poll: the provider, the tournament, then its matches.

    At the end, uncommitted changes are rolled back.
    """
    try:
        tournament_id = db.session.scalars(
            select(Match.tournament_id).where(Match.id == match_id)
        ).one()
        db.session.rollback()
        fresh = {"populate_existing": True}
        source = db.session.scalar(
            select(ProviderSource)
            .where(ProviderSource.tournament_id == tournament_id)
            .with_for_update()
            .execution_options(**fresh)
        )
        tournament = db.session.scalars(
            select(Tournament)
            .where(Tournament.id == tournament_id)
            .with_for_update(key_share=True)
            .execution_options(**fresh)
        ).one()
        every = (
            select(Match)
            .where(Match.tournament_id == tournament_id)
            .order_by(Match.id)
            .with_for_update()
        )
        matches = {
            match.id: match for match in db.session.scalars(every.execution_options(**fresh))
        }
        rounds = db.session.execute(
            select(Round.id, Round.slug).where(Round.tournament_id == tournament_id)
        )
        provider = source.name if source is not None else "operator"
        writer = MatchWriter(tournament_id, provider, order.now, dict(rounds.all()), Mapped())
        yield Desk(tournament, source, matches, standing_acts(tournament_id), writer, order)
    finally:
        db.session.rollback()


def _show(tournament_id: UUID, settlements: Sequence[str]) -> None:
    """Update Redis and send jobs. If Redis is down, the reconcile job does both later."""
    try:
        projections.hydrate(tournament_id)
        requests.send(settlements)
    except redis.RedisError as error:
        log.warning(
            "match_act_redis_away", tournament_id=str(tournament_id), reason=type(error).__name__
        )
