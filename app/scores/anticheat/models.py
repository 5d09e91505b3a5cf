"""The stored anomaly models: one object per version, in the mode's folder of the blob store.

The newest version judges; KEPT are kept. Decision 105 says when a mode gets a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.core.blob_store import blob_store
from app.core.clock import EPOCH, from_us, to_us
from app.core.db import db
from app.core.errors import UserError
from app.scores.anticheat import features, forest, stores
from app.scores.anticheat.distribution import cohort_of
from app.scores.anticheat.features import Past
from app.scores.anticheat.forest import Forest
from app.scores.anticheat.submission import Submission
from app.scores.anticheat.training import grow, grow_in_child
from app.scores.models import ScoreAttempt

# With fewer training scores, more than one honest score in 1,000 could be beyond all of them.
ENOUGH = 2_000
LASTS = timedelta(hours=23)
AT_ONCE = 20
KEPT = 7


class ModeNotFoundError(UserError):
    """The game or its mode is unknown."""


def train(game_name: str, mode_name: str, now: datetime) -> tuple[str, Forest]:
    """Train a model on the mode's newest clean scores and store it as its next version.

    Returns:
        The object's name, and the model.

    Raises:
        ModeNotFoundError: The game or its mode is unknown.
        TrainingError: There are too few scores.
        BlobStoreError: The blob store did not answer.
    """
    return _train(find_mode(game_name, mode_name), now, grow)


def train_due(now: datetime) -> list[str]:
    """Train up to AT_ONCE modes, those with the oldest models first; return the models' names.

    A mode is due if it has ENOUGH clean scores, one of them newer than its model, and its model is
    older than LASTS. Running it again after a crash trains the rest.

    Raises:
        TrainingError: Training failed.
        BlobStoreError: The blob store did not answer.
    """
    modes = db.session.scalars(select(Mode).where(Mode.deleting_at.is_(None)).order_by(Mode.id))
    due = sorted(
        (
            (trained_at, mode)
            for mode in modes.all()
            if not catalogue.is_archived(mode)
            and (trained_at := _trained_at(mode)) < now - LASTS
            and _has_scores_since(mode, trained_at)
        ),
        key=lambda pair: pair[0],
    )
    names: list[str] = []
    for _, mode in due:
        if len(names) == AT_ONCE:
            break
        if sum(stores.counts(mode.id).values()) >= ENOUGH:
            name, _ = _train(mode, now, grow_in_child)
            names.append(name)
    return names


def _trained_at(mode: Mode) -> datetime:
    """Return when the mode's newest model was trained; EPOCH without one."""
    versions = blob_store().names(stores.model_folder(mode.id))
    if not versions:
        return EPOCH
    return from_us(int(versions[-1].rsplit("/", 1)[-1].removesuffix(".json")))


def _has_scores_since(mode: Mode, moment: datetime) -> bool:
    query = select(ScoreAttempt.event_id).where(
        ScoreAttempt.mode_id == mode.id, ScoreAttempt.achieved_at > moment
    )
    return db.session.scalar(query.limit(1)) is not None


def _train(
    mode: Mode, now: datetime, grow_forest: Callable[[Sequence[Sequence[float]], datetime], Forest]
) -> tuple[str, Forest]:
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
    folder = stores.model_folder(mode.id)
    db.session.commit()  # nothing to write: no transaction is open while the model is trained
    grown = grow_forest(vectors, now)
    name = f"{folder}/{to_us(now):020d}.json"
    blob_store().put(name, forest.write(grown))
    for old in blob_store().names(folder)[:-KEPT]:
        blob_store().delete(old)
    return name, grown


def find_mode(game_name: str, mode_name: str) -> Mode:
    """Return the mode; both names are short names or ids.

    Raises:
        ModeNotFoundError: The game or its mode is unknown.
    """
    game = catalogue.find_game(game_name)
    mode = game and catalogue.find_mode(game, mode_name)
    if mode is None:
        raise ModeNotFoundError(
            f"There is no game {game_name} with a mode {mode_name}. Check --game and --mode."
        )
    return mode


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
