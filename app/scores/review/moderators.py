"""Whose scores a member may decide about: staff about all, integrators about their games'."""

from __future__ import annotations

from uuid import UUID

from flask import abort
from sqlalchemy import select

from app.accounts.models import Integrator, Member
from app.boards.models import Mode, ScoreGame
from app.core.db import db
from app.core.http.responses import error_response
from app.core.viewer import current_user
from app.scores.archive import months
from app.scores.models import ScoreAttempt, ScoreAttemptKey

STAFF = ("moderator", "operator")


def games_of(member: Member) -> frozenset[UUID] | None:
    """Return the games whose scores this member moderates; None means all games."""
    if member.has_role(*STAFF):
        return None
    return games_of_owner(member.id)


def games_of_owner(member_id: int) -> frozenset[UUID]:
    """Return the games of the integrators that belong to this member."""
    query = select(ScoreGame.id).join(Integrator, Integrator.id == ScoreGame.integrator_id)
    return frozenset(db.session.scalars(query.where(Integrator.owner_id == member_id)))


def has_own_games() -> bool:
    """Whether the signed-in member moderates games as their integrator."""
    return bool(games_of_owner(current_user.id))


def my_games() -> frozenset[UUID] | None:
    """Return `games_of` of the signed-in member; a 404 for members who moderate nothing."""
    games = games_of(current_user)
    if games is not None and not games:
        abort(404)
    return games


def is_mine(game_id: UUID, games: frozenset[UUID] | None) -> bool:
    """Whether the game is among these; None stands for all games."""
    return games is None or game_id in games


def moderated_attempt(event_id: UUID) -> ScoreAttempt:
    """Return the attempt if the signed-in member moderates its game; otherwise end with a 404.

    Of an attempt in an archived month the page says so, and how to bring it back.
    """
    games = my_games()
    key = db.session.get(ScoreAttemptKey, event_id) or abort(404)
    if not is_mine(db.session.get_one(Mode, key.mode_id).game_id, games):
        abort(404)
    attempt = db.session.get(ScoreAttempt, event_id)
    if attempt is None:
        refusal = months.refusal_of(event_id) or abort(404)
        abort(error_response(404, title="This score is archived", remedy=refusal.text))
    return attempt
