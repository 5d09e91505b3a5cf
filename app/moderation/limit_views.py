"""The page on which integrators and staff set a mode's anti-cheat limits after a dry run."""

from __future__ import annotations

from uuid import UUID

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from app.accounts.reauthentication import reauthenticated
from app.boards.models import Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.core.http.access import MEMBER, audience
from app.core.http.responses import respond
from app.core.numbers import typed_whole
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.moderation import limits
from app.moderation.forms import LimitsForm
from app.scores.anticheat import mode_limits
from app.scores.anticheat.reasons import WORDS
from app.scores.anticheat.submission import PROMISED, Limits
from app.scores.review.moderators import STAFF, is_mine, my_games

blueprint = Blueprint("moderate_limits", __name__, url_prefix="/moderation/limits")


@blueprint.get("")
@audience(MEMBER, *STAFF)
def limits_list() -> ResponseReturnValue:
    """The modes whose limits this user may set."""
    games = my_games()
    query = select(Mode, ScoreGame.title).join(ScoreGame, ScoreGame.id == Mode.game_id)
    if games is not None:
        query = query.where(ScoreGame.id.in_(games))
    rows = db.session.execute(query.order_by(ScoreGame.title, Mode.title, Mode.id)).all()
    return respond(
        "moderation/limits.html", modes=[(mode, game, limits.current(mode)) for mode, game in rows]
    )


@blueprint.get("/<uuid:mode_id>")
@audience(MEMBER, *STAFF)
def limits_of(mode_id: UUID) -> ResponseReturnValue:
    """A mode's limits; with new ones in the address, what those would have done."""
    return _page(_my_mode(mode_id))


@blueprint.post("/<uuid:mode_id>")
@audience(MEMBER, *STAFF)
@reauthenticated
def set_limits(mode_id: UUID) -> ResponseReturnValue:
    """Set the limits."""
    mode = _my_mode(mode_id)
    form = LimitsForm()
    new_limits = None if form.back.data else _wanted()
    if new_limits is None and not form.back.data:
        return _page(mode, Refusal("number", "per_minute", "Enter whole numbers."))
    refusal = limits.set_limits(
        mode, new_limits, by=current_user.id, reason=form.reason.data, now=clock.now()
    )
    if refusal is not None:
        return _page(mode, refusal)
    return redirect(url_for("moderate_limits.limits_of", mode_id=mode_id, done="limits"), 303)


def _page(mode: Mode, fault: Refusal | None = None) -> ResponseReturnValue:
    new_limits = _wanted()
    dry_run = None
    if new_limits is not None:
        limits_fault = mode_limits.fault(new_limits)
        fault = fault or limits_fault
        if limits_fault is None:
            dry_run = limits.dry_run(mode, new_limits, clock.now())
    return respond(
        "moderation/limits_of.html",
        status=422 if fault else 200,
        mode=mode,
        current=limits.current(mode),
        promised=PROMISED,
        proposed=new_limits,
        dry_run=dry_run,
        fault=fault,
        words=WORDS,
    )


def _wanted() -> Limits | None:
    minute, hour, reach = (typed_whole(request.values.get(name)) for name in _NAMES)
    return None if minute is None or hour is None or reach is None else Limits(minute, hour, reach)


_NAMES = ("per_minute", "per_hour", "reach")


def _my_mode(mode_id: UUID) -> Mode:
    games = my_games()
    mode = db.session.get(Mode, mode_id) or abort(404)
    return mode if is_mine(mode.game_id, games) else abort(404)
