"""Deletes an integrator with its keys, webhooks, games, scores and players (decision 0038).

First it is marked with its games: once that is committed nobody finds it and none of its keys
works. Then the job that deletes games deletes it in steps, each of which commits and can be
continued by the next run.
"""

from __future__ import annotations

from datetime import datetime

import structlog
from sqlalchemy import delete, select, update

from app.accounts import tokens
from app.accounts.models import ApiKey, Integrator, Player
from app.audit import log as audit
from app.audit.acts import Act
from app.boards.models import ScoreGame
from app.core.batch_failures import Failures
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.scores.archive import months
from app.scores.deletion import games as deletion
from app.scores.models import ScoreAttempt
from app.scores.standings import placing
from app.scores.webhooks.models import Webhook

log = structlog.get_logger(__name__)

CHUNK = 500  # players per step


def ask(integrator: Integrator, name: str, *, now: datetime) -> Refusal | None:
    """Mark the integrator for deletion and commit; None if that worked, else why not.

    Without games and players it is deleted at once. `name` is its own name, repeated as a
    confirmation.
    """
    if name.strip() != integrator.name:
        return Refusal("not_repeated", "name", f"Type the name {integrator.name} to confirm.")
    integrator_id, owner_id = integrator.id, integrator.owner_id
    with transaction():
        query = select(Integrator).where(Integrator.id == integrator_id).with_for_update()
        locked = db.session.scalars(query.execution_options(populate_existing=True)).one()
        if locked.deleting_at is not None:
            return None
        locked.deleting_at = now
        keys = db.session.scalars(
            update(ApiKey)
            .where(ApiKey.integrator_id == integrator_id, ApiKey.revoked_at.is_(None))
            .values(revoked_at=now)
            .returning(ApiKey.id)
        ).all()
        for key_id in keys:
            tokens.revoke_of_key(key_id, now)
        db.session.execute(delete(Webhook).where(Webhook.integrator_id == integrator_id))
        games = db.session.scalars(
            select(ScoreGame).where(ScoreGame.integrator_id == integrator_id)
        ).all()
        for game in games:
            deletion.mark_game(game, now)
        details = {"name": locked.name, "games": sorted(game.slug for game in games)}
        subject = f"integrator:{integrator_id}"
        audit.record(Act.INTEGRATOR_DELETED, actor_id=owner_id, subject=subject, details=details)
    if (
        not games
        and db.session.scalar(
            select(Player.id).where(Player.integrator_id == integrator_id).limit(1)
        )
        is None
    ):
        _finish(integrator_id, now)
    return None


def delete_marked(now: datetime) -> int:
    """Delete the marked integrators that have no games any more; return how many.

    Commits after each step. An integrator that fails stops no other: it is logged, and its error is
    raised at the end.
    """
    failures = Failures("integrator_not_deleted")
    _mark_late_games(now)
    has_games = select(ScoreGame.id).where(ScoreGame.integrator_id == Integrator.id).exists()
    query = (
        select(Integrator.id)
        .where(Integrator.deleting_at.is_not(None), ~has_games)
        .order_by(Integrator.id)
    )
    marked = db.session.scalars(query).all()
    db.session.rollback()
    for integrator_id in marked:
        with failures.apart(integrator_id):
            _finish(integrator_id, now)
    failures.raise_first()
    return len(marked)


def _mark_late_games(now: datetime) -> None:
    """Mark games created by a request whose key was checked before the integrator was marked."""
    query = select(ScoreGame).join(Integrator, Integrator.id == ScoreGame.integrator_id)
    query = query.where(Integrator.deleting_at.is_not(None), ScoreGame.deleting_at.is_(None))
    with transaction():
        for game in db.session.scalars(query.order_by(ScoreGame.id)).all():
            deletion.mark_game(game, now)


def _finish(integrator_id: int, now: datetime) -> None:
    while _delete_players(integrator_id, now):
        pass
    with transaction():
        db.session.execute(delete(Integrator).where(Integrator.id == integrator_id))
        audit.record(Act.INTEGRATOR_GONE, actor_id=None, subject=f"integrator:{integrator_id}")
    log.info("integrator_deleted", integrator=integrator_id)


def _delete_players(integrator_id: int, now: datetime) -> int:
    """Delete its next players, with what they did on others' boards such as the monthly one.

    Returns how many.
    """
    query = (
        select(Player.id)
        .where(Player.integrator_id == integrator_id)
        .order_by(Player.id)
        .limit(CHUNK)
    )
    chosen = list(db.session.scalars(query))
    db.session.rollback()
    if not chosen:
        return 0
    with transaction():
        modes = placing.hold(chosen)
        db.session.execute(delete(ScoreAttempt).where(ScoreAttempt.player_id.in_(chosen)))
        months.forget_standings(chosen)
        for mode in modes.values():
            placing.recount(mode, chosen, now)
    if modes:  # if the process dies before this, the verifier does it
        placing.show(modes, chosen)
    with transaction():
        db.session.execute(delete(Player).where(Player.id.in_(chosen)))
        months.rewrite_all(now)  # removes their attempts from archived months
    return len(chosen)
