"""Pages on which moderators, and integrators for their games, review scores that are held back."""

from __future__ import annotations

import json
from functools import partial
from io import BytesIO
from uuid import UUID

from flask import Blueprint, abort, redirect, request, send_file, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import TextAreaField
from wtforms.validators import InputRequired, Length

from app.accounts.reauthentication import reauthenticated
from app.core import clock
from app.core.http.access import MEMBER, audience
from app.core.http.pagination import page_number
from app.core.http.rate_limits import limit_costly_work
from app.core.http.responses import respond
from app.core.refusals import Refusal
from app.core.viewer import current_user
from app.scores.anticheat.reasons import WORDS
from app.scores.review import corrections
from app.scores.review import queries as review
from app.scores.review.moderators import STAFF, has_own_games, moderated_attempt, my_games

blueprint = Blueprint("moderation", __name__, url_prefix="/moderation/scores")
blueprint.add_app_template_global(has_own_games)
blueprint.add_app_template_filter(partial(json.dumps, indent=2, ensure_ascii=False), "as_json")


class DecisionForm(FlaskForm):
    """The form of a decision, with its reason."""

    reason = TextAreaField(
        "Reason",
        [
            InputRequired("Give a reason. It is kept with your name."),
            Length(max=500, message="Use at most 500 characters."),
        ],
        description=(
            "Kept with your name and the time. If you reject the score, the player sees the reason."
        ),
    )


@blueprint.get("")
@audience(MEMBER, *STAFF)
def scores() -> ResponseReturnValue:
    """List the scores that wait for a review."""
    mode = _uuid(request.args.get("mode", ""))
    reason = request.args.get("reason", "")
    page = page_number()
    games = my_games()
    waiting, total = review.waiting(mode, reason, page, games)
    pages = -(-total // review.PAGE)
    return respond(
        "moderation/scores.html",
        scores=waiting,
        total=total,
        page=page,
        pages=pages,
        modes=review.modes(games),
        mode=mode,
        reason=reason,
        words=WORDS,
    )


@blueprint.get("/<uuid:event_id>")
@audience(MEMBER, *STAFF)
def score(event_id: UUID) -> ResponseReturnValue:
    """Show a held score with its evidence."""
    moderated_attempt(event_id)
    return _page(event_id, DecisionForm())


@blueprint.post("/<uuid:event_id>/decision")
@audience(MEMBER, *STAFF)
@reauthenticated
def decide(event_id: UUID) -> ResponseReturnValue:
    """Accept or reject a held score."""
    moderated_attempt(event_id)
    form, decision = DecisionForm(), request.form.get("decision")
    if not form.validate_on_submit():
        return _page(event_id, form, status=422)
    if decision not in ("accept", "reject"):
        return _page(event_id, form, status=422, fault="Choose to accept or reject the score.")
    outcome = corrections.review(
        event_id,
        accept=decision == "accept",
        by=int(current_user.get_id()),
        reason=form.reason.data,
        now=clock.now(),
    )
    if isinstance(outcome, Refusal):
        return _page(event_id, form, status=409, fault=outcome.text)
    return redirect(url_for("moderation.score", event_id=event_id), 303)


@blueprint.get("/<uuid:event_id>/replay")
@audience(MEMBER, *STAFF)
@limit_costly_work
def replay(event_id: UUID) -> ResponseReturnValue:
    """Download the replay of a score."""
    attempt = moderated_attempt(event_id)
    data = review.replay_of(attempt)
    if data is None:
        abort(404)
    name = f"replay-{event_id}.bin"
    return send_file(
        BytesIO(data), "application/octet-stream", as_attachment=True, download_name=name
    )


def _page(
    event_id: UUID, form: DecisionForm, *, status: int = 200, fault: str = ""
) -> ResponseReturnValue:
    evidence = review.evidence(event_id)
    if evidence is None:
        abort(404)
    return respond(
        "moderation/score.html", status=status, evidence=evidence, form=form, fault=fault
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
