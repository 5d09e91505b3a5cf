"""The stored anomaly models: one object per version, in the mode's folder of the blob store."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core.blob_store import blob_store
from app.core.clock import to_us
from app.core.db import db
from app.core.errors import UserError
from app.scores.anticheat import features, forest, stores
from app.scores.anticheat.distribution import cohort_of
from app.scores.anticheat.features import Past
from app.scores.anticheat.forest import Forest
from app.scores.anticheat.submission import Submission
from app.scores.anticheat.training import grow
from app.scores.models import ScoreAttempt


class ModeNotFoundError(UserError):
    """The game or its mode is unknown."""


def train(game_name: str, mode_name: str, now: datetime) -> tuple[str, Forest]:
    """Train a model on the mode's newest clean scores and store it as its next version.

    Returns:
        The object's name, and the model.

    Raises:
        ModeNotFoundError: The game or its mode is unknown.
        TrainingError: There are too few scores, or scikit-learn is missing.
        BlobStoreError: The blob store did not answer.
    """
    game = catalogue.find_game(game_name)
    mode = game and catalogue.find_mode(game, mode_name)
    if mode is None:
        raise ModeNotFoundError(
            f"There is no mode {mode_name} of a game {game_name}; look at --game and --mode."
        )
    rows = db.session.scalars(
        select(ScoreAttempt)
        .where(
            ScoreAttempt.mode_id == mode.id,
            ScoreAttempt.fraud_state == "clean",
            ScoreAttempt.rolled_back_at.is_(None),
        )
        .order_by(ScoreAttempt.achieved_at.desc())
        .limit(stores.COHORT)
    ).all()
    batch = [submission(row, mode) for row in rows]
    cohort = cohort_of(stores.counts(mode.id))
    vectors = [
        features.vector(Past(submission.achieved_at, submission.height), past, cohort)
        for submission, past in zip(batch, stores.histories(batch), strict=True)
    ]
    grown = grow(vectors, now)
    name = f"{stores.model_folder(mode.id)}/{to_us(now):020d}.json"
    blob_store().put(name, forest.write(grown))
    return name, grown


def submission(row: ScoreAttempt, mode: Mode) -> Submission:
    """Return a stored attempt in the form that the layers judge."""
    return Submission(
        event_id=row.event_id,
        attempt_id=row.attempt_id,
        player_id=row.player_id,
        mode_id=mode.id,
        score=row.score,
        cap=None,
        achieved_at=to_us(row.achieved_at),
        device=row.device,
        address=row.address,
        replay_hash=row.replay,
        min_score=mode.min_score,
        max_score=mode.max_score,
        order=mode.ordering,
    )
