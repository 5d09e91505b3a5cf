"""Scores held for a review: which ones, with what evidence (PRODUCT D12).

corrections.py decides, records and updates the boards; views.py has the pages.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select

from app.accounts.models import Member, Player
from app.boards.models import Mode, ScoreGame
from app.boards.order import Best, Order
from app.boards.pages.page import points, subscore_words
from app.core.blob_store import BlobNotFoundError, blob_store
from app.core.db import db
from app.scores.anticheat.distribution import Cohort, cohort_of
from app.scores.anticheat.reasons import WORDS
from app.scores.anticheat.stores import counts, replay_name
from app.scores.models import ScoreAttempt, ScoreCorrection

PAGE = 25
NEIGHBOURS = 4  # neighbours on each side


@dataclass(frozen=True)
class HeldScore:
    """A flagged score.

    `points` is the score in points as people read it, `subscore` includes its title, if any, and
    `reasons` has codes and sentences.
    """

    event_id: UUID
    player_id: UUID
    player: str
    game: str
    mode: str
    points: str
    at: datetime
    reasons: list[tuple[str, str]]
    subscore: str = ""


@dataclass(frozen=True)
class Decision:
    """A decision about a score as the page shows it."""

    text: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Evidence:
    """A score with what speaks for and against it.

    `below` and `above` are the clean scores nearest to it in the cohort, worse and better ones, as
    points with how often they occur, worst first. `better` is the number of scores in the cohort
    above it. `replay` says whether the recorded game is there; None if none was announced.
    """

    score: HeldScore
    state: str
    waits: bool
    place: str
    metadata: dict[str, Any] | None
    digest: str | None
    replay: bool | None
    cohort: Cohort
    median: str
    high: str
    lowest_is_best: bool
    better: int
    below: list[tuple[str, int]]
    above: list[tuple[str, int]]
    decisions: list[Decision]


def waiting(
    mode: UUID | None = None,
    reason: str | None = None,
    page: int = 1,
    games: Collection[UUID] | None = None,
) -> tuple[list[HeldScore], int]:
    """Return a page of flagged scores, longest waiting first (then by event), and their number.

    `games` limits them to these games.
    """
    query = _attempts().where(
        ScoreAttempt.fraud_state == "flagged", ScoreAttempt.rolled_back_at.is_(None)
    )
    if games is not None:
        query = query.where(Mode.game_id.in_(games))
    if mode is not None:
        query = query.where(ScoreAttempt.mode_id == mode)
    if reason:
        query = query.where(ScoreAttempt.fraud_reasons.contains([reason]))
    total = db.session.scalar(select(func.count()).select_from(query.subquery())) or 0
    ordered = query.order_by(ScoreAttempt.ingested_at, ScoreAttempt.event_id)
    rows = db.session.execute(ordered.limit(PAGE).offset(PAGE * (page - 1))).all()
    return [_held_score(*row) for row in rows], total


def modes(games: Collection[UUID] | None = None) -> list[tuple[UUID, str]]:
    """Return modes with waiting scores by name; `games` limits them to these games."""
    query = (
        select(Mode.id, ScoreGame.title, Mode.title)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(
            select(ScoreAttempt)
            .where(ScoreAttempt.mode_id == Mode.id, ScoreAttempt.fraud_state == "flagged")
            .exists()
        )
        .order_by(ScoreGame.title, Mode.title, Mode.id)
    )
    rows = db.session.execute(query if games is None else query.where(ScoreGame.id.in_(games)))
    return [(number, f"{game}, {mode}") for number, game, mode in rows]


def evidence(event_id: UUID) -> Evidence | None:
    """Collect the evidence about an attempt; None if there is no such attempt.

    Raises:
        BlobStoreError: The blob store did not answer.
    """
    row = db.session.execute(_attempts().where(ScoreAttempt.event_id == event_id)).one_or_none()
    if row is None:
        return None
    attempt, player, mode, game = row
    cohort_counts = counts(mode.id)
    cohort = cohort_of(cohort_counts)
    order = Order(mode.ordering.best)  # without subscores: it converts between heights and scores
    height = order.key(attempt.score)
    below = [other for other in sorted(cohort_counts) if other <= height][-NEIGHBOURS:]
    above = [other for other in sorted(cohort_counts) if other > height][:NEIGHBOURS]

    def in_points(some_height: int) -> str:
        return points(order.score_of(some_height), mode.decimals)

    decided = db.session.execute(
        select(ScoreCorrection, Member.display_name)
        .outerjoin(Member, Member.id == ScoreCorrection.member_id)
        .where(ScoreCorrection.event_id == event_id)
        .order_by(ScoreCorrection.id)
    )
    return Evidence(
        score=_held_score(attempt, player, mode, game),
        state=attempt.fraud_state,
        waits=attempt.fraud_state == "flagged" and attempt.rolled_back_at is None,
        place=f"partition {attempt.kafka_partition}, offset {attempt.kafka_offset}",
        metadata=attempt.score_metadata,
        digest=attempt.replay,
        replay=None if attempt.replay is None else replay_of(attempt) is not None,
        cohort=cohort,
        median=in_points(cohort.median),
        high=in_points(cohort.high),
        lowest_is_best=order.best is Best.LOWEST,
        better=sum(number for other, number in cohort_counts.items() if other > height),
        below=[(in_points(other), cohort_counts[other]) for other in below],
        above=[(in_points(other), cohort_counts[other]) for other in above],
        decisions=[
            Decision(
                _DECISIONS[correction.action],
                correction.reason,
                name or "the anti-cheat",
                correction.created_at,
            )
            for correction, name in decided
        ],
    )


def replay_of(attempt: ScoreAttempt) -> bytes | None:
    """Load the recorded game that the game server uploaded; None without one.

    Raises:
        BlobStoreError: The blob store did not answer.
    """
    try:
        return blob_store().get(replay_name(attempt.mode_id, attempt.event_id))
    except BlobNotFoundError:
        return None


_DECISIONS = {
    "accept": "Accepted",
    "reject": "Rejected",
    "roll_back": "Rolled back",
    "flag": "Held",
    "restore": "Restored",
}


def _attempts() -> Select[ScoreAttempt, Player, Mode, ScoreGame]:
    return (
        select(ScoreAttempt, Player, Mode, ScoreGame)
        .join(Player, Player.id == ScoreAttempt.player_id)
        .join(Mode, Mode.id == ScoreAttempt.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
    )


def _held_score(attempt: ScoreAttempt, player: Player, mode: Mode, game: ScoreGame) -> HeldScore:
    reasons = [(code, WORDS.get(code, code)) for code in attempt.fraud_reasons]
    return HeldScore(
        event_id=attempt.event_id,
        player_id=player.id,
        player=player.display_name,
        game=game.title,
        mode=mode.title,
        points=points(attempt.score, mode.decimals),
        at=attempt.achieved_at,
        reasons=reasons,
        subscore=subscore_words(mode.ordering, attempt.subscore),
    )
