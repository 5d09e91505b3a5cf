"""Scores held for a review: which, with what evidence, and the decision (PRODUCT D12).

The decision itself, its audit row and the boards are app/scores/corrections.py. Not here: pages (review_views.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, func, select

from app.accounts.models import Member, Player
from app.boards.models import Mode, ScoreGame
from app.core.blobs import NoBlob, blob_store
from app.core.db import db
from app.scores.anticheat.distribution import Cohort, cohort_of
from app.scores.anticheat.reasons import WORDS
from app.scores.anticheat.stores import counts, replay_name
from app.scores.models import ScoreAttempt, ScoreCorrection

PAGE = 25
NEIGHBOURS = 4  # on each side


@dataclass(frozen=True)
class Held:
    """A flagged score. `points`: the score in points, as people read it. `reasons`: code and sentence."""

    event_id: UUID
    player: str
    game: str
    mode: str
    points: str
    at: datetime
    reasons: list[tuple[str, str]]


@dataclass(frozen=True)
class Decision:
    text: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Evidence:
    """One score with what speaks for and against it.

    `below`, `above`: clean scores nearest to it in the cohort, as points and how often they occur, rising.
    `better`: how many of the cohort are above it. `replay`: whether the recorded game is there; None: none announced.
    """

    held: Held
    state: str
    waits: bool
    place: str
    digest: str | None
    replay: bool | None
    cohort: Cohort
    median: str
    high: str
    better: int
    below: list[tuple[str, int]]
    above: list[tuple[str, int]]
    decisions: list[Decision]


def waiting(mode: UUID | None = None, reason: str | None = None, page: int = 1) -> tuple[list[Held], int]:
    """Flagged scores, the longest waiting first (then by event), PAGE of them; and how many there are in all."""
    query = _attempts().where(ScoreAttempt.fraud_state == "flagged", ScoreAttempt.rolled_back_at.is_(None))
    if mode is not None:
        query = query.where(ScoreAttempt.mode_id == mode)
    if reason:
        query = query.where(ScoreAttempt.fraud_reasons.contains([reason]))
    total = db.session.scalar(select(func.count()).select_from(query.subquery())) or 0
    ordered = query.order_by(ScoreAttempt.ingested_at, ScoreAttempt.event_id)
    rows = db.session.execute(ordered.limit(PAGE).offset(PAGE * (page - 1))).all()
    return [_held(*row) for row in rows], total


def modes() -> list[tuple[UUID, str]]:
    """Modes with scores that wait, by name."""
    rows = db.session.execute(
        select(Mode.id, ScoreGame.title, Mode.title)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(
            select(ScoreAttempt).where(ScoreAttempt.mode_id == Mode.id, ScoreAttempt.fraud_state == "flagged").exists()
        )
        .order_by(ScoreGame.title, Mode.title, Mode.id)
    )
    return [(number, f"{game}, {mode}") for number, game, mode in rows]


def evidence(event_id: UUID) -> Evidence | None:
    """None when there is no such attempt. Raises BlobStoreAway."""
    row = db.session.execute(_attempts().where(ScoreAttempt.event_id == event_id)).one_or_none()
    if row is None:
        return None
    attempt, player, mode, game = row
    found = counts(mode.id)
    cohort = cohort_of(found)
    below = [score for score in sorted(found) if score <= attempt.score][-NEIGHBOURS:]
    above = [score for score in sorted(found) if score > attempt.score][:NEIGHBOURS]
    decided = db.session.execute(
        select(ScoreCorrection, Member.display_name)
        .outerjoin(Member, Member.id == ScoreCorrection.member_id)
        .where(ScoreCorrection.event_id == event_id)
        .order_by(ScoreCorrection.id)
    )
    return Evidence(
        held=_held(attempt, player, mode, game),
        state=attempt.fraud_state,
        waits=attempt.fraud_state == "flagged" and attempt.rolled_back_at is None,
        place=f"partition {attempt.kafka_partition}, offset {attempt.kafka_offset}",
        digest=attempt.replay,
        replay=None if attempt.replay is None else replay_of(attempt) is not None,
        cohort=cohort,
        median=_points(cohort.median, mode),
        high=_points(cohort.high, mode),
        better=sum(number for score, number in found.items() if score > attempt.score),
        below=[(_points(score, mode), found[score]) for score in below],
        above=[(_points(score, mode), found[score]) for score in above],
        decisions=[
            Decision(_DECISIONS[one.action], one.reason, name or "the anti-cheat", one.created_at)
            for one, name in decided
        ],
    )


def replay_of(attempt: ScoreAttempt) -> bytes | None:
    """The recorded game as the game server uploaded it. Raises BlobStoreAway."""
    try:
        return blob_store().get(replay_name(attempt.mode_id, attempt.event_id))
    except NoBlob:
        return None


_DECISIONS = {"accept": "Accepted", "reject": "Rejected", "roll_back": "Taken back", "flag": "Held back"}


def _attempts() -> Select[ScoreAttempt, Player, Mode, ScoreGame]:
    return (
        select(ScoreAttempt, Player, Mode, ScoreGame)
        .join(Player, Player.id == ScoreAttempt.player_id)
        .join(Mode, Mode.id == ScoreAttempt.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
    )


def _held(attempt: ScoreAttempt, player: Player, mode: Mode, game: ScoreGame) -> Held:
    reasons = [(code, WORDS.get(code, code)) for code in attempt.fraud_reasons]
    points = _points(attempt.score, mode)
    return Held(attempt.event_id, player.display_name, game.title, mode.title, points, attempt.achieved_at, reasons)


def _points(score: int, mode: Mode) -> str:
    return f"{score / 10**mode.decimals:,.{mode.decimals}f}"
